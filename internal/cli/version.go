package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/term"
)

func newVersionCommand(p *term.Printer, given string) *cobra.Command {
	return &cobra.Command{
		Use:         "version",
		Short:       "Show the version",
		Example:     "  longshift version\n  longshift version -o json",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(),
		RunE: func(*cobra.Command, []string) error {
			v := checkup.ReadBuild(given)
			return p.Print(v, func() string { return versionText(v) })
		},
	}
}

func versionText(b checkup.Build) string {
	return fmt.Sprintf("longshift %s, %s, %s\n", b, b.Go, b.Platform)
}
