package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/fault"
)

func newSpecSyncCommand(f *factory) *cobra.Command {
	o, check := newRunOptions(f), &specCheck{specReader: newSpecReader(f), env: f.env, printer: f.printer}
	o.flags.sync = true
	var only, rerun bool
	c := &cobra.Command{
		Use:   "sync [text]",
		Short: "Bring the recorded deliverables in line with SPEC.md, or look whether they are",
		Long: `Start a task that compares the specification with .longshift/deliverables.json, and follow it to its end. It proposes which deliverables to
add and which the specification no longer asks for; you approve, edit or reject that as any plan. Those whose evidence is outdated are shown
again, each by its command and by a session that can't write, or are open from then on. The pull request changes that file alone; longshift
spec run does the work.

With --check no task is started: this command looks whether the last commit of the repository of the current folder, or of that on this
machine which --repo names, still is what the specification asks for, as CI can. The exit code is 1 when a deliverable is not done, when
what its evidence was found on has changed, or when the specification has. What the file says of itself does not count: git's ids are
compared with what is there. No model is called, and no server is asked. --rerun runs the setup command and the commands of all
deliverables too, one after the other in one checkout of their own, and without a sandbox: as any script of the repository that CI runs. No
flag of a task goes with --check.`,
		Example:     "  longshift spec sync --approval required\n  longshift spec sync --check\n  longshift spec sync --check --rerun -o json",
		Args:        command.Takes(0, 1, ""),
		Annotations: runExits(),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case !only && rerun:
				return fault.New(fault.Input, "--rerun is given without --check").WithHint("give both, or neither")
			case only && len(args) > 0:
				return fault.New(fault.Input, "unexpected argument %q", args[0]).WithHint("--check takes no words")
			case only:
				if err := onlyOfCheck(c); err != nil {
					return err
				}
				return check.run(c.Context(), o.flags.target.repo, rerun)
			}
			return o.runSpec(c, args)
		},
	}
	o.defineSpec(c)
	c.Flags().BoolVar(&only, "check", false, "start no task: exit with 1 when something is missing")
	c.Flags().BoolVar(&rerun, "rerun", false, "with --check: run the commands of the deliverables again")
	return c
}

// onlyOfCheck refuses the flags of a task, which a check would not heed: it could look at other things than were meant, and find them good.
func onlyOfCheck(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains([]string{"check", "rerun", "repo", "output"}, f.Name) {
			err = fault.New(fault.Input, "--%s counts only for a task, and --check starts none", f.Name).WithHint("leave one of them out")
		}
	})
	return err
}
