package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

// caller repeats calls until they are answered, and reports when the server or the worker stops and starts answering.
type caller struct {
	report  *reporter
	screen  *term.Screen
	clock   environ.Clock
	trouble tasks.Trouble
}

// troubled reports every change between answers and silence.
func (c *caller) troubled(now tasks.Trouble) {
	before := c.trouble
	if now == before {
		return
	}
	switch c.trouble = now; {
	case now == tasks.NoServer:
		c.report.event(event{Type: eventError}, "the Temporal server does not answer; what runs is safe there; trying again")
	case now == tasks.NoWorker:
		c.report.event(event{Type: eventError}, "no worker is answering; running tasks are safe and continue when one is back")
	case before == tasks.NoServer:
		c.report.event(event{Type: eventRecovered}, "the Temporal server answers again")
	default:
		c.report.event(event{Type: eventRecovered}, "a worker answers again")
	}
}

// errAway means that the server or the worker does not answer: the call is made again.
type errAway struct{ who tasks.Trouble }

func (e errAway) Error() string { return fmt.Sprintf("nobody answers (%d)", e.who) }

// call makes a call until it is answered.
func (c *caller) call(ctx context.Context, call func(ctx context.Context) error) error {
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		one, cancel := server.Answer(ctx)
		err := call(one)
		cancel()
		var away errAway
		switch {
		case ctx.Err() != nil:
			return term.ErrInterrupted
		case errors.As(err, &away):
		case server.Unreachable(err):
			away.who = tasks.NoServer
		default:
			if err == nil && c.trouble == tasks.NoServer {
				c.troubled(tasks.NoTrouble)
			}
			return err
		}
		c.troubled(away.who)
		c.screen.Set("⏳ Nobody answers; trying again")
		if !c.clock.Pause(ctx, wait) {
			return term.ErrInterrupted
		}
	}
}

// connect connects. A server that is not there yet is waited for.
func (c *caller) connect(ctx context.Context, dial func(context.Context) (serverClient, error)) (serverClient, error) {
	said := ""
	for wait := time.Second; ; wait = min(2*wait, 30*time.Second) {
		client, err := dial(ctx)
		switch {
		case err == nil:
			if said != "" {
				c.report.event(event{Type: eventRecovered}, "the Temporal server answers")
			}
			return client, nil
		case ctx.Err() != nil:
			return nil, term.ErrInterrupted
		case fault.KindOf(err) != fault.Infra:
			return nil, err
		}
		if text := (term.Failure{Message: err.Error(), Hint: fault.HintOf(err)}).Line(); text != said {
			said = text
			c.report.event(event{Type: eventError}, text+"; trying again")
		}
		if !c.clock.Pause(ctx, wait) {
			return nil, term.ErrInterrupted
		}
	}
}
