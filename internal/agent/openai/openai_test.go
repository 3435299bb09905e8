package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func start() *transcript.Start {
	return &transcript.Start{API: task.APIOpenAI, Model: "llama3", System: "Role: implementer", Prompt: "Fix the sum.", Images: []transcript.Image{{Type: "image/png", Data: []byte("png")}},
		Tools: []transcript.Tool{{Name: "read_file", Text: "Read.", Schema: json.RawMessage(`{"type":"object"}`)}}}
}

// server answers each request by the next handler, and keeps the bodies.
func server(t *testing.T, handlers ...http.HandlerFunc) (agent.Endpoint, *[]string) {
	t.Helper()
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		n := len(bodies)
		bodies = append(bodies, string(data))
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer token" || n >= len(handlers) {
			t.Errorf("request %d to %s as %q", n, r.URL.Path, r.Header.Get("Authorization"))
			http.Error(w, "no", http.StatusTeapot)
			return
		}
		handlers[n](w, r)
	}))
	t.Cleanup(s.Close)
	return agent.Endpoint{BaseURL: s.URL, Token: "token"}, &bodies
}

func events(lines ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, l := range lines {
			fmt.Fprintf(w, "data: %s\n\n", l)
		}
	}
}

func fails(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if len(header) > 0 {
			w.Header().Set(header[0], header[1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

const done = "[DONE]"

func delta(text string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":%s,"finish_reason":null}],"usage":null}`, text)
}

func stops(why string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, why)
}

const used = `{"choices":[],"usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":40},"completion_tokens":7}}`

// TestConversation asks twice. Calls come in pieces; what was sent first is sent again unchanged, with the answer as it came.
func TestConversation(t *testing.T) {
	e, bodies := server(t, events(delta(`{"role":"assistant","reasoning_content":"hm"}`), delta(`{"content":"I "}`), delta(`{"content":"read."}`),
		delta(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"read_file","arguments":""}}]}`),
		delta(`{"tool_calls":[{"index":1,"id":"c2","function":{"name":"read_file","arguments":"[1]"}}]}`),
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}}]}`), delta(`{"tool_calls":[{"index":0,"function":{"arguments":"\"a.go\"}"}}]}`), stops("tool_calls"), used, done),
		events(delta(`{"content":"Done."}`), stops("length"), done))
	m, q := &Model{}, transcript.Query{Session: "s", Start: start(), MaxOutput: 500}
	first, err := m.Answer(t.Context(), e, q)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Calls) != 2 || first.Calls[0].ID != "c1" || string(first.Calls[0].Arguments) != `{"path":"a.go"}` || string(first.Calls[1].Arguments) != `{}` || first.Text != "I read." ||
		first.Stop != "tool_calls" || first.Cut || first.Usage != (task.Usage{Input: 60, Output: 7, CacheRead: 40}) {
		t.Errorf("%+v", first)
	}
	q.Entries = []transcript.Entry{{Answer: &first}, {Results: &transcript.Results{Note: "[left: 3 calls]", List: []transcript.Result{{Call: "c1", Content: `{"a":1}`}, {Call: "c2", Content: "x"}}}},
		{Said: &transcript.Said{Text: "ann says: quick"}}, {Said: &transcript.Said{Messages: 1}}}
	second, err := m.Answer(t.Context(), e, q)
	if err != nil || second.Text != "Done." || !second.Cut {
		t.Fatalf("%+v, %v", second, err)
	}
	var a, b struct {
		Messages []json.RawMessage
		Stream   bool
		Max      int `json:"max_completion_tokens"`
	}
	if err := errors.Join(json.Unmarshal([]byte((*bodies)[0]), &a), json.Unmarshal([]byte((*bodies)[1]), &b)); err != nil {
		t.Fatal(err)
	}
	want := []string{`{"role":"system","content":"Role: implementer"}`,
		`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}},{"type":"text","text":"Fix the sum."}]}`,
		`{"role":"assistant","content":"I read.","tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"a.go\"}"}},{"id":"c2","type":"function","function":{"name":"read_file","arguments":"{}"}}],"reasoning_content":"hm"}`,
		`{"role":"tool","content":"{\"a\":1}","tool_call_id":"c1"}`, `{"role":"tool","content":"x\n[left: 3 calls]","tool_call_id":"c2"}`, `{"role":"user","content":"ann says: quick"}`}
	for i, m := range b.Messages {
		if i >= len(want) || string(m) != want[i] {
			t.Errorf("message %d is %s", i, m)
		}
	}
	if len(a.Messages) != 2 || string(a.Messages[1]) != want[1] || !a.Stream || a.Max != 500 || len(b.Messages) != len(want) {
		t.Errorf("first asked with %s", (*bodies)[0])
	}
	q.Entries = append(q.Entries, transcript.Entry{Summary: &transcript.Summary{Text: "so far"}})
	if r := request(q); len(r.Messages) != 2 || !strings.Contains(fmt.Sprint(r.Messages[1].Content), "so far") {
		t.Errorf("after a summary %+v", r.Messages)
	}
}

func noPause(context.Context, time.Duration) error { return nil }

// TestFailures tells what decides how a session goes on from what is tried again.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		kind    agent.OutcomeKind // "" for a fault of the moment
		text    string
		tooLong bool
		tries   int
	}{
		"refused key":                        {fails(401, `{"error":{"message":"Incorrect API key"}}`), agent.AuthFailed, "Incorrect API key (HTTP 401)", false, 1},
		"no money":                           {fails(429, `{"error":{"message":"quota","code":"insufficient_quota"}}`), agent.Quota, "quota", false, 1},
		"used up":                            {fails(429, `{"error":{"message":"limit"}}`, "X-Should-Retry", "false"), agent.Quota, "limit", false, 1},
		"slow down":                          {fails(429, `{"error":{"message":"slow"}}`), "", "slow", false, 3},
		"too long":                           {fails(400, `{"error":{"message":"too many tokens","code":"context_length_exceeded"}}`), agent.Errored, "too many", true, 1},
		"too long for a server of one's own": {fails(400, `{"error":{"message":"exceeds the available context length","code":400}}`), agent.Errored, "context length", true, 1},
		"too long for llama.cpp":             {fails(400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"request (4390 tokens) exceeds the available size"}}`), agent.Errored, "4390", true, 1},
		"much output":                        {fails(400, `{"error":{"message":"max_tokens is too large: 32000. This model supports at most 16384 completion tokens","param":"max_tokens"}}`), agent.Errored, "16384", false, 1},
		"wrong":                              {fails(400, `<html>`), agent.Errored, "HTTP 400", false, 1},
		"slow down for long":                 {fails(429, `{"error":{"message":"slow"}}`, "Retry-After", "21"), "", "slow (HTTP 429) (again in 21s)", false, 1},
		"down":                               {fails(503, ``), "", "HTTP 503", false, 3},
		"cut off":                            {events(delta(`{"content":"a"}`)), "", "cut off", false, 3},
		"without an end":                     {events(delta(`{"content":"a"}`), done), "", "cut off", false, 3},
		"an error in mid-stream":             {events(delta(`{"content":"a"}`), `{"error":{"message":"overloaded"}}`), "", "overloaded", false, 3},
		"no JSON":                            {events(`{`), "", "can't be read", false, 1},
		"two calls with one id":              {events(delta(`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f"}},{"index":1,"id":"c","function":{"name":"f"}}]}`), stops("tool_calls"), done), "", "two calls", false, 1},
		"hangs up without a word":            {func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "", "EOF", false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var all []http.HandlerFunc
			for range c.tries {
				all = append(all, c.handler)
			}
			e, bodies := server(t, all...)
			m := &Model{Pause: noPause}
			_, err := m.Answer(t.Context(), e, transcript.Query{Session: "s", Start: start(), MaxOutput: 10})
			why, failed := errors.AsType[*agent.Failure](err)
			if failed != (c.kind != "") || failed && (why.Kind != c.kind || why.TooLong != c.tooLong) || err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %T %v", err, err)
			}
			if failed && (why.MostOutput == 16384) != (name == "much output") {
				t.Errorf("it gives %d tokens at most", why.MostOutput)
			}
			if c.kind == "" && fault.KindOf(err) != fault.Infra {
				t.Errorf("it is a %s", fault.KindOf(err))
			}
			if _, throttled := errors.AsType[*agent.Throttled](err); throttled != strings.HasPrefix(name, "slow down") {
				t.Errorf("throttled: %t", throttled)
			}
			if len(*bodies) != c.tries {
				t.Errorf("asked %d times, want %d", len(*bodies), c.tries)
			}
		})
	}
	e, _ := server(t, fails(503, ""), events(delta(`{"refusal":"no"}`), stops("stop"), done))
	a, err := (&Model{Pause: noPause}).Answer(t.Context(), e, transcript.Query{Start: start()})
	if err != nil || !a.Refused {
		t.Errorf("a second try: %+v, %v", a, err)
	}
}

func TestNoAnswerTellsNoToken(t *testing.T) {
	ask := func(ctx context.Context, client *http.Client, e agent.Endpoint) error {
		_, err := (&Model{Client: client, Pause: noPause}).Answer(ctx, e, transcript.Query{Start: start()})
		return err
	}
	agenttest.TellsNoToken(t, ask)
	agenttest.WithoutToken(t, ask(t.Context(), &http.Client{}, agenttest.TokenInPath("http://[::1")), "missing ']' in host")
}

// TestEndsWhileItWaits: a session that ends while a call waits for its next try is not held up by it.
func TestEndsWhileItWaits(t *testing.T) {
	e, _ := server(t, fails(429, `{"error":{"message":"slow"}}`, "Retry-After", "9"), fails(500, ""))
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	begun := time.Now()
	_, err := (&Model{}).Answer(ctx, e, transcript.Query{Start: start()})
	if took := time.Since(begun); took > 8*time.Second || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after %s: %v", took, err)
	}
}
