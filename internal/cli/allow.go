package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

func newAllowCommand(d *sender) *cobra.Command {
	var r signals.AllowRequest
	c := d.questionCommand("allow", "Let an agent run a command that waits for a person, or have a branch pushed",
		"The approval is for exactly this command in this folder, once. It expires, and does not count when a file that the command names\n"+
			"has changed. That of a push is for its files as they are now.")
	c.Flags().StringVar(&r.Comment, "comment", "", "`text` told to the session")
	c.Flags().BoolVar(&r.ForTask, "for-task", false, "let the command run "+signals.ForTask)
	c.RunE = func(c *cobra.Command, args []string) error {
		r.Question = strings.Join(args[1:], "")
		return d.deliver(c.Context(), args[0], signals.Allow, func(m signals.Message) any { r.Message = m; return r })
	}
	return c
}

func newDenyCommand(d *sender) *cobra.Command {
	var r signals.DenyRequest
	c := d.questionCommand("deny", "Refuse a command that waits for a person, or a push",
		"The agent is told, and continues without it. A branch that may not be pushed is kept, and no pull request is opened.")
	c.Flags().StringVar(&r.Reason, "reason", "", "`text` told to the session")
	c.RunE = func(c *cobra.Command, args []string) error {
		r.Question = strings.Join(args[1:], "")
		return d.deliver(c.Context(), args[0], signals.Deny, func(m signals.Message) any { r.Message = m; return r })
	}
	return c
}

// questionCommand is the shape of the two answers.
func (d *sender) questionCommand(name, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: name + " <task> [question]", Short: short,
		Long:    long + "\nWithout a question, the only one that waits is meant; `longshift status TASK` shows them.\n" + lengthText(name),
		Example: "  longshift " + name + " x1y2z3\n  longshift " + name + " x1y2z3 4f2a91c0",
		Args:    command.TakesTask(2), ValidArgsFunction: d.tasks.Complete, PreRunE: checkTexts(d.tasks),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
	}
}
