package agenttest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// ask posts a request as an agent would. History is messages before the newest prompt.
func ask(t *testing.T, s *Server, change func(q map[string]any), messages ...any) *http.Response {
	t.Helper()
	q := map[string]any{
		"model": "claude-opus-5-5", "max_tokens": 1000, "stream": true, "messages": messages,
		"system":   []any{map[string]any{"type": "text", "text": "You are an agent.\nRole: implementer\n"}},
		"tools":    []any{tool("Write"), tool("Bash")},
		"metadata": map[string]any{"user_id": `{"session_id":"s1"}`},
	}
	if change != nil {
		change(q)
	}
	return post(t, s, q, nil)
}

// post posts a request with more headers.
func post(t *testing.T, s *Server, q map[string]any, header map[string]string) *http.Response {
	t.Helper()
	body, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/v1/messages?beta=true", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", "key")
	r.Header.Set("Anthropic-Version", "2023-06-01")
	return sent(t, r, header)
}

// sent sends a request with more headers. It returns nil when there is no answer.
func sent(t *testing.T, r *http.Request, header map[string]string) *http.Response {
	t.Helper()
	for name, value := range header {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Logf("request: %v", err)
		return nil
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func user(content any) map[string]any { return map[string]any{"role": "user", "content": content} }

func assistant(blocks ...any) map[string]any {
	return map[string]any{"role": "assistant", "content": blocks}
}

func tool(name string) map[string]any {
	return map[string]any{"name": name, "input_schema": map[string]any{"type": "object"}}
}

func words(s string) map[string]any { return map[string]any{"type": "text", "text": s} }

func use(id string) map[string]any {
	return map[string]any{"type": "tool_use", "id": id, "name": "Write", "input": map[string]any{}}
}

func result(id, text string) map[string]any {
	return map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}
}

// hear puts a stream together again, as the client of the API does.
func hear(t *testing.T, resp *http.Response) (names []string, text string, message map[string]any) {
	t.Helper()
	if resp == nil || resp.StatusCode != 200 || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("no stream: %+v", resp)
	}
	sc := bufio.NewScanner(resp.Body)
	inputs := ""
	for sc.Scan() {
		data, ok := strings.CutPrefix(sc.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type    string
			Message map[string]any
			Delta   struct {
				Text        string
				PartialJSON string `json:"partial_json"`
				StopReason  string `json:"stop_reason"`
			}
			Usage        map[string]any
			ContentBlock map[string]any `json:"content_block"`
		}
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("event %q: %v", data, err)
		}
		names = append(names, e.Type)
		text += e.Delta.Text
		inputs += e.Delta.PartialJSON
		switch e.Type {
		case "message_start":
			message = e.Message
		case "content_block_start":
			if e.ContentBlock["type"] == "tool_use" {
				message["tool"] = e.ContentBlock["id"]
			}
		case "message_delta":
			message["stop_reason"], message["usage"], message["input"] = e.Delta.StopReason, e.Usage, inputs
		}
	}
	return names, text, message
}

func oneRule(turns ...Turn) Script {
	return Script{Rules: []Rule{{Name: "it", Role: task.Implementer, Turns: turns}}}
}

func TestStream(t *testing.T) {
	s := NewServer(t, oneRule(Turn{Thinking: "hm", Text: "I write.", Tools: []Tool{{Name: "Write", Input: map[string]any{"file_path": "a"}}},
		Usage: task.Usage{Input: 7, Output: 9, CacheRead: 11, CacheWrite: 13}}))
	names, text, message := hear(t, ask(t, s, nil, user("go")))
	want := []string{"message_start", "ping",
		"content_block_start", "content_block_delta", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_delta", "content_block_stop", "message_delta", "message_stop"}
	if !slices.Equal(names, want) || text != "I write." || message["input"] != `{"file_path":"a"}` || message["stop_reason"] != "tool_use" {
		t.Errorf("events %q, text %q, message %v", names, text, message)
	}
	if message["tool"] != "toolu_it_0_0_0" || fmt.Sprint(message["usage"]) != "map[cache_creation_input_tokens:13 cache_read_input_tokens:11 input_tokens:7 output_tokens:9]" {
		t.Errorf("message: %v", message)
	}
	c := s.Calls()[0]
	if c.Role != task.Implementer || c.Rule != "it" || c.Turn != 0 || c.Try != 1 || c.Session != "s1" || c.Prompt != "go" || !c.Whole ||
		!slices.Equal(c.Tools, []string{"Write", "Bash"}) {
		t.Errorf("call: %+v", c)
	}
	if got := s.Usage(); got != (task.Usage{Input: 7, Output: 9, CacheRead: 11, CacheWrite: 13, Calls: 1}) {
		t.Errorf("usage: %+v", got)
	}
}

func TestWholeAnswer(t *testing.T) {
	s := NewServer(t, oneRule(Turn{Text: "Hello."}))
	resp := ask(t, s, func(q map[string]any) { delete(q, "stream") }, user("go"))
	var m struct {
		Content []block
		Stop    string `json:"stop_reason"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&m); err != nil || m.Stop != "end_turn" || len(m.Content) != 1 || m.Content[0].Text != "Hello." {
		t.Errorf("message %+v: %v", m, err)
	}
}

func TestStructuredAnswer(t *testing.T) {
	s := NewServer(t, oneRule(Turn{Answer: json.RawMessage(`{"a":1}`)}))
	_, text, _ := hear(t, ask(t, s, nil, user("go")))
	if text != `{"a":1}` {
		t.Errorf("without the tool it said %q", text)
	}
	_, text, m := hear(t, ask(t, s, func(q map[string]any) { q["tools"] = []any{tool("mcp__longshift__plan_submit")} }, user("go")))
	if text != "" || m["input"] != `{"a":1}` {
		t.Errorf("with the tool it said %q, input %v", text, m["input"])
	}
}

func TestErrors(t *testing.T) {
	s := NewServer(t, oneRule(Turn{Text: "fine", Fault: &Fault{Status: 529, Times: 2, Body: "Overloaded", Header: map[string]string{"Retry-After": "3"}}}))
	for range 2 {
		resp := ask(t, s, nil, user("go"))
		body, _ := io.ReadAll(resp.Body)
		if resp.StatusCode != 529 || resp.Header.Get("Retry-After") != "3" || !strings.Contains(string(body), `"type":"overloaded_error"`) {
			t.Errorf("answer %d %s", resp.StatusCode, body)
		}
	}
	if _, text, _ := hear(t, ask(t, s, nil, user("go"))); text != "fine" {
		t.Errorf("it said %q", text)
	}
	if c := s.Calls(); len(c) != 3 || c[1].Try != 2 || c[1].Status != 529 || c[1].Whole || s.Usage().Calls != 1 {
		t.Errorf("calls %+v", c)
	}
}

func TestRawErrorBody(t *testing.T) {
	s := NewServer(t, oneRule(Turn{Text: "x", Fault: &Fault{Status: 402, Body: `{"own":true}`}}))
	resp := ask(t, s, nil, user("go"))
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 402 || string(body) != `{"own":true}` {
		t.Errorf("answer %d %s", resp.StatusCode, body)
	}
}

func TestFail(t *testing.T) {
	s := NewServer(t, oneRule(Turn{Text: "fine", Fault: &Fault{Fail: true, After: 2, Type: "overloaded_error", Body: "Overloaded"}}))
	body, err := io.ReadAll(ask(t, s, nil, user("go")).Body)
	if err != nil || !strings.HasSuffix(string(body), `data: {"error":{"message":"Overloaded","type":"overloaded_error"},"request_id":"req_scripted","type":"error"}`+"\n\n") ||
		strings.Count(string(body), "data: ") != 3 || s.Calls()[0].Whole {
		t.Errorf("it said %s: %v", body, err)
	}
	resp := ask(t, s, func(q map[string]any) { delete(q, "stream") }, user("go"))
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != 500 || !strings.Contains(string(body), `"type":"overloaded_error"`) {
		t.Errorf("answer %d %s", resp.StatusCode, body)
	}
}

func TestDrop(t *testing.T) {
	s := NewServer(t, oneRule(Turn{Text: "fine", Fault: &Fault{Drop: true, Times: 1}}))
	if resp := ask(t, s, nil, user("go")); resp != nil {
		t.Errorf("it answered: %+v", resp)
	}
	if _, text, _ := hear(t, ask(t, s, nil, user("go"))); text != "fine" {
		t.Errorf("it said %q", text)
	}
	s = NewServer(t, oneRule(Turn{Text: "fine", Fault: &Fault{Drop: true, After: 4}}))
	resp := ask(t, s, nil, user("go"))
	body, err := io.ReadAll(resp.Body)
	if n := strings.Count(string(body), "data: "); n != 4 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d events, then %v", n, err)
	}
	if s.Usage().Calls != 0 {
		t.Error("what was cut off counts as used")
	}
}

func TestHang(t *testing.T) {
	release, inside := make(chan struct{}), make(chan *Call, 2)
	s := NewServer(t, oneRule(Turn{Text: "late", Before: func(c *Call) { inside <- c }, Fault: &Fault{Hang: true, After: 2, Release: release}}))
	go func() {
		<-inside
		close(release)
	}()
	if names, text, _ := hear(t, ask(t, s, nil, user("go"))); text != "late" || names[len(names)-1] != "message_stop" {
		t.Errorf("it said %q in %q", text, names)
	}
	s = NewServer(t, oneRule(Turn{Text: "never", Before: func(c *Call) { inside <- c }, Fault: &Fault{Hang: true}}))
	go func() {
		<-inside
		s.Close()
	}()
	if resp := ask(t, s, nil, user("go")); resp != nil {
		t.Errorf("it answered: %+v", resp)
	}
}

// TestAfterTheEnd asks once more after the report that ends a session, as an agent that is ended a moment later does.
func TestAfterTheEnd(t *testing.T) {
	for _, name := range []string{"mcp__longshift__review_submit", "longshift_spec_issue", "deliverable_set_status"} {
		s := NewServer(t, oneRule(Turn{Tools: []Tool{{Name: name, Input: map[string]any{}}}}))
		call := map[string]any{"type": "tool_use", "id": "toolu_it_0_0_0", "name": name, "input": map[string]any{}}
		if _, text, _ := hear(t, ask(t, s, nil, user("go"), assistant(call), user([]any{result("toolu_it_0_0_0", "recorded")}))); text != "Never said." {
			t.Errorf("%s: it said %q", name, text)
		}
	}
}

func TestOnce(t *testing.T) {
	s := NewServer(t, Script{Rules: []Rule{{Name: "first", Once: true, Turns: []Turn{{Text: "one"}}}, {Name: "then", Turns: []Turn{{Text: "two"}}}}})
	as := func(id string) func(map[string]any) {
		return func(q map[string]any) { q["metadata"] = map[string]any{"user_id": `{"session_id":"` + id + `"}`} }
	}
	for _, c := range []struct{ session, want string }{{"a", "one"}, {"b", "two"}, {"a", "one"}, {"b", "two"}} {
		if _, text, _ := hear(t, ask(t, s, as(c.session), user("go"))); text != c.want {
			t.Errorf("session %s was told %q", c.session, text)
		}
	}
}

// failing is a test that only takes notes of its failures.
type failing struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (f *failing) Helper() {}
func (f *failing) Errorf(format string, a ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, a...))
}
func (f *failing) Cleanup(c func()) { f.cleanups = append(f.cleanups, c) }

func TestRefusals(t *testing.T) {
	hello := user("go")
	for name, c := range map[string]struct {
		change   func(q map[string]any)
		messages []any
		status   int
		why      string
	}{
		"no rule":         {func(q map[string]any) { q["system"] = "Role: planner" }, []any{hello}, 400, "no rule fits"},
		"no turn left":    {nil, []any{hello, assistant(use("toolu_it_0_0_0")), user([]any{result("toolu_it_0_0_0", "ok")})}, 400, "no turn after its 1"},
		"no model":        {func(q map[string]any) { delete(q, "model") }, []any{hello}, 400, "model"},
		"no tokens":       {func(q map[string]any) { q["max_tokens"] = 0 }, []any{hello}, 400, "max_tokens"},
		"no messages":     {nil, []any{}, 400, "at least one message"},
		"assistant first": {nil, []any{assistant(words("hi")), hello}, 400, "first message"},
		"open call":       {nil, []any{hello, assistant(use("x")), hello}, 400, `"x" has no tool_result`},
		"open call, end":  {nil, []any{hello, assistant(use("x"))}, 400, `"x" has no tool_result`},
		"stray result":    {nil, []any{user([]any{result("x", "ok")})}, 400, "answers no tool_use"},
		"same id twice":   {nil, []any{hello, assistant(use("x")), user([]any{result("x", "ok")}), assistant(use("x")), user([]any{result("x", "ok")})}, 400, "not unique"},
		"odd role":        {nil, []any{hello, map[string]any{"role": "tool", "content": "x"}}, 400, "role"},
		"not a request":   {func(q map[string]any) { q["messages"] = 7 }, nil, 400, "not a request"},
	} {
		t.Run(name, func(t *testing.T) {
			if status, said := refused(t, oneRule(Turn{Tools: []Tool{{Name: "Write"}}}), c.change, c.messages...); status != c.status || !strings.Contains(said, c.why) {
				t.Errorf("answer %d %s", status, said)
			}
		})
	}
}

// refused gives what a request is answered with that must be refused, and fail the test that sends it.
func refused(t *testing.T, script Script, change func(q map[string]any), messages ...any) (status int, said string) {
	t.Helper()
	f := &failing{TB: t}
	s := NewServer(f, script)
	resp := ask(t, s, change, messages...)
	var e struct {
		Error struct{ Type, Message string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&e); err != nil {
		t.Errorf("answer %d: %v", resp.StatusCode, err)
	}
	f.cleanups[0]()
	if len(s.Calls()) != 0 || len(s.Unscripted()) != 1 || len(f.errors) != 1 {
		t.Errorf("calls %+v, unscripted %+v, the test said %q", s.Calls(), s.Unscripted(), f.errors)
	}
	return resp.StatusCode, e.Error.Message
}

func TestKey(t *testing.T) {
	f := &failing{TB: t}
	s := NewServer(f, Script{Key: "other", Rules: oneRule(Turn{Text: "x"}).Rules})
	defer s.Close()
	if resp := ask(t, s, nil, user("go")); resp.StatusCode != 401 {
		t.Errorf("answer %d", resp.StatusCode)
	}
}

// TestSideCalls answers what the agent program asks for itself, and counts it apart.
func TestSideCalls(t *testing.T) {
	s := NewServer(t, Script{Rules: []Rule{{Turns: []Turn{{Text: "the script"}}}}})
	title := func(q map[string]any) {
		delete(q, "tools")
		q["system"] = "Write a title."
	}
	if _, text, _ := hear(t, ask(t, s, title, user("go"))); text != "ok" || len(s.Helpers()) != 1 || len(s.Calls()) != 0 || s.Usage() != (task.Usage{}) {
		t.Errorf("it said %q, helpers %+v, usage %+v", text, s.Helpers(), s.Usage())
	}
}

func TestOtherEndpoints(t *testing.T) {
	f := &failing{TB: t}
	s := NewServer(f, oneRule(Turn{Text: "x"}))
	defer s.Close()
	for _, c := range []struct {
		method, path string
		status       int
	}{{"HEAD", "/", 200}, {"GET", "/", 200}, {"POST", "/v1/messages/count_tokens", 200}, {"GET", "/v1/models", 200}, {"GET", "/v1/files", 404}} {
		r, _ := http.NewRequestWithContext(t.Context(), c.method, s.URL+c.path, strings.NewReader("{}"))
		r.Header.Set("X-Api-Key", "any")
		r.Header.Set("Anthropic-Version", "2023-06-01")
		resp, err := http.DefaultClient.Do(r)
		if err != nil || resp.StatusCode != c.status {
			t.Errorf("%s %s: %+v %v", c.method, c.path, resp, err)
		}
		resp.Body.Close()
	}
}
