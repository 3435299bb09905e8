package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/task"
)

// policyOptions is what a decision depends on beside the command.
type policyOptions struct {
	role, dir                   string
	profiles                    []string
	destructive, sandbox, jsonl bool
}

// policyCheck is what policy check uses.
type policyCheck struct {
	streams term.Streams
	config  *environ.Config
	printer *term.Printer
	policy  func(process config.Config, sandboxed bool) (policy.Config, error)
}

// policyVerdict is the decision on a command.
type policyVerdict struct {
	Command string         `json:"command"`
	Verdict policy.Verdict `json:"verdict"`
	Rule    string         `json:"rule"`
	Reason  string         `json:"reason"`
	Part    string         `json:"part,omitempty"`
}

func newPolicyCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "Explain what agents may run", Example: "  longshift policy check 'git push origin main'",
		Args: cobra.ArbitraryArgs, RunE: command.NeedsCommand, Annotations: command.Exits(),
	}
	c.AddCommand(newPolicyCheckCommand(f))
	return c
}

func newPolicyCheckCommand(f *factory) *cobra.Command {
	check := &policyCheck{f.streams, f.config, f.printer, f.wiring.Policy}
	var o policyOptions
	c := &cobra.Command{
		Use:   "check <command>",
		Short: "Say whether an agent may run a command, and why",
		Long: `Say whether an agent may run a command, and why: allow, ask (a person decides) or deny. Nothing is run.
Nobody is asked for a role other than implementer: what a person would have to decide is denied.
The decision is made by this machine's rules (LONGSHIFT_POLICY, LONGSHIFT_PROFILES, LONGSHIFT_DESTRUCTIVE) for the bare
machine; --sandbox decides as a worker does, whose sandbox has a /tmp, a loopback and registries of its own, and where
what only runs code inside of it needs no person.
With --jsonl a wrong row has {"line":N,"error":{...}} in its place, the rows behind it are decided on, and the exit code
is 2.`,
		Example: "  longshift policy check 'npm test 2>&1 | tail'\n  longshift policy check --role reviewer 'make deploy' -o json\n" +
			"  longshift policy check --jsonl < commands.jsonl",
		Args:        command.Takes(0, 1, ""),
		Annotations: command.Exits(fault.ExitFailed),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case o.jsonl && len(args) > 0:
				return fault.New(fault.Input, "--jsonl reads the commands from standard input, and one is given").WithHint("leave one of the two out")
			case !o.jsonl && len(args) == 0:
				return fault.New(fault.Input, "the command is missing").WithHint("for example: longshift policy check 'git status'")
			}
			return check.run(c.Context(), o, args)
		},
	}
	c.Flags().StringVar(&o.role, "role", string(task.Implementer), "`role` of the agent: "+roleNames())
	c.Flags().StringSliceVar(&o.profiles, "profiles", nil, "tool `chains` (comma list; default: those of LONGSHIFT_PROFILES)")
	c.Flags().BoolVar(&o.destructive, "destructive", false, "as where agents may remove and move files")
	c.Flags().StringVar(&o.dir, "dir", "", "`folder` below the workspace that the command would run in")
	c.Flags().BoolVar(&o.sandbox, "sandbox", false, "decide as inside a worker's sandbox")
	c.Flags().BoolVar(&o.jsonl, "jsonl", false,
		"read rows with a \"command\" (and \"role\", \"profiles\", \"destructive\") from standard input, print one row each")
	return c
}

func roleNames() string {
	var names []string
	for _, r := range task.Roles() {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}

// checkRoot and checkHome stand for the workspace and the agent's home: decisions are made on paths alone.
const (
	checkRoot = "/workspace"
	checkHome = "/home/agent"
)

func (c *policyCheck) run(ctx context.Context, o policyOptions, args []string) error {
	conf, err := c.config.Read()
	if err != nil {
		return err
	}
	base, err := c.policy(conf, o.sandbox)
	if err != nil {
		return err
	}
	base.Root, base.Home = checkRoot, checkHome
	d := decider{base: base, made: map[string]*policy.Policy{}}
	if o.jsonl {
		return c.rows(ctx, d, o)
	}
	v, err := d.decide(policyRow{Command: &args[0]}, o)
	if err != nil {
		return err
	}
	return c.printer.Print(v, func() string {
		return c.printer.Facts("", "Verdict", string(v.Verdict), "Rule", v.Rule, "Reason", term.Plain(v.Reason), "Part", term.OneLine(v.Part))
	})
}
