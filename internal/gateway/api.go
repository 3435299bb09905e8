package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/longshift/longshift/internal/httpclient"
	"github.com/longshift/longshift/internal/redact"
)

// API is the API of a vendor.
type API string

const (
	Anthropic API = "anthropic" // Messages
	OpenAI    API = "openai"    // Responses and Chat Completions
)

// vendor is what differs between APIs: what may pass, and how answers are read.
type vendor struct {
	usual  string            // its own endpoint
	list   func() *Prices    // its list prices
	first  string            // the path that is used most
	posts  map[string]route  // what may be posted, by path
	header []string          // request headers that are passed on unchanged; all others are dropped
	fixed  map[string]string // headers that every call is sent with
	betas  []string          // allowed values of anthropic-beta; others are dropped
	bodies map[route]shape   // anything else in a request is refused
	bound  func(*request) error
	events func(*streamMeter, []byte) // reads an event of a stream
	usage  func([]byte) (reading, bool)
	limit  func(h http.Header, now time.Time, persists bool) *Limit // behind an answer with status 429; nil for none
	models func(*Prices) any                                        // the answer to a request for the list of models

	helpers *regexp.Regexp // models that agents ask for beside that of their session; nil for none
	longest int            // line of a stream that is kept to be read, in bytes
	hides   bool           // a stream shows nothing of what the model thinks, and tells its usage only at its end
}

// api is the API of a vendor at its endpoint.
type api struct {
	vendor
	name       API
	upstream   string
	prices     *Prices
	credential func(context.Context) (Credential, error)
	covered    atomic.Pointer[covered]
}

// serve has the gateway serve an API.
func (g *Gateway) serve(name API, e Endpoint, v vendor) error {
	if e.Credential == nil {
		return errors.New("gateway: no credential source for " + string(name))
	}
	upstream, err := baseURL(e.Upstream, v.usual)
	if err != nil {
		return err
	}
	if e.Prices == nil {
		e.Prices = v.list()
	}
	g.apis[name] = &api{vendor: v, name: name, upstream: upstream, prices: e.Prices, credential: e.Credential}
	return nil
}

// Serves reports whether sessions may use an API.
func (g *Gateway) Serves(name API) bool { return g.apis[name] != nil }

// host names the endpoint in messages. The path is left out, since it may be confidential.
func (a *api) host() string {
	u, err := url.Parse(a.upstream)
	if err != nil {
		return "the model endpoint"
	}
	return u.Host
}

// unreached explains why no answer came, without the full URL.
func (a *api) unreached(err error) string {
	return fmt.Sprintf("the model endpoint %s can't be reached: %v", a.host(), httpclient.WithoutURL(err))
}

// covered caches the redact.Cover of a key, which takes longer to build than a call may.
type covered struct {
	value string
	cover *redact.Cover
}

// cover returns the Cover that removes a credential from answers. A login belongs to the agent, so it gets none.
func (a *api) cover(c Credential) *redact.Cover {
	value := strings.TrimSpace(c.Value)
	if c.Kind == Login {
		value = ""
	}
	known := a.covered.Load()
	if known == nil || known.value != value {
		known = &covered{value, redact.NewCover(value)}
		a.covered.Store(known)
	}
	return known.cover
}
