package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/longshift/longshift/internal/cron"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/jobs"
)

func (p *program) cronCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "cron",
		Short: "Tasks that start again and again, by the clock: create, list, delete",
		Long: fmt.Sprintf(`Cron jobs start a task whenever their five fields say so. They are schedules on the Temporal server: they outlive every
restart, and need no process of yours. While the task of one run is not over, the next times are skipped; what was missed
because the server was down is made up for within %s. One person has at most %d.`, shortDuration(jobs.Catchup), jobs.Most),
		Example: `  longshift cron create "0 9 * * 1-5" "fix the flaky tests" --timezone Europe/Rome --repo acme/web
  longshift cron list
  longshift cron delete 1`,
		Args:        cobra.ArbitraryArgs,
		Annotations: exits(),
		RunE:        needsCommand,
	}
	c.AddCommand(p.cronCreateCommand(), p.cronListCommand(), p.cronDeleteCommand())
	return c
}

func (p *program) cronCreateCommand() *cobra.Command {
	var o runOptions
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
		Args:        takes(2, 2, "the schedule or the task"),
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			return p.cronCreate(c.Context(), c, &o, args[0], zone, args[1:])
		},
	}
	c.Flags().StringVar(&zone, "timezone", cron.UTC, "time `zone` of the schedule, such as Europe/Rome")
	o.targetOptions.define(c.Flags(), ", else the current workspace")
	c.Flags().StringVar(&o.base, "base", "", "`branch` to start from and to merge into (default: the repository's own)")
	c.Flags().StringArrayVarP(&o.config, "config", "c", nil, "configuration of each task, `key=value`; repeatable")
	c.Flags().StringVar(&o.configFile, "config-file", "", "configuration of each task, a JSON or YAML `file`")
	return c
}

func (p *program) cronCreate(ctx context.Context, c *cobra.Command, o *runOptions, schedule, zone string, words []string) error {
	if _, err := cron.Parse(schedule); err != nil {
		return err
	}
	if _, err := cron.Zone(zone); err != nil {
		return err
	}
	if strings.TrimSpace(words[0]) == "" {
		return fault.New(fault.Input, "the task is empty").WithHint("say in words what is to be done")
	}
	in, err := p.input(ctx, c, o, words)
	if err != nil {
		return err
	}
	if t := o.forge; t != nil { // the base is what it is at each time
		standing, err := p.reach(ctx, t, &in)
		if err != nil {
			return err
		}
		if err := p.tellWhere(ctx, t, &in, standing); err != nil {
			return err
		}
	}
	cl, err := p.client(ctx)
	if err != nil {
		return err
	}
	j, err := jobs.Book{Client: cl}.Create(ctx, jobs.Request{User: p.cronUser(), Expression: schedule, TimeZone: zone, Input: in})
	if unreachable(err) {
		return fault.New(fault.Infra, "the Temporal server at %s does not answer; the cron job may have been made", shownAddress(p.address)).WithHint("see `longshift cron list` when it is back")
	}
	if err != nil {
		return p.explain(err, j.ID)
	}
	return p.print(j, func() string { return cronText(j, p.clock.now()) })
}

// cronUser is whose cron jobs are meant: those of the user of this machine.
func (p *program) cronUser() string { return "cli:" + p.by() }

func (p *program) cronListCommand() *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:         "list",
		Short:       "List your cron jobs: when they come next, and how they went last",
		Example:     "  longshift cron list\n  longshift cron list --all -o jsonl | jq -r 'select(.skipped > 0) | .id'",
		Args:        takes(0, 0, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, _ []string) error { return p.cronList(c.Context(), all) },
	}
	c.Flags().BoolVar(&all, "all", false, "those of everybody, also of chats")
	return c
}

func (p *program) cronList(ctx context.Context, everybody bool) error {
	cl, err := p.client(ctx)
	if err != nil {
		return err
	}
	book, list := jobs.Book{Client: cl}, []jobs.Job(nil)
	if everybody {
		list, err = book.All(ctx)
	} else {
		list, err = book.List(ctx, p.cronUser())
	}
	if err != nil {
		return p.explain(err, "")
	}
	if len(list) == 0 && p.format == formatText {
		p.say("no cron jobs")
		return nil
	}
	return p.print(list, func() string { return p.fitted(cronTable(list, everybody, p.clock.now())) })
}

func (p *program) cronDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "delete <id>",
		Short:       "Delete a cron job; tasks that it has started go on",
		Long:        "Delete a cron job: one of yours by its id or its number, one of anybody by its whole id. Tasks that it has started go on.",
		Example:     "  longshift cron delete 1\n  longshift cron delete cron-ann-1a2b3c4d-01",
		Args:        takes(1, 1, "the id of the cron job"),
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitServer, fault.ExitInterrupt),
		RunE:        func(c *cobra.Command, args []string) error { return p.cronDelete(c.Context(), args[0]) },
	}
}

func (p *program) cronDelete(ctx context.Context, id string) error {
	cl, err := p.client(ctx)
	if err != nil {
		return err
	}
	book := jobs.Book{Client: cl}
	j, err := book.Delete(ctx, p.cronUser(), id)
	if fault.KindOf(err) == fault.NotFound && strings.HasPrefix(id, "cron-") { // whoever reaches the server is its operator
		j, err = book.DeleteAny(ctx, id)
	}
	if err != nil {
		return p.explain(err, id)
	}
	return p.print(map[string]string{"deleted": j.ID}, func() string { return "deleted " + j.ID + "\n" })
}
