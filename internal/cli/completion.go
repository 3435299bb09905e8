package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
)

func (p *program) completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion <bash|zsh|fish>",
		Short: "Print a shell completion script",
		Example: `  source <(longshift completion bash)
  longshift completion zsh > "${fpath[1]}/_longshift"
  longshift completion fish > ~/.config/fish/completions/longshift.fish`,
		Args:        takes(1, 1, "the shell (bash, zsh or fish)"),
		ValidArgs:   []string{"bash", "zsh", "fish"},
		Annotations: exits(),
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(p.streams.Out, true)
			case "zsh":
				return root.GenZshCompletion(p.streams.Out)
			case "fish":
				return root.GenFishCompletion(p.streams.Out, true)
			}
			return fault.New(fault.Input, "shell %q: no completion for it", args[0]).WithHint("give bash, zsh or fish")
		},
	}
}

// completeTask offers the ids of running tasks. It gives up soon: a person waits at the shell.
func (p *program) completeTask(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(c.Context(), 2*time.Second)
	defer cancel()
	cl, err := p.client(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var ids []string
	err = p.eachTask(ctx, cl, runningTasks, 100, func(r row) bool {
		ids = append(ids, r.ID)
		return true
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
