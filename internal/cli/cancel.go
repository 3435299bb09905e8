package cli

import (
	"context"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

func (p *program) cancelCommand() *cobra.Command {
	var reason string
	var wait bool
	c := &cobra.Command{
		Use:   "cancel <task>",
		Short: "Cancel a running task",
		Long: `Cancel a running task. Its agent is stopped and its workspace is kept for a while.
The task ends when its worker has stopped what runs; --wait stays until then.`,
		Example:           "  longshift cancel acme-web-fix-login-x1y2z3\n  longshift cancel x1y2z3 --reason \"wrong branch\" --wait",
		Args:              takes(1, 1, "the task"),
		ValidArgsFunction: p.completeTask,
		Annotations:       exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitConflict, fault.ExitServer, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			return p.cancel(c.Context(), args[0], reason, wait)
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "`why`; kept in the task's history")
	c.Flags().BoolVar(&wait, "wait", false, "stay until the task has ended")
	return c
}

func (p *program) cancel(ctx context.Context, given, reason string, wait bool) error {
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	f, err := p.find(ctx, c, given)
	if err != nil {
		return err
	}
	if err := f.stillRunning(); err != nil {
		return err
	}
	if reason == "" {
		reason = "cancelled by " + p.by()
	}
	call, cancel := answer(ctx)
	err = c.CancelWorkflowWithOptions(call, client.CancelWorkflowOptions{WorkflowID: f.id, RunID: f.run, Reason: reason})
	cancel()
	if err != nil {
		return p.refused(err, f.id)
	}
	if !wait {
		text := "cancel requested; its worker stops what runs"
		return p.print(delivery{Task: f.id, Via: viaCancel, Text: text}, func() string { return f.id + ": " + text + "\n" })
	}
	return p.ended(ctx, c, f)
}

// ended waits until the task has ended and prints its last status.
func (p *program) ended(ctx context.Context, c watched, f found) error {
	w := &watcher{client: c, id: f.id, run: f.run, clock: p.clock}
	var last snapshot
	said := noTrouble
	for last = range w.watch(ctx) {
		if last.trouble != said && last.trouble == noWorker {
			p.say("no worker is answering; the task ends when one is back")
		}
		said = last.trouble
	}
	if !last.closed {
		return errInterrupted
	}
	if last.status == nil {
		return last.err
	}
	return p.printSummary(last.status)
}

func (p *program) printSummary(status *signals.Status) error {
	return p.print(status, func() string { return summaryText(status, endOf(status, p.clock.now())) })
}
