// Package linear finds work in Linear's issues and shows there what becomes of it: one comment per task, and the state when a
// task begins. It uses the GraphQL API only. It never closes, labels or assigns an issue: Linear's own integration with the forge does.
package linear

import (
	"cmp"
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

// Config is what New needs. Only Token is required.
type Config struct {
	Token   func(ctx context.Context) (string, error) // returns an API key or an OAuth token; called once per call, never logged
	BaseURL string                                    // without /graphql; "" is https://api.linear.app
	Client  *http.Client                              // its redirect policy is replaced; nil for a client with a timeout of 30 s
	Now     func() time.Time
	Sleep   func(ctx context.Context, d time.Duration) error // waits between retries, at most 10 s in all
	Log     *slog.Logger
}

// Linear is a source of work in Linear. It is safe for concurrent use.
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

// New validates the configuration without calling Linear. It rejects a base URL that would send the token unencrypted.
func New(c Config) (*Linear, error) {
	l := &Linear{token: c.Token, http: http.Client{Timeout: 30 * time.Second}, now: c.Now, sleep: c.Sleep,
		log: cmp.Or(c.Log, slog.New(slog.DiscardHandler))}
	if c.Token == nil {
		return nil, fault.New(fault.Input, "Linear needs a token").WithHint("%s", tokenHint)
	}
	u, err := httpclient.BaseURL("Linear base", cmp.Or(c.BaseURL, "https://api.linear.app"))
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
	return l, nil
}

// authorization returns the header for a token. An API key is sent as it is, anything else as an OAuth token.
func authorization(token string) string {
	if strings.HasPrefix(token, "lin_api_") {
		return token
	}
	return "Bearer " + token
}
