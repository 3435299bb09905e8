package dev

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/accounts"
	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// agentsOptions are what agents uses, and its flag.
type agentsOptions struct {
	printer *term.Printer
	config  *environ.Config
	machine *checkup.Machine
	server  *server.Connector
	now     func() time.Time
	local   bool
}

// agentRow is an agent on this machine, and those of its accounts that are used up.
type agentRow struct {
	checkup.Agent
	UsedUp []signals.Cooling `json:"usedUp,omitempty"`
}

// NewAgentsCommand makes the command agents.
func NewAgentsCommand(u Uses) *cobra.Command {
	o := &agentsOptions{printer: u.Printer, config: u.Config, machine: u.Machine, server: u.Server, now: u.Clock.Now}
	c := &cobra.Command{
		Use:   "agents",
		Short: "List the agents: program, version, key, and which accounts are used up",
		Long: `List the agents that can do the work: the program on this machine and the version that is tested, where the key is from, whether the operator
allows it (LONGSHIFT_AGENTS), and what is missing with the command that mends it. Of accounts that are used up the server knows until when tasks with
quota: next leave them alone; --local does not ask it.`,
		Example:     "  longshift agents\n  longshift agents --local -o json | jq -r '.[] | select(.state == \"ok\") | .agent'",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.local, "local", false, "ask no server which accounts are used up")
	return c
}

func (o *agentsOptions) run(ctx context.Context) error {
	conf, err := o.config.WithToken(ctx)
	if err != nil {
		return err
	}
	var cooling signals.AccountsState
	if !o.local {
		c, err := o.server.Connect(ctx)
		if err != nil {
			return err
		}
		call, cancel := server.Answer(ctx)
		defer cancel()
		if cooling, err = accounts.State(call, c); err != nil {
			return err
		}
	}
	var rows []agentRow
	for _, a := range o.machine.Agents(ctx, conf) {
		row := agentRow{Agent: a}
		for _, c := range cooling.Cooling {
			for _, account := range a.Accounts {
				if c.Account == account && c.Until.After(o.now()) {
					row.UsedUp = append(row.UsedUp, c)
				}
			}
		}
		rows = append(rows, row)
	}
	return o.printer.Print(rows, func() string { return o.printer.Fit(agentsText(rows)) + coolingText(cooling, o.now()) })
}

func agentsText(rows []agentRow) string {
	return term.TableOf([]string{"AGENT", "STATE", "TESTED", "ALLOWED", "KEY", "USED UP", "PROGRAM"}, rows, func(r agentRow) []string {
		allowed := "yes"
		if !r.Allowed {
			allowed = "no"
		}
		var used []string
		for _, c := range r.UsedUp {
			used = append(used, until(c))
		}
		detail := term.OneLine(r.Detail)
		if r.Hint != "" {
			detail += "; " + term.OneLine(r.Hint)
		}
		return []string{r.Agent.Agent, string(r.State), dash(r.Tested), allowed, dash(strings.Join(r.Keys, ", ")), dash(strings.Join(used, ", ")), detail}
	})
}

// coolingText lists the accounts that are used up, also those for which this machine has no key.
func coolingText(s signals.AccountsState, now time.Time) string {
	text := ""
	for _, c := range s.Cooling {
		if c.Until.After(now) {
			text += "  " + until(c) + ": " + term.OneLine(c.Why) + "\n"
		}
	}
	if text == "" {
		return ""
	}
	return "\nUsed up, and left alone by tasks with quota: next:\n" + text
}

func until(c signals.Cooling) string {
	return c.Account + " until " + c.Until.UTC().Format("15:04 MST 2 Jan")
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
