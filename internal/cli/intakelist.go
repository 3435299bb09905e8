package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intakes"
)

func (p *program) intakeListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List intakes: how often they look, how the last look went, what waits", Example: "  longshift intake list\n  longshift intake list -o json",
		Args: takes(0, 0, ""), Annotations: exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, _ []string) error { return p.intakeList(c.Context()) },
	}
}

func (p *program) intakeList(ctx context.Context) error {
	cl, err := p.client(ctx)
	if err != nil {
		return err
	}
	call, cancel := answer(ctx)
	defer cancel()
	names, err := intakes.List(call, cl)
	if err != nil {
		return p.explain(err, "")
	}
	if len(names) == 0 && p.format == formatText {
		p.say("no intake; `longshift intake add` makes one")
		return nil
	}
	conf, err := p.config()
	if err != nil {
		return err
	}
	all := make([]intakes.Status, 0, len(names))
	for _, n := range names {
		one, err := p.intakeStatus(ctx, cl, conf, n.Name)
		if fault.KindOf(err) == fault.NotFound {
			continue // removed meanwhile
		}
		if err != nil {
			return err
		}
		all = append(all, one)
	}
	return p.print(all, func() string {
		now := p.clock.now()
		cells := make([][]string, 0, len(all))
		for _, s := range all {
			cells = append(cells, []string{s.Name, s.Source, oneLine(s.Repository), shortDuration(s.Every), intakeState(s, now), lastLook(s, now)})
		}
		return p.fitted(table([]string{"INTAKE", "SOURCE", "REPOSITORY", "EVERY", "STATE", "LAST LOOK"}, cells))
	})
}

// intakeStatus reads one intake with its last look and its queue.
func (p *program) intakeStatus(ctx context.Context, c intakes.Reader, conf config.Config, name string) (intakes.Status, error) {
	call, cancel := answer(ctx)
	defer cancel()
	s, err := intakes.Get(call, c, name, forgeHost(conf))
	return s, p.explain(err, "")
}

// forgeHost is the forge that owner/name is on, as ids of workflows name it; empty for github.com.
func forgeHost(conf config.Config) string {
	u, err := url.Parse(conf.GitHubURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// intakeState says what an intake does now.
func intakeState(s intakes.Status, now time.Time) string {
	state := "looks in " + remaining(s.Next.Sub(now))
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
	when := ago(now, l.At)
	switch {
	case l.Error != "":
		return when + ": " + oneLine(l.Error)
	case l.Running:
		return when + ": still looking"
	case l.Pass == nil:
		return when
	}
	text := fmt.Sprintf("%s: %d started", when, len(l.Pass.Started))
	if n := len(l.Pass.Left); n > 0 {
		text += fmt.Sprintf(", %d left alone", n)
	}
	return text
}

func (p *program) intakeShowCommand() *cobra.Command {
	return &cobra.Command{
		Use: "show <name>", Short: "Show one intake: its limits, its last look, what waits and for what", Example: "  longshift intake show github-acme-web",
		Args: takes(1, 1, "the name"), Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			cl, err := p.client(c.Context())
			if err != nil {
				return err
			}
			conf, err := p.config()
			if err != nil {
				return err
			}
			s, err := p.intakeStatus(c.Context(), cl, conf, args[0])
			if err != nil {
				return err
			}
			return p.print(s, func() string { return intakeText(s, p.clock.now()) })
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
	line("repository", oneLine(s.Repository))
	line("label", oneLine(s.Label))
	line("assignee", oneLine(s.Assignee))
	line("team", s.Team)
	line("path", oneLine(s.Path))
	line("base", s.Base)
	if s.Config != nil {
		config, _ := json.Marshal(s.Config) // plain values
		line("config", oneLine(string(config)))
	}
	line("every", shortDuration(s.Every))
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
		for _, l := range s.Last.Pass.Left {
			line("left alone", oneLine(l.Key+": "+l.Why))
		}
		if s.Last.Pass.More {
			line("more", "there is more work than was looked at")
		}
	}
	for _, q := range s.Queue {
		line("queued", q.Task+" waits for "+strings.ReplaceAll(string(q.For), "_", " ")+": "+oneLine(q.Why))
	}
	return b.String()
}
