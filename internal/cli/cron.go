package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/schedule/cron"
	"github.com/longshift/longshift/internal/schedule/jobs"
	"github.com/longshift/longshift/task"
)

// cronOptions are what the commands of cron use.
type cronOptions struct {
	server  *server.Connector
	printer *term.Printer
	reader  *inputReader
	clones  *cloneCheck
	forges  *forgeCheck
	now     func() time.Time
	user    string // whose cron jobs are meant: those of the user of this machine
}

func newCronCommand(f *factory) *cobra.Command {
	o := &cronOptions{f.server, f.printer, newInputReader(f), newCloneCheck(f), newForgeCheck(f), f.clock.Now, "cli:" + f.env.User()}
	c := &cobra.Command{
		Use:   "cron",
		Short: "Tasks that start again and again, by the clock: create, list, delete",
		Long: fmt.Sprintf(`Cron jobs start tasks on a cron schedule. They are schedules on the Temporal server: they outlive every
restart, and need no process of yours. While the task of one run is not over, the next times are skipped; what was missed
because the server was down is made up for within %s. One person has at most %d.`, task.Duration(jobs.Catchup), jobs.Most),
		Example: `  longshift cron create "0 9 * * 1-5" "fix the flaky tests" --timezone Europe/Rome --repo acme/web
  longshift cron list
  longshift cron delete 1`,
		Args:        cobra.ArbitraryArgs,
		Annotations: command.Exits(),
		RunE:        command.NeedsCommand,
	}
	c.AddCommand(o.createCommand(), o.listCommand(), o.deleteCommand())
	return c
}

func (o *cronOptions) createCommand() *cobra.Command {
	var in inputFlags
	zone := ""
	c := &cobra.Command{
		Use:   "create <schedule> <task>",
		Short: "Create a cron job",
		Long: `Create a cron job. The schedule has five fields: minute, hour, day of the month, month, day of the week; or it is
@hourly, @daily, @weekly, @monthly or @yearly. Where both fields of days name some, a day has to fit one of them.
Everything is checked before anything is stored. The next times that are printed are the server's own.

In the night when clocks go forward, a time that does not exist is left out. When they go back, one in the hour that comes
twice is taken once or twice.`,
		Example: `  longshift cron create "0 9 * * 1-5" "fix the flaky tests" --timezone Europe/Rome
  longshift cron create @weekly "update the dependencies" --repo acme/web --base next -c budget.cost=5`,
		Args:        command.Takes(2, 2, "the schedule or the task"),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			return o.create(c, &in, args[0], zone, args[1:])
		},
	}
	c.Flags().StringVar(&zone, "timezone", cron.UTC, "time `zone` of the schedule, such as Europe/Rome")
	in.target.define(c.Flags(), ", else the current workspace")
	c.Flags().StringVar(&in.base, "base", "", "`branch` to start from and to merge into (default: the repository's own)")
	in.config.Define(c.Flags(), "each task")
	return c
}

func (o *cronOptions) create(c *cobra.Command, flags *inputFlags, schedule, zone string, words []string) error {
	ctx := c.Context()
	if _, err := cron.Parse(schedule); err != nil {
		return err
	}
	if _, err := cron.Zone(zone); err != nil {
		return err
	}
	if strings.TrimSpace(words[0]) == "" {
		return fault.New(fault.Input, "the task is empty").WithHint("say in words what to do")
	}
	in, err := o.reader.input(ctx, c, flags, words)
	if err != nil {
		return err
	}
	if err := o.check(ctx, flags.target.forge, in); err != nil {
		return err
	}
	cl, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	j, err := jobs.Book{Client: cl}.Create(ctx, jobs.Request{User: o.user, Expression: schedule, TimeZone: zone, Input: in})
	if server.Unreachable(err) {
		return fault.New(fault.Infra, "the Temporal server at %s does not answer; the cron job may have been made", o.server.Address()).
			WithHint("see `longshift cron list` when it is back")
	}
	if err != nil {
		return o.server.Explain(err, j.ID)
	}
	return o.printer.Print(j, func() string { return cronText(j, o.now()) })
}

// check refuses what no task could be started with now. It settles no base: that of a job is what it is at each time.
func (o *cronOptions) check(ctx context.Context, t *forgeTarget, in task.Input) error {
	if t == nil {
		_, err := o.clones.settle(ctx, &in)
		return err
	}
	standing, err := o.forges.reach(ctx, t, &in)
	if err == nil {
		_, err = o.forges.usable(ctx, t, standing)
	}
	if err != nil {
		return err
	}
	return o.forges.printTarget(ctx, t, &in, standing)
}

func (o *cronOptions) listCommand() *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:         "list",
		Short:       "List your cron jobs: when they come next, and how they went last",
		Example:     "  longshift cron list\n  longshift cron list --all -o jsonl | jq -r 'select(.skipped > 0) | .id'",
		Args:        command.Takes(0, 0, ""),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return o.list(c.Context(), all) },
	}
	c.Flags().BoolVar(&all, "all", false, "those of everybody, also of chats")
	return c
}

func (o *cronOptions) list(ctx context.Context, everybody bool) error {
	cl, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	book, list := jobs.Book{Client: cl}, []jobs.Job(nil)
	if everybody {
		list, err = book.All(ctx)
	} else {
		list, err = book.List(ctx, o.user)
	}
	if err != nil {
		return o.server.Explain(err, "")
	}
	if len(list) == 0 && o.printer.IsText() {
		o.printer.Say("no cron jobs")
		return nil
	}
	return o.printer.Print(list, func() string { return o.printer.Fit(cronTable(list, everybody, o.now())) })
}

func (o *cronOptions) deleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "delete <id>",
		Short:       "Delete a cron job; tasks that it has started go on",
		Long:        "Delete a cron job: one of yours by its id or its number, one of anybody by its whole id. Tasks that it has started go on.",
		Example:     "  longshift cron delete 1\n  longshift cron delete cron-ann-1a2b3c4d-01",
		Args:        command.Takes(1, 1, "the id of the cron job"),
		Annotations: command.Exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, args []string) error { return o.remove(c.Context(), args[0]) },
	}
}

func (o *cronOptions) remove(ctx context.Context, id string) error {
	cl, err := o.server.Connect(ctx)
	if err != nil {
		return err
	}
	book := jobs.Book{Client: cl}
	j, err := book.Delete(ctx, o.user, id)
	if fault.KindOf(err) == fault.NotFound && strings.HasPrefix(id, "cron-") { // whoever reaches the server is its operator
		j, err = book.DeleteAny(ctx, id)
	}
	if err != nil {
		return o.server.Explain(err, id)
	}
	return o.printer.Print(map[string]string{"deleted": j.ID}, func() string { return "deleted " + j.ID + "\n" })
}
