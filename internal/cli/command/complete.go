package command

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/longshift/longshift/task"
)

// configKeyOf finds the key that a flag sets in its help text.
var configKeyOf = regexp.MustCompile(`\(config ([A-Za-z.]+)\)$`)

// CompleteConfig has the shell complete the keys and values of --config, and the values of the flags that set one key, for a command and
// those below it.
func CompleteConfig(c *cobra.Command) {
	for _, below := range c.Commands() {
		CompleteConfig(below)
	}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "config" {
			_ = c.RegisterFlagCompletionFunc(f.Name, completePair) // fails only for an unknown flag
			return
		}
		key := configKeyOf.FindStringSubmatch(f.Usage)
		if key == nil {
			return
		}
		values := cobra.FixedCompletions(valuesOf(key[1]), cobra.ShellCompDirectiveNoFileComp)
		_ = c.RegisterFlagCompletionFunc(f.Name, values)
	})
}

// completePair completes key=value: first the key, with a line about it, then the value where there are a few.
func completePair(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if key, _, given := strings.Cut(typed, "="); given {
		var pairs []string
		for _, value := range valuesOf(key) {
			pairs = append(pairs, key+"="+value)
		}
		return pairs, cobra.ShellCompDirectiveNoFileComp
	}
	var keys []string
	for _, k := range task.ConfigKeys() {
		if strings.HasPrefix(k.Path, typed) {
			keys = append(keys, k.Path+"=\t"+k.Doc)
		}
	}
	return keys, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// valuesOf lists the values of a key, nil where any can be given.
func valuesOf(key string) []string {
	for _, k := range task.ConfigKeys() {
		switch {
		case k.Path != key:
		case k.Type == task.FlagKey:
			return []string{"true", "false"}
		default:
			return k.Choices
		}
	}
	return nil
}
