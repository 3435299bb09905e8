package dev

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
)

// The states of a check.
const (
	stateOK   = "ok"
	stateWarn = "warn" // works, but something is missing that may be wanted
	stateFail = "fail" // tasks will not work
)

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"` // the way out, when it is not ok
}

// doctorOptions are what doctor uses, and its flag.
type doctorOptions struct {
	printer *term.Printer
	machine *machineCheck
	server  *serverCheck
	fix     bool
}

// NewDoctorCommand makes the command doctor.
func NewDoctorCommand(u Uses) *cobra.Command {
	o := &doctorOptions{printer: u.Printer, machine: newMachineCheck(u), server: &serverCheck{u.Server, u.Clock.Now}}
	c := &cobra.Command{
		Use:         "doctor",
		Short:       "Check everything that tasks need on this machine and on the server",
		Long:        "Check everything that tasks need on this machine and on the server. Each line that is not ok names the way out.",
		Example:     "  longshift doctor\n  longshift doctor --fix\n  longshift doctor -o json | jq '.[] | select(.state != \"ok\")'",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.fix, "fix", false, "register missing search attributes")
	return c
}

func (o *doctorOptions) run(ctx context.Context) error {
	findings := o.machine.all(ctx)
	if ctx.Err() != nil {
		return term.ErrInterrupted
	}
	findings = append(findings, o.server.all(ctx, o.fix)...)
	if ctx.Err() != nil {
		return term.ErrInterrupted
	}
	if err := o.printer.Print(findings, func() string { return findingText(o.printer, findings) }); err != nil {
		return err
	}
	for _, f := range findings {
		if f.State == stateFail {
			return term.Exit{Code: fault.ExitFailed}
		}
	}
	return nil
}

func findingText(p *term.Printer, findings []finding) string {
	wide := 0
	for _, f := range findings {
		wide = max(wide, len(f.Check))
	}
	text := ""
	for _, f := range findings {
		line := fmt.Sprintf("  %-*s  %s", wide, f.Check, term.OneLine(f.Detail))
		if f.Hint != "" {
			line += "; " + term.OneLine(f.Hint)
		}
		style := map[string]term.Style{stateOK: term.Good, stateWarn: term.Doubtful, stateFail: term.Bad}[f.State]
		state := fmt.Sprintf("%-4s", f.State)
		text += p.Paint(style, state) + strings.TrimPrefix(p.Wrap(state+line, len(state)+wide+4), state) + "\n"
	}
	return text
}

// failed makes a finding of an error.
func failed(check string, err error) finding {
	return finding{check, stateFail, err.Error(), fault.HintOf(err)}
}

// serverCheck checks the server, the namespace and the workers.
type serverCheck struct {
	server *server.Connector
	now    func() time.Time
}

// all makes every check. Without a server the rest is left out.
func (s *serverCheck) all(ctx context.Context, fix bool) []finding {
	c, err := s.server.Connect(ctx)
	if err != nil {
		return []finding{failed("server", err)}
	}
	findings := []finding{{Check: "server", State: stateOK, Detail: s.server.Address()}}
	if err := s.namespace(ctx, c); err != nil {
		return append(findings, failed("namespace", err))
	}
	findings = append(findings, finding{Check: "namespace", State: stateOK, Detail: s.server.Namespace()})
	findings = append(findings, s.attributes(ctx, c, fix))
	for _, q := range queuesOf(config.RoleAll) {
		findings = append(findings, s.queue(ctx, c, q))
	}
	return findings
}

// queue looks for a worker on a queue.
func (s *serverCheck) queue(ctx context.Context, c client.Client, q queue) finding {
	check := "worker, " + q.what
	all, err := polls(ctx, c, q)
	if err != nil {
		return failed(check, s.server.Explain(err, q.name))
	}
	var at time.Time
	for _, last := range all {
		if last.After(at) {
			at = last
		}
	}
	if at.IsZero() {
		return finding{check, stateFail, fmt.Sprintf("nobody polls the queue %s", q.name), "start one with `longshift dev` or longshift-worker"}
	}
	ago := s.now().Sub(at)
	if ago > 2*server.AnswerWithin+upWithin {
		detail := fmt.Sprintf("the queue %s was polled %s ago", q.name, term.Age(ago))
		return finding{check, stateWarn, detail, "the worker may be gone; see its log"}
	}
	return finding{Check: check, State: stateOK, Detail: "polls the queue " + q.name}
}
