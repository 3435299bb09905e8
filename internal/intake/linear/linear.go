// Package linear takes work from Linear's issues, and shows there what becomes of it: one comment for each task, and the state
// when a task begins. It speaks the GraphQL API only. It never ends, labels or assigns an issue: Linear's own link to the forge does.
package linear

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
	"github.com/longshift/longshift/internal/intake"
)

// Config is what a Linear needs. Only Token is required.
type Config struct {
	Token   func(ctx context.Context) (string, error) // an API key or an OAuth token; asked once per call, never logged
	BaseURL string                                    // without /graphql; "" is https://api.linear.app
	Client  *http.Client                              // its redirect rule is replaced; nil is a client with a time limit of 30 s
	Now     func() time.Time
	Sleep   func(ctx context.Context, d time.Duration) error // waits inside a call, at most 10 s in all
	Log     *slog.Logger
}

// Linear is linear.app as a source of work. It is safe for concurrent use.
type Linear struct {
	token func(ctx context.Context) (string, error)
	url   string
	http  http.Client
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error
	log   *slog.Logger
}

var (
	_ intake.Source   = (*Linear)(nil)
	_ intake.Reporter = (*Linear)(nil)
)

// New makes a Linear. It calls nobody. A base URL that would send the token in the clear is refused.
func New(c Config) (*Linear, error) {
	l := &Linear{token: c.Token, http: http.Client{Timeout: 30 * time.Second}, now: c.Now, sleep: c.Sleep, log: c.Log}
	if c.Token == nil {
		return nil, fault.New(fault.Input, "Linear needs a token").WithHint("%s", tokenHint)
	}
	base := c.BaseURL
	if base == "" {
		base = "https://api.linear.app"
	}
	u, err := httpclient.BaseURL("Linear base", base)
	if err != nil {
		return nil, err
	}
	l.url = u.JoinPath("graphql").String()
	if c.Client != nil {
		l.http = *c.Client
	}
	l.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if l.now == nil {
		l.now = time.Now
	}
	if l.sleep == nil {
		l.sleep = clock.Sleep
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	return l, nil
}

// authorization is the header for a token: an API key stands there as it is, everything else is an OAuth token.
func authorization(token string) string {
	if strings.HasPrefix(token, "lin_api_") {
		return token
	}
	return "Bearer " + token
}
