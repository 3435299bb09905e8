package cli

import (
	"context"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/fault"
)

func newSpecCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Use: "spec", Short: "Carry out a specification that is in the repository",
		Example: "  longshift spec run --approval required\n  longshift spec status",
		Args:    cobra.ArbitraryArgs, RunE: command.NeedsCommand, Annotations: command.Exits(),
	}
	c.AddCommand(newSpecRunCommand(f), newSpecStatusCommand(f), newSpecSyncCommand(f))
	return c
}

func newSpecRunCommand(f *factory) *cobra.Command {
	o := newRunOptions(f)
	c := &cobra.Command{
		Use:   "run [text]",
		Short: "Start a task that carries out SPEC.md, and follow it",
		Long: `Start a task that carries out a specification, and follow it to its end. The specification is read from the base commit, so commit it
first. The planner compares it with the repository and proposes the deliverables that are missing; you approve, edit or reject them as you do
with any plan. No session may change the specification.

Without --spec it is SPEC.md. What you say in words is told to the planner in addition. A task for which a sentence is enough needs no
specification: that is longshift run.`,
		Example: `  longshift spec run
  longshift spec run --spec docs/spec --spec API.md --approval required
  longshift spec run "only the part about dates" --budget 5`,
		Args:        command.Takes(0, 1, ""),
		Annotations: runExits(),
		RunE:        o.runSpec,
	}
	o.defineSpec(c)
	return c
}

// defineSpec adds the flags of a command that starts a task about a specification.
func (o *runOptions) defineSpec(c *cobra.Command) {
	o.flags.define(c)
	c.Flags().StringArrayVar(&o.flags.specs, "spec", []string{"SPEC.md"}, "`path` of a file or a folder in the repository; repeatable")
	_ = c.Flags().MarkHidden("issue") // fails only for an unknown flag
	o.launch.define(c)
}

func (o *runOptions) runSpec(c *cobra.Command, args []string) error {
	for i, spec := range o.flags.specs {
		o.flags.specs[i] = path.Clean(spec)
	}
	return o.run(c, args)
}

// specText is a task that carries out a specification, in words.
func (r *inputReader) specText(ctx context.Context, o *inputFlags, args []string) (string, error) {
	text := "Carry out the specification in " + strings.Join(o.specs, ", ")
	if o.sync {
		text = "Bring the deliverables in line with the specification in " + strings.Join(o.specs, ", ")
	}
	if o.issue != 0 {
		return "", fault.New(fault.Input, "--issue %d: the task is the specification", o.issue).
			WithHint("name the issue in words, or use longshift run --issue")
	}
	more := ""
	switch {
	case len(args) > 0:
		more = args[0]
	case o.file != "":
		var err error
		if more, err = r.readText(ctx, "--file", o.file); err != nil {
			return "", err
		}
	}
	if more = strings.TrimSpace(more); more != "" {
		text += "\n\n" + more
		o.words = true
	}
	return text, nil
}
