package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/schedule/intakes"
	"github.com/longshift/longshift/task"
)

func (o *intakeOptions) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List intakes: how often they look, how the last look went, what waits",
		Example: "  longshift intake list\n  longshift intake list -o json",
		Args:    command.Takes(0, 0, ""), Annotations: command.Exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, _ []string) error { return o.list(c.Context()) },
	}
}

func (o *intakeOptions) list(ctx context.Context) error {
	cl, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	call, cancel := server.Answer(ctx)
	defer cancel()
	names, err := intakes.List(call, cl)
	if err != nil {
		return o.server.Explain(err, "")
	}
	if len(names) == 0 && o.printer.IsText() {
		o.printer.Say("no intake; `longshift intake add` makes one")
		return nil
	}
	conf, err := o.config.Read()
	if err != nil {
		return err
	}
	all := make([]intakes.Status, 0, len(names))
	for _, n := range names {
		one, err := o.status(ctx, cl, conf, n.Name)
		if fault.KindOf(err) == fault.NotFound {
			continue // removed meanwhile
		}
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	return o.printer.Print(all, func() string {
		head, now := []string{"INTAKE", "SOURCE", "REPOSITORY", "EVERY", "STATE", "LAST LOOK"}, o.now()
		return o.printer.Fit(term.TableOf(head, all, func(s intakes.Status) []string {
			return []string{s.Name, s.Source, term.OneLine(s.Repository), everyText(s.Spec, s.Interval), intakeState(s, now), lastLook(s, now)}
		}))
	})
}

// status reads one intake with its last look and its queue.
func (o *intakeOptions) status(ctx context.Context, c intakes.Reader, conf config.Config, name string) (intakes.Status, error) {
	call, cancel := server.Answer(ctx)
	defer cancel()
	s, err := intakes.Get(call, c, name, conf.GitHub.Host())
	return s, o.server.Explain(err, "")
}

// everyText says how often an intake looks, and between what it changes.
func everyText(s intakes.Spec, inForce time.Duration) string {
	text, slowest := task.Duration(cmp.Or(inForce, s.Every)).String(), intakes.Slowest(intake.Kind(s.Source))
	switch {
	case !s.Adaptive:
		return text
	case inForce > s.Every:
		return text + ", " + task.Duration(s.Every).String() + " when busy"
	}
	return text + ", " + task.Duration(slowest).String() + " when quiet"
}

// intakeState says what an intake does now.
func intakeState(s intakes.Status, now time.Time) string {
	state := "looks in " + term.Remaining(s.Next.Sub(now))
	switch {
	case s.Paused:
		state = "paused"
	case s.Last != nil && s.Last.Running:
		state = "looking"
	case s.Next.IsZero():
		state = "starting"
	}
	if s.NoGate != "" {
		state += ", " + s.NoGate
	}
	if n := len(s.Queue); n > 0 {
		state += fmt.Sprintf(", %d queued", n)
	}
	return state
}

// lastLook says how the last look went.
func lastLook(s intakes.Status, now time.Time) string {
	l := s.Last
	if l == nil {
		return "none yet"
	}
	when := term.Ago(now, l.At)
	switch {
	case l.Error != "":
		return when + ": " + term.OneLine(l.Error)
	case l.Running:
		return when + ": still looking"
	case l.Pass == nil:
		return when
	}
	text := fmt.Sprintf("%s: %d started", when, len(l.Pass.Started))
	if n := len(l.Pass.Skipped); n > 0 {
		text += fmt.Sprintf(", %d left alone", n)
	}
	return text
}
