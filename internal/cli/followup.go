package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// followUpOptions are what follow-up uses.
type followUpOptions struct {
	earlier earlierTask
	launch  *launcher
}

func newFollowUpCommand(f *factory) *cobra.Command {
	o := &followUpOptions{earlier: newEarlierTask(f), launch: newLauncher(f)}
	c := &cobra.Command{
		Use:   "follow-up <task> <text>",
		Short: "Start a task on top of what an ended one has done",
		Long: `Start a task whose base is the branch of an ended task, with the settings of that task. The planner is told what was asked
for there and what was planned. The new branch has the commits of both, so merging it takes all of them. Once the pull request of the
ended task is merged, the new one starts from the base of that task. A task without a pull request can't be followed up.

To change the pull request of a task on GitHub, comment there instead: its task works on it until it is merged or closed.`,
		Example: "  longshift follow-up x1y2z3 \"now add the same flag to show\"\n" +
			"  longshift follow-up x1y2z3 \"fix the typo in the help\" --detach",
		Args:              command.Takes(2, 2, "the task or the text"),
		ValidArgsFunction: f.tasks.CompleteEnded,
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitSuspended, fault.ExitServer,
			fault.ExitChecks, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0], args[1]) },
	}
	o.launch.define(c)
	return c
}

func (o *followUpOptions) run(ctx context.Context, given, text string) error {
	if strings.TrimSpace(text) == "" {
		return fault.New(fault.Input, "the text is empty").WithHint("say in words what to do")
	}
	if err := checkUTF8("the text", text); err != nil {
		return err
	}
	c, in, s, err := o.earlier.read(ctx, given, steerOrEnd)
	if err != nil {
		return err
	}
	if in.Base, err = o.base(ctx, c, in, s); err != nil {
		return err
	}
	in.Sync = false // whoever says what to do asks for work
	in.Task, in.Images, in.Issue, in.Origin, in.Review = text, nil, nil, nil, ""
	in.Words = len(in.Spec) > 0
	return o.earlier.start(ctx, o.launch, c, in, "", earlierText(s))
}

// base returns the branch that a follow-up starts from.
func (o *followUpOptions) base(ctx context.Context, c client.Client, in task.Input, s *signals.Status) (string, error) {
	pull, err := o.pullOutcome(ctx, c, s)
	if err != nil {
		return "", err
	}
	branch, err := followedBranch(in, s, pull)
	if err != nil || pull == task.PullMerged {
		return branch, err
	}
	undone, err := o.earlier.undone(ctx, c, s)
	if undone && err == nil {
		err = fault.New(fault.Conflict, "`longshift undo` has deleted the branch of task %s", s.WorkflowID).
			WithHint("start it again with `longshift retry %s`", s.WorkflowID)
	}
	return branch, err
}

// followedBranch returns the branch with the work of an ended task, whose pull request has come to pull. Only a task with a pull request has pushed one.
func followedBranch(in task.Input, s *signals.Status, pull task.Outcome) (string, error) {
	id := s.WorkflowID
	switch {
	case pull == task.PullMerged: // its commits are in the base, and its branch may be gone
		return in.Base, nil
	case s.PullRequest == nil && (s.Head == "" || s.Head == s.BaseCommit):
		return "", fault.New(fault.Conflict, "task %s has committed nothing", id).
			WithHint("start it again with `longshift retry %s`, or another one with `longshift run`", id)
	case in.Fork && s.PullRequest != nil && pull != task.PullClosed:
		return "", fault.New(fault.Conflict, "the branch of task %s is in a fork, where no task can start", id).
			WithHint("say it in a comment on %s, or wait until that is merged", s.PullRequest.URL)
	case in.Fork:
		return "", fault.New(fault.Conflict, "the commits of task %s are in a fork, where no task can start", id).
			WithHint("start it again with `longshift retry %s`", id)
	case s.PullRequest == nil:
		return "", fault.New(fault.Conflict, "task %s ended without a pull request, and a follow-up starts from the branch of one", id).
			WithHint("take its work with `longshift checkout %s`, or start it again with `longshift retry %s`", id, id)
	}
	return s.Branch, nil
}

// pullOutcome is how the pull request of a task has ended, as the workflow that follows it knows; "" while it is open.
func (o *followUpOptions) pullOutcome(ctx context.Context, c client.Client, s *signals.Status) (task.Outcome, error) {
	if s.PullRequest == nil {
		return "", nil
	}
	f, err := o.earlier.follower(ctx, c, s.Repository, s.PullRequest.Number)
	if f == nil {
		return "", err
	}
	return f.Outcome, nil
}

// earlierText tells a follow-up what the task before it was about.
func earlierText(s *signals.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n# Earlier task\n\nThis follows a task whose work is in the files that you see. It was asked for as:\n%s\n", s.Task)
	planText(&b, s.Plan)
	return b.String()
}
