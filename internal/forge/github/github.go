// Package github is the forge on github.com and on GitHub Enterprise Server. It opens and follows pull requests, reads and marks
// issues, receives webhooks, and answers people. It speaks the API only, with GraphQL for one question: it never pushes or merges, and of code
// it reads only the diff of a pull request. Types of the client library stay inside.
package github

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/httpclient"
)

// Config is what a Forge needs. Only Token or App is required.
type Config struct {
	Token   func(ctx context.Context) (string, error) // asked once per call of the forge; never logged
	App     *App                                      // in place of a token
	BaseURL string                                    // of GitHub Enterprise Server, with or without /api/v3; "" for github.com
	HTTP    *http.Client                              // its redirect policy is replaced; nil for a client with a timeout of 30 s
	Writes  int                                       // requests that write in a minute, of all workers; 0 for any number
	Log     *slog.Logger
	Now     func() time.Time
	Sleep   func(ctx context.Context, d time.Duration) error // waits inside a call, at most 10 s in all
}

// Forge is GitHub. It is safe for concurrent use. What concerns issues is in tracker; whatever is asked of GitHub goes over the connection.
type Forge struct {
	*connection
	tracker
	looks *looks
}

var (
	_ forge.Forge   = (*Forge)(nil)
	_ forge.Watcher = (*Forge)(nil)
	_ forge.Talker  = (*Forge)(nil)
	_ forge.Tracker = (*Forge)(nil)
	_ forge.Marker  = (*Forge)(nil)
)

// New makes a GitHub forge. It refuses a base URL that would send the token in the clear.
func New(c Config) (*Forge, error) {
	hub := &connection{token: c.Token, host: "github.com", http: http.Client{Timeout: 30 * time.Second}, log: c.Log, now: c.Now,
		sleep: c.Sleep, pace: pace{most: c.Writes}}
	f := &Forge{connection: hub, tracker: tracker{connection: hub}, looks: newLooks()}
	if c.Token == nil && c.App == nil {
		return nil, fault.New(fault.Input, "GitHub needs a token").WithHint("set LONGSHIFT_GITHUB_TOKEN or LONGSHIFT_GITHUB_APP_ID")
	}
	if c.HTTP != nil {
		hub.http = *c.HTTP
	}
	hub.http.CheckRedirect = checkRedirect
	if hub.log == nil {
		hub.log = slog.New(slog.DiscardHandler)
	}
	if hub.now == nil {
		hub.now = time.Now
	}
	if hub.sleep == nil {
		hub.sleep = clock.Sleep
	}
	if c.App != nil {
		hub.app = newApp(c.App, hub)
	}
	if c.BaseURL == "" {
		return f, nil
	}
	var err error
	hub.base, err = apiURL(c.BaseURL)
	if err != nil {
		return nil, err
	}
	hub.host = strings.TrimPrefix(hub.base.Hostname(), "api.")
	return f, nil
}

// apiURL adds /api/v3 for GitHub Enterprise Server; hosts that begin with "api." do not have it.
func apiURL(text string) (*url.URL, error) {
	u, err := httpclient.BaseURL("GitHub base", text)
	if err != nil {
		return nil, err
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	if !strings.HasSuffix(u.Path, "/api/v3") && !strings.HasPrefix(u.Hostname(), "api.") {
		u.Path += "/api/v3"
	}
	u.Path += "/"
	return u, nil
}

// SharedBy has the forge take only its part of the requests that write, of as many workers as count says. It is called before the forge is used.
func (f *Forge) SharedBy(count func(ctx context.Context) (int, error)) { f.pace.sharers = count }
