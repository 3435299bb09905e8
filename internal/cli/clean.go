package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/sweep"
)

// cleanOptions are what clean uses, and its flag.
type cleanOptions struct {
	config  *environ.Config
	server  *server.Connector
	printer *term.Printer
	sweeper func(process config.Config, c client.Client) (*sweep.Sweeper, error)
	dry     bool
}

func newCleanCommand(f *factory) *cobra.Command {
	o := &cleanOptions{config: f.config, server: f.server, printer: f.printer, sweeper: f.wiring.Sweeper}
	c := &cobra.Command{
		Use:   "clean",
		Short: "Remove what ended tasks have left on this host",
		Long: `Remove what ended tasks have left in the data folder of this host, as its worker does at its start and every hour, and show
what stays and why. LONGSHIFT_DATA must be the worker's, and LONGSHIFT_OBJECT_STORE too where the worker has one, because the
conversations there go with the folders. LONGSHIFT_KEEP and LONGSHIFT_KEEP_SIZE say how long and how much is kept. Nothing goes
of a task that the server does not know to have ended, nor work that was not pushed.`,
		Example: "  longshift clean --dry-run\n  LONGSHIFT_KEEP=24h longshift clean\n" +
			"  longshift clean --dry-run -o jsonl | jq -r 'select(.stays) | .task'",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.dry, "dry-run", false, "only show what would go")
	return c
}

func (o *cleanOptions) run(ctx context.Context) error {
	conf, err := o.config.Read()
	if err != nil {
		return err
	}
	c, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	s, err := o.sweeper(conf, c)
	if err != nil {
		return err
	}
	all, err := s.Find(ctx)
	if err != nil {
		return err
	}
	if !o.dry {
		_, err = s.Clear(ctx, all)
	}
	if all == nil {
		all = []sweep.Leftover{}
	}
	return cmp.Or(err, o.printer.Print(all, func() string { return leftoverText(all, o.dry) })) // also when Clear has failed: it has removed some
}

func leftoverText(all []sweep.Leftover, dry bool) string {
	verb := map[bool]string{true: "would go", false: "removed"}[dry]
	var b strings.Builder
	var freed int64
	for _, l := range all {
		what := verb
		if l.Stays != "" {
			what = "stays: " + term.OneLine(l.Stays)
		} else {
			freed += l.Bytes
		}
		fmt.Fprintf(&b, "%s  %.1f MiB  %s\n", term.Plain(l.Task), float64(l.Bytes)/(1<<20), what)
	}
	fmt.Fprintf(&b, "%s: %.1f MiB\n", verb, float64(freed)/(1<<20))
	return b.String()
}
