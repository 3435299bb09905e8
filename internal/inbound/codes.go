package inbound

import (
	"context"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/inbound/command"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
)

// codes decides about one-time codes, which bind a private chat.
type codes struct {
	rights rights
	access access
}

func (d codes) decide(ctx context.Context, m message) (decision, error) {
	code := m.written.Text
	known, err := d.rights.may(ctx, m.event, toRead)
	switch {
	case err != nil: // the Directory would not take the code either
		return decision{}, unsure(ctx, m.request, err)
	case code == "" && known:
		return answer(hint), nil
	case code == "":
		return decision{}, d.access.stranger(m.event, m.request)
	case m.event.User.ID == "" || !command.IsCode(code):
		return decision{}, m.request.refuseStranger("no code", "This is no code. Codes are letters and digits; please ask the operator for one.")
	}
	return decision{action: binding{request: m.request, code: code, known: known}}, nil
}

// Bounds of wrong codes of one person.
const (
	maxCodes   = 5
	codesEvery = time.Hour
)

// codeWriter gives one-time codes to the Directory.
type codeWriter struct {
	audit    *auditLog
	client   directoryClient
	wrong    *rateLimit
	bindings *bindings
	render   render.Markdown
	now      func() time.Time
}

// bind binds a chat, unless its user has sent too many wrong codes.
func (w codeWriter) bind(ctx context.Context, ev channel.Event, x binding) (channel.Answer, error) {
	who, at := ev.Room.Channel+":"+ev.User.ID, w.now()
	if !w.wrong.take(who, at) {
		return channel.Answer{}, x.refuseStranger("too many wrong codes",
			fmt.Sprintf("That were %d wrong codes. Please try again in an hour.", maxCodes))
	}
	wrong := false
	result, err := w.audit.perform(ctx, ev, x.request, func(ctx context.Context) (outcome, error) {
		a, err := w.send(ctx, ev, x.code)
		wrong = err == nil && !a.Bound || err != nil && final(err)
		text := render.Sentence(w.render.Literal(a.Text, 300))
		switch {
		case err != nil:
			return outcome{}, err
		case !a.Bound:
			return outcome{answer: text, reason: "wrong code", refused: true}, nil
		}
		w.bindings.expire()
		return outcome{answer: text, reason: "bound"}, nil
	})
	if !wrong { // the code was right, or nobody has checked it
		w.wrong.giveBack(who, at)
	}
	if err != nil && !x.known { // a stranger's code must not hold up the events after it
		return channel.Answer{}, unsure(ctx, x.request, err)
	}
	return result, err
}

// send sends the hash of a code to the Directory, never the code itself.
func (w codeWriter) send(ctx context.Context, ev channel.Event, code string) (a signals.BindAnswer, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	room := ev.Room
	room.Thread = ""
	name := w.render.Name(ev.User.Name, ev.User.ID)
	err = updateDirectory(ctx, w.client, signals.Bind, ev.ID, signals.BindRequest{
		Message: signals.Message{ID: ev.ID, By: name}, Channel: ev.Room.Channel, Hash: signals.CodeHash(ev.Room.Channel, code),
		User: ev.User.ID, Name: name, Room: room}, &a)
	return a, err
}
