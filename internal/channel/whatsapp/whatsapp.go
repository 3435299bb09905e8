// Package whatsapp implements the channel WhatsApp through the Business Cloud API. It may not decide what an event means
// or who may do what, it stores nothing on disk, and neither the access token nor what people write appears in its
// errors and logs.
package whatsapp

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
	"github.com/longshift/longshift/task"
)

// Secret returns a secret. It is called for every request, so that a rotated one takes effect at once.
type Secret func(ctx context.Context) (string, error)

// Config configures a WhatsApp. The secrets and PhoneNumberID are required; the rest has defaults.
type Config struct {
	Token         Secret // access token of a system user with whatsapp_business_messaging
	AppSecret     Secret // of the app; signs deliveries to the webhook
	VerifyToken   Secret // chosen by the operator; entered when the webhook is set up
	PhoneNumberID string // id of the business number, not the number itself; digits
	BaseURL       string // "https://graph.facebook.com"
	Version       string // of the Graph API: "v23.0"
	HTTP          *http.Client
	Log           *slog.Logger
	Now           func() time.Time
}

// WhatsApp is a channel whose rooms are people: Room.ID is a phone number in WhatsApp's format (country code, digits
// only), or, if the person hides the number, their id for this business. Room.Thread is one of Longshift's messages,
// which is quoted.
//
// Messages can't be edited on WhatsApp, and their buttons stay. So Edit does nothing for mere progress, and sends a
// message that quotes the old one when somebody has to act (Message.Loud); it sends that again if repeated. Posts can't
// be searched either: if an answer was lost, that message, or that part of a long one, is sent again.
type WhatsApp struct {
	cfg     Config
	api     string // URL of the messages edge
	http    *http.Client
	log     *slog.Logger
	now     func() time.Time
	answers answers

	unfinished channel.Unfinished[[]string] // ids of the parts of recent messages
}

var (
	_ channel.Channel = (*WhatsApp)(nil)
	_ channel.Webhook = (*WhatsApp)(nil)
)

var (
	digits  = regexp.MustCompile(`^[0-9]{1,32}$`)
	version = regexp.MustCompile(`^v[0-9]{1,3}\.[0-9]{1,2}$`)
)

// New checks the configuration, without making a request.
func New(cfg Config) (*WhatsApp, error) {
	if cfg.BaseURL == "" {
		cfg.BaseURL = "https://graph.facebook.com"
	}
	if cfg.Version == "" {
		cfg.Version = "v23.0"
	}
	base, err := httpclient.BaseURL("WhatsApp base", cfg.BaseURL)
	switch {
	case cfg.Token == nil || cfg.AppSecret == nil || cfg.VerifyToken == nil:
		return nil, fault.New(fault.Input, "whatsapp needs an access token, an app secret and a verify token")
	case !digits.MatchString(cfg.PhoneNumberID):
		return nil, fault.New(fault.Input, "whatsapp phone number id %q is not a number", cfg.PhoneNumberID).
			WithHint("it stands in the app dashboard below WhatsApp > API setup")
	case !version.MatchString(cfg.Version):
		return nil, fault.New(fault.Input, "whatsapp version %q is no version of the Graph API", cfg.Version).WithHint("write it like v23.0")
	case err != nil:
		return nil, err
	}
	w := &WhatsApp{cfg: cfg, log: cfg.Log, now: cfg.Now}
	w.api = strings.TrimRight(base.String(), "/") + "/" + cfg.Version + "/" + cfg.PhoneNumberID + "/messages"
	w.http = client(cfg.HTTP)
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	if w.now == nil {
		w.now = time.Now
	}
	return w, nil
}

// client never follows redirects: a message must not be sent anywhere else.
func client(given *http.Client) *http.Client {
	c := http.Client{Timeout: 30 * time.Second}
	if given != nil {
		c = *given
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// Edits reports false: messages can't be edited.
func (w *WhatsApp) Edits() bool { return false }

// Post sends a message. A long one is split into several; the last one has the buttons. One that is sent again goes on behind the parts that were sent.
func (w *WhatsApp) Post(ctx context.Context, to task.Room, m channel.Message, again bool) (task.MessageRef, error) {
	parts, err := w.compose(to, m)
	if err != nil {
		return task.MessageRef{}, err
	}
	if len(parts) == 0 {
		return task.MessageRef{}, fault.New(fault.Input, "no part of the text fits into a whatsapp message")
	}
	var ids []string // of the parts sent so far
	if again {
		ids = w.unfinished.Of(to, m)
	}
	for len(ids) < len(parts) {
		id, err := w.send(ctx, parts[len(ids)])
		if err != nil {
			return task.MessageRef{}, err
		}
		ids = append(slices.Clip(ids), id)
		w.unfinished.Keep(to, m, ids)
	}
	return channel.Ref(to, ids), nil
}

// Edit sends a message that quotes the old one if m is loud, and does nothing otherwise; see WhatsApp.
func (w *WhatsApp) Edit(ctx context.Context, at task.MessageRef, m channel.Message) error {
	if !m.Loud {
		return nil
	}
	if at.Message == "" {
		return fault.New(fault.Input, "no whatsapp message to go on from")
	}
	to := at.Room
	to.Thread = at.Message
	_, err := w.Post(ctx, to, m, false)
	return err
}
