package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/fault"
)

func newCompletionCommand(out io.Writer) *cobra.Command {
	return &cobra.Command{
		Use:   "completion <bash|zsh|fish>",
		Short: "Print a shell completion script",
		Example: `  source <(longshift completion bash)
  longshift completion zsh > "${fpath[1]}/_longshift"
  longshift completion fish > ~/.config/fish/completions/longshift.fish`,
		Args:        command.Takes(1, 1, "the shell (bash, zsh or fish)"),
		ValidArgs:   []string{"bash", "zsh", "fish"},
		Annotations: command.Exits(),
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			}
			return fault.New(fault.Input, "shell %q: no completion for it", args[0]).WithHint("give bash, zsh or fish")
		},
	}
}
