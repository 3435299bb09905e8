package agenttest

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// endOfStream holds that the events of a response are complete, and gives the response of the last.
func endOfStream(t *testing.T, body []byte) map[string]any {
	t.Helper()
	all := datas(body)
	added := map[string]string{} // what deltas say, by item
	var items []any
	for i, d := range all {
		asDescribed(t, "ResponseStreamEventUnion", d)
		e := decoded(t, d)
		if e["sequence_number"] != float64(i) {
			t.Errorf("event %d has the number %v", i, e["sequence_number"])
		}
		id := fmt.Sprint(e["item_id"])
		switch kind := e["type"].(string); {
		case strings.HasSuffix(kind, ".delta"):
			added[id] += e["delta"].(string)
		case kind == "response.output_item.added":
			it := e["item"].(map[string]any)
			for _, field := range []string{"content", "summary", "arguments", "input"} {
				if v, ok := it[field]; ok && v != "" && fmt.Sprint(v) != "[]" {
					t.Errorf("an item begins with the %s %v", field, v)
				}
			}
		case kind == "response.output_item.done":
			items = append(items, e["item"])
		case strings.HasSuffix(kind, ".done"):
			for _, field := range []string{"text", "arguments", "input"} {
				if said, ok := e[field]; ok && said != added[id] {
					t.Errorf("%s says %q, and the deltas %q", kind, said, added[id])
				}
			}
		}
	}
	last := decoded(t, all[len(all)-1])["response"].(map[string]any)
	if fmt.Sprint(items) != fmt.Sprint(last["output"]) {
		t.Errorf("items %v, and at the end %v", items, last["output"])
	}
	return last
}

func responsesHeard(t *testing.T, r map[string]any) heard {
	t.Helper()
	h := heard{stop: r["status"].(string), said: r["output"].([]any)}
	h.usage, _ = r["usage"].(map[string]any)
	for _, x := range h.said {
		switch it := x.(map[string]any); it["type"] {
		case "message":
			h.text += it["content"].([]any)[0].(map[string]any)["text"].(string)
		case "function_call":
			h.calls = append(h.calls, heardCall{it["call_id"].(string), it["name"].(string), it["arguments"].(string)})
		case "custom_tool_call":
			h.calls = append(h.calls, heardCall{it["call_id"].(string), it["name"].(string), it["input"].(string)})
		}
	}
	return h
}

func TestResponsesEvents(t *testing.T) {
	c := openaiClients["responses stream"]
	s := NewServer(t, oneRule(Turn{Thinking: "hm", Text: "I write.", Tools: []Tool{{Name: "write", Input: map[string]any{"path": "a"}}, {Name: "apply_patch", Text: "*** Begin"}}}))
	resp := c.post(t, s, c.request(user("go")), nil)
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatal(resp.Header, err)
	}
	var names []string
	for line := range strings.Lines(string(body)) {
		if name, ok := strings.CutPrefix(line, "event: response."); ok {
			names = append(names, strings.TrimSpace(name))
		}
	}
	want := []string{"created", "in_progress",
		"output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta", "reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done",
		"output_item.added", "content_part.added", "output_text.delta", "output_text.done", "content_part.done", "output_item.done",
		"output_item.added", "function_call_arguments.delta", "function_call_arguments.delta", "function_call_arguments.done", "output_item.done",
		"output_item.added", "custom_tool_call_input.delta", "custom_tool_call_input.delta", "custom_tool_call_input.done", "output_item.done",
		"completed"}
	if !slices.Equal(names, want) {
		t.Errorf("events %q", names)
	}
	h := responsesHeard(t, endOfStream(t, body))
	if fmt.Sprint(h.calls) != `[{call_it_0_0_0 write {"path":"a"}} {call_it_0_1_0 apply_patch *** Begin}]` {
		t.Errorf("calls: %v", h.calls)
	}
}
