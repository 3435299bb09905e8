package gateway

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/task"
)

func TestStreamPassesUnchangedAndAtOnce(t *testing.T) {
	events := stream("claude-opus-5-5", object{"input_tokens": 200, "cache_read_input_tokens": 600, "cache_creation_input_tokens": 400, "output_tokens": 1}, 100,
		"hello", strings.Repeat("x", 70_000), "<é> \\\"usage\\\"")
	next := make(chan struct{})
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Request-Id", "req_1")
		for _, e := range events {
			_, _ = io.WriteString(w, e)
			_ = http.NewResponseController(w).Flush()
			<-next // the client has received it: nothing is buffered
		}
	})
	s := openSession(t, startGateway(t, u.URL, nil), 0)
	resp, err := ask(t.Context(), s, question("claude-opus-5-5", 1000))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || resp.Header.Get("Request-Id") != "req_1" || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("answer %d %v", resp.StatusCode, resp.Header)
	}
	for i, want := range events {
		got := make([]byte, len(want))
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != want {
			t.Fatalf("event %d: %v\n%s\nwant\n%s", i, err, got, want)
		}
		if i == len(events)-1 { // the end was sent, so the cost is booked
			want := task.Usage{Input: 200, Output: 100, CacheRead: 600, CacheWrite: 400, CostUSD: 0.00492, Calls: 1}
			if d := cmp.Diff(want, s.Usage()); d != "" {
				t.Errorf("usage: %s", d)
			}
		}
		next <- struct{}{}
	}
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Errorf("after the end: %q, %v", rest, err)
	}
	r, body := u.request(0)
	if r.URL.RequestURI() != "/v1/messages?beta=true" || string(body) != question("claude-opus-5-5", 1000) {
		t.Errorf("upstream got %s %s", r.URL, body)
	}
}

func TestMessageInOnePiece(t *testing.T) {
	const answer = `{"id":"m","model":"claude-sonnet-5-5","content":[],"usage":{"input_tokens":100,"cache_read_input_tokens":300,"cache_creation_input_tokens":200,"output_tokens":50}}`
	for name, send := range map[string]func(http.ResponseWriter){
		"length": func(w http.ResponseWriter) { _, _ = io.WriteString(w, answer) },
		"chunked": func(w http.ResponseWriter) {
			_ = http.NewResponseController(w).Flush()
			_, _ = io.WriteString(w, answer)
		},
		"gzip": func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, answer)
			_ = z.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
				w.Header().Set("Content-Type", "application/json")
				send(w)
			})
			s := openSession(t, startGateway(t, u.URL, nil), 0)
			if status, text := mustAsk(t, s, question("claude-sonnet-5-5", 10)); status != 200 || text != answer {
				t.Errorf("answer %d %s", status, text)
			}
			want := task.Usage{Input: 100, Output: 50, CacheRead: 300, CacheWrite: 200, CostUSD: 0.00123, Calls: 1}
			if d := cmp.Diff(want, s.Close()); d != "" {
				t.Errorf("usage: %s", d)
			}
		})
	}
}

func TestOnlyWhatAgentsNeedPasses(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) { _, _ = io.WriteString(w, `{"input_tokens":3}`) })
	s := openSession(t, startGateway(t, u.URL, nil), 0)
	for _, c := range []struct {
		method, path string
		status, up   int
	}{
		{"POST", "/v1/messages/count_tokens?beta=true", 200, 1},
		{"GET", "/v1/models?limit=1000", 200, 0},
		{"GET", "/v1/models/claude-opus-5-5", 200, 0},
		{"HEAD", "/api/hello", 200, 0},
		{"HEAD", "", 200, 0},
		{"GET", "/", 200, 0},
		{"GET", "/v1/messages", 403, 0},
		{"POST", "/v1/messages/batches", 403, 0},
		{"POST", "/v1/messages/", 403, 0},
		{"POST", "/v1/models", 403, 0},
		{"GET", "/v1/models/../files", 403, 0},
		{"GET", "/v1/models/%2e%2e/files", 403, 0},
		{"POST", "//v1/messages", 403, 0},
		{"POST", "/v1%2fmessages", 403, 0},
		{"GET", "/v1/files", 403, 0},
		{"GET", "/v1/organizations/api_keys", 403, 0},
		{"POST", "/api/event_logging/batch", 403, 0},
		{"CONNECT", "/v1/messages", 403, 0},
	} {
		before := u.count()
		req := httptest.NewRequest(c.method, "/", strings.NewReader(`{"model":"claude-opus-5-5","messages":[]}`))
		req.URL.Path, req.URL.RawQuery, _ = strings.Cut("/s/"+s.Token()+c.path, "?")
		if strings.Contains(req.URL.Path, "%") {
			req.URL.RawPath = req.URL.Path
			req.URL.Path = strings.NewReplacer("%2e", ".", "%2f", "/").Replace(req.URL.Path)
		}
		w := deadlines{httptest.NewRecorder()}
		s.gateway.ServeHTTP(w, req)
		if w.Code != c.status || u.count()-before != c.up {
			t.Errorf("%s %s: status %d, %d calls upstream; want %d, %d", c.method, c.path, w.Code, u.count()-before, c.status, c.up)
		}
		if w.Code == 403 && !strings.Contains(w.Body.String(), `"type":"permission_error"`) {
			t.Errorf("%s %s: %s", c.method, c.path, w.Body)
		}
	}
	if got := s.Usage(); got != (task.Usage{}) {
		t.Errorf("usage of calls that cost nothing: %+v", got)
	}
}

func TestRequestsThatAreNotSent(t *testing.T) {
	u := newUpstream(t, func(http.ResponseWriter, *http.Request, []byte) {})
	s := openSession(t, startGateway(t, u.URL, nil), 0)
	for body, want := range map[string]int{
		`{"model":"claude-opus-5-5","max_to`: 400,
		`[]`:                                 400,
		``:                                   400,
		`{"max_tokens":1}`:                   400,
	} {
		if status, text := mustAsk(t, s, body); status != want || !strings.Contains(text, "longshift_request") {
			t.Errorf("%q: %d %s", body, status, text)
		}
	}
	req, _ := http.NewRequest("POST", s.BaseURL()+"/v1/messages", io.LimitReader(zeros{}, maxRequest+1))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("65 MB: %d", resp.StatusCode)
	}
	if u.count() != 0 {
		t.Errorf("%d calls upstream", u.count())
	}
}

// deadlines is a recorder that supports deadlines like a connection.
type deadlines struct{ *httptest.ResponseRecorder }

func (deadlines) SetReadDeadline(time.Time) error { return nil }

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestClientGoneEndsTheCallAndIsCharged(t *testing.T) {
	gone := make(chan struct{})
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 1000, "output_tokens": 1}, 0, strings.Repeat("word ", 400))[:4])
		<-r.Context().Done()
		close(gone)
	})
	s := openSession(t, startGateway(t, u.URL, nil), 0)
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := ask(ctx, s, question("claude-opus-5-5", 1000))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for r := bufio.NewReader(resp.Body); ; {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "word") {
			break
		}
	}
	cancel()
	<-gone
	eventually(t, "the call is settled", func() bool { return s.State().InFlight == 0 })
	got := s.Usage()
	if got.Input != 1000 || got.Output < 400 || got.Output > 600 || got.Calls != 1 {
		t.Errorf("usage %+v; want the whole input and about 500 tokens of output", got)
	}
}

func TestClientGoneBeforeTheAnswer(t *testing.T) {
	streamed := question("claude-opus-5-5", 1000)
	whole := strings.Replace(streamed, "true", "false", 1)
	holding := func(kind string, n int) string {
		block := `{"type":"` + kind + `","source":{"type":"base64","media_type":"x/y","data":"aaaa"}}`
		return strings.Replace(streamed, `"hi"`, "["+strings.Repeat(block+",", n-1)+block+"]", 1)
	}
	for _, c := range []struct {
		body              string
		output            int64
		perInput, perSaid float64 // dollars a token
		least             int64   // of input, in tokens
	}{
		{streamed, 0, 4e-6, 20e-6, 1}, // nothing had arrived
		{whole, 1000, 4e-6, 20e-6, 1}, // without streaming it may be completed anyway
		{whole[:len(whole)-1] + `,"speed":"fast"}`, 1000, 8e-6, 40e-6, 1},
		{whole[:len(whole)-1] + `,"inference_geo":"us"}`, 1000, 4.4e-6, 22e-6, 1},
		{holding("image", 20), 0, 4e-6, 20e-6, 20 * imageUsual},
		{holding("document", 1), 0, 4e-6, 20e-6, documentUsual},
		{holding("document", 10), 0, 4e-6, 20e-6, maxPrompt},
	} {
		got := clientGone(t, c.body, c.output)
		want := float64(got.Input)*c.perInput + float64(got.Output)*c.perSaid
		if !near(got.CostUSD, want) || got.Input < c.least || got.Input > maxPrompt {
			t.Errorf("%s: %d tokens for $%.7f, want $%.7f for %d at least", c.body, got.Input, got.CostUSD, want, c.least)
		}
	}
}

func clientGone(t *testing.T, body string, output int64) task.Usage {
	t.Helper()
	arrived := make(chan struct{})
	u := newUpstream(t, func(_ http.ResponseWriter, r *http.Request, _ []byte) {
		close(arrived)
		<-r.Context().Done()
	})
	s := openSession(t, startGateway(t, u.URL, nil), 0)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := ask(ctx, s, body); !errors.Is(err, context.Canceled) {
		t.Fatalf("ask: %v", err)
	}
	eventually(t, "the call is settled", func() bool { return s.State().InFlight == 0 })
	got := s.Usage()
	if got.Input == 0 || got.Output != output || got.CostUSD == 0 || got.Calls != 1 {
		t.Errorf("usage %+v; want a guess of the input, and %d of output", got, output)
	}
	return got
}

func TestBrokenAnswerIsSeenAsBroken(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 500, "output_tokens": 1}, 0, "he")[:4])
		panic(http.ErrAbortHandler)
	})
	s := openSession(t, startGateway(t, u.URL, nil), 0)
	resp, err := ask(t.Context(), s, strings.Replace(question("claude-opus-5-5", 1000), `{`, `{"speed":"fast",`, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the client took a broken answer for a whole one")
	}
	if got := s.Close(); got.Input != 500 || got.Output != 1 || !near(got.CostUSD, 500*8e-6+40e-6) {
		t.Errorf("usage %+v", got)
	}
}

// The session tells since when the endpoint has failed every call.
func TestFailingSince(t *testing.T) {
	s := openSession(t, startGateway(t, "http://127.0.0.1:1", nil), 0)
	for _, status := range []int{503, 529, 500} {
		s.health.observe("sonnet", status, http.Header{})
	}
	since := s.State().FailingSince
	if since.IsZero() || time.Since(since) > time.Minute {
		t.Errorf("failing since %s", since)
	}
	s.health.unreachable()
	if again := s.State().FailingSince; !again.Equal(since) {
		t.Errorf("then since %s", again)
	}
	s.health.observe("sonnet", 200, http.Header{})
	if again := s.State().FailingSince; !again.Equal(since) {
		t.Errorf("after the beginning of an answer since %s", again)
	}
}

// TestFailingInTheMiddle: an endpoint that breaks its answers off answers no call, whatever status they begin with.
func TestFailingInTheMiddle(t *testing.T) {
	begun := stream("claude-opus-5-5", object{"input_tokens": 1}, 1)
	u := script(t,
		func(w http.ResponseWriter) {
			answerStream(w, append(begun[:3:3], event("error", object{"type": "error", "error": object{"type": "overloaded_error"}})))
		},
		func(w http.ResponseWriter) {
			answerStream(w, begun[:3])
			panic(http.ErrAbortHandler)
		},
		func(w http.ResponseWriter) { // all that it has to say
			answerStream(w, begun)
			panic(http.ErrAbortHandler)
		},
		func(w http.ResponseWriter) {
			answerStream(w, begun[:3])
			panic(http.ErrAbortHandler)
		})
	c := newClock()
	s := openSession(t, startGateway(t, u.URL, func(cfg *Config, _ *Gateway) { cfg.Now = c.now }), 0)
	first := c.now()
	for n, want := range []time.Time{first, first, {}, first.Add(3 * time.Minute)} {
		resp, err := ask(t.Context(), s, question("claude-opus-5-5", 1))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		eventually(t, "the call has ended", func() bool { return s.State().InFlight == 0 })
		if got := s.State().FailingSince; !got.Equal(want) {
			t.Errorf("after call %d failing since %s, want %s", n+1, got, want)
		}
		c.advance(time.Minute)
	}
}

func TestUpstreamUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	_ = l.Close()
	s := openSession(t, startGateway(t, "http://"+dead+"/path-of-ours", nil), 1)
	status, text := mustAsk(t, s, question("claude-opus-5-5", 10))
	if status != 502 || !strings.Contains(text, `"type":"api_error"`) || !strings.Contains(text, dead) || strings.Contains(text, "path-of-ours") {
		t.Errorf("%d %s", status, text)
	}
	if st := s.State(); st.Unreachable != 1 || s.Usage() != (task.Usage{}) {
		t.Errorf("state %+v, usage %+v", st, s.Usage())
	}
}

func TestErrorsPassUnchanged(t *testing.T) {
	status, kind := 0, ""
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { apiError(w, status, kind, "no: "+kind) })
	s := openSession(t, startGateway(t, u.URL, nil), 1)
	for status, kind = range map[int]string{400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
		404: "not_found_error", 500: "api_error", 529: "overloaded_error"} {
		got, text := mustAsk(t, s, question("claude-opus-5-5", 10))
		if got != status || text != `{"error":{"message":"no: `+kind+`","type":"`+kind+`"},"type":"error"}`+"\n" {
			t.Errorf("%d: %d %s", status, got, text)
		}
	}
	st := s.State()
	if st.Overloaded != 1 || st.Failed != 1 || st.AuthRefused == "" || st.Limit != nil || s.Usage() != (task.Usage{}) {
		t.Errorf("state %+v, usage %+v", st, s.Usage())
	}
}

func TestSlowHeaderIsCutOff(t *testing.T) {
	g := startGateway(t, "http://127.0.0.1:1", func(_ *Config, g *Gateway) {
		if g != nil {
			g.limits.header = 20 * time.Millisecond
		}
	})
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "POST /s/")
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.ReadAll(conn); err != nil {
		t.Errorf("the connection is still open: %v", err)
	}
}

// A web page in a browser on this machine is refused, even with a session's token.
func TestPagesInBrowsersAreRefused(t *testing.T) {
	u := newUpstream(t, func(http.ResponseWriter, *http.Request, []byte) {})
	g := startGateway(t, u.URL, nil)
	s := openSession(t, g, 0)
	for want, change := range map[int]func(*http.Request){
		http.StatusMisdirectedRequest: func(r *http.Request) { r.Host = "attacker.example" + strings.TrimPrefix(r.Host, "127.0.0.1") },
		http.StatusForbidden:          func(r *http.Request) { r.Header.Set("Origin", "https://attacker.example") },
	} {
		r, err := http.NewRequest(http.MethodPost, s.BaseURL()+"/v1/messages", strings.NewReader(`{"model":"claude-opus-5-5","max_tokens":1}`))
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want || u.count() != 0 {
			t.Errorf("answered %d, want %d; %d calls upstream", resp.StatusCode, want, u.count())
		}
	}
}

func TestSlowBodyIsCutOff(t *testing.T) {
	u := newUpstream(t, func(http.ResponseWriter, *http.Request, []byte) {})
	g := startGateway(t, u.URL, func(_ *Config, g *Gateway) {
		if g != nil {
			g.limits.body = 20 * time.Millisecond
		}
	})
	s := openSession(t, g, 0)
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, "POST /s/"+s.Token()+"/v1/messages HTTP/1.1\r\nHost: "+conn.RemoteAddr().String()+"\r\nContent-Length: 100\r\n\r\n{")
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408") || u.count() != 0 {
		t.Errorf("%v %s", err, answer)
	}
}

func TestConnectionsAreKept(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 1}, 1))
	})
	var here sync.Map
	g := startGateway(t, u.URL, nil)
	g.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		here.Store(r.RemoteAddr, true)
		g.ServeHTTP(w, r)
	})
	s := openSession(t, g, 0)
	up := map[string]bool{}
	for i := range 5 {
		mustAsk(t, s, question("claude-opus-5-5", 1))
		r, _ := u.request(i)
		up[r.RemoteAddr] = true
		if r.ProtoMajor != 1 || r.ContentLength <= 0 {
			t.Errorf("call %d: %s, length %d", i, r.Proto, r.ContentLength)
		}
	}
	n := 0
	here.Range(func(any, any) bool { n++; return true })
	if n != 1 || len(up) != 1 {
		t.Errorf("%d connections from the agent, %d to the API", n, len(up))
	}
}
