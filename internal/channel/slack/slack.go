// Package slack is the channel Slack: it writes messages with buttons over the Web API, and hears over Socket Mode or over HTTP calls
// that Slack signs. It decides nothing about tasks and keeps no state but who it is; types of the client library stay inside,
// and it calls no host but Slack's API and the answer addresses that Slack gives.
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

// Secret gives a token or a key. It is asked once per call, so a changed one is taken up at once; what it gives is never logged.
type Secret func(ctx context.Context) (string, error)

// Config is what a Slack needs. Only BotToken is always required.
type Config struct {
	BotToken      Secret       // "xoxb-…": for all calls
	AppToken      Secret       // "xapp-…" with connections:write: for Listen
	SigningSecret Secret       // of the app: for Handler
	APIURL        string       // base of the Web API, for tests and proxies; "" is https://slack.com/api/
	HTTP          *http.Client // its redirect rule is replaced; nil is a client with a time limit of 20 s
	Inbox         inbox.Box    // for what Slack was told is taken and is not yet; without a folder it is kept in memory only
	Log           *slog.Logger
	Now           func() time.Time
	Sleep         func(ctx context.Context, d time.Duration) error // waits between connections
}

// Slack is the channel. It is safe for concurrent use, and several may run for one app.
type Slack struct {
	botToken, appToken, signing Secret

	base  string
	http  http.Client
	inbox inbox.Box
	log   *slog.Logger
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration) error

	mu   sync.Mutex
	self identity // zero until auth.test has told
}

var (
	_ channel.Channel  = (*Slack)(nil)
	_ channel.Listener = (*Slack)(nil)
	_ channel.Webhook  = (*Slack)(nil)
)

// New makes a Slack. It makes no call. A base URL that would send the token in the clear is refused.
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
	// The token stands in the body of most calls, and a redirect would carry it on.
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

// bot makes a client for one call of ours. The library's own log is silenced: it holds texts of people.
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

// Output drops a line.
func (silent) Output(int, string) error { return nil }
