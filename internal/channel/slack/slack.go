// Package slack implements the channel Slack: it writes messages with buttons over the Web API, and receives events over
// Socket Mode or signed HTTP requests. It may not decide about tasks, and keeps no state except its identity and which
// mentions it has handled. Types of the client library are not exposed, and it calls no host except Slack's API and the
// response URLs that Slack provides.
package slack

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
	"github.com/longshift/longshift/internal/inbox"
)

// Secret returns a token or a key. It is called for every request, so that a rotated secret is used at once; the value
// is never logged.
type Secret func(ctx context.Context) (string, error)

// Config configures a Slack. Only BotToken is always required.
type Config struct {
	BotToken      Secret       // "xoxb-…": for all calls
	AppToken      Secret       // "xapp-…" with connections:write: for Listen
	SigningSecret Secret       // of the app: for Handler
	APIURL        string       // base URL of the Web API, for tests and proxies; "" is https://slack.com/api/
	HTTP          *http.Client // its redirect policy is replaced; nil is a client with a timeout of 20 s
	Inbox         inbox.Box    // stores deliveries that are acknowledged but not handled; without a folder they are kept in memory only
	Log           *slog.Logger
	Now           func() time.Time
	Sleep         func(ctx context.Context, d time.Duration) error // waits between connections
}

// Slack is the channel. It is safe for concurrent use, and several processes may serve one app.
type Slack struct {
	botToken, appToken, signing Secret

	base  string
	http  http.Client
	inbox inbox.Box
	log   *slog.Logger
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error

	mu   sync.Mutex
	self identity // zero until auth.test has succeeded

	twins twins
}

var (
	_ channel.Channel  = (*Slack)(nil)
	_ channel.Listener = (*Slack)(nil)
	_ channel.Webhook  = (*Slack)(nil)
)

// New returns a Slack, without making a request. It refuses a base URL that would send the token unencrypted.
func New(c Config) (*Slack, error) {
	if c.BotToken == nil {
		return nil, fault.New(fault.Input, "Slack needs a bot token").WithHint("give the token that begins with xoxb-")
	}
	s := &Slack{botToken: c.BotToken, appToken: c.AppToken, signing: c.SigningSecret, base: slackgo.APIURL,
		http: http.Client{Timeout: 20 * time.Second}, inbox: c.Inbox, log: c.Log, now: c.Now, sleep: c.Sleep}
	if c.APIURL != "" {
		var err error
		if s.base, err = apiURL(c.APIURL); err != nil {
			return nil, err
		}
	}
	if c.HTTP != nil {
		s.http = *c.HTTP
	}
	// Most requests have the token in the body, which a redirect would send on.
	s.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.sleep == nil {
		s.sleep = clock.Sleep
	}
	return s, nil
}

func apiURL(text string) (string, error) {
	u, err := httpclient.BaseURL("Slack API", text)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(u.String(), "/") + "/", nil
}

// bot returns a client for one request. The library's log is discarded, since it contains what people wrote.
func (s *Slack) bot(ctx context.Context) (*slackgo.Client, error) {
	token, err := secret(ctx, s.botToken, "bot token")
	if err != nil {
		return nil, err
	}
	return slackgo.New(token, s.options()...), nil
}

func (s *Slack) options() []slackgo.Option {
	return []slackgo.Option{slackgo.OptionAPIURL(s.base), slackgo.OptionHTTPClient(&s.http), slackgo.OptionLog(silent{})}
}

func secret(ctx context.Context, get Secret, what string) (string, error) {
	if get == nil {
		return "", fault.New(fault.Input, "Slack has no %s", what).WithHint("set Slack's %s", what)
	}
	v, err := get(ctx)
	if err != nil {
		return "", fault.New(kindOr(err), "read Slack's %s: %w", what, err)
	}
	if v == "" {
		return "", fault.New(fault.Denied, "Slack's %s is empty", what).WithHint("set Slack's %s", what)
	}
	return v, nil
}

type silent struct{}

func (silent) Output(int, string) error { return nil }
