package gateway

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

func TestCredentialTakesThePlaceOfTheToken(t *testing.T) {
	for _, c := range []struct {
		kind              Kind
		shown, shownValue string // by the agent; $ stands for the token
		key, auth         string // that the API must see
	}{
		{APIKey, "X-Api-Key", "$", testKey, ""},
		{APIKey, "Authorization", "Bearer $", testKey, ""},
		{OAuth, "X-Api-Key", "$", "", "Bearer " + testKey},
		{OAuth, "Authorization", "Bearer $", "", "Bearer " + testKey},
		{Bearer, "X-Api-Key", "$", "", "Bearer " + testKey},
		{Login, "Authorization", "Bearer sk-ant-oat01-own", "", "Bearer sk-ant-oat01-own"},
		{Login, "X-Api-Key", "own-key", "own-key", ""},
	} {
		u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(500) })
		s := openSession(t, startGateway(t, u.URL, func(cfg *Config, _ *Gateway) { cfg.Credential = fixed(c.kind, testKey+"\n") }), 0)
		req, _ := http.NewRequest("POST", s.BaseURL()+"/v1/messages", strings.NewReader(question("claude-opus-5-5", 1)))
		req.Header.Set(c.shown, strings.ReplaceAll(c.shownValue, "$", s.Token()))
		for name, v := range map[string]string{
			"Anthropic-Beta": "claude-code-20250219, made-up-2026-01-01,effort-2025-11-24", "X-App": "cli", "Cookie": "c=1", "Te": "trailers", "X-Hop": "1",
			"Connection": "X-Hop", "Accept-Encoding": "gzip, br", "User-Agent": "claude-cli/2.1.328",
		} {
			req.Header.Set(name, v)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		got, _ := u.request(0)
		if got.Header.Get("X-Api-Key") != c.key || got.Header.Get("Authorization") != c.auth {
			t.Errorf("%+v: the API saw %q, %q", c, got.Header.Get("X-Api-Key"), got.Header.Get("Authorization"))
		}
		if got.Header.Get("Anthropic-Beta") != "claude-code-20250219,effort-2025-11-24" || got.Header.Get("X-App") != "cli" ||
			got.Header.Get("User-Agent") != "claude-cli/2.1.328" || got.Header.Get("X-Hop") != "" {
			t.Errorf("%+v: header %v", c, got.Header)
		}
	}
}

func TestCredentialIsAskedForEveryCall(t *testing.T) {
	var n atomic.Int64
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(500) })
	s := openSession(t, startGateway(t, u.URL, func(c *Config, _ *Gateway) {
		c.Credential = func(context.Context) (Credential, error) {
			switch n.Add(1) {
			case 1:
				return Credential{APIKey, "first-key"}, nil
			case 2:
				return Credential{APIKey, "second-key"}, nil
			case 3:
				return Credential{}, errors.New("the key file is gone")
			}
			return Credential{APIKey, "two\nlines"}, nil
		}
	}), 0)
	for i, want := range []string{"first-key", "second-key"} {
		mustAsk(t, s, question("claude-opus-5-5", 1))
		if r, _ := u.request(i); r.Header.Get("X-Api-Key") != want {
			t.Errorf("call %d: %q", i, r.Header.Get("X-Api-Key"))
		}
	}
	for _, want := range []string{"the key file is gone", "characters that no key has"} {
		status, text := mustAsk(t, s, question("claude-opus-5-5", 1))
		if status != 403 || strings.Contains(text, "file") || !strings.Contains(s.State().AuthRefused, want) {
			t.Errorf("%d %s; state %q", status, text, s.State().AuthRefused)
		}
	}
	if u.count() != 2 {
		t.Errorf("%d calls upstream", u.count())
	}
}

func TestTokensAreWorthNothingElsewhere(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(500) })
	g := startGateway(t, u.URL, nil)
	s := openSession(t, g, 0)
	get := func(path string) int {
		t.Helper()
		resp, err := http.Get(g.base + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	for _, path := range []string{"/", "/v1/messages", "/s/", "/s//v1/models", "/s/" + s.Token()[:42] + "/v1/models",
		"/s/" + s.Token() + "x/v1/models", "/S/" + s.Token() + "/"} {
		if status := get(path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status := get("/s/" + s.Token() + "/"); status != 200 {
		t.Errorf("own path: %d", status)
	}
	s.Close()
	if status := get("/s/" + s.Token() + "/v1/models"); status != 404 {
		t.Errorf("after close: %d", status)
	}
	if u.count() != 0 {
		t.Errorf("%d calls upstream", u.count())
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	other := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(200) })
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	s := openSession(t, startGateway(t, u.URL, func(c *Config, _ *Gateway) { c.Client = &http.Client{} }), 0)
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Post(s.BaseURL()+"/v1/messages", "application/json", strings.NewReader(question("claude-opus-5-5", 1)))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusTemporaryRedirect || other.count() != 0 {
		t.Errorf("status %d, %d calls to the other host", resp.StatusCode, other.count())
	}
}

func TestListensOnLoopbackOnly(t *testing.T) {
	g := startGateway(t, "", nil)
	host, _, err := net.SplitHostPort(strings.TrimPrefix(g.base, "http://"))
	if err != nil || host != "127.0.0.1" {
		t.Errorf("listens on %s", g.base)
	}
	if g.apis[Anthropic].upstream != DefaultUpstream {
		t.Errorf("upstream %s", g.apis[Anthropic].upstream)
	}
	if err := g.Start(t.Context()); err == nil {
		t.Error("started twice")
	}
}

// The end of the context that it was started with is the worker's wish to stop; sessions end first, and then the gateway.
func TestGatewayServesUntilItIsClosed(t *testing.T) {
	g, err := New(Config{Endpoint: Endpoint{Credential: fixed(APIKey, testKey)}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := g.Start(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	s, err := g.Open(Spec{ID: "x", Ledger: filepath.Join(t.TempDir(), "l")})
	if err != nil {
		t.Fatalf("open before its close: %v", err)
	}
	defer s.Close()
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	if c, err := net.Dial("tcp", strings.TrimPrefix(g.base, "http://")); err == nil {
		_ = c.Close()
		t.Error("the port is open after its close")
	}
	if _, err := g.Open(Spec{ID: "x", Ledger: filepath.Join(t.TempDir(), "l")}); fault.KindOf(err) != fault.Stopping {
		t.Errorf("open after its close: %v", err)
	}
}

func TestBadInputNamesTheField(t *testing.T) {
	for _, up := range []string{"api.anthropic.com", "ftp://x", "https://user:pw@x", "https://x?y=1", "://"} {
		if _, err := New(Config{Endpoint: Endpoint{Upstream: up, Credential: fixed(APIKey, "k")}}); fault.KindOf(err) != fault.Input {
			t.Errorf("upstream %q: %v", up, err)
		}
	}
	if _, err := New(Config{}); err == nil {
		t.Error("no credential source")
	}
	g := startGateway(t, "https://x/base/", nil)
	if g.apis[Anthropic].upstream != "https://x/base" {
		t.Errorf("upstream %q", g.apis[Anthropic].upstream)
	}
	for _, s := range []Spec{{Ledger: "x"}, {ID: "x"}, {ID: "x", Ledger: "y", Transcript: "y"}} {
		if _, err := g.Open(s); fault.KindOf(err) != fault.Input {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func TestFinishLetsCallsInFlightEnd(t *testing.T) {
	begun, goOn := make(chan bool), make(chan bool)
	chunks := stream("claude-opus-5-5", object{"input_tokens": 700}, 0)
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		begun <- true
		<-goOn
		answerStream(w, chunks)
	})
	s := openSession(t, startGateway(t, u.URL, nil), 0)
	answered := make(chan int)
	go func() {
		resp, err := ask(t.Context(), s, question("claude-opus-5-5", 1))
		if err != nil {
			answered <- 0
			return
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		answered <- resp.StatusCode
	}()
	<-begun
	s.Finish()
	if got, _ := mustAsk(t, s, question("claude-opus-5-5", 1)); got != http.StatusNotFound {
		t.Errorf("a further call was answered with %d", got)
	}
	close(goOn)
	if got := <-answered; got != http.StatusOK {
		t.Errorf("the call in flight was answered with %d", got)
	}
	if got := s.Close(); got.Calls != 1 || got.Input != 700 {
		t.Errorf("usage %+v", got)
	}
}

func TestCloseEndsCallsThatDoNotEnd(t *testing.T) {
	first := stream("claude-opus-5-5", object{"input_tokens": 700}, 0)[0]
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		answerStream(w, []string{first})
		<-r.Context().Done()
	})
	g := startGateway(t, u.URL, func(_ *Config, g *Gateway) {
		if g != nil {
			g.limits.grace = 50 * time.Millisecond
		}
	})
	s := openSession(t, g, 0)
	resp, err := ask(t.Context(), s, question("claude-opus-5-5", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadFull(resp.Body, make([]byte, len(first))); err != nil {
		t.Fatal(err)
	}
	if got := s.Close(); got.Input != 700 || got.Calls != 1 {
		t.Errorf("usage %+v", got)
	}
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the answer seemed to end well")
	}
	if again := s.Close(); again.Input != 700 {
		t.Errorf("usage after a second close %+v", again)
	}
}

func TestLogsHoldNoSecret(t *testing.T) {
	var mu sync.Mutex
	var logs strings.Builder
	status := 200
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		if status != 200 {
			apiError(w, status, "some_error", "for "+r.Header.Get("X-Api-Key"))
			return
		}
		answerStream(w, stream("claude-unknown-1", object{"input_tokens": 1}, 1))
	})
	g := startGateway(t, u.URL, func(c *Config, _ *Gateway) {
		c.Log = slog.New(slog.NewJSONHandler(writerFunc(func(p []byte) (int, error) {
			mu.Lock()
			defer mu.Unlock()
			return logs.Write(p)
		}), &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	s := openSession(t, g, 0)
	for _, status = range []int{200, 429, 500, 401} {
		mustAsk(t, s, question("claude-unknown-1", 1))
	}
	u.Close()
	mustAsk(t, s, question("claude-unknown-1", 1))
	s.Close()
	if why := s.State().AuthRefused; why != "for "+blacked {
		t.Errorf("refused: %q", why)
	}
	mu.Lock()
	defer mu.Unlock()
	if text := logs.String(); !strings.Contains(text, "unreachable") || !strings.Contains(text, "dearest") ||
		strings.Contains(text, testKey) || strings.Contains(text, s.Token()) {
		t.Errorf("logs:\n%s", text)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestGatewayCloseLetsCallsEnd(t *testing.T) {
	u, arrived, release := heldAPI(t)
	g := startGateway(t, u.URL, nil)
	s := openSession(t, g, 0)
	idle, err := net.Dial("tcp", strings.TrimPrefix(g.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	call := askAsync(t.Context(), s, 10)
	<-arrived
	closed := make(chan error, 1)
	go func() { closed <- g.Close() }()
	eventually(t, "the token is worthless", func() bool { return g.session(s.Token()) == nil })
	release <- 3
	if status := <-call; status != 200 {
		t.Errorf("the call in flight: %d", status)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if got := s.Usage(); got.Output != 3 {
		t.Errorf("usage %+v", got)
	}
}
