package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// launcher starts tasks and follows them, by the flags that every command has that starts one.
type launcher struct {
	tasks   *tasks.Tasks
	printer *term.Printer
	viewer  *tasks.Viewer
	id      string
	detach  bool
	follow  tasks.FollowFlags
	images  map[string][]byte // contents by their sums; what is not here is read from the server
}

func newLauncher(f *factory) *launcher {
	return &launcher{tasks: f.tasks, printer: f.printer, viewer: f.viewer}
}

func (l *launcher) define(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&l.id, "id", "", "`id` of the task (default: made of repository and task)")
	f.BoolVarP(&l.detach, "detach", "d", false, "print the id and leave")
	l.follow.Define(f, "")
	c.PreRunE = func(*cobra.Command, []string) error {
		if given := l.follow.Given(); l.detach && given != "" {
			return fault.New(fault.Input, "%s counts only while a task is followed, and --detach follows none", given).
				WithHint("leave one of them out")
		}
		return nil
	}
}

// name settles the task's id, which begins with its text, as its branch does. host is that of the forge that owner/name is on.
func (l *launcher) name(in task.Input, host string) (err error) {
	if l.id == "" {
		l.id, err = tasks.NewTaskID(in, host)
	}
	return cmp.Or(err, l.tasks.RefuseToken("--id", l.id), tasks.CheckID(l.id))
}

// start starts a task and follows it to its end, unless --detach is given.
func (l *launcher) start(ctx context.Context, c client.Client, in task.Input) error {
	if err := l.tasks.Attach(ctx, c, l.id, in.Images, l.images); err != nil {
		return err
	}
	run, err := l.tasks.Start(ctx, c, l.id, in)
	if err != nil {
		return err
	}
	if l.detach {
		return l.printer.Print(started{l.id, run}, func() string { return l.id + "\n" })
	}
	l.viewer.Greet(l.id, run)
	return l.viewer.Follow(ctx, c, tasks.Found{ID: l.id, Run: run}, l.follow)
}

// started is what --detach prints.
type started struct {
	ID    string `json:"id"`
	RunID string `json:"runId"`
}
