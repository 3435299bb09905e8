package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

type statusOptions struct {
	server  *server.Connector
	printer *term.Printer
	viewer  *tasks.Viewer
	tasks   *tasks.Tasks
	now     func() time.Time
	follow  bool
	flags   tasks.FollowFlags
}

func newStatusCommand(f *factory) *cobra.Command {
	o := &statusOptions{server: f.server, printer: f.printer, viewer: f.viewer, tasks: f.tasks, now: f.clock.Now}
	c := &cobra.Command{
		Use:   "status [task]",
		Short: "Show what runs, or the status of one task",
		Long: `Without a task: a table of all running tasks, read from the server alone.
With a task: how it stands; -f follows it as run does. A task may be named by a beginning or an end of its
id that no other running task has.`,
		Example:           "  longshift status\n  longshift status x1y2z3\n  longshift status -f acme-web-fix-login-x1y2z3",
		Args:              command.Takes(0, 1, ""),
		ValidArgsFunction: o.tasks.Complete,
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitSuspended, fault.ExitServer,
			fault.ExitChecks, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			switch given := o.flags.Given(); {
			case given != "" && !o.follow:
				return fault.New(fault.Input, "%s counts only while a task is followed", given).WithHint("give -f too, or leave it out")
			case len(args) == 0 && o.follow:
				return fault.New(fault.Input, "the task to follow is missing").WithHint("see `longshift status` for the running ones")
			case len(args) == 0:
				return o.table(c.Context())
			}
			return o.run(c.Context(), args[0])
		},
	}
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "follow the task to its end")
	o.flags.Define(c.Flags(), "with -f: ")
	return c
}

// table prints all running tasks.
func (o *statusOptions) table(ctx context.Context) error {
	c, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	rows := []tasks.Row{}
	err = o.tasks.Each(ctx, c, tasks.RunningTasks, 1000, func(r tasks.Row) bool {
		rows = append(rows, r)
		return true
	})
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		if err := o.tasks.CheckAttributes(ctx, c); err != nil {
			return err
		}
	}
	if err := printRows(o.printer, rows, o.now(), "no task is running"); err != nil || len(rows) == 0 {
		return err
	}
	o.tasks.SayUnattended(ctx, c)
	return nil
}

func (o *statusOptions) run(ctx context.Context, given string) error {
	c, f, err := o.viewer.LookUp(ctx, given)
	if err != nil {
		return err
	}
	if o.follow {
		o.viewer.Greet(f.ID, f.Run)
		return o.viewer.Follow(ctx, c, f, o.flags)
	}
	s, err := o.viewer.Once(ctx, c, f)
	if err != nil {
		return err
	}
	return o.viewer.Print(s, tasks.StatusText)
}
