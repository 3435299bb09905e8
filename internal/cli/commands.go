package cli

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/audit"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

type commandsOptions struct {
	config  *environ.Config
	printer *term.Printer
	now     func() time.Time
	read    func(ctx context.Context, path string, f audit.Filter) iter.Seq2[audit.Record, error]

	filter audit.Filter
	since  string
}

func newCommandsCommand(f *factory) *cobra.Command {
	o := &commandsOptions{config: f.config, printer: f.printer, now: f.clock.Now, read: f.wiring.Commands}
	c := &cobra.Command{
		Use:   "commands [task]",
		Short: "List what agents were allowed to do on this host, and what they ran",
		Long: `List the decisions on agents' tool calls and the commands that were run, newest last. They are kept in the data folder
of the host that ran the task; LONGSHIFT_DATA must be the worker's. No server is asked. A task may be named by a beginning
or an end of its id.`,
		Example: "  longshift commands\n  longshift commands x1y2z3 --decision deny\n  longshift commands --since 2h --contains \"git push\"\n" +
			"  longshift commands x1y2z3 -o jsonl | jq -r 'select(.exitCode > 0) | .command'",
		Args:              command.Takes(0, 1, ""),
		ValidArgsFunction: f.tasks.Complete,
		Annotations:       command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.filter.Task, o.filter.Partial = args[0], true
			}
			return o.run(c.Context())
		},
	}
	c.Flags().StringVar(&o.filter.Session, "session", "", "only this session, by its `id`")
	c.Flags().StringVar(&o.filter.Role, "role", "", "only sessions of this `role`, such as implementer")
	c.Flags().StringVar(&o.filter.Decision, "decision", "", "only calls with this decision: `allow`, ask or deny")
	c.Flags().StringVar(&o.filter.Rule, "rule", "", "only what this `rule` of the policy decided")
	c.Flags().StringVar(&o.filter.Contains, "contains", "", "only commands with this `text` in them")
	c.Flags().StringVar(&o.since, "since", "", "only from this `time` on: 2h, 7d or 2026-11-20T08:00:00Z")
	c.Flags().IntVar(&o.filter.Limit, "limit", 50, "how many records, `count`, at most; the newest ones")
	return c
}

func (o *commandsOptions) run(ctx context.Context) error {
	f, err := o.checked(o.now())
	if err != nil {
		return err
	}
	config, err := o.config.Read()
	if err != nil {
		return err
	}
	limit := f.Limit
	f.Limit++ // one more tells whether there are more
	var rows []commandRow
	for r, err := range o.read(ctx, filepath.Join(config.Data, audit.FileName), f) {
		if errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.NotFound, "no commands are recorded in %s", config.Data).
				WithHint("commands are kept on the host that ran the task; go there, or set LONGSHIFT_DATA to its worker's")
		}
		if err != nil {
			return err
		}
		rows = append(rows, commandRow(r))
	}
	if len(rows) > limit {
		rows = rows[len(rows)-limit:]
		o.printer.Say("older records are left out; --limit shows more")
	}
	if len(rows) == 0 && o.printer.IsText() {
		o.printer.Say("no such commands on this host; they are kept on the host that ran the task")
		return nil
	}
	return o.printer.Print(rows, func() string { return o.printer.Fit(commandTable(rows, o.filter.Task == "")) })
}

// checked makes a filter of the flags.
func (o *commandsOptions) checked(now time.Time) (audit.Filter, error) {
	f := o.filter
	if err := checkLimit(f.Limit); err != nil {
		return f, err
	}
	if f.Decision != "" && !slices.Contains(audit.Decisions(), audit.Decision(f.Decision)) {
		return f, fault.New(fault.Input, "--decision %q: unknown", f.Decision).WithHint("give allow, ask or deny")
	}
	if f.Role != "" && !slices.Contains(task.Roles(), task.Role(f.Role)) {
		return f, fault.New(fault.Input, "--role %q: unknown", f.Role).WithHint("give one of %s", roleNames())
	}
	var err error
	f.Since, err = sinceTime(o.since, now)
	return f, err
}

// checkLimit bounds how many records are read.
func checkLimit(n int) error {
	if n < 1 || n > 1_000_000 {
		return fault.New(fault.Input, "--limit %d: out of range", n).WithHint("give 1 to 1000000")
	}
	return nil
}

// sinceTime reads a moment: an age such as 2h or 7d, or a time.
func sinceTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	wrong := func(why string) error {
		return fault.New(fault.Input, "--since %q: %s", text, why).
			WithHint("give an age such as 90m, 2h or 7d, or a time such as %s", now.UTC().Truncate(time.Minute).Format(time.RFC3339))
	}
	if then, err := time.Parse(time.RFC3339, text); err == nil {
		if then.After(now) {
			return then, wrong("lies in the future")
		}
		return then, nil
	}
	age, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, convErr := strconv.ParseUint(days, 10, 16)
		age, err = time.Duration(n)*24*time.Hour, convErr
	}
	switch {
	case err != nil:
		return time.Time{}, wrong("neither an age nor a time")
	case age <= 0:
		return time.Time{}, wrong("no age above zero")
	}
	return now.Add(-age), nil
}
