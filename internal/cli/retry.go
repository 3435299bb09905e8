package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// retryOptions are what retry uses, and its flags.
type retryOptions struct {
	viewer *tasks.Viewer
	launch *launcher
	parse  func(input []byte) (task.Input, error)
	user   string
	host   func() (string, error) // of the forge that owner/name is on
	tell   string
}

func newRetryCommand(f *factory) *cobra.Command {
	o := &retryOptions{viewer: f.viewer, launch: newLauncher(f), parse: f.wiring.ParseInput, user: f.env.User(), host: func() (string, error) {
		conf, err := f.config.Read()
		return forgeHost(conf), err
	}}
	c := &cobra.Command{
		Use:   "retry <task>",
		Short: "Start an ended task again, and tell it what happened",
		Long: `Start an ended task again with the same input, from the base branch as it is now. The planner is told how the task ended, what its plan
was, which tests failed and what the review asked for. Its branch and its pull request, if any, stay as they are.`,
		Example:           "  longshift retry x1y2z3\n  longshift retry x1y2z3 --tell \"keep the old API\" --detach",
		Args:              command.Takes(1, 1, "the task"),
		ValidArgsFunction: f.tasks.CompleteEnded,
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitSuspended, fault.ExitServer,
			fault.ExitChecks, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().StringVar(&o.tell, "tell", "", "`text` that the planner should know in addition")
	o.launch.define(c.Flags())
	return c
}

func (o *retryOptions) run(ctx context.Context, given string) error {
	c, found, err := o.viewer.LookUp(ctx, given)
	if err != nil {
		return err
	}
	if found.Running() {
		return fault.New(fault.Conflict, "task %s has not ended", found.ID).WithHint("steer it with `longshift tell`, or end it with `longshift cancel`")
	}
	seen, err := o.viewer.Once(ctx, c, found)
	if err != nil && seen.Status == nil {
		return err
	}
	input, err := tasks.InputOf(ctx, c, found)
	if err != nil {
		return err
	}
	in, err := o.parse(input)
	if err != nil {
		return err
	}
	host, err := o.host()
	if err != nil {
		return err
	}
	if err := o.launch.name(in, host); err != nil {
		return err
	}
	in.RequestedBy = &task.Person{Name: o.user, Via: "cli"}
	if o.tell != "" {
		in.Task += "\n\n" + o.tell
	}
	if room := task.MaxTask - len(in.Task); room > 0 {
		in.Task += excerpt.Clip(attemptText(seen.Status), room)
	}
	return o.launch.start(ctx, c, in)
}

// attemptText tells a new attempt what has become of the one before.
func attemptText(s *signals.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n# Earlier attempt\n\nThis task was tried before and ended: %s\n", tasks.OutcomeText(s))
	if s.Detail != "" {
		fmt.Fprintf(&b, "%s\n", term.Plain(s.Detail))
	}
	if s.Plan != nil {
		fmt.Fprintf(&b, "\nIts plan: %s\n", term.Plain(s.Plan.Summary))
		for _, d := range s.Plan.Deliverables {
			fmt.Fprintf(&b, "- %s (%s): %s\n", d.ID, d.Status, term.OneLine(d.Description))
		}
	}
	if c := s.Check; c != nil && !c.Passed() {
		fmt.Fprintf(&b, "\nIts last check failed: %s\n", tasks.CheckText(c))
	}
	if r := s.Review; r != nil && !r.Approved && r.Text != "" {
		fmt.Fprintf(&b, "\nIts last review asked for changes:\n%s\n", term.Plain(r.Text))
	}
	b.WriteString("\nThe work of that attempt is not in the files that you see.\n")
	return b.String()
}
