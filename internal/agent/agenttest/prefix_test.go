package agenttest

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// TestPrefix has requests of our own agent begin with what was sent before in the session.
func TestPrefix(t *testing.T) {
	marked := words("go")
	marked["cache_control"] = map[string]any{"type": "ephemeral"}
	first := user([]any{marked})
	plain := user([]any{words("go")})
	answer := assistant(use("toolu_it_0_0_0"))
	results := user([]any{result("toolu_it_0_0_0", "ok")})
	request := func(system string, messages ...any) map[string]any {
		return map[string]any{"model": "m", "max_tokens": 9, "stream": true, "system": system + " Role: implementer\nRole: implementer", "messages": messages,
			"tools": []any{tool("Write")}, "metadata": map[string]any{"user_id": `{"session_id":"s"}`}}
	}
	noTools := request("a", plain, answer, results)
	noTools["tools"] = []any{}
	long := request("a", first, answer, results)
	for name, c := range map[string]struct {
		sent, then map[string]any
		why        string // where "" it is taken
	}{
		"goes on":         {request("a", first), long, ""},
		"asked again":     {long, long, ""},
		"said more":       {long, request("a", plain, answer, user([]any{result("toolu_it_0_0_0", "ok"), words("quick")})), ""},
		"begins anew":     {long, request("b", plain), ""},
		"another system":  {long, request("b", plain, answer, results), "system has changed: was …"},
		"another tools":   {long, noTools, "tools has changed: was …"},
		"another message": {long, request("a", user([]any{words("stop")}), answer, results), "messages.0.content.0 has changed: was …"},
		"more inserted":   {long, request("a", user([]any{words("go"), words("quick")}), answer, results), "messages.0 has changed: was of user with 1 blocks"},
		"another role":    {request("a", plain, plain), long, "messages.1 has changed: was of user"},
		"text for blocks": {long, request("a", user("go"), answer, results), "our own agent sends blocks"},
		"less":            {request("a", plain, answer, results, assistant(words("hm")), plain), long, "messages have changed: 5 were sent before, and 3 now"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &failing{TB: t}
			s := NewServer(f, oneRule(Turn{Tools: []Tool{{Name: "Write", Input: map[string]any{}}}}, Turn{Text: "fine"}))
			own := map[string]string{"User-Agent": "Anthropic/Go 1.84.0"}
			hear(t, post(t, s, c.sent, own))
			body, err := io.ReadAll(post(t, s, c.then, own).Body)
			if err != nil {
				t.Fatal(err)
			}
			f.cleanups[0]()
			var e struct{ Error struct{ Message string } }
			_ = json.Unmarshal(body, &e) // a stream has none
			if (c.why == "") != (len(f.errors) == 0) || !strings.Contains(e.Error.Message, c.why) {
				t.Errorf("it is answered %s, and the test says %q", body, f.errors)
			}
		})
	}
}
