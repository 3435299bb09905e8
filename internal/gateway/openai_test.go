package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

const openAIKey = "sk-openai-0123456789"

// openOpenAI opens a session that may use OpenAI's API, in front of an upstream.
func openOpenAI(t *testing.T, budget float64, handle http.HandlerFunc) (*upstream, *Session) {
	t.Helper()
	return openOpenAIAt(t, newClock(), budget, handle)
}

func openOpenAIAt(t *testing.T, now *clock, budget float64, handle http.HandlerFunc) (*upstream, *Session) {
	t.Helper()
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) { handle(w, r) })
	g := startGateway(t, "http://127.0.0.1:1", func(c *Config, _ *Gateway) {
		c.OpenAI = &Endpoint{Upstream: u.URL, Credential: fixed(Bearer, openAIKey)}
		c.Now = now.now
	})
	s, err := g.Open(Spec{ID: "s1", API: OpenAI, Model: "gpt-5.5", BudgetUSD: budget, Ledger: filepath.Join(t.TempDir(), "ledger.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return u, s
}

// post sends a body as an agent does, and returns the status and the answer.
func post(t *testing.T, s *Session, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.BaseURL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.Token())
	req.Header.Set("X-Api-Key", "mine")
	resp, err := http.DefaultClient.Do(req)
	return wholeAnswer(t, resp, err)
}

func answers(kind string, parts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		for _, p := range parts {
			_, _ = io.WriteString(w, p)
		}
	}
}

const (
	stream8     = "text/event-stream; charset=utf-8"
	asksSimply  = `{"model":"gpt-5.5","input":"hi","stream":true}`
	chatsSimply = `{"model":"gpt-5.5","messages":[{"role":"user","content":"hi"}],"stream":true}`
)

// TestOpenAIUsage books what answers of both APIs report, streamed or not: cached input counts once, and at its own price.
func TestOpenAIUsage(t *testing.T) {
	usage := `{"input_tokens":1000,"input_tokens_details":{"cached_tokens":400},"output_tokens":100,"output_tokens_details":{"reasoning_tokens":50}}`
	older := `{"prompt_tokens":1000,"prompt_tokens_details":{"cached_tokens":400},"completion_tokens":100}`
	want := task.Usage{Input: 600, Output: 100, CacheRead: 400, CostUSD: 600*5e-6 + 400*0.5e-6 + 100*30e-6, Calls: 1}
	long := task.Usage{Input: 299_600, Output: 100, CacheRead: 400, CostUSD: 299_600*10e-6 + 400*1e-6 + 100*45e-6, Calls: 1} // the same of a prompt above 272,000
	said := event("response.output_text.delta", object{"type": "response.output_text.delta", "delta": `{"usage":{"output_tokens":9}} "response.completed"`})
	for name, c := range map[string]struct {
		path, body string
		handle     http.HandlerFunc
		want       task.Usage
	}{
		"responses, streamed": {"/v1/responses", asksSimply, answers(stream8, event("response.created", object{"type": "response.created", "response": object{"model": "gpt-5.5"}}), said,
			"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"model\":\"gpt-5.5-2026-04-01\",\"usage\":"+usage+"}}\n\n"), want},
		"responses, cut at its limit": {"/v1/responses", asksSimply, answers(stream8, said,
			"data: {\"type\":\"response.incomplete\",\"response\":{\"model\":\"gpt-5.5\",\"usage\":"+usage+"}}\n\n"), want},
		"responses in one piece": {"/v1/responses", `{"model":"gpt-5.5","input":[]}`, answers("application/json", `{"object":"response","model":"gpt-5.5","usage":`+usage+`}`), want},
		"a long prompt": {"/v1/responses", `{"model":"gpt-5.5","input":[]}`, answers("application/json",
			`{"object":"response","model":"gpt-5.5","usage":`+strings.Replace(usage, "1000", "300000", 1)+`}`), long},
		"chat, streamed": {"/v1/chat/completions", chatsSimply, answers(stream8, `data: {"object":"chat.completion.chunk","model":"gpt-5.5","choices":[{"delta":{"content":"x"}}],"usage":null}`+"\n\n",
			`data: {"object":"chat.completion.chunk","model":"gpt-5.5","choices":[],"usage":`+older+"}\n\n", "data: [DONE]\n\n"), want},
		"chat in one piece": {"/v1/chat/completions", `{"model":"gpt-5.5","messages":[]}`, answers("application/json", `{"object":"chat.completion","model":"gpt-5.5","usage":`+older+`}`), want},
	} {
		t.Run(name, func(t *testing.T) {
			u, s := openOpenAI(t, 5, c.handle)
			if status, text := post(t, s, c.path, c.body); status != http.StatusOK {
				t.Fatalf("%d %s", status, text)
			}
			if d := cmp.Diff(c.want, s.Usage()); d != "" {
				t.Errorf("usage: %s", d)
			}
			r, _ := u.request(0)
			if r.URL.Path != c.path || r.Header.Get("Authorization") != "Bearer "+openAIKey || r.Header.Get("X-Api-Key") != "" || r.Header.Get("Anthropic-Version") != "" {
				t.Errorf("the API got %s with %v", r.URL.Path, r.Header)
			}
		})
	}
}

// TestOpenAIRequests passes what agents send, and refuses what would have the vendor reach out, keep something or run something, by its name.
func TestOpenAIRequests(t *testing.T) {
	u, s := openOpenAI(t, 0, answers("application/json", `{"model":"gpt-5.5","usage":{"input_tokens":1,"output_tokens":1}}`))
	codex := `{"model":"gpt-5.5","instructions":"be good","input":[{"type":"message","role":"developer","content":[{"type":"input_text","text":"a"}]},
		{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,aaaa"}]},
		{"type":"reasoning","summary":[],"encrypted_content":"x"},{"type":"function_call","name":"exec_command","arguments":"{}","call_id":"c1"},
		{"type":"function_call_output","call_id":"c1","output":"done"},{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch","call_id":"c2","status":"completed"},
		{"type":"custom_tool_call_output","call_id":"c2","output":"ok"}],
		"tools":[{"type":"function","name":"exec_command","description":"d","strict":false,"parameters":{"type":"object"}},{"type":"custom","name":"apply_patch","format":{"type":"grammar","syntax":"lark","definition":"x"}}],
		"tool_choice":"auto","parallel_tool_calls":false,"reasoning":{"effort":"medium","summary":"auto"},"store":false,"stream":true,"include":["reasoning.encrypted_content"],
		"prompt_cache_key":"k","text":{"verbosity":"low"},"client_metadata":{"a":"b"}}`
	chatting := `{"model":"gpt-5.5","messages":[{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aaaa"}}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"y"}],
		"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}],"tool_choice":"auto","max_tokens":100,"stream":true,"stream_options":{"include_usage":false}}`
	for path, body := range map[string]string{"/v1/responses": codex, "/v1/chat/completions": chatting} {
		if status, text := post(t, s, path, body); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, text)
		}
		if q, err := openAI().read(openAI().posts[path], []byte(body), nil, nil); err != nil || q.usual != imageUsual {
			t.Errorf("%s: the picture counts as %+v, %v", path, q, err)
		}
	}
	for i := range u.count() {
		r, body := u.request(i)
		var sent struct {
			Store   *bool
			Options struct {
				Usage bool `json:"include_usage"`
			} `json:"stream_options"`
		}
		if err := json.Unmarshal(body, &sent); err != nil || strings.HasSuffix(r.URL.Path, "completions") && !sent.Options.Usage || strings.HasSuffix(r.URL.Path, "responses") && (sent.Store == nil || *sent.Store) {
			t.Errorf("%s was sent %s", r.URL.Path, body)
		}
	}
	before := u.count()
	with := func(member string) string { return `{"model":"gpt-5.5","input":"hi",` + member + `}` }
	for body, want := range map[string]string{
		with(`"tools":[{"type":"web_search"}]`):                                            "tools.0 has the tool type web_search",
		with(`"tools":[{"type":"mcp","server_url":"https://x"}]`):                          "tool type mcp",
		with(`"tools":[{"type":"code_interpreter","container":{"type":"auto"}}]`):          "tool type code_interpreter",
		with(`"tools":[{"type":"shell"}]`):                                                 "tool type shell",
		with(`"tools":[{"type":"function","name":"f","parameters":{"$ref":"https://x"}}]`): "leads out of the schema",
		with(`"background":true`):                                                          "background is a key that is not let through; an operator can allow it with LONGSHIFT_GATEWAY_PASS=background",
		with(`"store":true`):                                                               "store is not false: nothing may be kept at the vendor",
		with(`"previous_response_id":"resp_1"`):                                            "previous_response_id is a key",
		with(`"conversation":"c"`):                                                         "conversation is a key",
		with(`"prompt":{"id":"p"}`):                                                        "prompt is a key",
		with(`"service_tier":"priority"`):                                                  "service_tier is none of",
		with(`"max_output_tokens":0`):                                                      "max_output_tokens is not a number above 0",
		`{"model":"gpt-5.5","input":[{"role":"user","content":[{"type":"input_image","image_url":"https://x/y.png"}]}]}`: "image_url is not a picture in the request itself",
		`{"model":"gpt-5.5","input":[{"role":"user","content":[{"type":"input_file","file_url":"https://x"}]}]}`:         "content type input_file",
		`{"model":"gpt-5.5","input":[{"type":"item_reference","id":"x"}]}`:                                               "item type item_reference",
		`{"input":"hi"}`: "model is missing",
	} {
		if status, text := post(t, s, "/v1/responses", body); status != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	twoLimits := `{"model":"gpt-5.5","messages":[],"max_tokens":1,"max_completion_tokens":128000}`
	if status, text := post(t, s, "/v1/chat/completions", twoLimits); status != http.StatusBadRequest || !strings.Contains(text, "max_completion_tokens is a second limit beside max_tokens") {
		t.Errorf("%s: %d %s", twoLimits, status, text)
	}
	for path, want := range map[string]string{"/v1/messages": "only these are: POST /v1/chat/completions, POST /v1/responses, GET /v1/models", "/v1/files": "not let through", "/v1/responses/compact": "not let through"} {
		if status, text := post(t, s, path, `{}`); status != http.StatusForbidden || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	if u.count() != before {
		t.Error("a refused request was sent")
	}
}

// TestOpenAIBudget reserves the worst case before a call is sent: one that names no bound is cut to what is left, and none is sent after that.
func TestOpenAIBudget(t *testing.T) {
	for path, body := range map[string]string{"/v1/responses": `{"model":"gpt-5.5","input":"hi"}`, "/v1/chat/completions": `{"model":"gpt-5.5","messages":[]}`} {
		u, s := openOpenAI(t, 1, answers("application/json", `{"model":"gpt-5.5","usage":{"input_tokens":0,"output_tokens":33334}}`))
		if status, text := post(t, s, path, body); status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, text)
		}
		_, sent := u.request(0)
		var asked struct {
			Output int64 `json:"max_output_tokens"`
			Tokens int64 `json:"max_completion_tokens"`
		}
		if err := json.Unmarshal(sent, &asked); err != nil || asked.Output+asked.Tokens < 20_000 || asked.Output+asked.Tokens > 33_333 {
			t.Errorf("%s: $1 at $30 a million bounds the output of %s", path, sent)
		}
		if status, text := post(t, s, path, body); status != http.StatusPaymentRequired || !strings.Contains(text, "longshift_budget") || !s.State().BudgetRefused || u.count() != 1 {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
}

// TestOpenAILimits tells a used-up quota, by headers or by the body, from a moment's refusal.
func TestOpenAILimits(t *testing.T) {
	now := newClock().now()
	for name, c := range map[string]struct {
		status int
		header map[string]string
		body   string
		want   *Limit
	}{
		"a moment":      {429, map[string]string{"Retry-After": "2", "X-Ratelimit-Reset-Tokens": "6m0s"}, `{"error":{"message":"slow","code":"rate_limit_exceeded"}}`, nil},
		"a long pause":  {429, map[string]string{"Retry-After": "120", "X-Ratelimit-Reset-Tokens": "6m0s"}, `{"error":{"message":"slow"}}`, &Limit{Status: 429, Claim: "retry_after", Reset: now.Add(6 * time.Minute), Text: "slow"}},
		"no money":      {429, nil, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, &Limit{Status: 429, Claim: "credit", Text: "You exceeded your current quota"}},
		"a plan's":      {429, nil, `{"error":{"message":"limit","type":"usage_limit_reached","resets_in_seconds":3600}}`, &Limit{Status: 429, Claim: "usage_limit_reached", Text: "limit", Reset: now.Add(time.Hour)}},
		"a plan's date": {429, nil, fmt.Sprintf(`{"error":{"message":"limit","type":"usage_limit_reached","resets_at":%d}}`, now.Unix()+60), &Limit{Status: 429, Claim: "usage_limit_reached", Text: "limit", Reset: now.Add(time.Minute)}},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := openOpenAI(t, 0, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Date"] = nil // the clock of the test
				for k, v := range c.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			if status, _ := post(t, s, "/v1/responses", asksSimply); status != c.status {
				t.Errorf("status %d", status)
			}
			if d := cmp.Diff(c.want, s.State().Limit); d != "" {
				t.Error(d)
			}
		})
	}
	_, s := openOpenAI(t, 0, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(401)
		_, _ = io.WriteString(w, `{"error":{"message":"Incorrect API key"}}`)
	})
	post(t, s, "/v1/responses", asksSimply)
	if s.State().AuthRefused != "Incorrect API key" {
		t.Errorf("refused: %q", s.State().AuthRefused)
	}
	_, s = openOpenAI(t, 0, answers(stream8, "data: {\"type\":\"response.failed\",\"response\":{\"error\":{\"code\":\"server_is_overloaded\"}}}\n\n"))
	post(t, s, "/v1/responses", asksSimply)
	if st := s.State(); st.Overloaded != 1 || st.Failed != 0 {
		t.Errorf("an overload in mid-stream counts as %+v", st)
	}
}

// TestAnswersWithoutUsage: a server that does not tell its usage answers too.
func TestAnswersWithoutUsage(t *testing.T) {
	for name, handle := range map[string]http.HandlerFunc{
		"streamed":     answers(stream8, `data: {"choices":[{"delta":{"content":"x"}}]}`+"\n\n", "data: [DONE]\n\n"),
		"in one piece": answers("application/json", `{"choices":[{"message":{"content":"x"}}]}`),
	} {
		_, s := openOpenAI(t, 5, handle)
		s.health.unreachable()
		post(t, s, "/v1/chat/completions", chatsSimply)
		if since := s.State().FailingSince; !since.IsZero() {
			t.Errorf("%s: failing since %s", name, since)
		}
	}
}

// TestOpenAIIsNotThere: a host without a key for an API opens no session that would use it.
func TestOpenAIIsNotThere(t *testing.T) {
	g := startGateway(t, "http://127.0.0.1:1", nil)
	_, err := g.Open(Spec{ID: "s", API: OpenAI, Ledger: filepath.Join(t.TempDir(), "l")})
	if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.HintOf(err), "OPENAI_API_KEY") {
		t.Errorf("got %v; %s", err, fault.HintOf(err))
	}
	for model, want := range map[string]float64{"gpt-5.5-2026-04-01": 30, "gpt-5-codex-high": 10, "gpt-5.9": 180, "llama3": 180} {
		if m, _ := DefaultOpenAIPrices().find(model); m.output.usd()*1e6 != want {
			t.Errorf("%s costs %v", model, m.output.usd()*1e6)
		}
	}
	p, err := DefaultOpenAIPrices().With([]byte(`{"models":{"llama3":{"input":0,"output":0,"cacheRead":0}}}`))
	if m, known := p.find("llama3:70b"); err != nil || !known || m.output != 0 {
		t.Errorf("a model of one's own: %v, %v", m, err)
	}
}
