package gateway

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// The vendors' own endpoints, for those whose Upstream is empty.
const (
	DefaultUpstream       = "https://api.anthropic.com"
	DefaultOpenAIUpstream = "https://api.openai.com"
)

// Kind is how calls authenticate.
type Kind string

const (
	APIKey Kind = "api_key" // sent as x-api-key
	Bearer Kind = "bearer"  // sent as Authorization: Bearer
	OAuth  Kind = "oauth"   // sent as Bearer is; the agent must send the beta header that goes with it
	Login  Kind = "login"   // the agent's own subscription login; its headers pass through unchanged
)

// Credential authenticates calls to the API.
type Credential struct {
	Kind  Kind
	Value string // empty for Login
}

// Endpoint is where the API of a vendor is, or of a server that speaks like it.
type Endpoint struct {
	Upstream   string                                    // base URL of the API; the vendor's own when empty
	Credential func(context.Context) (Credential, error) // called for every request, so that a rotated file is picked up
	Prices     *Prices                                   // the list prices when nil
}

type Config struct {
	Endpoint                  // of Anthropic's API
	OpenAI   *Endpoint        // of OpenAI's API; nil when no session may use it
	Pass     []string         // what may pass in addition to the built-in list, by the names that refusals print
	Tools    []string         // tools that the vendor may run, such as WebFetch(https://docs.example/*)
	Now      func() time.Time // time.Now when nil
	Log      *slog.Logger     // discarded when nil
	Client   *http.Client     // for calls upstream; its Timeout and CheckRedirect are ignored
}

// baseURL checks the address of an API and removes a trailing slash.
func baseURL(s, usual string) (string, error) {
	s = cmp.Or(s, usual)
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", fault.New(fault.Input, "model endpoint %q is not a plain http or https URL", s).
			WithHint("write it like %s", usual)
	}
	return strings.TrimSuffix(u.Scheme+"://"+u.Host+u.EscapedPath(), "/"), nil
}

// upstreamClient returns a client that never follows redirects: a redirect would send the key to another host.
func upstreamClient(c *http.Client) *http.Client {
	client := http.Client{}
	if c != nil {
		client = *c
	}
	if client.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.DisableCompression = true // answers must pass unchanged
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
