package lfs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/longshift/longshift/internal/fault"
)

// NewClient makes the client of remotes, by the proxies and certificates that git takes from the same environment. A server that sends and
// takes nothing for so long is down.
func NewClient(env func(name string) string, silence time.Duration) *http.Client {
	first := func(names ...string) string {
		for _, name := range names {
			if v := env(name); v != "" {
				return v
			}
		}
		return ""
	}
	all := first("all_proxy", "ALL_PROXY")
	proxies := httpproxy.Config{NoProxy: first("no_proxy", "NO_PROXY"), HTTPProxy: first("http_proxy"), HTTPSProxy: first("https_proxy", "HTTPS_PROXY")}
	if proxies.HTTPProxy == "" {
		proxies.HTTPProxy = all
	}
	if proxies.HTTPSProxy == "" {
		proxies.HTTPSProxy = all
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

// redirected follows a server that hands out its objects elsewhere, without our login. Only what is fetched may be elsewhere: an answer
// about the repository itself is not taken from another place, as git does.
func redirected(req *http.Request, via []*http.Request) error {
	if req.Method != http.MethodGet || len(via) > 5 {
		return http.ErrUseLastResponse
	}
	if !sameOrigin(via[0].URL, req.URL) {
		req.Header.Del("Authorization")
	}
	return nil
}

// patient ends requests in which nothing moves any more.
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

// send carries a request out and tells whose fault a failure is. Addresses are left out of what it says: they may bear signatures.
func (r Remote) send(req *http.Request, read func(io.Reader) error) error {
	res, err := r.Client.Do(req)
	if err != nil {
		if req.Context().Err() != nil {
			return context.Cause(req.Context())
		}
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return fault.New(fault.Infra, "the LFS server of %s at %s can't be reached: %w", r.Name, req.URL.Host, err)
	}
	defer res.Body.Close()
	if res.StatusCode/100 == 2 {
		if read == nil {
			return nil
		}
		if err := read(res.Body); err != nil {
			return fault.New(fault.Infra, "read what the LFS server of %s sends: %w", r.Name, err)
		}
		return nil
	}
	said := fmt.Sprintf("%s %s: %s", req.Method, req.URL.Host, res.Status)
	switch code := res.StatusCode; {
	case code == http.StatusNotFound || code == http.StatusGone || code/100 == 3:
		return fault.New(fault.NotFound, "%s has no LFS server at its own address (%s)", r.Name, said)
	case code == http.StatusInsufficientStorage || code == 509: // bandwidth limit exceeded
		return fault.New(fault.Denied, "the LFS server of %s is full (%s)", r.Name, said).WithHint("buy or make room there")
	case code >= 500 || code == http.StatusTooManyRequests || code == http.StatusRequestTimeout:
		return fault.New(fault.Infra, "the LFS server of %s fails (%s)", r.Name, said)
	}
	return fault.New(fault.Denied, "the LFS server of %s does not let us in (%s)", r.Name, said).
		WithHint("give the worker a token that may push there, and turn Git LFS on for the repository")
}
