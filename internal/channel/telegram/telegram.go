// Package telegram is the channel to Telegram: it writes messages through the Bot API and hears what people do by long polling.
// It asks nobody to open a port, sets no webhook, keeps nothing on disk, knows no task, and decides nothing about who may do what.
// Types of the client library stay inside.
//
// Telegram gives bots no search and no key for a message. So Post with again writes once more, unless this very process remembers
// what it wrote: a message that got through just before a crash may be seen twice.
//
// In groups a bot with privacy mode on, which is how bots are made, gets commands and replies to it, but no mentions.
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

// Config is what a Telegram needs. Only Token is required.
type Config struct {
	Token   func(ctx context.Context) (string, error) // of the bot, "123456:ABC…"; asked once per call; never logged
	BaseURL string                                    // of a Bot API server of one's own; "" is https://api.telegram.org
	HTTP    *http.Client                              // its redirect rule is replaced, and its time limit lifted for long polls; nil: 30 s
	Log     *slog.Logger
	Now     func() time.Time
	Sleep   func(ctx context.Context, d time.Duration) error // between polls, and between tries of an answer
	Poll    time.Duration                                    // how long Telegram holds a poll open: whole seconds from 1 s to 50 s; 0 is 50 s
	Backoff Backoff
}

// Backoff says how long the listener waits. Zero values are replaced.
type Backoff struct {
	First    time.Duration // after the first failure in a row; doubled with each further one; 0 is 1 s
	Most     time.Duration // 0 is 1 min
	Conflict time.Duration // when another program polls for the same bot; up to a third is added by chance; 0 is 30 s
	Tries    int           // after so many refusals by the handler an update is given up; 0 is 20. Outages may take ten times as many
}

// Telegram is the channel. It is safe for concurrent use.
type Telegram struct {
	token   func(ctx context.Context) (string, error)
	base    string // without a slash at the end
	http    http.Client
	poll    http.Client
	log     *slog.Logger
	now     func() time.Time
	sleep   func(ctx context.Context, d time.Duration) error
	hold    time.Duration
	backoff Backoff
	written memory
}

var (
	_ channel.Channel  = (*Telegram)(nil)
	_ channel.Listener = (*Telegram)(nil)
)

// New makes a Telegram. It calls nobody. A base URL that would send the token in the clear is refused: Input.
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
	// A redirect would carry the token, which is in the path, to another address and, as the referrer, to another host.
	t.http.CheckRedirect = func(*http.Request, []*http.Request) error { return errRedirect }
	t.poll = t.http
	t.poll.Timeout = 0 // each poll has a time limit of its own
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
