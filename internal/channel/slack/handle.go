package slack

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/longshift/longshift/internal/channel"
)

// handlePeriod limits the handler: Slack considers a request failed after three seconds.
const handlePeriod = 2500 * time.Millisecond

// Kinds of delivery, as in Socket Mode.
const (
	callEvent       = "events_api"
	callInteraction = "interactive"
	callCommand     = "slash_commands"
)

// receive handles a delivery. It returns what to do after the acknowledgement, for which Slack waits. An error means that
// the delivery must not be acknowledged, and is returned for events only, since Slack redelivers nothing else. A
// delivery that is for another app or has an unknown form counts as handled: delivering it again would not help.
func (s *Slack) receive(ctx context.Context, handle channel.Handle, kind string, payload []byte) (after func(), err error) {
	h, a, err := s.once(ctx, handlePeriod, handle, kind, payload)
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
			if s.insist(ctx, handle, kind, payload, h) {
				done()
			}
		}, nil
	case h == nil:
		return func() {}, nil
	}
	return func() { s.answer(ctx, h, a) }, nil
}

// once calls the handler once; nil means that the delivery is for nobody, or that the other event of its message has been handled.
func (s *Slack) once(
	ctx context.Context, within time.Duration, handle channel.Handle, kind string, payload []byte,
) (*received, channel.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	h, err := s.understand(ctx, kind, payload)
	if h == nil || err != nil {
		return nil, channel.Answer{}, err
	}
	handled := false
	if h.mention != "" {
		mine, err := s.twins.begin(ctx, h.event.ID, h.mention)
		if err != nil {
			return h, channel.Answer{}, fmt.Errorf("wait for the other event of %s: %w", h.event.ID, err)
		}
		if !mine {
			return nil, channel.Answer{}, nil
		}
		defer func() { s.twins.end(h.event.ID, h.mention, handled) }()
	}
	a, err := handle(ctx, h.event)
	if handled = err == nil; !handled {
		err = fmt.Errorf("take in %s: %w", h.event.ID, err)
	}
	return h, a, err
}

// understand parses a delivery; nil means that it is for nobody. It fails if that can't be determined now.
func (s *Slack) understand(ctx context.Context, kind string, payload []byte) (*received, error) {
	d, err := open(kind, payload)
	if err != nil { // the error may contain text that people wrote
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

// delivery is a parsed delivery that may be for Longshift.
type delivery struct {
	teams []string // for identity.ours
	read  func(self identity) *received
}

// homeOpened is the type of the event that somebody has opened the app's home.
const homeOpened = "app_home_opened"

// heard are the types of events that are read.
var heard = []string{"message", "app_mention", homeOpened}

// open returns nil for an unknown kind, and for deliveries that people did not cause.
func open(kind string, payload []byte) (*delivery, error) {
	switch kind {
	case callEvent:
		c, err := read[callback](payload)
		if err != nil || !slices.Contains(heard, c.Event.Type) {
			return nil, err
		}
		e := c.Event
		return &delivery{[]string{c.TeamID, e.Team, e.UserTeam, e.SourceTeam, e.Profile.Team},
			func(self identity) *received {
				if e.Type == homeOpened {
					return opened(e)
				}
				return said(e, self)
			}}, nil
	case callInteraction:
		in, err := read[interaction](payload)
		if err != nil || in.Type != pressType && in.Type != formType {
			return nil, err
		}
		return &delivery{[]string{cmp.Or(in.Team.ID, in.User.TeamID), in.User.TeamID}, func(identity) *received {
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
		return &delivery{[]string{c.TeamID}, func(identity) *received { return commanded(c) }}, nil
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
