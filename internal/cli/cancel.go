package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

// cancelOptions are what cancel uses, and its flags.
type cancelOptions struct {
	server  *server.Connector
	tasks   *tasks.Tasks
	printer *term.Printer
	viewer  *tasks.Viewer
	user    string
	reason  string
	wait    bool
}

func newCancelCommand(f *factory) *cobra.Command {
	o := &cancelOptions{server: f.server, tasks: f.tasks, printer: f.printer, viewer: f.viewer, user: f.env.User()}
	c := &cobra.Command{
		Use:   "cancel <task>",
		Short: "Cancel a running task",
		Long: `Cancel a running task. Its agent is stopped and its workspace is kept for a while.
The task ends when its worker has stopped what runs; --wait stays until then.
` + lengthText("cancel"),
		Example:           "  longshift cancel acme-web-fix-login-x1y2z3\n  longshift cancel x1y2z3 --reason \"wrong branch\" --wait",
		Args:              command.TakesTask(1),
		ValidArgsFunction: o.tasks.Complete,
		PreRunE:           checkTexts(o.tasks),
		Annotations:       command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			return o.run(c.Context(), args[0])
		},
	}
	c.Flags().StringVar(&o.reason, "reason", "", "`why`; kept in the task's history")
	c.Flags().BoolVar(&o.wait, "wait", false, "stay until the task has ended")
	return c
}

func (o *cancelOptions) run(ctx context.Context, given string) error {
	c, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	f, err := o.tasks.Find(ctx, c, given)
	if err != nil {
		return err
	}
	if err := f.StillRunning(); err != nil {
		return err
	}
	call, cancel := server.Answer(ctx)
	reason := cmp.Or(o.reason, "cancelled by "+o.user)
	err = c.CancelWorkflowWithOptions(call, client.CancelWorkflowOptions{WorkflowID: f.ID, RunID: f.Run, Reason: reason})
	cancel()
	if err != nil {
		return o.tasks.Refused(err, f.ID)
	}
	if !o.wait {
		text := "cancel requested; its worker stops what runs"
		return o.printer.Print(tasks.Delivery{Task: f.ID, Via: tasks.ViaCancel, Text: text}, func() string { return f.ID + ": " + text + "\n" })
	}
	return o.viewer.Ended(ctx, c, f)
}
