package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/schedule/intakes"
)

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
	line("every", everyText(s.Spec, s.Interval))
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
