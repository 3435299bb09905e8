package opencode

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/program"
)

// provider is the name of the model endpoint in the binary's settings.
const provider = "longshift"

// settingsName is the variable with the settings, which win over those of files. They hold the token.
const settingsName = "OPENCODE_CONFIG_CONTENT"

// passwordName is the variable with the password of the API that the binary serves on loopback. Nobody uses it; without a password everybody
// could, and answer what we are asked.
const passwordName = "OPENCODE_SERVER_PASSWORD"

// compilerName is the variable that keeps the binary's JavaScript engine from compiling for the third time what runs often. Sessions are too
// short for that: the compiler takes a sixth of the processor time of a session with three calls of the model.
const compilerName = "BUN_JSC_useFTLJIT"

// modelsName is the variable with the file of the models that there are, in place of the list of thousands that the binary brings. To read that
// takes a quarter of the processor time of a session with three calls of the model, and ours is none of them: the settings describe it.
const modelsName = "OPENCODE_MODELS_PATH"

// settings are the binary's settings for a session.
func settings(s agent.Session) (string, error) {
	model := provider + "/" + modelName(s)
	c := map[string]any{
		"model": model, "small_model": model, "enabled_providers": []string{provider}, "provider": map[string]any{provider: endpoint(s)},
		"permission": permissions(s), "shell": shellPath(s), "instructions": []string{filepath.Join(s.StateDir, systemName)},
		"agent": map[string]any{"title": map[string]any{"disable": true}}, // a call of the model for a title that nobody reads
		// A report waits for the commands before it, which may take long.
		"experimental": map[string]any{"mcp_timeout": longestReport.Milliseconds()},
		"autoupdate":   false, "share": "disabled", "snapshot": false, "lsp": false, "formatter": false, "plugin": []string{},
	}
	text, err := json.Marshal(c)
	return string(text), err
}

// longestReport is how long the binary waits for the answer to a report.
const longestReport = 24 * time.Hour

// modelName is the model as its endpoint knows it.
func modelName(s agent.Session) string {
	if s.OpenAI {
		return s.Model
	}
	return agent.ModelName(s.Model)
}

// endpoint is where the model is, and how it is spoken to: by Anthropic's Messages, by the Responses of OpenAI itself, which take what its models
// need, and by Chat Completions with every other server.
func endpoint(s agent.Session) map[string]any {
	options := map[string]any{}
	base, speaks := cmp.Or(s.BaseURL, "https://api.anthropic.com"), "@ai-sdk/anthropic"
	switch {
	case !s.OpenAI:
		if s.Thinking > 0 && agent.TakesBudget(modelName(s)) {
			options["thinking"] = map[string]any{"type": "enabled", "budgetTokens": s.Thinking}
		}
	case s.BaseURL == "" || s.Upstream == openAI:
		base, speaks = cmp.Or(s.BaseURL, "https://"+openAI), "@ai-sdk/openai"
		options["store"] = false
		options["include"] = []string{"reasoning.encrypted_content"}
		if s.Thinking > 0 {
			options["reasoningEffort"] = effort(s.Thinking)
		}
	default:
		speaks = "@ai-sdk/openai-compatible"
	}
	model := map[string]any{"tool_call": true, "attachment": true, "options": options,
		"modalities": map[string]any{"input": []string{"text", "image"}, "output": []string{"text"}}}
	return map[string]any{
		"npm": speaks, "models": map[string]any{modelName(s): model},
		"options": map[string]any{"baseURL": strings.TrimSuffix(base, "/") + "/v1", "apiKey": s.Token},
	}
}

// openAI is the host of OpenAI's own API.
const openAI = "api.openai.com"

// effort converts a thinking budget in tokens to a reasoning effort.
func effort(tokens int) string {
	if e := program.Effort(tokens); e != "max" && e != "xhigh" {
		return e
	}
	return "high"
}

// free are the tools that do nothing which anybody decides on.
const free = "todowrite"

// permissions have the binary ask before every call, and not offer what nobody is asked about. Its own limit to the workspace and its own
// detection of loops would ask a second time about a call.
func permissions(s agent.Session) map[string]string {
	p := map[string]string{"*": "deny", "bash": "ask", "edit": "ask", "read": "ask", free: "allow", "external_directory": "allow", "doom_loop": "allow"}
	if s.ReadOnly {
		p["edit"] = "deny"
	}
	if s.Reports != nil {
		p[s.Reports.Server+"_*"] = "ask"
	}
	return p
}

// environment is the binary's. Its commands have it too, but for what the shell takes away (see shell).
func (d *Driver) environment(s agent.Session, settings string) []string {
	env := map[string]string{settingsName: settings, passwordName: rand.Text(), compilerName: "0", modelsName: filepath.Join(s.StateDir, modelsFile)}
	for _, name := range []string{"AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "PROJECT_CONFIG", "CLAUDE_CODE", "EXTERNAL_SKILLS"} {
		env["OPENCODE_DISABLE_"+name] = "1"
	}
	env["OPENCODE_PURE"] = "1" // no plugins
	for variable, folder := range folders {
		env[variable] = filepath.Join(s.StateDir, folder)
	}
	return program.Environment(s, d.cfg.Path, env)
}
