package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/channel"
)

// hearPeriod is how long the handler may take: Slack waits for three seconds, then it takes the call for failed.
const hearPeriod = 2500 * time.Millisecond

// kinds of call, as Socket Mode names them.
const (
	callEvent       = "events_api"
	callInteraction = "interactive"
	callCommand     = "slash_commands"
)

// take reads what Slack delivered and lets it be heard. What it gives is to be done after the delivery was acknowledged, for Slack
// waits for that; an error means that it must not be acknowledged, and is given for events only: nothing else is delivered again. What
// is not for us, or of no known form, counts as taken: to have it delivered again would change nothing.
func (s *Slack) take(ctx context.Context, hear channel.Handle, kind string, payload []byte) (after func(), err error) {
	h, a, err := s.once(ctx, hearPeriod, hear, kind, payload)
	switch {
	case err != nil && kind == callEvent:
		return nil, err
	case err != nil:
		s.log.WarnContext(ctx, "Slack call not taken in yet", "kind", kind, "error", err)
		done, unkept := s.keep(kind, payload)
		if unkept != nil {
			return nil, errors.Join(err, unkept)
		}
		return func() {
			if s.insist(ctx, hear, kind, payload, h) {
				done()
			}
		}, nil
	case h == nil:
		return func() {}, nil
	}
	return func() { s.answer(ctx, h, a) }, nil
}

// once tries to let a delivery be heard; nil is heard when it is for nobody.
func (s *Slack) once(ctx context.Context, within time.Duration, hear channel.Handle, kind string, payload []byte) (*heard, channel.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	h, err := s.understand(ctx, kind, payload)
	if h == nil || err != nil {
		return nil, channel.Answer{}, err
	}
	a, err := hear(ctx, h.event)
	if err != nil {
		err = fmt.Errorf("take in %s: %w", h.event.ID, err)
	}
	return h, a, err
}

// understand gives what a delivery means, nil for nothing. An error means that it can't be known now.
func (s *Slack) understand(ctx context.Context, kind string, payload []byte) (*heard, error) {
	d, err := open(kind, payload)
	if err != nil { // the text of the error can hold what people wrote
		s.log.WarnContext(ctx, "Slack sent what can't be read", "kind", kind, "bytes", len(payload), "error", shape(err))
		return nil, nil
	}
	if d == nil {
		return nil, nil
	}
	self, err := s.whoami(ctx)
	if err != nil {
		return nil, err
	}
	h := d.read(self)
	if h != nil && !self.ours(d.teams...) {
		s.log.WarnContext(ctx, "Slack delivered what somebody of another workspace did; it is left alone", "kind", kind, "user", h.event.User.ID)
		return nil, nil
	}
	return h, nil
}

// delivery is one that may be for us.
type delivery struct {
	teams []string // as identity.ours takes them
	read  func(self identity) *heard
}

// open gives nil for a kind that we don't know, and for what people don't do.
func open(kind string, payload []byte) (*delivery, error) {
	switch kind {
	case callEvent:
		c, err := read[callback](payload)
		if err != nil || c.Event.Type != "message" && c.Event.Type != "app_mention" {
			return nil, err
		}
		e := c.Event
		return &delivery{[]string{c.TeamID, e.Team, e.UserTeam, e.SourceTeam, e.Profile.Team}, func(self identity) *heard { return said(e, self) }}, nil
	case callInteraction:
		in, err := read[interaction](payload)
		if err != nil || in.Type != pressType && in.Type != formType {
			return nil, err
		}
		return &delivery{[]string{cmp.Or(in.Team.ID, in.User.TeamID), in.User.TeamID}, func(identity) *heard {
			if h := pressed(in); h != nil {
				return h
			}
			return filled(in)
		}}, nil
	case callCommand:
		c, err := read[command](payload)
		if err != nil {
			return nil, err
		}
		return &delivery{[]string{c.TeamID}, func(identity) *heard { return commanded(c) }}, nil
	}
	return nil, nil
}

func shape(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("no JSON at byte %d", syntax.Offset)
	}
	return "a field has another type"
}
