package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// messageCommand is the shape of every command that sends one message to a task.
func (d *sender) command(use, short, example string, most int) *cobra.Command {
	name, _, _ := strings.Cut(use, " ")
	return &cobra.Command{
		Use: use, Short: short, Long: short + ".\n" + lengthText(name), Example: example,
		Args: command.TakesTask(most), ValidArgsFunction: d.tasks.Complete, PreRunE: checkTexts(d.tasks),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
	}
}

func revisionFlag(c *cobra.Command, revision *int) {
	c.Flags().IntVar(revision, "revision", 0, "plan `revision` meant; refused when another one is current (default: the current one)")
}

func newApproveCommand(d *sender) *cobra.Command {
	var r signals.ApproveRequest
	c := d.command("approve <task>", "Let a plan pass",
		"  longshift approve acme-web-fix-login-x1y2z3\n  longshift approve x1y2z3 --revision 2 --comment \"keep the old name\"", 1)
	revisionFlag(c, &r.Revision)
	c.Flags().StringVar(&r.Comment, "comment", "", "`text` told to the next session")
	c.RunE = func(c *cobra.Command, args []string) error {
		return d.deliver(c.Context(), args[0], signals.Approve, func(m signals.Message) any { r.Message = m; return r })
	}
	return c
}

func newEditCommand(d *sender) *cobra.Command {
	var r signals.EditRequest
	c := d.command("edit <task> <text>", "Ask the planner to change the plan",
		"  longshift edit x1y2z3 \"leave the public API as it is\"\n  longshift edit x1y2z3 --revision 1 \"one commit only\"", 2)
	revisionFlag(c, &r.Revision)
	c.RunE = func(c *cobra.Command, args []string) error {
		text, err := textOf(args, "what is to change", `longshift edit TASK "one commit only"`)
		if err != nil {
			return err
		}
		r.Text = text
		return d.deliver(c.Context(), args[0], signals.Edit, func(m signals.Message) any { r.Message = m; return r })
	}
	return c
}

func newRejectCommand(d *sender) *cobra.Command {
	var r signals.RejectRequest
	c := d.command("reject <task>", "End a task whose plan is not wanted",
		"  longshift reject x1y2z3 --reason \"we drop this feature\"", 1)
	revisionFlag(c, &r.Revision)
	c.Flags().StringVar(&r.Reason, "reason", "", "`why`; kept with the task")
	c.RunE = func(c *cobra.Command, args []string) error {
		return d.deliver(c.Context(), args[0], signals.Reject, func(m signals.Message) any { r.Message = m; return r })
	}
	return c
}

// textOf takes the text behind the task.
func textOf(args []string, what, example string) (string, error) {
	if len(args) < 2 || strings.TrimSpace(args[1]) == "" {
		return "", fault.New(fault.Input, "the text is missing: say %s", what).WithHint("for example: %s", example)
	}
	return args[1], nil
}
