package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

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

On a terminal the plan is shown when it is ready, and a key decides: a approves, e edits, r rejects.
Without a terminal the command ends with exit code 5 when the task is suspended, unless --wait is given.`,
		Example: `  longshift run "fix the failing tests"
  longshift run "add a --json flag to list" --repo acme/web --budget 5 --time 60m
  longshift run --file task.md --approval required --check "go test ./..."
  longshift run --issue 42 --repo acme/web --detach`,
		Args:        takes(0, 1, ""),
		Annotations: exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitSuspended, fault.ExitServer, fault.ExitInterrupt),
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
	if _, err := p.config(); err != nil {
		return err
	}
	in, err := p.input(ctx, c, o, args)
	if err != nil {
		return err
	}
	id := o.id
	if id == "" {
		if id, err = newTaskID(in); err != nil {
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

// started is what --detach prints.
type started struct {
	ID    string `json:"id"`
	RunID string `json:"runId"`
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
	}
	return exit{fault.ExitFailed}
}

// starter is what starting a task needs of the client.
type starter interface {
	ExecuteWorkflow(ctx context.Context, options client.StartWorkflowOptions, workflow any, args ...any) (client.WorkflowRun, error)
}

// start starts the task's workflow and gives the id of its run.
func (p *program) start(ctx context.Context, c starter, id string, in task.Input) (string, error) {
	repository, err := task.ParseRepository(in.Repository)
	if err != nil {
		return "", err
	}
	call, cancel := answer(ctx)
	defer cancel()
	run, err := c.ExecuteWorkflow(call, client.StartWorkflowOptions{
		ID: id, TaskQueue: signals.Queue, WorkflowExecutionErrorWhenAlreadyStarted: true,
		StaticSummary: clip(firstLine(in.Task), 200), StaticDetails: startDetails(in),
		TypedSearchAttributes: temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyKeyword(signals.AttrRepository).ValueSet(clip(repository.Text, 255)),
			temporal.NewSearchAttributeKeyKeyword(signals.AttrPhase).ValueSet(string(task.Preparing)),
		),
	}, signals.CodingTask, in)
	var exists *serviceerror.WorkflowExecutionAlreadyStarted
	switch {
	case err == nil:
		return run.GetRunID(), nil
	case errors.As(err, &exists):
		return "", fault.New(fault.Conflict, "task %s is running already", id).WithHint("follow it with `longshift status -f %s`, or give another --id", id)
	case ctx.Err() != nil:
		p.say("interrupted while starting; the task may run: longshift status %s", id)
		return "", exit{fault.ExitInterrupt}
	}
	return "", p.explain(err, id)
}

// startDetails is the Markdown that Temporal Web shows at the top of the task.
func startDetails(in task.Input) string {
	text := fmt.Sprintf("**Repository** %s\n\n", in.Repository)
	if in.RequestedBy != nil && in.RequestedBy.Name != "" {
		text += fmt.Sprintf("**Requested by** %s\n\n", in.RequestedBy.Name)
	}
	return text + clip(plain(in.Task), 16000)
}

// checkID refuses ids that web pages and folders could not carry.
func checkID(id string) error {
	if len(id) > 200 {
		return fault.New(fault.Input, "--id: longer than 200 bytes").WithHint("give a short one")
	}
	for _, r := range id {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.', r == ':':
		default:
			return fault.New(fault.Input, "--id %q: holds %q", id, r).WithHint("use letters, digits and - _ . : only")
		}
	}
	return nil
}

// endOf is when a task ended: the time of its last log line.
func endOf(status *signals.Status, now time.Time) time.Time {
	if n := len(status.Log); n > 0 && isEnded(status) {
		return status.Log[n-1].Time
	}
	return now
}
