package cli

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
)

// slowAfter is when the command says what it waits for.
const slowAfter = 2 * time.Second

// sender sends the messages of commands, and says so when the answer takes long.
type sender struct {
	server  *server.Connector
	tasks   *tasks.Tasks
	printer *term.Printer
	after   func(time.Duration) <-chan time.Time
}

func newSender(f *factory) *sender { return &sender{f.server, f.tasks, f.printer, f.clock.After} }

// deliver finds the task, sends the message and prints its outcome.
func (d *sender) deliver(ctx context.Context, given, name string, m tasks.Payload) error {
	c, err := d.server.Connect(ctx)
	if err != nil {
		return err
	}
	f, err := d.tasks.Find(ctx, c, given)
	if err != nil {
		return err
	}
	if err := f.StillRunning(); err != nil {
		return err
	}
	var result tasks.Delivery
	d.patiently(func() { result, err = d.tasks.Send(ctx, c, f.ID, name, m) })
	if err != nil {
		return err
	}
	return d.printer.Print(result, func() string { return f.ID + ": " + term.Plain(result.Text) + "\n" })
}

// patiently makes a call that a worker answers, and says what is waited for when that takes long.
func (d *sender) patiently(call func()) {
	answered := make(chan struct{})
	told := make(chan struct{})
	go func() {
		defer close(told)
		select {
		case <-answered:
		case <-d.after(slowAfter):
			d.printer.Say("waiting for a worker to answer...")
		}
	}()
	call()
	close(answered)
	<-told
}
