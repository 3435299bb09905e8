package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
)

// retryOptions are what retry uses, and its flags.
type retryOptions struct {
	earlier earlierTask
	launch  *launcher
	tell    string
}

func newRetryCommand(f *factory) *cobra.Command {
	o := &retryOptions{earlier: newEarlierTask(f), launch: newLauncher(f)}
	c := &cobra.Command{
		Use:   "retry <task>",
		Short: "Start an ended task again, and tell it what happened",
		Long: `Start an ended task again with the same input, from the base branch as it is now. The planner is told how the task ended, what
its plan was, which tests failed and what the review asked for. Its branch and its pull request, if any, stay as they are.

The new task is yours, also when an intake has started the other one. It waits for none of that intake's limits, and the file or the
issue at the source stays as it is, whatever has become of it; a pull request on GitHub still closes its issue.`,
		Example:           "  longshift retry x1y2z3\n  longshift retry x1y2z3 --tell \"keep the old API\" --detach",
		Args:              command.TakesTask(1),
		ValidArgsFunction: f.tasks.CompleteEnded,
		Annotations:       runExits(),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	c.Flags().StringVar(&o.tell, "tell", "", "`text` that the planner should know in addition")
	o.launch.define(c)
	return c
}

func (o *retryOptions) run(ctx context.Context, given string) error {
	if err := checkUTF8("--tell", o.tell); err != nil {
		return err
	}
	c, in, s, err := o.earlier.read(ctx, given, steerOrEnd)
	if err != nil {
		return err
	}
	in.Origin = nil // its source would decline what the ended task has claimed, and its limits count that task's own pull request
	told := ""
	if o.tell != "" {
		told = "\n\n" + o.tell
		in.Words = len(in.Spec) > 0
	}
	return o.earlier.start(ctx, o.launch, c, in, told, attemptText(s))
}

// attemptText tells a new attempt what has become of the one before.
func attemptText(s *signals.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n# Earlier attempt\n\nThis task was tried before and ended: %s\n", tasks.OutcomeText(s))
	if s.Detail != "" {
		fmt.Fprintf(&b, "%s\n", term.Plain(s.Detail))
	}
	planText(&b, s.Plan)
	if c := s.Check; c != nil && !c.Passed() {
		fmt.Fprintf(&b, "\nIts last check failed: %s\n", tasks.CheckText(c))
	}
	if r := s.Review; r != nil && !r.Approved && r.Text != "" {
		fmt.Fprintf(&b, "\nIts last review asked for changes:\n%s\n", term.Plain(r.Text))
	}
	b.WriteString("\nThe work of that attempt is not in the files that you see.\n")
	return b.String()
}
