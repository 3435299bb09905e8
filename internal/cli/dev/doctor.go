package dev

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// finding is the result of one check. Host is empty for this machine and the server.
type finding struct {
	Host string `json:"host,omitempty"`
	checkup.Finding
}

// doctorOptions are what doctor uses, and its flags.
type doctorOptions struct {
	printer *term.Printer
	config  *environ.Config
	machine *checkup.Machine
	server  *serverCheck
	hosts   *hostsCheck
	fix     bool
	local   bool
}

// NewDoctorCommand makes the command doctor.
func NewDoctorCommand(u Uses) *cobra.Command {
	o := &doctorOptions{printer: u.Printer, config: u.Config, machine: u.Machine, server: &serverCheck{u.Server, u.Clock.Now},
		hosts: &hostsCheck{u.Server, u.Machine.Version}}
	c := &cobra.Command{
		Use:   "doctor [host]",
		Short: "Check everything that tasks need: on this machine, on the server and on each host",
		Long: `Check everything that tasks need: on this machine, on the server, and on every host whose worker is connected to it. Workers, that
of this machine too, check themselves, with their own environment and keys, and send what they found through the server. Each line that is
not ok names the way out. With a host, which may be named by the beginning of its id, only that one is checked.`,
		Example: "  longshift doctor\n  longshift doctor --local\n  longshift doctor build-2\n  longshift doctor --fix\n" +
			"  longshift doctor -o json | jq '.[] | select(.state != \"ok\")'",
		Args:        command.Takes(0, 1, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) > 0 && (o.local || o.fix):
				return fault.New(fault.Input, "a host, and --local or --fix: only one of them").WithHint("leave out the host %s", args[0])
			case len(args) > 0:
				return o.one(c.Context(), args[0])
			case o.local && o.fix:
				return fault.New(fault.Input, "--fix registers search attributes on the server, which --local does not ask").
					WithHint("leave out one of the two")
			}
			return o.run(c.Context())
		},
	}
	c.Flags().BoolVar(&o.fix, "fix", false, "register missing search attributes")
	c.Flags().BoolVar(&o.local, "local", false, "check only this machine, and ask no server")
	return c
}

// run checks this machine, then the server, then the hosts.
func (o *doctorOptions) run(ctx context.Context) error {
	findings, data := o.thisMachine(ctx)
	if !o.local && ctx.Err() == nil {
		more, c := o.server.all(ctx, o.fix)
		findings = append(findings, more...)
		if c != nil && ctx.Err() == nil {
			findings = append(findings, o.hosts.all(ctx, c)...)
		}
	}
	return o.print(ctx, findings, environ.OwnHost(data))
}

// thisMachine returns what was found, and the data folder.
func (o *doctorOptions) thisMachine(ctx context.Context) (findings []finding, data string) {
	conf, err := o.config.WithToken(ctx)
	if err != nil {
		return here(o.machine.CheckGit(ctx), checkup.Failed("environment", err)), ""
	}
	return here(o.machine.All(ctx, conf)...), conf.Data
}

// one checks one host.
func (o *doctorOptions) one(ctx context.Context, named string) error {
	c, err := o.hosts.server.Connect(ctx)
	if err != nil {
		return err
	}
	return o.print(ctx, o.hosts.named(ctx, c, named), "")
}

// print prints the findings. One that fails makes the exit code. own is the host whose worker is on this machine, "" for none.
func (o *doctorOptions) print(ctx context.Context, findings []finding, own string) error {
	if ctx.Err() != nil {
		return term.ErrInterrupted
	}
	if err := o.printer.Print(findings, func() string { return findingsText(o.printer, findings, own) }); err != nil {
		return err
	}
	for _, f := range findings {
		if f.State == signals.HostFail {
			return term.Exit{Code: fault.ExitFailed}
		}
	}
	return nil
}

// here are findings of this machine and of the server.
func here(all ...checkup.Finding) []finding {
	var findings []finding
	for _, f := range all {
		findings = append(findings, finding{Finding: f})
	}
	return findings
}

// findingsText prints a line for each finding, and a heading for each host.
func findingsText(p *term.Printer, findings []finding, own string) string {
	text, host := "", ""
	var group []checkup.Finding
	for i, f := range findings {
		if f.Host != host {
			text += findingText(p, group) + "\nHost " + term.OneLine(f.Host)
			if own != "" && f.Host == own {
				text += " (the worker of this machine)"
			}
			text += "\n"
			group, host = nil, f.Host
		}
		group = append(group, f.Finding)
		if i == len(findings)-1 {
			text += findingText(p, group)
		}
	}
	return strings.TrimPrefix(text, "\n")
}

func findingText(p *term.Printer, findings []checkup.Finding) string {
	wide := 0
	for _, f := range findings {
		wide = max(wide, len(f.Check))
	}
	text := ""
	for _, f := range findings {
		line := fmt.Sprintf("  %-*s  %s", wide, term.OneLine(f.Check), term.OneLine(f.Detail))
		if f.Hint != "" {
			line += "; " + term.OneLine(f.Hint)
		}
		style := map[signals.HostState]term.Style{signals.HostOK: term.Good, signals.HostWarn: term.Doubtful, signals.HostFail: term.Bad}[f.State]
		state := fmt.Sprintf("%-4s", f.State)
		text += p.Paint(style, state) + strings.TrimPrefix(p.Wrap(state+line, len(state)+wide+4), state) + "\n"
	}
	return text
}
