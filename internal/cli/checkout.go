package cli

import (
	"bytes"
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
)

// checkoutOptions are what checkout uses.
type checkoutOptions struct{ *branchFinder }

func newCheckoutCommand(f *factory) *cobra.Command {
	o := &checkoutOptions{newBranchFinder(f)}
	return &cobra.Command{
		Use:   "checkout <task>",
		Short: "Check out the branch of a task",
		Long: `Check out the branch of a task, by git switch. A branch that is on a forge is fetched into the clone of the current folder.
Changes of your own that git switch would lose keep it from switching; a branch of yours with the same name is moved forward only.`,
		Example:           "  longshift checkout x1y2z3",
		Args:              command.TakesTask(1),
		ValidArgsFunction: f.tasks.CompleteAll,
		Annotations:       command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
		RunE:              func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
}

func (o *checkoutOptions) run(ctx context.Context, given string) error {
	t, err := o.find(ctx, given)
	if err != nil {
		return err
	}
	steps := [][]string{{"switch", "--quiet", "--create", t.Branch, t.Head}}
	if _, err := o.git.Run(ctx, t.Dir, "rev-parse", "--verify", "--quiet", "refs/heads/"+t.Branch); err == nil {
		steps = [][]string{{"switch", "--quiet", t.Branch}, {"merge", "--quiet", "--ff-only", t.Head}}
	}
	if o.isOn(ctx, t) { // so that git pull and git push work with it
		steps = append(steps, []string{"config", "branch." + t.Branch + ".remote", t.remote},
			[]string{"config", "branch." + t.Branch + ".merge", "refs/heads/" + t.Branch})
	}
	for _, args := range steps {
		if err := o.attached(ctx, t.Dir, fault.Work, args...); err != nil {
			return err
		}
	}
	return o.printer.Print(t, func() string { return "on branch " + t.Branch + " in " + t.Dir + "\n" })
}

// isOn reports whether the branch itself is on the remote, and not in a fork of it.
func (o *checkoutOptions) isOn(ctx context.Context, t taskBranch) bool {
	var found bytes.Buffer
	quiet := term.Streams{Out: &found, Err: io.Discard}
	code, err := o.git.Attached(ctx, t.Dir, quiet, "ls-remote", "--heads", t.remote, "refs/heads/"+t.Branch)
	return t.remote != "" && err == nil && code == 0 && found.Len() > 0
}
