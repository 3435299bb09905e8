package lfs

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// NewClient returns the HTTP client for remotes. It takes proxies and certificates from the same variables as git. A server that
// transfers nothing for the time of silence counts as down.
func NewClient(env func(name string) string, silence time.Duration) *http.Client {
	first := func(names ...string) string {
		i := slices.IndexFunc(names, func(name string) bool { return env(name) != "" })
		if i < 0 {
			return ""
		}
		return env(names[i])
	}
	all := first("all_proxy", "ALL_PROXY")
	proxies := httpproxy.Config{
		NoProxy:    first("no_proxy", "NO_PROXY"),
		HTTPProxy:  cmp.Or(first("http_proxy"), all),
		HTTPSProxy: cmp.Or(first("https_proxy", "HTTPS_PROXY"), all),
	}
	choose := proxies.ProxyFunc()
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = func(r *http.Request) (*url.URL, error) { return choose(r.URL) }
	if pem, err := os.ReadFile(first("GIT_SSL_CAINFO", "CURL_CA_BUNDLE")); err == nil {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(pem)
		t.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	return &http.Client{Transport: &patient{t, silence}, CheckRedirect: redirected}
}

// redirected follows redirects without our login, and only for downloads. As in git, other answers are not accepted from another host.
func redirected(req *http.Request, via []*http.Request) error {
	if req.Method != http.MethodGet || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	if !sameOrigin(via[0].URL, req.URL) {
		req.Header.Del("Authorization")
	}
	return nil
}

// patient ends a request when no data is transferred any more.
type patient struct {
	http.RoundTripper
	silence time.Duration
}

var errSilent = errors.New("the server is silent")

func (p *patient) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	timer := time.AfterFunc(p.silence, func() { cancel(errSilent) })
	moves := func() { timer.Reset(p.silence) }
	end := func() { timer.Stop(); cancel(nil) }
	req = req.Clone(ctx)
	if req.Body != nil && req.Body != http.NoBody {
		req.Body = moving{req.Body, moves, func() {}}
	}
	res, err := p.RoundTripper.RoundTrip(req)
	if err != nil {
		end()
		if cause := context.Cause(ctx); errors.Is(cause, errSilent) {
			err = cause
		}
		return nil, err
	}
	moves()
	res.Body = moving{res.Body, moves, end}
	return res, nil
}

type moving struct {
	io.ReadCloser
	moves, end func()
}

func (m moving) Read(b []byte) (int, error) {
	n, err := m.ReadCloser.Read(b)
	if n > 0 {
		m.moves()
	}
	return n, err
}

func (m moving) Close() error {
	m.end()
	return m.ReadCloser.Close()
}
