package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/fault"
)

func newManCommand(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "man [FOLDER]",
		Short: "Print the manual page, or write one for each command into a folder",
		Long: `Prints longshift(1). With a folder, writes a page for each command there, for example longshift-run(1), so that "man longshift-run"
finds them when the folder is a man1 below the MANPATH.`,
		Example: `  longshift man | man -l -
  longshift man ~/.local/share/man/man1`,
		Args:        command.Takes(0, 1, "the folder"),
		Annotations: command.Exits(),
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			root.DisableAutoGenTag = true // the date of the build is not known, and today's would say that the text is new
			explainExits(root)
			header := &doc.GenManHeader{Section: "1", Source: "Longshift", Manual: "Longshift"}
			if len(args) == 0 {
				return doc.GenMan(root, header, out)
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fault.New(fault.Input, "folder %q: %w", args[0], err).WithHint("give a folder that you can write to")
			}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fault.New(fault.Input, "write the manual pages: %w", err).WithHint("give a folder that you can write to")
			}
			pages, err := filepath.Glob(filepath.Join(args[0], "longshift*.1"))
			if err == nil {
				fmt.Fprintf(out, "%d pages in %s\n", len(pages), args[0])
			}
			return err
		},
	}
}

// explainExits puts the exit codes of each command below its description, because a manual page shows nothing else of them.
func explainExits(c *cobra.Command) {
	if exits := c.Annotations["exits"]; exits != "" {
		c.Long = cmp.Or(c.Long, c.Short+".") + "\n\nExit codes:\n\n" + strings.ReplaceAll(exits, "  ", "\t") + "\n"
	}
	for _, sub := range c.Commands() {
		explainExits(sub)
	}
}
