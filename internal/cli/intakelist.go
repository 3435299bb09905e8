package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/schedule/intakes"
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
			return []string{s.Name, s.Source, term.OneLine(s.Repository), term.ShortDuration(s.Every), intakeState(s, now), lastLook(s, now)}
		}))
	})
}

// status reads one intake with its last look and its queue.
func (o *intakeOptions) status(ctx context.Context, c intakes.Reader, conf config.Config, name string) (intakes.Status, error) {
	call, cancel := server.Answer(ctx)
	defer cancel()
	s, err := intakes.Get(call, c, name, forgeHost(conf))
	return s, o.server.Explain(err, "")
}

// forgeHost is the forge that owner/name is on, as ids of workflows name it; empty for github.com.
func forgeHost(conf config.Config) string {
	u, err := url.Parse(conf.GitHub.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
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

func (o *intakeOptions) showCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show <name>", Short: "Show one intake: its limits, its last look, what waits and for what",
		Example:     "  longshift intake show github-acme-web",
		Args:        command.Takes(1, 1, "the name"),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			cl, err := o.server.Connect(c.Context())
			if err != nil {
				return err
			}
			conf, err := o.config.Read()
			if err != nil {
				return err
			}
			s, err := o.status(c.Context(), cl, conf, args[0])
			if err != nil {
				return err
			}
			return o.printer.Print(s, func() string { return intakeText(s, o.now()) })
		},
	}
}

func intakeText(s intakes.Status, now time.Time) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%-12s %s\n", name, value)
		}
	}
	line("intake", s.Name)
	line("source", s.Source)
	line("repository", term.OneLine(s.Repository))
	line("label", term.OneLine(s.Label))
	line("assignee", term.OneLine(s.Assignee))
	line("team", s.Team)
	line("path", term.OneLine(s.Path))
	line("base", s.Base)
	if s.Config != nil {
		config, _ := json.Marshal(s.Config) // plain values
		line("config", term.OneLine(string(config)))
	}
	line("every", term.ShortDuration(s.Every))
	line("limits", guardText(s.Guard))
	line("state", intakeState(s, now))
	line("last look", lastLook(s, now))
	if s.Missed > 0 {
		line("missed", fmt.Sprintf("%d looks, because nothing ran", s.Missed))
	}
	if s.Last != nil && s.Last.Pass != nil {
		for _, id := range s.Last.Pass.Started {
			line("started", id)
		}
		for _, l := range s.Last.Pass.Skipped {
			line("left alone", term.OneLine(l.Key+": "+l.Why))
		}
		if s.Last.Pass.More {
			line("more", "there is more work than was looked at")
		}
	}
	for _, q := range s.Queue {
		line("queued", q.Task+" waits for "+strings.ReplaceAll(string(q.For), "_", " ")+": "+term.OneLine(q.Why))
	}
	return b.String()
}
