package cli

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

type listOptions struct {
	server  *server.Connector
	tasks   *tasks.Tasks
	printer *term.Printer
	find    func(ctx context.Context, given string) (repository string, err error)
	now     func() time.Time

	all           bool
	repo, outcome string
	limit         int
}

func newListCommand(f *factory) *cobra.Command {
	o := &listOptions{server: f.server, tasks: f.tasks, printer: f.printer, find: f.repositories.Find, now: f.clock.Now}
	c := &cobra.Command{
		Use:   "list",
		Short: "List tasks, running and ended, newest first",
		Long:  "List tasks, running and ended, newest first. How long ended tasks are kept is the namespace's retention.",
		Example: "  longshift list\n  longshift list --repo acme/web --outcome pull_request --all\n" +
			"  longshift list -o jsonl | jq -r 'select(.needsHuman) | .id'",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	c.Flags().BoolVar(&o.all, "all", false, "without a limit")
	c.Flags().StringVar(&o.repo, "repo", "", "only this `repository`: owner/name, a git URL or a folder")
	c.Flags().StringVar(&o.outcome, "outcome", "", "only tasks with this `outcome`: "+strings.Join(tasks.Outcomes(), ", "))
	c.Flags().IntVar(&o.limit, "limit", 30, "how many tasks, `count`, at most")
	return c
}

func (o *listOptions) run(ctx context.Context) error {
	if o.repo != "" {
		if found, err := o.find(ctx, o.repo); err == nil { // tasks may be left of one that is gone
			o.repo = found
		}
	}
	query, err := o.query()
	if err != nil {
		return err
	}
	c, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	limit := o.limit
	if o.all {
		limit = math.MaxInt
	}
	rows, err := o.tasks.Newest(ctx, c, query, limit)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		if err := o.tasks.CheckAttributes(ctx, c); err != nil {
			return err
		}
	}
	return printRows(o.printer, rows, o.now(), "no tasks")
}

// query makes the visibility query of the flags.
func (o *listOptions) query() (string, error) {
	if o.limit < 1 {
		return "", fault.New(fault.Input, "--limit %d: too small", o.limit).WithHint("give 1 or more, or --all")
	}
	query := tasks.AllTasks
	if o.outcome != "" {
		if !slices.Contains(tasks.Outcomes(), o.outcome) {
			return "", fault.New(fault.Input, "--outcome %q: unknown", o.outcome).WithHint("give one of %s", strings.Join(tasks.Outcomes(), ", "))
		}
		query += " AND " + tasks.WithOutcome(task.Outcome(o.outcome))
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
func printRows(p *term.Printer, rows []tasks.Row, now time.Time, none string) error {
	if len(rows) == 0 && p.IsText() {
		p.Say("%s", none)
		return nil
	}
	return p.Print(rows, func() string {
		return p.PaintLines(p.Fit(rowTable(rows, now, p.Columns())), func(n int) term.Style {
			switch {
			case n == 0:
				return term.Faint
			case n > len(rows):
				return ""
			case rows[n-1].Outcome == "" && rows[n-1].NeedsHuman:
				return term.Doubtful
			case rows[n-1].Outcome == task.Failed || rows[n-1].Outcome == task.ChecksFailed:
				return term.Bad
			}
			return ""
		})
	})
}

// wideList is the number of columns from which the list shows what can be done without.
const wideList = 120

// rowTable is the table of tasks. columns are those of the terminal, 0 for none.
func rowTable(rows []tasks.Row, now time.Time, columns int) string {
	wide := columns == 0 || columns >= wideList
	pick := func(id, repository, state, cost, started, took, pull string) []string {
		if !wide {
			return []string{id, state, cost, started, pull}
		}
		return []string{id, repository, state, cost, started, took, pull}
	}
	return term.TableOf(pick("TASK", "REPOSITORY", "STATE", "COST", "STARTED", "TOOK", "PULL REQUEST"), rows, func(r tasks.Row) []string {
		ended := now
		if !r.Ended.IsZero() {
			ended = r.Ended
		}
		return pick(r.ID, term.OneLine(r.Repository), r.State(now), term.USD(r.CostUSD), term.Age(now.Sub(r.Started)),
			term.Remaining(ended.Sub(r.Started)), term.OneLine(r.PullRequest))
	})
}
