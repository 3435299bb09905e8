package agenttest

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// chunks puts a stream of chat completions together again.
func chunks(t *testing.T, body []byte) map[string]any {
	t.Helper()
	all := datas(body)
	if string(all[len(all)-1]) != "[DONE]" {
		t.Fatalf("the stream ends with %s", all[len(all)-1])
	}
	message := map[string]any{"content": ""}
	choice := map[string]any{"message": message}
	whole := map[string]any{"choices": []any{choice}}
	var calls []any
	for _, d := range all[:len(all)-1] {
		asDescribed(t, "ChatCompletionChunk", d)
		chunk := decoded(t, d)
		whole["usage"] = chunk["usage"] // of the last
		for _, x := range chunk["choices"].([]any) {
			delta := x.(map[string]any)["delta"].(map[string]any)
			choice["finish_reason"] = x.(map[string]any)["finish_reason"]
			if text, ok := delta["content"].(string); ok {
				message["content"] = message["content"].(string) + text
			}
			list, _ := delta["tool_calls"].([]any)
			for _, y := range list {
				call := y.(map[string]any)
				if at := int(call["index"].(float64)); at == len(calls) {
					calls = append(calls, call)
					delete(call, "index")
				} else {
					f := calls[at].(map[string]any)["function"].(map[string]any)
					f["arguments"] = f["arguments"].(string) + call["function"].(map[string]any)["arguments"].(string)
				}
			}
		}
	}
	message["role"] = "assistant"
	if calls != nil {
		message["tool_calls"] = calls
	}
	return whole
}

func chatHeard(t *testing.T, c map[string]any) heard {
	t.Helper()
	choice := c["choices"].([]any)[0].(map[string]any)
	message := choice["message"].(map[string]any)
	h := heard{stop: choice["finish_reason"].(string), said: []any{message}}
	h.usage, _ = c["usage"].(map[string]any)
	h.text, _ = message["content"].(string)
	calls, _ := message["tool_calls"].([]any)
	for _, x := range calls {
		call := x.(map[string]any)
		if f, ok := call["function"].(map[string]any); ok {
			h.calls = append(h.calls, heardCall{call["id"].(string), f["name"].(string), f["arguments"].(string)})
		} else {
			custom := call["custom"].(map[string]any)
			h.calls = append(h.calls, heardCall{call["id"].(string), custom["name"].(string), custom["input"].(string)})
		}
	}
	return h
}

// TestChatCustomTool calls a tool that takes any text, and reads the call back.
func TestChatCustomTool(t *testing.T) {
	script := oneRule(Turn{Tools: []Tool{{Name: "patch", Text: "*** Begin"}}}, Turn{Text: "Done."})
	script.KeepBodies = true
	s, c := NewServer(t, script), openaiClients["chat"]
	h := c.hear(t, c.post(t, s, c.request(user("go")), nil))
	if fmt.Sprint(h.calls) != "[{call_it_0_0_0 patch *** Begin}]" {
		t.Fatalf("calls: %v", h.calls)
	}
	h = c.hear(t, c.post(t, s, c.request(user("go"), h.said[0], c.result("call_it_0_0_0", "ok")), nil))
	results, err := s.Calls()[1].Results()
	if err != nil || h.text != "Done." || len(results) != 1 || results[0] != (Result{Rule: "it", Input: `"*** Begin"`, Text: "ok"}) {
		t.Errorf("it said %q, results %+v: %v", h.text, results, err)
	}
}

// TestChatUsage tells it in a stream only when it is asked to.
func TestChatUsage(t *testing.T) {
	s, c := NewServer(t, oneRule(Turn{Text: "fine"})), openaiClients["chat stream"]
	q := c.request(user("go"))
	delete(q, "stream_options")
	resp := c.post(t, s, q, nil)
	if body, err := io.ReadAll(resp.Body); err != nil || strings.Contains(string(body), "usage") || !strings.HasSuffix(string(body), "data: [DONE]\n\n") {
		t.Errorf("it said %s: %v", body, err)
	}
}
