package command

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/nearest"
)

// ExplainFlag says in one line what is wrong with a flag, and what to give.
func ExplainFlag(c *cobra.Command, err error) error {
	var (
		invalid *pflag.InvalidValueError
		missing *pflag.ValueRequiredError
		unknown *pflag.NotExistError
		help    = "see " + c.CommandPath() + " --help"
	)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return err
	case errors.As(err, &invalid):
		what, give := form(invalid.GetFlag().Value.Type())
		if what == "" {
			break
		}
		return fault.New(fault.Input, "--%s %q: not %s", invalid.GetFlag().Name, invalid.GetValue(), what).WithHint("give %s", give)
	case errors.As(err, &missing):
		name, _ := pflag.UnquoteUsage(missing.GetFlag())
		return fault.New(fault.Input, "--%s: its %s is missing", missing.GetFlag().Name, name).WithHint("%s", help)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if best := nearest.Name(unknown.GetSpecifiedName(), names); best != "" {
			help = "did you mean --" + best + "?"
		}
	}
	return fault.New(fault.Input, "%w", err).WithHint("%s", help)
}

// form says what the values of a type of flag are, and gives an example.
func form(typ string) (what, give string) {
	switch typ {
	case "int":
		return "a whole number", "digits, such as 3"
	case "float64":
		return "a number", "one such as 5 or 2.50"
	case "duration":
		return "a duration", "a number with a unit, such as 90s, 20m or 2h"
	case "bool":
		return "true or false", "one of them after a =, or the flag alone"
	}
	return "", ""
}
