package slack

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	slackgo "github.com/slack-go/slack"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

const (
	formID       = "longshift-form" // callback id of forms
	formInput    = "text"           // the only field of a form
	formLimit    = 3000             // characters, Slack's own limit
	answerPeriod = 10 * time.Second
)

// answer shows the answer to the person who caused the event. The event has been handled by then, so errors are only
// logged.
func (s *Slack) answer(ctx context.Context, h *received, a channel.Answer) {
	if a.Form == nil && a.Text == "" && a.Page == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerPeriod)
	defer cancel()
	if h.event.Kind == channel.Opened {
		if err := s.publish(ctx, h.event.User.ID, a); err != nil {
			s.log.WarnContext(ctx, "Slack home not shown", "event", h.event.ID, "error", err, "hint", fault.HintOf(err))
		}
		return
	}
	words := a.Text
	if a.Form != nil {
		err := s.open(ctx, h, a.Form)
		if err != nil {
			s.log.WarnContext(ctx, "Slack form not opened", "event", h.event.ID, "error", err)
			words = cmp.Or(words, a.Form.Hint)
		}
	}
	if words == "" {
		return
	}
	if err := s.whisper(ctx, h, words); err != nil {
		s.log.WarnContext(ctx, "Slack answer not shown", "event", h.event.ID, "error", err)
	}
}

// open shows a form. The trigger is valid for three seconds after the press.
func (s *Slack) open(ctx context.Context, h *received, q *channel.Question) error {
	api, err := s.bot(ctx)
	if err != nil {
		return err
	}
	input := slackgo.NewPlainTextInputBlockElement(nil, formInput)
	input.Multiline = true
	input.MaxLength = formLimit
	field := slackgo.NewInputBlock(formInput, plain(channel.Shorten(cmp.Or(q.Label, q.Title, "Text"), 150)), nil, input)
	_, err = api.OpenViewContext(ctx, h.trigger, slackgo.ModalViewRequest{
		Type:            slackgo.VTModal,
		CallbackID:      formID,
		PrivateMetadata: remember(h.event, q.Token),
		Title:           plain(channel.Shorten(cmp.Or(q.Title, "Longshift"), 24)),
		Submit:          plain("Send"),
		Close:           plain("Cancel"),
		Blocks:          slackgo.Blocks{BlockSet: []slackgo.Block{field}},
	})
	return problem(ctx, "open a form in Slack", err)
}

// whisper sends a text to one person: for a slash command to its response URL, in a private chat as a message, elsewhere as
// an ephemeral message.
func (s *Slack) whisper(ctx context.Context, h *received, words string) error {
	c, err := build(channel.Message{Text: words}, 1, s.now())
	if err != nil {
		return err
	}
	api, err := s.bot(ctx)
	if err != nil {
		return err
	}
	e, options := h.event, c[0].options()
	if h.response != "" && s.mayAnswer(h.response) {
		options = append(options, slackgo.MsgOptionResponseURL(h.response, slackgo.ResponseTypeEphemeral))
		_, _, _, err = api.SendMessageContext(ctx, e.Room.ID, options...)
		return problem(ctx, "answer a Slack command", err)
	}
	options = append(options, slackgo.MsgOptionDisableLinkUnfurl(), slackgo.MsgOptionDisableMediaUnfurl())
	if e.Room.Thread != "" {
		options = append(options, slackgo.MsgOptionTS(e.Room.Thread))
	}
	if strings.HasPrefix(e.Room.ID, "D") {
		_, _, err = api.PostMessageContext(ctx, e.Room.ID, options...)
	} else {
		_, err = api.PostEphemeralContext(ctx, e.Room.ID, e.User.ID, options...)
	}
	return problem(ctx, "answer in Slack channel "+e.Room.ID, err)
}

// mayAnswer reports whether a response URL is on Slack's hosts, or on that of the base URL, so that a request can't
// direct calls elsewhere.
func (s *Slack) mayAnswer(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	if s.atBase(u) {
		return true
	}
	return u.Scheme == "https" && (u.Host == "hooks.slack.com" || u.Host == "hooks.slack-gov.com")
}

// atBase reports whether an address is on the host of the base URL, to which the token goes anyway.
func (s *Slack) atBase(u *url.URL) bool {
	base, err := url.Parse(s.base)
	return err == nil && u.Scheme == base.Scheme && u.Host == base.Host
}
