package inbound

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
)

// access decides whether a person is answered, and may do what they ask for.
type access struct {
	rights  rights
	rooms   map[string][]string // by channel: ids of the rooms that are served; none for a channel is every room
	replies *replyLimit
	render  render.Markdown
	now     func() time.Time
}

// admit reports whether a message is for Longshift and from a person with a right. When it is false and there is no error, the message gets
// no answer.
func (a access) admit(ctx context.Context, m message) (bool, error) {
	ev := m.event
	switch served := a.served(ev); {
	case !ev.Direct && !m.threaded, !ev.Direct && !served:
		return false, nil
	case !served:
		return false, m.request.refuseStranger("the room is not served", "")
	}
	known, err := a.rights.may(ctx, ev, toRead)
	switch {
	case err != nil:
		err = unsure(ctx, m.request, err)
		if !ev.Direct && (!m.isCommand || m.written.IsSentence()) { // people talk to each other in threads
			err = a.once("unsure:", ev, err)
		}
		return false, err
	case known:
		return true, nil
	case !ev.Direct: // strangers who talk to each other: not even the thread is looked up for them
		return false, nil
	case m.isCommand && m.written.Verb == command.Start && command.HoldsCode(m.written.Text):
		return false, a.once("code:", ev, m.request.refuseStranger("a code outside of a private chat", codeElsewhere))
	}
	return false, a.stranger(ev, m.request)
}

// codeElsewhere says where one-time codes are taken.
const codeElsewhere = "Codes are taken in a private chat with me only, as a message that is no answer and in no thread. " +
	"Please send it there, and ask for a new one if others could read this one."

// permit refuses a request unless its author has a right.
func (a access) permit(ctx context.Context, ev channel.Event, r request, wanted right) error {
	ok, err := a.rights.may(ctx, ev, wanted)
	if ok {
		return nil
	}
	known := false
	if err == nil {
		known, err = a.rights.may(ctx, ev, toRead)
	}
	switch {
	case err != nil:
		return unsure(ctx, r, err)
	case !known:
		return a.stranger(ev, r)
	}
	return r.refuse("no right to "+r.verb, "Sorry, you may not use `"+r.verb+
		"` here. Please ask the operator for it; your user id is "+a.render.Mono(ev.User.ID)+".")
}

// stranger refuses a person who is on no list. A message is answered once within the reply limit, a button each time.
func (a access) stranger(ev channel.Event, r request) error {
	text := "Sorry, you are not on the list of people who may use this. Your user id is " + a.render.Mono(ev.User.ID) +
		"; please give it to the operator."
	if private(ev) {
		text += " If you have a code, send `start CODE`."
	}
	no := r.refuseStranger("not on the list", text)
	if ev.Kind == channel.Said {
		return a.once("", ev, no)
	}
	return no
}

// once removes the text of a refusal when its person has already got one on the same topic, within the reply limit.
func (a access) once(topic string, ev channel.Event, err error) error {
	if no := (*refusal)(nil); errors.As(err, &no) && !a.replies.first(topic+ev.Room.Channel+":"+ev.User.ID, a.now()) {
		no.text = ""
	}
	return err
}

// fresh refuses a request that has expired.
func (a access) fresh(ev channel.Event, r request) error {
	if !expired(ev.At, a.now(), maxAgeInChat) {
		return nil
	}
	again := "say it again."
	if ev.Kind != channel.Said {
		again = "press the button again."
	}
	return r.refuse(cameLate, "Sorry, that came late, so nothing was done. If you still mean it, please "+again)
}

// unsure refuses a person whom only the Directory could know, while it does not answer. It is no error that has the event delivered again:
// what strangers send must not hold up the events after it.
func unsure(ctx context.Context, r request, err error) error {
	if ctx.Err() != nil { // this process is going away
		return err
	}
	return r.refuseStranger("it is not known who this is: "+err.Error(), "I can't tell right now who you are; please try again in a minute.")
}

// private reports whether only the user can read a room. The platforms say so by its id: the user's own, or one with Slack's "D" in front.
func private(ev channel.Event) bool {
	switch ev.Room.Channel {
	case channel.Terminal:
		return true
	case channel.Slack:
		return len(ev.Room.ID) > 1 && ev.Room.ID[0] == 'D'
	}
	return ev.User.ID != "" && ev.Room.ID == ev.User.ID
}

// served reports whether the operator wants answers in a room.
func (a access) served(ev channel.Event) bool {
	rooms := a.rooms[ev.Room.Channel]
	return len(rooms) == 0 || private(ev) || slices.Contains(rooms, ev.Room.ID)
}
