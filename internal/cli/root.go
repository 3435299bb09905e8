package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/checkup"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/dev"
	"github.com/longshift/longshift/internal/cli/setup"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/cli/watch"
	"github.com/longshift/longshift/internal/fault"
)

// main parses the arguments, runs the command and reports how it ended.
func (f *factory) main(ctx context.Context, args []string) int {
	root := f.root()
	root.SetArgs(args)
	f.printer.Format = formatOf(args)
	if err := root.ExecuteContext(ctx); err != nil {
		return f.printer.Report(ctx, err)
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
		if ok && (value == term.FormatJSON || value == term.FormatJSONL) {
			return value
		}
	}
	return term.FormatText
}

// otherNames are what other programs call these commands.
var otherNames = map[string][]string{
	"cancel": {"stop", "kill", "terminate"}, "dev": {"server", "worker", "up"}, "follow-up": {"continue"}, "list": {"ls"}, "login": {"auth"},
	"resume": {"unpause"}, "session": {"conversation", "transcript", "replay"}, "run": {"start", "new", "create"}, "show": {"view", "describe", "info", "plan", "cost"}, "status": {"ps"},
	"undo": {"rm", "delete", "revert"},
}

// root is the whole command tree.
func (f *factory) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "longshift",
		Short: "Carries a coding task from a sentence to a reviewed pull request",
		Long: `Longshift carries a coding task from a sentence to a reviewed pull request, unattended.
Kill anything, at any moment: no finished work is lost or done twice.`,
		Example: `  longshift dev                                  # server and worker for this machine
  longshift run "fix the failing tests"          # in another terminal, in a git repository
  longshift demo --kill                          # watch a task survive kill -9; no model is called`,
		Version:           versionText(checkup.ReadBuild(f.wiring.Version)),
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.ArbitraryArgs,
		RunE:              command.NeedsCommand,
		PersistentPreRunE: func(*cobra.Command, []string) error { return f.checkFormat() },
	}
	root.SetIn(f.streams.In)
	root.SetOut(f.streams.Out)
	root.SetErr(f.streams.Err)
	root.SetVersionTemplate("{{.Version}}")
	root.Flags().BoolP("version", "v", false, "show the version")
	root.SetUsageTemplate(command.UsageTemplate)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		fmt.Fprint(f.streams.Out, f.printer.Help(cmp.Or(c.Long, c.Short), c.UsageString()))
	})
	root.SetFlagErrorFunc(command.ExplainFlag)
	root.CompletionOptions.DisableDefaultCmd = true
	root.PersistentFlags().StringVarP(&f.printer.Format, "output", "o", term.FormatText, "output `format`: text, json or jsonl")
	formats := cobra.FixedCompletions([]string{term.FormatText, term.FormatJSON, term.FormatJSONL}, cobra.ShellCompDirectiveNoFileComp)
	_ = root.RegisterFlagCompletionFunc("output", formats) // fails only for an unknown flag
	root.AddGroup(
		&cobra.Group{ID: groupTask, Title: "Tasks:"},
		&cobra.Group{ID: groupSteer, Title: "Decide and steer:"},
		&cobra.Group{ID: groupArrive, Title: "Work that arrives automatically:"},
		&cobra.Group{ID: groupSetup, Title: "Set up:"})
	d, w := newSender(f), f.wiring
	local := dev.Uses{Streams: f.streams, Env: f.env, Clock: f.clock, Git: f.git, Config: f.config, Server: f.server, Tasks: f.tasks,
		Printer: f.printer, Input: f.terminal, Viewer: f.viewer, Demo: w.Demo, LocalPullRequest: w.LocalPullRequest,
		Machine: &checkup.Machine{Vars: f.env.Vars, Programs: w.Programs(f.env), Git: f.git, Version: checkup.ReadBuild(w.Version).String(),
			Tested: w.Tested, Settings: w.Settings, Sandbox: w.Sandbox, Work: w.Work, Signing: w.Signing, Objects: w.Objects, Model: w.Model,
			OpenAI: w.OpenAI, App: w.App, Account: w.Account}}
	settings := setup.Uses{Streams: f.streams, Env: f.env, Git: f.git, Config: f.config, Configs: f.configs, Repositories: f.repositories,
		Printer: f.printer, Input: f.terminal, Resolve: w.ResolveConfig, Decide: decideInSandbox(w.Policy),
		Account: w.Account, Model: w.Model}
	for group, commands := range map[string][]*cobra.Command{
		groupTask: {newRunCommand(f), newSpecCommand(f), newRetryCommand(f), newFollowUpCommand(f), newStatusCommand(f), newListCommand(f),
			newShowCommand(f), newLogsCommand(f), newSessionCommand(f), newDiffCommand(f), newCheckoutCommand(f), newUndoCommand(f), newOpenCommand(f),
			newCommandsCommand(f), newActsCommand(f), newChatsCommand(f)},
		groupArrive: {watch.NewCommand(watch.Uses{Config: f.config, Configs: f.configs, Repositories: f.repositories,
			Server: f.server, Printer: f.printer, Viewer: f.viewer, Clock: f.clock, Bell: f.streams.ErrTTY}),
			newIntakeCommand(f), newCronCommand(f)},
		groupSteer: {newApproveCommand(d), newEditCommand(d), newRejectCommand(d), newAllowCommand(d), newDenyCommand(d), newTellCommand(d),
			newResumeCommand(d), newAbandonCommand(d), newCancelCommand(f)},
		groupSetup: {dev.NewDevCommand(local), dev.NewDemoCommand(local), dev.NewDoctorCommand(local), dev.NewAgentsCommand(local),
			setup.NewConfigCommand(settings), setup.NewInitCommand(settings), setup.NewSetupCommand(settings), setup.NewLoginCommand(settings),
			newPolicyCommand(f), newVersionCommand(f.printer, f.wiring.Version), newCompletionCommand(f.streams.Out), newManCommand(f.streams.Out),
			newWorkspacesCommand(f), newCleanCommand(f)},
	} {
		for _, c := range commands {
			c.GroupID, c.SuggestFor = group, otherNames[c.Name()]
			command.CompleteConfig(c)
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(newHelpCommand())
	return root
}

const (
	groupTask   = "task"
	groupSteer  = "steer"
	groupArrive = "arrive"
	groupSetup  = "setup"
)
