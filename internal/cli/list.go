package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

type listOptions struct {
	all           bool
	repo, outcome string
	limit         int
}

func (p *program) listCommand() *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use:         "list",
		Short:       "List tasks, running and ended, newest first",
		Long:        "List tasks, running and ended, newest first. How long ended tasks are kept is the namespace's retention.",
		Example:     "  longshift list\n  longshift list --repo acme/web --outcome pull_request --all\n  longshift list -o jsonl | jq -r 'select(.needsHuman) | .id'",
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return p.list(c.Context(), o) },
	}
	c.Flags().BoolVar(&o.all, "all", false, "without a limit")
	c.Flags().StringVar(&o.repo, "repo", "", "only this `repository`, as tasks name it")
	c.Flags().StringVar(&o.outcome, "outcome", "", "only tasks with this `outcome`: "+strings.Join(outcomes(), ", "))
	c.Flags().IntVar(&o.limit, "limit", 30, "how many tasks, `count`, at most")
	return c
}

func outcomes() []string {
	var names []string
	for _, o := range []task.Outcome{task.PullRequest, task.AlreadyDone, task.Declined, task.Rejected, task.AllBlocked, task.MaxIterations, task.ChecksFailed, task.Abandoned, task.Cancelled, task.Failed, task.PullMerged, task.PullClosed} {
		names = append(names, string(o))
	}
	return names
}

func (p *program) list(ctx context.Context, o listOptions) error {
	query, err := o.query()
	if err != nil {
		return err
	}
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	page := o.limit
	if o.all {
		page = 1000
	}
	rows := []row{}
	err = p.eachTask(ctx, c, query, page, func(r row) bool {
		rows = append(rows, r)
		return o.all || len(rows) < o.limit
	})
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		if err := p.checkAttributes(ctx, c); err != nil {
			return err
		}
	}
	return p.printRows(rows, "no tasks")
}

// query makes the visibility query of the flags.
func (o listOptions) query() (string, error) {
	if o.limit < 1 {
		return "", fault.New(fault.Input, "--limit %d: too small", o.limit).WithHint("give 1 or more, or --all")
	}
	query := allTasks
	if o.outcome != "" {
		if !slices.Contains(outcomes(), o.outcome) {
			return "", fault.New(fault.Input, "--outcome %q: unknown", o.outcome).WithHint("give one of %s", strings.Join(outcomes(), ", "))
		}
		query += " AND " + signals.AttrOutcome + " = " + quoted(o.outcome)
	}
	if o.repo != "" {
		query += " AND " + signals.AttrRepository + " = " + quoted(o.repo)
	}
	return query, nil
}

// quoted makes a string of the visibility query language.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// printRows prints tasks as a table. Nothing found is said on stderr, so that stdout stays data.
func (p *program) printRows(rows []row, none string) error {
	if len(rows) == 0 && p.format == formatText {
		p.say("%s", none)
		return nil
	}
	return p.print(rows, func() string { return p.fitted(rowTable(rows, p.clock.now())) })
}

// fitted cuts the lines of a table to the terminal, where there is one.
func (p *program) fitted(table string) string {
	if !p.streams.OutTTY || p.streams.Width == nil || p.streams.Width() < 20 {
		return table
	}
	lines := strings.SplitAfter(table, "\n")
	for i, l := range lines {
		if cut := fit(strings.TrimSuffix(l, "\n"), p.streams.Width()); l != "" {
			lines[i] = cut + "\n"
		}
	}
	return strings.Join(lines, "")
}

func rowTable(rows []row, now time.Time) string {
	cells := make([][]string, 0, len(rows))
	for _, r := range rows {
		ended := now
		if !r.Ended.IsZero() {
			ended = r.Ended
		}
		cells = append(cells, []string{r.ID, oneLine(r.Repository), r.state(now), usd(r.CostUSD), age(now.Sub(r.Started)), remaining(ended.Sub(r.Started)), oneLine(r.PullRequest)})
	}
	return table([]string{"TASK", "REPOSITORY", "STATE", "COST", "STARTED", "TOOK", "PULL REQUEST"}, cells)
}

// ago is an age with its word.
func ago(now, then time.Time) string { return fmt.Sprintf("%s ago", age(now.Sub(then))) }
