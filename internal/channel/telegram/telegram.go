// Package telegram implements the channel Telegram: it writes messages through the Bot API and receives updates by long
// polling. It needs no open port, sets no webhook, stores nothing on disk, knows no tasks, and may not decide about
// rights. Types of the client library are not exposed.
//
// Telegram offers bots neither a search nor idempotency keys. So Post with again sends a message again unless this
// process remembers sending it: a message sent just before a crash may appear twice.
//
// In groups, a bot with privacy mode, the default, receives commands and replies to it, but no mentions.
package telegram

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
)

const publicAPI = "https://api.telegram.org"

// Config configures a Telegram. Only Token is required.
type Config struct {
	Token   func(ctx context.Context) (string, error) // bot token, "123456:ABC…"; called for every request; never logged
	BaseURL string                                    // of a custom Bot API server; "" is https://api.telegram.org
	HTTP    *http.Client                              // its redirect policy is replaced, and its timeout removed for long polls; nil: 30 s
	Log     *slog.Logger
	Now     func() time.Time
	Sleep   func(ctx context.Context, d time.Duration) error // between polls, and between tries of an answer
	Poll    time.Duration                                    // how long Telegram holds a poll open: whole seconds from 1 s to 50 s; 0 is 50 s
	Backoff Backoff
}

// Backoff configures the listener's pauses. Zero values get defaults.
type Backoff struct {
	First    time.Duration // after the first failure; doubled with each further one; 0 is 1 s
	Most     time.Duration // 0 is 1 min
	Conflict time.Duration // when another program polls for the same bot; up to a third is added at random; 0 is 30 s
	Tries    int           // failures of the handler until an update is given up; 0 is 20. Outages may take ten times as many
}

// Telegram is the channel. It is safe for concurrent use.
type Telegram struct {
	token   func(ctx context.Context) (string, error)
	base    string // without a trailing slash
	http    http.Client
	poll    http.Client
	log     *slog.Logger
	now     func() time.Time
	sleep   func(ctx context.Context, d time.Duration) error
	hold    time.Duration
	backoff Backoff
	written channel.Unfinished[progress]
}

var (
	_ channel.Channel  = (*Telegram)(nil)
	_ channel.Listener = (*Telegram)(nil)
)

// New returns a Telegram, without making a request. It refuses a base URL that would send the token unencrypted: Input.
func New(c Config) (*Telegram, error) {
	if c.Token == nil {
		return nil, fault.New(fault.Input, "Telegram needs a token").WithHint("set LONGSHIFT_TELEGRAM_TOKEN to what @BotFather gave")
	}
	base, err := baseURL(c.BaseURL)
	if err != nil {
		return nil, err
	}
	if c.Poll != 0 && (c.Poll < time.Second || c.Poll > 50*time.Second) {
		return nil, fault.New(fault.Input, "Telegram poll of %s is not between 1s and 50s", c.Poll).WithHint("leave it out for 50s")
	}
	t := &Telegram{
		token: c.Token, base: base, http: http.Client{Timeout: 30 * time.Second}, log: c.Log, now: c.Now, sleep: c.Sleep,
		hold: c.Poll, backoff: c.Backoff.filled(),
	}
	if c.HTTP != nil {
		t.http = *c.HTTP
	}
	// A redirect would send the token, which is in the path, to another address, and in the Referer header to another
	// host.
	t.http.CheckRedirect = func(*http.Request, []*http.Request) error { return errRedirect }
	t.poll = t.http
	t.poll.Timeout = 0 // each poll has a timeout of its own
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	if t.now == nil {
		t.now = time.Now
	}
	if t.sleep == nil {
		t.sleep = clock.Sleep
	}
	if t.hold == 0 {
		t.hold = 50 * time.Second
	}
	return t, nil
}

func (b Backoff) filled() Backoff {
	if b.First <= 0 {
		b.First = time.Second
	}
	if b.Most <= 0 {
		b.Most = time.Minute
	}
	if b.Conflict <= 0 {
		b.Conflict = 30 * time.Second
	}
	if b.Tries <= 0 {
		b.Tries = 20
	}
	return b
}

var errRedirect = errors.New("refused to follow a redirect")

func baseURL(text string) (string, error) {
	if text == "" {
		return publicAPI, nil
	}
	u, err := httpclient.BaseURL("Telegram base", text)
	if err != nil {
		return "", err
	}
	return strings.TrimRight(u.String(), "/"), nil
}
