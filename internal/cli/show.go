package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/fault"
)

func newShowCommand(f *factory) *cobra.Command {
	v, debug := f.viewer, false
	c := &cobra.Command{
		Use:               "show <task>",
		Short:             "Show everything about one task: plan, sessions, checks, review, links",
		Example:           "  longshift show x1y2z3\n  longshift show acme-web-fix-login-x1y2z3 -o json | jq .plan",
		Args:              command.TakesTask(1),
		ValidArgsFunction: f.tasks.CompleteAll,
		Annotations:       command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE:              func(c *cobra.Command, args []string) error { return show(c.Context(), v, args[0], debug) },
	}
	tasks.DefineDebug(c.Flags(), &debug, "")
	return c
}

func show(ctx context.Context, v *tasks.Viewer, given string, debug bool) error {
	c, f, err := v.LookUp(ctx, given)
	if err != nil {
		return err
	}
	if debug {
		if err := v.Events(ctx, c, f); err != nil {
			return err
		}
	}
	s, err := v.Once(ctx, c, f)
	if err != nil {
		return err
	}
	return v.Print(s, tasks.ShowText)
}
