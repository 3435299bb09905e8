package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

func (p *program) runCommand() *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run <task>",
		Short: "Start a task and follow it",
		Long: `Start a task and follow it to its end. Ctrl-C leaves the task running.

In a clone from GitHub the task works on GitHub, with the token of LONGSHIFT_GITHUB_TOKEN, GH_TOKEN, GITHUB_TOKEN or gh, and opens the
pull request there: in the repository that gh would take. GITHUB_REPO names another one. With --fork the token needs no write access.
Elsewhere, and with --local, it works in the folder.

On a terminal the plan is shown when it is ready, and a key decides: a approves, e edits, r rejects.
Without a terminal the command ends with exit code 5 when the task is suspended, unless --wait is given.`,
		Example: `  longshift run "fix the failing tests"
  longshift run "add a --json flag to list" --repo acme/web --budget 5 --time 60m
  longshift run --file task.md --approval required --check "go test ./..."
  longshift run --issue 42 --repo acme/web --detach`,
		Args:        takes(0, 1, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitSuspended, fault.ExitServer, fault.ExitChecks, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			return p.run(c.Context(), c, &o, args)
		},
	}
	o.define(c)
	c.Flags().BoolVarP(&o.detach, "detach", "d", false, "print the id and leave")
	c.Flags().BoolVar(&o.wait, "wait", false, "without a terminal: stay while the task is suspended")
	return c
}

func (p *program) run(ctx context.Context, c *cobra.Command, o *runOptions, args []string) error {
	conf, err := p.config()
	if err != nil {
		return err
	}
	in, err := p.input(ctx, c, o, args)
	if err != nil {
		return err
	}
	if o.forge != nil {
		err = p.settleForge(ctx, o.forge, &in)
	} else {
		err = p.settle(ctx, &in)
	}
	if err != nil {
		return err
	}
	id := o.id
	if id == "" {
		if id, err = newTaskID(in, forgeHost(conf)); err != nil {
			return err
		}
	}
	if err := checkID(id); err != nil {
		return err
	}
	cl, err := p.client(ctx)
	if err != nil {
		return err
	}
	run, err := p.start(ctx, cl, id, in)
	if err != nil {
		return err
	}
	if o.detach {
		return p.print(started{id, run}, func() string { return id + "\n" })
	}
	p.greet(id, run)
	return p.followTask(ctx, cl, found{id: id, run: run}, o.wait)
}

// greet says what was started and where it can be seen.
func (p *program) greet(id, run string) {
	if p.format != formatText {
		return
	}
	p.say("task %s", id)
	p.say("%s", p.page(id, run))
}

// followTask follows a task and ends with the exit code of its outcome.
func (p *program) followTask(ctx context.Context, cl client.Client, t found, wait bool) error {
	f := p.follower(t.id, cl)
	f.wait = wait
	status, err := f.follow(ctx, &watcher{client: cl, id: t.id, run: t.run, clock: p.clock})
	if err != nil && (status == nil || !isEnded(status)) {
		return err
	}
	if err != nil && status.Detail == err.Error() {
		status.Detail = "" // the error says it
	}
	if printed := p.printEnd(status); printed != nil {
		return printed
	}
	return ending(status, err)
}

func isEnded(status *signals.Status) bool { return status.Phase == task.Ended }

// printEnd prints the last status: as text, or as the one document of json, or as the last line of jsonl.
func (p *program) printEnd(status *signals.Status) error {
	if p.format == formatJSONL {
		return p.encode(map[string]any{"type": "end", "status": status}, "")
	}
	return p.printSummary(status)
}

// ending is the error, if any, that a task's outcome means for the exit code.
func ending(status *signals.Status, err error) error {
	switch {
	case err != nil:
		return err
	case status.Outcome.Good():
		return nil
	case status.Outcome == task.ChecksFailed:
		return exit{fault.ExitChecks}
	}
	return exit{fault.ExitFailed}
}

// endOf is when a task ended: the time of its last log line.
func endOf(status *signals.Status, now time.Time) time.Time {
	if n := len(status.Log); n > 0 && isEnded(status) {
		return status.Log[n-1].Time
	}
	return now
}
