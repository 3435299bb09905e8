package cli

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func newTellCommand(d *sender) *cobra.Command {
	var r signals.TellRequest
	c := d.command("tell <task> <text>", "Leave a message for the next session, or for the one that runs with the native agent",
		"  longshift tell x1y2z3 \"the staging database is down, skip those tests\"", 2)
	c.RunE = func(c *cobra.Command, args []string) error {
		text, err := textOf(args, "what the next session is to know", `longshift tell TASK "use the new client"`)
		if err != nil {
			return err
		}
		r.Text = text
		return d.deliver(c.Context(), args[0], signals.Tell, func(m signals.Message) any { r.Message = m; return r })
	}
	return c
}

func newResumeCommand(d *sender) *cobra.Command {
	var r signals.ResumeRequest
	var more time.Duration
	c := d.command("resume <task>", "Let a suspended or waiting task go on",
		"  longshift resume x1y2z3\n  longshift resume x1y2z3 --add-cost 2 --add-time 30m --note \"the API key is fixed\"", 1)
	command.DollarsVar(c.Flags(), &r.AddCost, "add-cost", "US `dollars` on top of the budget")
	c.Flags().DurationVar(&more, "add-time", 0, "running time on top of the budget, such as 30m")
	c.Flags().StringVar(&r.Note, "note", "", "`text` told to the next session")
	c.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case r.AddCost < 0:
			return fault.New(fault.Input, "--add-cost %v: negative", r.AddCost).WithHint("give US dollars to add")
		case more < 0:
			return fault.New(fault.Input, "--add-time %s: negative", more).WithHint("give a duration to add, such as 30m")
		case more > 0:
			r.AddTime = task.Duration(more).String()
		}
		return d.deliver(c.Context(), args[0], signals.Resume, func(m signals.Message) any { r.Message = m; return r })
	}
	return c
}

func newAbandonCommand(d *sender) *cobra.Command {
	var r signals.AbandonRequest
	c := d.command("abandon <task>", "End a task for good; its workspace is kept for a while",
		"  longshift abandon x1y2z3 --reason \"done by hand\"", 1)
	c.Flags().StringVar(&r.Reason, "reason", "", "`why`; kept with the task")
	c.RunE = func(c *cobra.Command, args []string) error {
		return d.deliver(c.Context(), args[0], signals.Abandon, func(m signals.Message) any { r.Message = m; return r })
	}
	return c
}
