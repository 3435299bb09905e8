package claude

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
)

// Built-in tools that are offered. The list is a whitelist: tools that a role has no use for (schedules, worktrees, the web,
// questions to a person who is not there) are not in it, and new ones of a later version are not either.
var (
	readTools  = []string{"Bash", "Glob", "Grep", "Read"} // the shell of a role that reads: policy lets it look, and its box is read-only
	writeTools = []string{"Agent", "Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Write"}
	// never are denied by name as well, should the whitelist ever be ignored.
	never = []string{"AskUserQuestion", "CronCreate", "CronDelete", "CronList", "EnterPlanMode", "EnterWorktree", "ExitPlanMode", "ExitWorktree",
		"Monitor", "ScheduleWakeup", "SendMessage", "WebFetch", "WebSearch", "Workflow"}
)

// How long a command of an agent may take: when the model says nothing, and at most. The session's own time bounds both.
const (
	commandTime     = 10 * time.Minute
	mostCommandTime = time.Hour
)

// settings makes the binary put its permission question for every tool call, those it takes for harmless included. That is the second
// of two questions, see gate; it stands although the first was answered. What a file in the workspace or in HOME says does not count.
const settings = `{"disableAllHooks":false,"permissions":{"ask":["*"],"disableBypassPermissionsMode":"disable"}}`

// launch is everything that decides what a process of the binary does before it hears its prompt.
type launch struct {
	args []string
	env  []string
	key  string // of all of it, the system prompt's text included
}

func (d *Driver) launch(s agent.Session, resume bool) launch {
	l := launch{args: arguments(s, resume), env: d.environment(s)}
	h := sha256.New()
	for _, part := range [][]string{l.args, l.env, {d.cfg.Binary, s.Dir, s.StateDir, s.System, exports(s.CommandEnv)}} {
		for _, p := range part {
			fmt.Fprintf(h, "%d:%s,", len(p), p)
		}
		h.Write([]byte{';'})
	}
	l.key = hex.EncodeToString(h.Sum(nil))
	return l
}

func arguments(s agent.Session, resume bool) []string {
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
		"--setting-sources", "", "--settings", settings, "--strict-mcp-config", "--disable-slash-commands",
		"--system-prompt-snapshot", "off",
	}
	if s.System != "" {
		a = append(a, "--append-system-prompt-file", systemFile(s))
	}
	if s.Thinking > 0 {
		a = append(a, "--effort", effort(s.Thinking))
	}
	if s.Schema != nil {
		a = append(a, "--json-schema", string(s.Schema))
	}
	if resume {
		return append(a, "--resume", s.ID)
	}
	return append(a, "--session-id", s.ID)
}

// offered are the built-in tools of a session.
func offered(s agent.Session) []string {
	tools := writeTools
	if s.ReadOnly {
		tools = readTools
	}
	if s.Search {
		tools = append(slices.Clone(tools), "WebSearch")
	}
	return tools
}

// effort turns a thinking budget in tokens into the level that models with adaptive thinking take in its place.
func effort(tokens int) string {
	switch {
	case tokens < 8<<10:
		return "low"
	case tokens < 16<<10:
		return "medium"
	case tokens < 32<<10:
		return "high"
	case tokens < 64<<10:
		return "xhigh"
	}
	return "max"
}

// environment is built from this list and Session.Env alone; nothing is inherited. Ours win, but for PATH.
func (d *Driver) environment(s agent.Session) []string {
	env := map[string]string{"PATH": d.cfg.Path}
	for k, v := range s.Env {
		env[k] = v
	}
	for k, v := range map[string]string{
		"HOME": home(s), "TMPDIR": filepath.Join(s.StateDir, tmpName), "TZ": "UTC", "LANG": "C.UTF-8",
		"DISABLE_AUTOUPDATER":                      "1",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
		"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS":     "1", // else a run has several results and ends when it likes
		"CLAUDE_CODE_DISABLE_FILE_MENTIONS":        "1", // else "@/path" in an issue's text reads any file, unasked
		"CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS":     "1", // we commit, and a git status from before the prompt is stale
		"CLAUDE_CODE_DISABLE_AUTO_MEMORY":          "1",
		"CLAUDE_CODE_MAX_RETRIES":                  strconv.Itoa(d.cfg.Retries),
		"BASH_DEFAULT_TIMEOUT_MS":                  strconv.FormatInt(commandTime.Milliseconds(), 10), // else two minutes, which cut cold builds
		"BASH_MAX_TIMEOUT_MS":                      strconv.FormatInt(mostCommandTime.Milliseconds(), 10),
	} {
		env[k] = v
	}
	if len(s.CommandEnv) > 0 {
		env["CLAUDE_ENV_FILE"] = envFile(s)
	}
	if s.BaseURL != "" {
		env["ANTHROPIC_BASE_URL"] = s.BaseURL
	}
	switch {
	case s.Token == "":
	case s.Login: // the binary then sends the headers of a login by itself, and understands the limits of one
		env["CLAUDE_CODE_OAUTH_TOKEN"] = s.Token
	default:
		env["ANTHROPIC_API_KEY"] = s.Token
	}
	if s.Thinking > 0 {
		env["MAX_THINKING_TOKENS"] = strconv.Itoa(s.Thinking) // for models that know a budget and no effort
	}
	if os.Geteuid() == 0 {
		env["IS_SANDBOX"] = "1"
	}
	list := make([]string, 0, len(env))
	for k, v := range env {
		list = append(list, k+"="+v)
	}
	slices.Sort(list)
	return list
}

// promptLine is the user's turn as the binary takes it on stdin. A slash at the very start would make it a command.
func promptLine(prompt string) ([]byte, error) {
	if strings.HasPrefix(prompt, "/") {
		prompt = "\n" + prompt
	}
	line, err := json.Marshal(map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompt}})
	return append(line, '\n'), err
}
