package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// troubled tells of every change between answers and silence.
func (w *watching) troubled(now trouble) {
	before := w.state
	if now == before {
		return
	}
	switch w.state = now; {
	case now == noServer:
		w.tell(event{Type: eventError}, "the Temporal server does not answer; what runs is safe there; trying again")
	case now == noWorker:
		w.tell(event{Type: eventError}, "no worker is answering; what runs is safe, and goes on when one is back")
	case before == noServer:
		w.tell(event{Type: eventRecovered}, "the Temporal server answers again")
	default:
		w.tell(event{Type: eventRecovered}, "a worker answers again")
	}
}

// errAway means that the server or the worker does not answer: what was asked is asked again.
type errAway struct{ who trouble }

func (e errAway) Error() string { return fmt.Sprintf("nobody answers (%d)", e.who) }

// insist makes a call until somebody answers it.
func (w *watching) insist(ctx context.Context, call func(ctx context.Context) error) error {
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		one, cancel := answer(ctx)
		err := call(one)
		cancel()
		var away errAway
		switch {
		case ctx.Err() != nil:
			return errInterrupted
		case errors.As(err, &away):
		case unreachable(err):
			away.who = noServer
		default:
			if err == nil && w.state == noServer {
				w.troubled(noTrouble)
			}
			return err
		}
		w.troubled(away.who)
		w.screen.set("⏳ Nobody answers; trying again")
		if !w.p.pause(ctx, wait) {
			return errInterrupted
		}
	}
}

// begin connects. A server that is not there yet is waited for.
func (w *watching) begin(ctx context.Context) error {
	said := ""
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		c, err := w.connect(ctx)
		switch {
		case err == nil:
			w.client = c
			if said != "" {
				w.tell(event{Type: eventRecovered}, "the Temporal server answers")
			}
			return nil
		case ctx.Err() != nil:
			return errInterrupted
		case fault.KindOf(err) != fault.Infra:
			return err
		}
		if text := (failure{Message: err.Error(), Hint: fault.HintOf(err)}).line(); text != said {
			said = text
			w.tell(event{Type: eventError}, text+"; trying again")
		}
		if !w.p.pause(ctx, wait) {
			return errInterrupted
		}
	}
}
