package cli

import (
	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
)

// newHelpCommand is what people type who do not know --help.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "help [command]",
		Short:       "Show the help of a command",
		Hidden:      true, // every help text names --help
		Annotations: command.Exits(),
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return command.NeedsCommand(found, rest)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}
