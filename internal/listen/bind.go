package listen

import (
	"context"
	"fmt"
	"strings"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/signals"
)

// bind gives a one-time code to the Directory, from a private chat. The code itself goes nowhere, only its hash.
func (e *Ear) bind(ctx context.Context, ev channel.Event, code string) (channel.Answer, error) {
	d := deed{verb: Start, delivery: ev.ID}
	known, err := e.may(ctx, ev, toRead)
	switch {
	case err != nil: // nor would the code be taken
		return e.unsure(ctx, ev, d, err)
	case code == "" && known:
		return e.hint(), nil
	case code == "":
		return e.stranger(ctx, ev, d), nil
	case ev.User.ID == "" || !looksLikeCode(code):
		return e.turnAway(ctx, ev, d, "no code", "This is no code. Codes are letters and digits; please ask the operator for one."), nil
	}
	who, at := ev.Room.Channel+":"+ev.User.ID, e.c.Now()
	if !e.attempts.take(who, at) {
		return e.turnAway(ctx, ev, d, "too many wrong codes", fmt.Sprintf("That were %d wrong codes. Please try again in an hour.", mostTries)), nil
	}
	wrong := false
	a, err := e.perform(ctx, ev, d, func(ctx context.Context) (done, error) {
		result, err := e.giveCode(ctx, ev, code)
		wrong = err == nil && !result.Bound || err != nil && final(err)
		switch {
		case err != nil:
			return done{}, err
		case !result.Bound:
			return done{answer: sentence(e.literal(result.Text, 300)), reason: "wrong code", refused: true}, nil
		}
		e.forget()
		return done{answer: sentence(e.literal(result.Text, 300)), reason: "bound"}, nil
	})
	if !wrong { // it was right, or nobody has looked at it
		e.attempts.giveBack(who, at)
	}
	if err != nil && !known { // nobody is to hold up with a code what comes after it
		return e.unsure(ctx, ev, d, err)
	}
	return a, err
}

func (e *Ear) giveCode(ctx context.Context, ev channel.Event, code string) (a signals.BindAnswer, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	room := ev.Room
	room.Thread = ""
	request := signals.BindRequest{Message: signals.Message{ID: ev.ID, By: e.name(ev.User)}, Channel: ev.Room.Channel,
		Hash: signals.CodeHash(ev.Room.Channel, code), User: ev.User.ID, Name: e.name(ev.User), Room: room}
	err = toDirectory(ctx, e.c.Client, signals.Bind, ev.ID, request, &a)
	return a, err
}

// looksLikeCode keeps sentences that begin with "start" from being counted as wrong codes.
func looksLikeCode(code string) bool {
	plain := strings.NewReplacer("-", "", " ", "").Replace(code)
	if len(plain) < 4 || len(plain) > 64 || len(strings.Fields(code)) > 4 {
		return false
	}
	return strings.IndexFunc(plain, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) < 0
}
