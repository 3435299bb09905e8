package listen

import (
	"context"
	"fmt"
	"regexp"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

var eventForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,200}$`)

// Hear takes what somebody did and gives what to answer; an empty answer is none. An error, of kind Infra, means that it could not
// be taken in now and is to be delivered again: each event counts once however often it comes.
func (e *Ear) Hear(ctx context.Context, ev channel.Event) (channel.Answer, error) {
	if !eventForm.MatchString(ev.ID) || ev.Room.Channel == "" || ev.Room.ID == "" {
		// Without them nothing could be counted once or answered for; to deliver it again would not help.
		e.c.Log.Error("an event has no id or no room; it is dropped", "channel", ev.Room.Channel, "kind", string(ev.Kind))
		return channel.Answer{}, nil
	}
	switch ev.Kind {
	case channel.Press, channel.Form:
		return e.pressed(ctx, ev)
	case channel.Said:
		return e.heard(ctx, ev)
	}
	return channel.Answer{}, fault.New(fault.Internal, "an event of the unknown kind %q", ev.Kind)
}

// permit finds out whether somebody may do something. When not, the answer says so and it has been recorded.
func (e *Ear) permit(ctx context.Context, ev channel.Event, d deed, r right) (ok bool, a channel.Answer, err error) {
	if ok, err = e.may(ctx, ev, r); ok {
		return true, a, nil
	}
	known := false
	if err == nil {
		known, err = e.may(ctx, ev, toRead)
	}
	if err != nil {
		a, err = e.unsure(ctx, ev, d, err)
		return false, a, err
	}
	if !known {
		return false, e.stranger(ctx, ev, d), nil
	}
	return false, e.refuse(ctx, ev, d, "no right to "+d.verb, fmt.Sprintf("Sorry, you may not use `%s` here. Please ask the operator for it; your user id is %s.",
		d.verb, e.mono(ev.User.ID))), nil
}

// stranger answers somebody who is on no list: once, but each time for a button, which has to say something.
func (e *Ear) stranger(ctx context.Context, ev channel.Event, d deed) channel.Answer {
	text := fmt.Sprintf("Sorry, you are not on the list of people who may use this. Your user id is %s; please give it to the operator.", e.mono(ev.User.ID))
	if private(ev) {
		text += " If you have a code, send `start CODE`."
	}
	if ev.Kind == channel.Said && !e.told.first(ev.Room.Channel+":"+ev.User.ID, e.c.Now()) {
		text = ""
	}
	return e.turnAway(ctx, ev, d, "not on the list", text)
}
