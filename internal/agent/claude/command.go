package claude

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
)

// Built-in tools that are offered. The list is a whitelist. It leaves out tools that no role needs (schedules, worktrees, the web,
// questions to an absent person) and new tools of later versions.
var (
	readTools  = []string{"Bash", "Glob", "Grep", "Read"} // Bash is for reading: policy allows only that, and the sandbox is read-only
	writeTools = []string{"Agent", "Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"}
	// never are also denied by name, in case the whitelist is ignored.
	never = []string{"Agent", "AskUserQuestion", "CronCreate", "CronDelete", "CronList", "EnterPlanMode", "EnterWorktree", "ExitPlanMode",
		"ExitWorktree", "Monitor", "ScheduleWakeup", "SendMessage", "WebFetch", "WebSearch", "Workflow"}
)

// Time limits of an agent's command: the default, and the longest that the model can request. The session's own limit applies to both.
const (
	commandTime     = 10 * time.Minute
	mostCommandTime = time.Hour
)

// settings makes the binary send its permission request for every tool call, even for those that it considers harmless. This is the
// second of two requests, see decisions; it is sent although the first was answered. Settings files in the workspace or HOME are ignored.
const settings = `{"disableAllHooks":false,"permissions":{"ask":["*"],"disableBypassPermissionsMode":"disable"}`

// noPreflight lets WebFetch read a page without asking the vendor about its host first, which the sandbox can't reach.
const noPreflight = `,"skipWebFetchPreflight":true`

func settingsOf(s agent.Session) string {
	if s.Fetch {
		return settings + noPreflight + "}"
	}
	return settings + "}"
}

// launch is everything that determines what a process does before its prompt.
type launch struct {
	args []string
	env  []string
	key  string // hash of all of it, including the system prompt
	same string // hash of what is the same for all sessions that one process can have

	conversation string // the binary's id of the session
}

func (d *Driver) launch(s agent.Session, resume bool) launch {
	l := launch{env: d.environment(s), conversation: s.ID}
	which := "--session-id"
	if resume {
		l.conversation, which = conversation(s), "--resume"
	}
	all, id := arguments(s), []string{which, l.conversation}
	l.args = slices.Concat(all, id)
	l.same = hash(all, l.env, []string{d.cfg.Binary, s.Dir, s.StateDir, s.System, exports(s.CommandEnv), servers(s)})
	l.key = hash(id, []string{l.same})
	return l
}

func hash(parts ...[]string) string {
	h := sha256.New()
	for _, part := range parts {
		for _, p := range part {
			fmt.Fprintf(h, "%d:%s,", len(p), p)
		}
		h.Write([]byte{';'})
	}
	return hex.EncodeToString(h.Sum(nil))
}

func arguments(s agent.Session) []string {
	tools, denied := offered(s), never
	if s.ReadOnly {
		denied = append(slices.Clone(never), "Edit", "NotebookEdit", "Write")
	}
	denied = slices.DeleteFunc(slices.Clone(denied), func(tool string) bool { return slices.Contains(tools, tool) })
	a := []string{
		"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--permission-prompt-tool", "stdio", "--permission-mode", "manual",
		"--model", s.Model,
		"--tools", strings.Join(tools, ","),
		"--disallowedTools", strings.Join(denied, ","),
		"--setting-sources", "", "--settings", settingsOf(s), "--strict-mcp-config",
		"--system-prompt-snapshot", "off",
	}
	if s.Reports != nil {
		a = append(a, "--mcp-config", serversFile(s))
	}
	if s.System != "" {
		a = append(a, "--append-system-prompt-file", systemFile(s))
	}
	if s.Thinking > 0 {
		a = append(a, "--effort", program.Effort(s.Thinking))
	}
	return a
}

// offered lists the built-in tools of a session.
func offered(s agent.Session) []string {
	tools := writeTools
	if s.ReadOnly {
		tools = readTools
	}
	tools = slices.Clone(tools)
	if s.Search {
		tools = append(tools, "WebSearch")
	}
	if s.Fetch {
		tools = append(tools, "WebFetch")
	}
	return slices.DeleteFunc(tools, func(tool string) bool { return s.Alone && tool == "Agent" })
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// compilerName is the variable that keeps the binary's JavaScript engine from compiling a second and a third time what runs often. A process
// mostly waits for its model: without these compilers a session takes a twentieth less processor time, with one call or with 120, and up to
// 18 MB less memory.
const compilerName = "BUN_JSC_useDFGJIT"

func (d *Driver) environment(s agent.Session) []string {
	env := map[string]string{
		"DISABLE_AUTOUPDATER":                      "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS":     "1", // otherwise a run has several results and no defined end
		"CLAUDE_CODE_DISABLE_FILE_MENTIONS":        "1", // otherwise "@/path" in an issue's text reads any file without permission
		"CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS":     "1", // we commit, and a git status from before the prompt is outdated
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY":          "1",
		"CLAUDE_CODE_MAX_RETRIES":                  strconv.Itoa(d.cfg.Retries),
		"BASH_DEFAULT_TIMEOUT_MS":                  milliseconds(commandTime), // two minutes, its own, are too few for cold builds
		"BASH_MAX_TIMEOUT_MS":                      milliseconds(mostCommandTime),
		"CLAUDE_ENV_FILE":                          envFile(s),
		compilerName:                               "0",
	}
	if s.BaseURL != "" {
		env["ANTHROPIC_BASE_URL"] = s.BaseURL
	}
	switch {
	case s.Token == "":
	case s.Login: // makes the binary send the headers of a login and understand its limits
		env["CLAUDE_CODE_OAUTH_TOKEN"] = s.Token
	default:
		env["ANTHROPIC_API_KEY"] = s.Token
	}
	if s.Thinking > 0 {
		env["MAX_THINKING_TOKENS"] = strconv.Itoa(s.Thinking) // for models with a budget instead of effort
	}
	if os.Geteuid() == 0 {
		env["IS_SANDBOX"] = "1"
	}
	return program.Environment(s, d.cfg.Path, env)
}

// promptLine is the user's turn in the format of stdin. A slash at the very start is escaped, because it would make the text a command.
func promptLine(prompt string, images []agent.Image) ([]byte, error) {
	if strings.HasPrefix(prompt, "/") {
		prompt = "\n" + prompt
	}
	var content any = prompt
	if len(images) > 0 {
		blocks := []any{map[string]any{"type": "text", "text": prompt}}
		for _, i := range images {
			source := map[string]any{"type": "base64", "media_type": i.Type, "data": i.Data}
			blocks = append(blocks, map[string]any{"type": "image", "source": source})
		}
		content = blocks
	}
	line, err := json.Marshal(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": content}})
	return append(line, '\n'), err
}
