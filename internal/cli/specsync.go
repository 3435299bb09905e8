package cli

import (
	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/fault"
)

func newSpecSyncCommand(f *factory) *cobra.Command {
	check := &specCheck{specReader: newSpecReader(f), env: f.env, printer: f.printer}
	var only, rerun bool
	c := &cobra.Command{
		Use:   "sync",
		Short: "Look whether the specification is carried out, such as in CI",
		Long: `Look whether the specification is carried out at the last commit of the repository of the current folder. The exit code is 1 when a
deliverable is not done, when what its evidence was found on has changed, or when the specification has. What the status file says of itself
does not count: git's ids are compared with what is there. No model is called, and no server is asked.

With --rerun the setup command and the commands of all deliverables are run too, in a checkout of their own and without a sandbox: as any
script of the repository that CI runs.`,
		Example:     "  longshift spec sync --check\n  longshift spec sync --check --rerun -o json",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, _ []string) error {
			if !only {
				return fault.New(fault.Input, "--check is missing").WithHint("longshift spec run carries out what is missing")
			}
			return check.run(c.Context(), rerun)
		},
	}
	c.Flags().BoolVar(&only, "check", false, "only look, and exit with 1 when something is missing")
	c.Flags().BoolVar(&rerun, "rerun", false, "with --check: run the commands of the deliverables again")
	return c
}
