package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/sweep"
)

func (p *program) cleanCommand() *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:   "clean",
		Short: "Remove what ended tasks have left on this host",
		Long: `Remove what ended tasks have left in the data folder of this host, as its worker does at its start and every hour, and show what
stays and why. LONGSHIFT_DATA must be the worker's. LONGSHIFT_KEEP and LONGSHIFT_KEEP_SIZE say how long and how much is kept. Nothing goes of
a task that the server does not know to have ended, nor work that was not pushed.`,
		Example:     "  longshift clean --dry-run\n  LONGSHIFT_KEEP=24h longshift clean\n  longshift clean --dry-run -o jsonl | jq -r 'select(.stays) | .task'",
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return p.clean(c.Context(), dry) },
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "only show what would go")
	return c
}

func (p *program) clean(ctx context.Context, dry bool) error {
	conf, err := p.config()
	if err != nil {
		return err
	}
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	s, err := p.wiring.Sweeper(conf, c)
	if err != nil {
		return err
	}
	all, err := s.Look(ctx)
	if err != nil {
		return err
	}
	if !dry {
		if _, err = s.Clear(ctx, all); err != nil {
			return err
		}
	}
	if all == nil {
		all = []sweep.Leftover{}
	}
	return p.print(all, func() string { return leftoverText(all, dry) })
}

func leftoverText(all []sweep.Leftover, dry bool) string {
	verb := map[bool]string{true: "would go", false: "removed"}[dry]
	var b strings.Builder
	var freed int64
	for _, l := range all {
		what := verb
		if l.Stays != "" {
			what = "stays: " + oneLine(l.Stays)
		} else {
			freed += l.Bytes
		}
		fmt.Fprintf(&b, "%s  %.1f MiB  %s\n", plain(l.Task), float64(l.Bytes)/(1<<20), what)
	}
	fmt.Fprintf(&b, "%s: %.1f MiB\n", verb, float64(freed)/(1<<20))
	return b.String()
}
