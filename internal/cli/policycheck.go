package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/setup"
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

// policyRow is a command to decide on, as --jsonl reads it. What a row does not say comes from the flags.
type policyRow struct {
	Command     *string    `json:"command"`
	Role        string     `json:"role"`
	Profiles    stringList `json:"profiles"`
	Destructive *bool      `json:"destructive"`
}

// policyVerdict is the decision on a command.
type policyVerdict struct {
	Command string         `json:"command"`
	Verdict policy.Verdict `json:"verdict"`
	Rule    string         `json:"rule"`
	Reason  string         `json:"reason"`
	Part    string         `json:"part,omitempty"`
}

// stringList reads a list, or its items in one text with commas.
type stringList []string

func (l *stringList) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*l = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
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

// mostRow is how long a row may be, in bytes.
const mostRow = 16 << 20

func (c *policyCheck) rows(ctx context.Context, d decider, o policyOptions) error {
	lines := bufio.NewScanner(c.streams.Until(ctx))
	lines.Buffer(make([]byte, 64<<10), mostRow)
	var wrong []error
	for n := 1; lines.Scan(); n++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		v, err := d.row(lines.Bytes(), o)
		out := any(v)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("line %d %w", n, err))
			out = wrongRow{n, term.FailureOf(wrong[len(wrong)-1])}
		}
		if err := c.printer.Encode(out, ""); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
	}
	if err := lines.Err(); errors.Is(err, term.ErrInterrupted) {
		return err
	} else if err != nil {
		return fault.New(fault.Input, "read standard input: %w", err)
	}
	if len(wrong) > 1 {
		return fmt.Errorf("%d rows are wrong, the first: %w", len(wrong), wrong[0])
	}
	return errors.Join(wrong...)
}

// wrongRow replaces a row that can't be decided on.
type wrongRow struct {
	Line  int          `json:"line"`
	Error term.Failure `json:"error"`
}

// row decides on a line of JSON.
func (d decider) row(line []byte, o policyOptions) (policyVerdict, error) {
	var row policyRow
	if err := json.Unmarshal(line, &row); err != nil {
		return policyVerdict{}, fault.New(fault.Input, "is no row: %s", wrongJSON(err)).
			WithHint(`give one JSON object a line, such as {"command":"ls"}`)
	}
	if row.Command == nil || strings.TrimSpace(*row.Command) == "" {
		return policyVerdict{}, fault.New(fault.Input, "has no command").WithHint(`give one JSON object a line, such as {"command":"ls"}`)
	}
	v, err := d.decide(row, o)
	if err != nil {
		return v, fmt.Errorf("can't be decided on: %w", err)
	}
	return v, nil
}

// wrongJSON says what is wrong with a row, without the names of our types.
func wrongJSON(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Sprintf("%q is a %s", kind.Field, kind.Value)
	}
	return err.Error()
}

// decider holds the policies that rows ask for.
type decider struct {
	base policy.Config
	made map[string]*policy.Policy
}

func (d decider) decide(row policyRow, o policyOptions) (policyVerdict, error) {
	role := task.Role(row.Role)
	if role == "" {
		role = task.Role(o.role)
	}
	if !slices.Contains(task.Roles(), role) {
		return policyVerdict{}, fault.New(fault.Input, "the role %q is not known", role).WithHint("use %s", roleNames())
	}
	profiles, destructive := []string(row.Profiles), o.destructive
	if row.Profiles == nil {
		profiles = o.profiles
	}
	if row.Destructive != nil {
		destructive = *row.Destructive
	}
	one, err := d.policy(profiles, destructive)
	if err != nil {
		return policyVerdict{}, err
	}
	dir := checkRoot
	if o.dir != "" {
		dir += "/" + o.dir
	}
	v := one.Decide(policy.Request{Role: role, Dir: dir, Command: *row.Command, Restorable: anyPath})
	return policyVerdict{Command: *row.Command, Verdict: v.Verdict, Rule: v.Rule, Reason: v.Reason, Part: v.Part}, nil
}

// anyPath takes every path for one that git can restore.
func anyPath(string) bool { return true }

func (d decider) policy(profiles []string, destructive bool) (*policy.Policy, error) {
	key := fmt.Sprint(strings.Join(profiles, ","), destructive)
	if p, ok := d.made[key]; ok {
		return p, nil
	}
	c := d.base
	c.Destructive = destructive
	if profiles != nil {
		for _, name := range profiles {
			if !slices.Contains(task.Profiles(), name) {
				return nil, fault.New(fault.Input, "the tool chain %q is not known", name).WithHint("use %s", strings.Join(task.Profiles(), ", "))
			}
		}
		c.Profiles = slices.DeleteFunc(slices.Clone(profiles), func(p string) bool { return p == task.ProfileNone })
	}
	p, err := policy.New(c)
	if err == nil {
		d.made[key] = p
	}
	return p, err
}

// decideInSandbox decides on commands of implementers as a worker does, in its sandbox.
func decideInSandbox(read func(process config.Config, sandboxed bool) (policy.Config, error)) setup.Decider {
	return func(process config.Config) (func(string) (policy.Verdict, string, error), error) {
		base, err := read(process, true)
		if err != nil {
			return nil, err
		}
		base.Root, base.Home = checkRoot, checkHome
		d := decider{base: base, made: map[string]*policy.Policy{}}
		return func(command string) (policy.Verdict, string, error) {
			v, err := d.decide(policyRow{Command: &command, Destructive: &base.Destructive}, policyOptions{role: string(task.Implementer)})
			return v.Verdict, v.Reason, err
		}, nil
	}
}
