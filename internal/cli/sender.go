package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
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

// checkTexts refuses what is no text, is longer than a task takes, or holds a token, among the arguments and flags of a command whose words
// go to a task.
func checkTexts(t *tasks.Tasks) func(c *cobra.Command, args []string) error {
	return func(c *cobra.Command, args []string) (err error) {
		check := func(what, text string) {
			err = cmp.Or(err, checkUTF8(what, text), checkLength(what, text, mostText(c.Name())), t.RefuseToken(what, text))
		}
		for _, a := range args {
			check("the text", a)
		}
		c.Flags().Visit(func(f *pflag.Flag) { check("--"+f.Name, f.Value.String()) })
		return err
	}
}

// mostText is how long the text of a message may be, in bytes. A command has the name of its message.
func mostText(message string) int {
	if message == signals.Edit {
		return signals.MaxEdit
	}
	return signals.MaxText
}

// lengthText is how long the text may be, for the help of its command.
func lengthText(message string) string {
	return fmt.Sprintf("A text has at most %d bytes.", mostText(message))
}

// checkLength refuses a text of which a task would take only the beginning.
func checkLength(what, text string, most int) error {
	if len(text) <= most {
		return nil
	}
	return fault.New(fault.Input, "%s: %d bytes, and at most %d are allowed", what, len(text), most).
		WithHint("put the details into the repository and name them in the text")
}
