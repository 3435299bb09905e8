package gateway

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// DefaultUpstream is where calls go when the configuration names nothing else.
const DefaultUpstream = "https://api.anthropic.com"

// Kind is how a call is shown to be ours.
type Kind string

// The kinds of credential.
const (
	APIKey Kind = "api_key" // sent as x-api-key
	Bearer Kind = "bearer"  // sent as Authorization: Bearer
	OAuth  Kind = "oauth"   // sent as Bearer is; the agent must send the beta header that goes with it
	Login  Kind = "login"   // the agent's own subscription login; its headers pass through unchanged
)

// Credential is what calls are sent with.
type Credential struct {
	Kind  Kind
	Value string // empty for Login
}

// Config is what a Gateway needs.
type Config struct {
	Upstream   string                                    // base URL of the API, DefaultUpstream when empty
	Credential func(context.Context) (Credential, error) // asked for every call, so that a rotated file is seen
	Pass       []string                                  // what is let through beyond the list, by the names that refusals give
	Tools      []string                                  // tools that the vendor may run, such as web_search and WebFetch(https://docs.example/*)
	Prices     *Prices                                   // DefaultPrices() when nil
	Now        func() time.Time                          // time.Now when nil
	Log        *slog.Logger                              // discarded when nil
	Client     *http.Client                              // for calls upstream; its Timeout and CheckRedirect are not used
}

// baseURL checks the address of the API and takes the slash off its end.
func baseURL(s string) (string, error) {
	if s == "" {
		s = DefaultUpstream
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fault.New(fault.Input, "model endpoint %q is not a plain http or https URL", s).
			WithHint("write it like %s", DefaultUpstream)
	}
	return strings.TrimSuffix(u.Scheme+"://"+u.Host+u.EscapedPath(), "/"), nil
}

// upstreamClient never follows a redirect, since that would carry the key to another host.
func upstreamClient(c *http.Client) *http.Client {
	client := http.Client{}
	if c != nil {
		client = *c
	}
	if client.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = true // the answer must pass unchanged
		t.ForceAttemptHTTP2 = false
		t.Protocols = new(http.Protocols)
		t.Protocols.SetHTTP1(true)
		t.MaxIdleConnsPerHost = 32
		client.Transport = t
	}
	client.Timeout = 0
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}
