package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/longshift/longshift/internal/fault"
)

// needsCommand answers a bare or unknown command.
func needsCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	hint := fmt.Sprintf("see %s --help", c.CommandPath())
	c.SuggestionsMinimumDistance = 2
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s %s?", c.CommandPath(), near[0])
	}
	return fault.New(fault.Input, "unknown command %q", args[0]).WithHint("%s", hint)
}

// explainFlag makes one line of a wrong flag.
func explainFlag(c *cobra.Command, err error) error {
	if err == pflag.ErrHelp {
		return err
	}
	return fault.New(fault.Input, "%w", err).WithHint("see %s --help", c.CommandPath())
}

// takes checks the number of arguments and names the missing one.
func takes(least, most int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fault.New(fault.Input, "%s is missing", what).WithHint("see %s --help", c.CommandPath())
		case len(args) > most && most == 0:
			return fault.New(fault.Input, "unexpected argument %q", args[0]).WithHint("see %s --help", c.CommandPath())
		case len(args) > most:
			return fault.New(fault.Input, "unexpected argument %q", args[most]).WithHint("put a text of several words in quotes")
		}
		return nil
	}
}

// exits notes the exit codes of a command for its help and the reference.
func exits(codes ...int) map[string]string {
	codes = append([]int{fault.ExitOK, fault.ExitUsage}, codes...)
	slices.Sort(codes)
	var lines []string
	for _, code := range slices.Compact(codes) {
		lines = append(lines, fmt.Sprintf("  %3d  %s", code, exitMeanings[code]))
	}
	return map[string]string{"exits": strings.Join(lines, "\n")}
}

const usageTemplate = `Usage:{{if .Runnable}}
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
