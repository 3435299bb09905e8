package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const testKey = "sk-ant-test-0123456789"

// upstream is a fake Messages API. It checks each request as the API would, and that it contains none of the agent's own
// credentials.
type upstream struct {
	*httptest.Server
	t      testing.TB
	handle func(w http.ResponseWriter, r *http.Request, body []byte)

	mu       sync.Mutex
	requests []*http.Request
	bodies   [][]byte
}

func newUpstream(t testing.TB, handle func(w http.ResponseWriter, r *http.Request, body []byte)) *upstream {
	u := &upstream{t: t, handle: handle}
	u.Server = httptest.NewServer(u)
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	u.mu.Lock()
	u.requests, u.bodies = append(u.requests, r), append(u.bodies, body)
	u.mu.Unlock()
	for _, name := range append([]string{"Cookie", "Proxy-Connection", "Te"}, "Upgrade") {
		if r.Header.Get(name) != "" {
			u.t.Errorf("upstream got the header %s", name)
		}
	}
	if got := r.Header.Get("Accept-Encoding"); got != "identity" {
		u.t.Errorf("upstream was asked for the encoding %q", got)
	}
	if strings.Contains(r.URL.Path, "/s/") {
		u.t.Errorf("upstream got the session path %s", r.URL.Path)
	}
	u.handle(w, r, body)
}

func (u *upstream) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.requests)
}

func (u *upstream) request(i int) (*http.Request, []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.requests[i], u.bodies[i]
}

// clock is a time that the test advances.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func fixed(kind Kind, value string) func(context.Context) (Credential, error) {
	return func(context.Context) (Credential, error) { return Credential{kind, value}, nil }
}

// startGateway starts a gateway for the upstream; change may modify its configuration before it listens.
func startGateway(t testing.TB, url string, change func(*Config, *Gateway)) *Gateway {
	t.Helper()
	c := Config{Endpoint: Endpoint{Upstream: url, Credential: fixed(APIKey, testKey)}, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&c, nil)
	}
	g, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	g.limits.grace = 5 * time.Second
	if change != nil {
		change(&c, g)
	}
	if err := g.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Errorf("close gateway: %v", err)
		}
	})
	return g
}

// everyTool lists what the sessions of tests may use where they are granted.
var everyTool = []string{"web_search", "web_fetch"}

func openSession(t testing.TB, g *Gateway, budget float64) *Session {
	t.Helper()
	s, err := g.Open(Spec{ID: "s1", BudgetUSD: budget, Ledger: filepath.Join(t.TempDir(), "ledger.jsonl"), Tools: everyTool})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// ask posts a message as an agent does, with the session's token as its key.
func ask(ctx context.Context, s *Session, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL()+"/v1/messages?beta=true", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Api-Key", s.Token())
	req.Header.Set("Anthropic-Version", "2023-06-01")
	return http.DefaultClient.Do(req)
}

// mustAsk posts a message and reads the whole answer.
func mustAsk(t testing.TB, s *Session, body string) (int, string) {
	t.Helper()
	resp, err := ask(t.Context(), s, body)
	return wholeAnswer(t, resp, err)
}

// wholeAnswer reads an answer to its end, and returns the status and the body.
func wholeAnswer(t testing.TB, resp *http.Response, err error) (int, string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func question(model string, maxTokens int) string {
	return fmt.Sprintf(`{"model":%q,"max_tokens":%d,"stream":true,"messages":[{"role":"user","content":"hi"}]}`, model, maxTokens)
}

func event(kind string, data any) string {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	return "event: " + kind + "\ndata: " + string(text) + "\n\n"
}

type object = map[string]any

// stream returns the events of an answer: a start with input usage, text, and an end with output usage.
func stream(model string, usage object, output int, texts ...string) []string {
	list := []string{
		event("message_start", object{"type": "message_start", "message": object{"id": "msg_1", "type": "message", "role": "assistant",
			"model": model, "content": []any{}, "usage": usage}}),
		event("content_block_start", object{"type": "content_block_start", "index": 0, "content_block": object{"type": "text", "text": ""}}),
		event("ping", object{"type": "ping"}),
	}
	for _, text := range texts {
		list = append(list, event("content_block_delta", object{"type": "content_block_delta", "index": 0,
			"delta": object{"type": "text_delta", "text": text}}))
	}
	return append(list,
		event("content_block_stop", object{"type": "content_block_stop", "index": 0}),
		event("message_delta", object{"type": "message_delta", "delta": object{"stop_reason": "end_turn"}, "usage": object{"output_tokens": output}}),
		event("message_stop", object{"type": "message_stop"}))
}

// answerStream sends events one by one.
func answerStream(w http.ResponseWriter, events []string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, e := range events {
		_, _ = io.WriteString(w, e)
		_ = http.NewResponseController(w).Flush()
	}
}

func apiError(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(object{"type": "error", "error": object{"type": kind, "message": message}})
}

func near(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }

// eventually polls a condition that another goroutine makes true, until the test's deadline.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("never came: %s", what)
		case <-tick.C:
		}
	}
}
