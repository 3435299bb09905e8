package forgetest

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
)

// callHeader tells the server which call of Client it sees.
const callHeader = "X-Longshift-Test-Call"

// Client gives an HTTP client that takes calls for api.github.com to this server, and that meets its time limit at once when the
// server hangs: no test has to wait for real.
func (g *GitHub) Client() *http.Client {
	base := &http.Transport{DisableKeepAlives: true} // a kept connection that breaks is tried again below us, and never seen
	g.t.Cleanup(base.CloseIdleConnections)
	return &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		ctx, cancel := context.WithCancelCause(r.Context())
		r = r.Clone(ctx)
		id := g.expect(cancel)
		r.Header.Set(callHeader, id)
		if here, err := url.Parse(g.URL); err == nil && r.URL.Host == "api.github.com" {
			r.URL.Scheme, r.URL.Host, r.Host = here.Scheme, here.Host, ""
		}
		resp, err := base.RoundTrip(r)
		if err != nil {
			g.forget(id)
			cancel(nil)
			return nil, err
		}
		resp.Body = closer{resp.Body, func() { g.forget(id); cancel(nil) }}
		return resp, nil
	})}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

type closer struct {
	io.ReadCloser
	then func()
}

func (c closer) Close() error {
	defer c.then()
	return c.ReadCloser.Close()
}

func (g *GitHub) expect(cancel context.CancelCauseFunc) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.nextCall++
	id := strconv.Itoa(g.nextCall)
	g.waiting[id] = cancel
	return id
}

func (g *GitHub) forget(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.waiting, id)
}

// hang gives no answer until the caller leaves. A caller with Client meets its time limit now.
func (g *GitHub) hang(r *http.Request) {
	g.mu.Lock()
	cancel := g.waiting[r.Header.Get(callHeader)]
	g.mu.Unlock()
	if cancel != nil {
		cancel(os.ErrDeadlineExceeded)
	}
	select {
	case <-r.Context().Done():
	case <-g.done:
	}
}
