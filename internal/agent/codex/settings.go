package codex

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
)

// provider is the name of the model endpoint in the binary's settings, keyName that of the variable with its key, and tokenName that of the
// variable with the token of the server that the session reports to.
const (
	provider  = "longshift"
	keyName   = "LONGSHIFT_MODEL_KEY"
	tokenName = "LONGSHIFT_REPORT_TOKEN"
)

// off are features that call elsewhere, run something that nobody is asked about, or do what nobody here can use.
var off = []string{
	"apps", "browser_use", "computer_use", "goals", "hooks", "image_generation", "memories", "multi_agent", "plugin_sharing", "plugins",
	"remote_plugin", "shell_snapshot", "skill_mcp_dependency_install", "skill_search", "sleep_tool", "tool_suggest",
	"instant_interrupt",            // what we tell the model would cut off the answer that it is giving
	"unbounded_connection_retries", // a dead endpoint would never end the session
	"unified_exec_tty",             // a command in a terminal takes input, about which nobody is asked
}

// arguments start the app-server. They are visible to other users and hold no secret.
func (d *Driver) arguments(s agent.Session) []string {
	retries := max(d.cfg.Retries, 0)
	endpoint := strings.TrimSuffix(cmp.Or(s.BaseURL, "https://api.openai.com"), "/") + "/v1"
	a := []string{"app-server"}
	for _, setting := range []string{
		`model_provider="` + provider + `"`,
		fmt.Sprintf(`model_providers.%s={name=%q,base_url=%q,env_key=%q,wire_api="responses",request_max_retries=%d,stream_max_retries=%d}`,
			provider, provider, endpoint, keyName, retries, retries),
		"analytics.enabled=false", "feedback.enabled=false", "check_for_update_on_startup=false", `otel.exporter="none"`,
		`web_search="disabled"`, "agents.enabled=false",
		"allow_login_shell=false", // a login shell runs files in HOME, which commands can write
		"project_doc_max_bytes=0", // the prompt holds the project's notes
		"project_root_markers=[]", "skills.include_instructions=false", "skills.bundled.enabled=false",
	} {
		a = append(a, "-c", setting)
	}
	for _, f := range off {
		a = append(a, "--disable", f)
	}
	return a
}

// threadSettings are the settings of the conversation. They go through stdin, so that they reach no other process. A workspace that is not
// declared untrusted brings its own: .codex in it could start programs, and rules there and in HOME let commands through unasked.
func threadSettings(s agent.Session) map[string]any {
	untrusted := map[string]any{"trust_level": "untrusted"}
	projects := map[string]any{s.Dir: untrusted}
	if real, err := filepath.EvalSymlinks(s.Dir); err == nil {
		projects[real] = untrusted
	}
	variables := map[string]string{} // null is no map to the binary
	maps.Copy(variables, s.CommandEnv)
	c := map[string]any{
		"projects": projects,
		"shell_environment_policy": map[string]any{
			"inherit": "all", "ignore_default_excludes": true, "exclude": []string{keyName, tokenName, "CODEX_HOME"}, "set": variables},
	}
	if r := s.Reports; r != nil {
		c["mcp_servers"] = map[string]any{r.Server: map[string]any{
			"url": r.URL, "bearer_token_env_var": tokenName, "required": true, "startup_timeout_sec": connectTime.Seconds(),
			"default_tools_approval_mode": "prompt", "omit_tools_from": []string{"code_mode", "deferred"}, // offered from the start, by name
		}}
	}
	return c
}

// policy is the approval policy that asks before every command and patch. The binary takes it from a client only, and may withdraw it.
const policy = "untrusted"

// reviewer is who is asked: the client, and not another model.
const reviewer = "user"

// sandbox is the name of the binary's own sandbox in a request, and in an answer.
func sandbox(s agent.Session) (asked, told string) {
	if s.ReadOnly && s.Start == nil {
		return "read-only", "readOnly"
	}
	return "danger-full-access", "dangerFullAccess"
}

// threadParams are what thread/start and thread/resume have in common.
func threadParams(s agent.Session) map[string]any {
	box, _ := sandbox(s)
	p := map[string]any{"cwd": s.Dir, "model": s.Model, "modelProvider": provider, "approvalPolicy": policy, "approvalsReviewer": reviewer,
		"sandbox": box, "config": threadSettings(s)}
	if s.System != "" {
		p["developerInstructions"] = s.System
	}
	return p
}

// input is the user's turn.
func input(prompt string, images []agent.Image) []any {
	parts := []any{map[string]any{"type": "text", "text": prompt}}
	for _, i := range images {
		parts = append(parts, map[string]any{"type": "image", "url": "data:" + i.Type + ";base64," + base64.StdEncoding.EncodeToString(i.Data)})
	}
	return parts
}

// effort converts a thinking budget in tokens to a reasoning effort. The binary knows none above xhigh.
func effort(tokens int) string {
	if e := program.Effort(tokens); e != "max" {
		return e
	}
	return "xhigh"
}

// environment is the binary's, and without the two secrets and with CommandEnv that of its commands.
func (d *Driver) environment(s agent.Session) []string {
	env := map[string]string{"CODEX_HOME": codexHome(s), "RUST_LOG": "error", keyName: s.Token}
	if s.Reports != nil {
		env[tokenName] = s.Reports.Token
	}
	return program.Environment(s, d.cfg.Path, env)
}
