package agenttest

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write down anew what the API takes")

// documentation is what the documentation says of the fields of a type, and the SDK does not.
type documentation struct {
	of string
	to func(properties schema)
}

// documented is of Anthropic's types, and holds for those of the beta, too.
var documented = []documentation{
	{"MessageNewParams", func(p schema) { p["stream"] = basic["bool"] }}, // the SDK sets it itself
	{"MessageNewParams", orText("system")},
	{"MessageParam", orText("content")},
	{"ToolResultBlockParam", orText("content")},
	{"TextBlockParam", limit("text", "pattern", `\S`)},
	{"ToolParam", limit("name", "pattern", "^[a-zA-Z0-9_-]{1,128}$")},
	{"ToolUseBlockParam", limit("id", "pattern", "^[a-zA-Z0-9_-]+$")},
	{"ToolUseBlockParam", limit("input", "type", "object")},
	{"ThinkingConfigEnabledParam", limit("budget_tokens", "minimum", 1024)},
	{"MetadataParam", limit("user_id", "maxLength", 512)},
}

// orText lets a list of blocks be a text.
func orText(field string) func(schema) {
	return func(p schema) { p[field] = schema{"anyOf": []any{basic["string"], p[field]}} }
}

func orNull(field string) func(schema) {
	return func(p schema) { p[field] = schema{"anyOf": []any{p[field], schema{"type": "null"}}} }
}

func limit(field, keyword string, value any) func(schema) {
	return func(p schema) {
		limited := maps.Clone(p[field].(schema))
		limited[keyword] = value
		p[field] = limited
	}
}

// TestDescription makes the description again, from the types of the SDK that go.mod names.
func TestDescription(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/anthropics/anthropic-sdk-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := readSDK(t, strings.TrimSpace(string(dir)), "*.go")
	s.documented = documented
	s.define("MessageNewParams")
	s.define("BetaMessageNewParams")
	keep(t, "testdata/api/messages.json", s.defs)
}

// keep compares the definitions with those that are kept in the file, one a line, or writes them down anew.
func keep(t *testing.T, path string, defs map[string]schema) {
	t.Helper()
	var now bytes.Buffer
	for i, name := range slices.Sorted(maps.Keys(defs)) {
		line, err := json.Marshal(defs[name])
		if err != nil {
			t.Fatal(err)
		}
		now.WriteString([]string{"{\"$defs\": {\n", ",\n"}[min(i, 1)] + `"` + name + `": `)
		now.Write(line)
	}
	now.WriteString("\n}}\n")
	if *update {
		if err := os.WriteFile(path, now.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, now.Bytes()) {
		t.Errorf("%s is not what its source says now (%v): run this test with -update, and see what is new", path, err)
	}
}

// TestUndescribed has the server refuse what the API does not take, and name the field. Every line of documented has one here.
func TestUndescribed(t *testing.T) {
	top := func(field string, value any) func(map[string]any) {
		return func(q map[string]any) { q[field] = value }
	}
	firstTool := func(field string, value any) func(map[string]any) {
		return func(q map[string]any) {
			q["tools"].([]any)[0].(map[string]any)[field] = value
			if value == nil {
				delete(q["tools"].([]any)[0].(map[string]any), field)
			}
		}
	}
	image := func(source map[string]any) []any {
		return []any{user([]any{map[string]any{"type": "image", "source": source}})}
	}
	called := func(id string, input any) []any {
		return []any{user("go"), assistant(map[string]any{"type": "tool_use", "id": id, "name": "Write", "input": input}), user([]any{result(id, "ok")})}
	}
	hello := []any{user("go")}
	for name, c := range map[string]struct {
		change   func(q map[string]any)
		messages []any
		why      string // where "" it is taken
	}{
		"stream, and texts for blocks": {top("system", "Role: implementer"), called("a", map[string]any{}), ""},
		"unknown field":                {top("prompt", "go"), hello, "additional properties 'prompt' not allowed"},
		"wrong role":                   {nil, []any{map[string]any{"role": "tool", "content": "x"}}, "messages.0.role: "},
		"unknown block":                {nil, []any{user([]any{map[string]any{"type": "sound"}})}, "messages.0.content.0.type: "},
		"empty text":                   {nil, []any{user([]any{words("")})}, "messages.0.content.0.text: "},
		"blank text":                   {nil, []any{user([]any{words(" \n")})}, "messages.0.content.0.text: "},
		"call without object":          {nil, called("a", []any{}), "messages.1.content.0.input: "},
		"odd id of a call":             {nil, called("a b", map[string]any{}), "messages.1.content.0.id: "},
		"result without call":          {nil, []any{user([]any{map[string]any{"type": "tool_result", "content": "ok"}})}, "messages.0.content.0: missing property 'tool_use_id'"},
		"image without type":           {nil, image(map[string]any{"type": "base64", "data": "eA=="}), "messages.0.content.0.source: missing property 'media_type'"},
		"image of another type":        {nil, image(map[string]any{"type": "base64", "data": "eA==", "media_type": "image/tiff"}), "source.media_type: "},
		"tool without schema":          {firstTool("input_schema", nil), hello, "tools.0: missing property 'input_schema'"},
		"odd name of a tool":           {firstTool("name", "run command"), hello, "tools.0.name: "},
		"odd mark":                     {firstTool("cache_control", "ephemeral"), hello, "tools.0.cache_control: "},
		"unknown mark":                 {firstTool("cache_control", map[string]any{"type": "lasting"}), hello, "tools.0.cache_control.type: "},
		"no room to think":             {top("thinking", map[string]any{"type": "enabled", "budget_tokens": 1000}), hello, "thinking.budget_tokens: "},
		"long user":                    {top("metadata", map[string]any{"user_id": strings.Repeat("u", 513)}), hello, "metadata.user_id: "},
		"beta feature without beta":    {top("context_management", map[string]any{"edits": []any{}}), hello, "additional properties 'context_management' not allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.why == "" {
				hear(t, ask(t, NewServer(t, oneRule(Turn{Text: "fine"})), c.change, c.messages...))
				return
			}
			if status, said := refused(t, oneRule(Turn{Text: "fine"}), c.change, c.messages...); status != 400 || !strings.Contains(said, c.why) {
				t.Errorf("answer %d %s", status, said)
			}
		})
	}
}

func TestBeta(t *testing.T) {
	s := NewServer(t, oneRule(Turn{Text: "fine"}))
	q := map[string]any{"model": "m", "max_tokens": 9, "stream": true, "system": "Role: implementer", "messages": []any{user("go")},
		"context_management": map[string]any{"edits": []any{map[string]any{"type": "clear_tool_uses_20250919"}}}}
	if _, text, _ := hear(t, post(t, s, q, map[string]string{"Anthropic-Beta": "context-management-2025-06-27"})); text != "fine" {
		t.Errorf("it said %q", text)
	}
}
