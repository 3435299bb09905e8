// Package command is what every command declares: its arguments, its exit codes, and flags for the configuration of a task.
package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
)

// NeedsCommand answers a bare or unknown command.
func NeedsCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	hint := fmt.Sprintf("see %s --help", c.CommandPath())
	if near := meant(c, args[0]); near != "" {
		hint = fmt.Sprintf("did you mean %s %s?", c.CommandPath(), near)
	}
	return fault.New(fault.Input, "unknown command %q", args[0]).WithHint("%s", hint)
}

// meant returns the command below c that a name stands for which c does not know, "" for none: one that has it in SuggestFor, else the
// nearest one. In a short name every letter counts.
func meant(c *cobra.Command, name string) string {
	for _, sub := range c.Commands() {
		if slices.Contains(sub.SuggestFor, name) {
			return sub.Name()
		}
	}
	if c.SuggestionsMinimumDistance = 2; len(name) < 4 {
		c.SuggestionsMinimumDistance = 1
	}
	if near := c.SuggestionsFor(name); len(near) > 0 {
		return near[0]
	}
	return ""
}

// Takes checks the number of arguments and names the missing one.
func Takes(least, most int, what string) cobra.PositionalArgs {
	return takes(least, most, what, "")
}

// TakesTask checks the number of arguments of a command on a task, and says where the ids of tasks are when there is none.
func TakesTask(most int) cobra.PositionalArgs {
	return takes(1, most, "the task", "`longshift list` shows the ids of tasks")
}

// takes checks the number of arguments. hint is for a missing one; "" names the help.
func takes(least, most int, what, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fault.New(fault.Input, "%s is missing", what).WithHint("%s", cmp.Or(hint, "see "+c.CommandPath()+" --help"))
		case len(args) > most && most == 0:
			return fault.New(fault.Input, "unexpected argument %q", args[0]).WithHint("see %s --help", c.CommandPath())
		case len(args) > most:
			return fault.New(fault.Input, "unexpected argument %q", args[most]).WithHint("put a text of several words in quotes")
		}
		return nil
	}
}

// Exits notes the exit codes of a command for its help and the reference.
func Exits(codes ...int) map[string]string {
	codes = append([]int{fault.ExitOK, fault.ExitUsage}, codes...)
	slices.Sort(codes)
	var lines []string
	for _, code := range slices.Compact(codes) {
		lines = append(lines, fmt.Sprintf("  %3d  %s", code, ExitMeanings[code]))
	}
	return map[string]string{"exits": strings.Join(lines, "\n")}
}

const UsageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} <command> [flags]{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{$cmds := .Commands}}{{if eq (len .Groups) 0}}{{if .HasAvailableSubCommands}}

Commands:{{range $cmds}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{else}}{{range $group := .Groups}}

{{.Title}}{{range $cmds}}{{if (and (eq .GroupID $group.ID) .IsAvailableCommand)}}
  {{rpad .Name .NamePadding }} {{.Short}}{{end}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{with index .Annotations "exits"}}

Exit codes:
{{.}}{{end}}
`

// ExitMeanings are the exit codes as help and documentation show them.
var ExitMeanings = map[int]string{
	fault.ExitOK:        "success; for a task: a pull request is open, or there was nothing to do",
	fault.ExitFailed:    "the task ended without a good outcome, or something broke",
	fault.ExitUsage:     "wrong flags or wrong input",
	fault.ExitNotFound:  "no such task, repository or file",
	fault.ExitConflict:  "the request came too late or names a stale plan revision",
	fault.ExitSuspended: "the task is suspended and waits for a person",
	fault.ExitServer:    "the Temporal server, a worker or a forge can't be reached",
	fault.ExitChecks:    "the task's work is done as far as it goes, and its check fails: the pull request is a draft",
	fault.ExitInterrupt: "interrupted; a task that was started continues",
}
