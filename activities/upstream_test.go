package activities

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/task"
)

// modelKey is the key that the gateway sends to the model's API.
const modelKey = "sk-ant-0123456789abcdef"

// upstream is a fake of the model's API. It requires the key.
type upstream struct {
	*httptest.Server
	calls  atomic.Int32
	answer func(w http.ResponseWriter)
}

// useModel gives the host a gateway to an upstream.
func (b *bench) useModel(answer func(w http.ResponseWriter)) *upstream {
	b.t.Helper()
	u := &upstream{answer: answer}
	u.Server = httptest.NewServer(u)
	b.t.Cleanup(u.Close)
	b.Gateway = newGateway(b.t, u.URL)
	b.start()
	return u
}

func newGateway(t testing.TB, upstream string, tools ...string) *gateway.Gateway {
	t.Helper()
	return newGatewayAt(t, nil, upstream, tools...)
}

// newGatewayAt starts a gateway with a clock.
func newGatewayAt(t testing.TB, now func() time.Time, upstream string, tools ...string) *gateway.Gateway {
	t.Helper()
	as := func(kind gateway.Kind) gateway.Endpoint {
		return gateway.Endpoint{Upstream: upstream, Credential: func(context.Context) (gateway.Credential, error) {
			return gateway.Credential{Kind: kind, Value: modelKey}, nil
		}}
	}
	openAI := as(gateway.Bearer)
	g, err := gateway.New(gateway.Config{Now: now, Tools: tools, Endpoint: as(gateway.APIKey), OpenAI: &openAI})
	must(t, err)
	must(t, g.Start(context.Background()))
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.calls.Add(1)
	if r.Header.Get("X-Api-Key") != modelKey || r.URL.Path != "/v1/messages" {
		http.Error(w, `{"type":"error","error":{"type":"authentication_error","message":"no"}}`, http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	u.answer(w)
}

// replies answers each call at a price of 1000 tokens in and 100 out.
func replies(w http.ResponseWriter) {
	_, _ = io.WriteString(w, `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","stop_reason":"end_turn",`+
		`"content":[{"type":"text","text":"hello"}],"usage":{"input_tokens":1000,"output_tokens":100}}`)
}

// refuses answers with an error of the API.
func refuses(status int, kind, message string, header map[string]string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"type":"error","error":{"type":%q,"message":%q}}`, kind, message)
	}
}

// askModel makes one call to the model as an agent does, and returns the status.
func askModel(ctx context.Context, s agent.Session) (int, error) {
	return askFor(ctx, "claude-sonnet-4-5", s)
}

func askFor(ctx context.Context, model string, s agent.Session) (int, error) {
	body := `{"model":"` + model + `","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.BaseURL+"/v1/messages", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Api-Key", s.Token)
	req.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// asking makes an agent that calls the model once and then ends with an outcome.
func asking(then agent.Outcome) *player {
	return &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		if _, err := askModel(ctx, s); err != nil {
			return agent.Outcome{}, err
		}
		return then, nil
	}}
}

// The vendor's tools are open to a session as far as its settings allow them, whatever else the operator grants.
func TestServerToolsOfASession(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.Gateway = newGateway(t, "https://api.example", "web_search", "WebFetch(https://docs.example/*)")
	b.start()
	for name, c := range map[string]struct {
		allow []string
		want  string
	}{
		"an earlier release": {nil, "web_search"},
		"nothing":            {[]string{}, ""},
		"others":             {[]string{"Task"}, ""},
		"search":             {[]string{"Task", "WebSearch"}, "web_search"},
		"a page":             {[]string{"WebFetch(https://docs.example/*)"}, "web_fetch"},
	} {
		in := b.session(task.Planner, "script")
		in.Tools.Allow = c.allow
		rec, err := openRecord(b.Data, in)
		must(t, err)
		endpoint, err := b.launcher.openModel(in, rec, "")
		must(t, err)
		var got []string
		for _, tool := range []string{"web_search", "web_fetch"} {
			if endpoint.Granted(tool) {
				got = append(got, tool)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		endpoint.Close()
	}
}

// A session's programs may ask for its own model, and for no other that costs more or searches.
func TestModelOfASession(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	u := b.useModel(replies)
	for model, want := range map[string]int{"claude-sonnet-4-5": http.StatusOK, "glm-5": http.StatusOK, "glm-5-air": http.StatusBadRequest, "glm-5:online": http.StatusBadRequest} {
		in := b.session(task.Planner, "script")
		in.Model = "glm-5"
		rec, err := openRecord(b.Data, in)
		must(t, err)
		endpoint, err := b.launcher.openModel(in, rec, "")
		must(t, err)
		got, err := askFor(t.Context(), model, agent.Session{Endpoint: agent.Endpoint{BaseURL: endpoint.BaseURL(), Token: endpoint.Token()}})
		if err != nil || got != want {
			t.Errorf("%s: %d, %v", model, got, err)
		}
		endpoint.Close()
	}
	if n := u.calls.Load(); n != 2 {
		t.Errorf("%d calls were sent", n)
	}
}
