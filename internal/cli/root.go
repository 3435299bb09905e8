package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
)

// main parses the arguments, runs the command and reports how it ended.
func (p *program) main(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	p.format = formatOf(args)
	if err := root.ExecuteContext(ctx); err != nil {
		return p.report(ctx, err)
	}
	return fault.ExitOK
}

// formatOf finds the output format before flags are parsed, so that a wrong flag is reported in it too.
func formatOf(args []string) string {
	for i, arg := range args {
		value, ok := strings.CutPrefix(arg, "--output=")
		if !ok {
			value, ok = strings.CutPrefix(arg, "-o")
			value = strings.TrimPrefix(value, "=")
		}
		if (arg == "-o" || arg == "--output") && i+1 < len(args) {
			value, ok = args[i+1], true
		}
		if ok && (value == formatJSON || value == formatJSONL) {
			return value
		}
	}
	return formatText
}

// root is the whole command tree.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "longshift",
		Short: "Carries a coding task from a sentence to a reviewed pull request",
		Long: `Longshift carries a coding task from a sentence to a reviewed pull request, unattended.
Kill anything, at any moment: no finished work is lost or done twice.`,
		Example: `  longshift dev                                  # server and worker for this machine
  longshift run "fix the failing tests"          # in another terminal, in a git repository
  longshift demo --kill                          # watch a task survive kill -9; no model is called`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE:          needsCommand,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			err := checkFormat(p.format)
			if err != nil {
				p.format = formatText
			}
			return err
		},
	}
	root.SetIn(p.streams.In)
	root.SetOut(p.streams.Out)
	root.SetErr(p.streams.Err)
	root.SetUsageTemplate(usageTemplate)
	root.SetFlagErrorFunc(explainFlag)
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().StringVarP(&p.format, "output", "o", formatText, "output `format`: text, json or jsonl")
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{formatText, formatJSON, formatJSONL}, cobra.ShellCompDirectiveNoFileComp)) // fails only for an unknown flag
	root.AddGroup(&cobra.Group{ID: groupTask, Title: "Tasks:"}, &cobra.Group{ID: groupSteer, Title: "Decide and steer:"}, &cobra.Group{ID: groupArrive, Title: "Work that arrives by itself:"}, &cobra.Group{ID: groupSetup, Title: "Set up:"})
	for group, commands := range map[string][]*cobra.Command{
		groupTask:   {p.runCommand(), p.statusCommand(), p.listCommand(), p.showCommand(), p.logsCommand(), p.commandsCommand(), p.actsCommand(), p.chatsCommand()},
		groupArrive: {p.watchCommand(), p.intakeCommand(), p.cronCommand()},
		groupSteer:  {p.approveCommand(), p.editCommand(), p.rejectCommand(), p.allowCommand(), p.denyCommand(), p.tellCommand(), p.resumeCommand(), p.abandonCommand(), p.cancelCommand()},
		groupSetup:  {p.devCommand(), p.demoCommand(), p.doctorCommand(), p.configCommand(), p.policyCommand(), p.versionCommand(), p.completionCommand(), p.workspacesCommand(), p.initCommand(), p.setupCommand(), p.cleanCommand()},
	} {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	return root
}

const (
	groupTask   = "task"
	groupSteer  = "steer"
	groupArrive = "arrive"
	groupSetup  = "setup"
)
