package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

func (p *program) statusCommand() *cobra.Command {
	var follow, wait bool
	c := &cobra.Command{
		Use:   "status [task]",
		Short: "Show what runs, or how one task stands",
		Long: `Without a task: a table of all running tasks, read from the server alone.
With a task: how it stands; -f follows it as run does. A task may be named by a beginning or an end of its
id that no other running task has.`,
		Example:           "  longshift status\n  longshift status x1y2z3\n  longshift status -f acme-web-fix-login-x1y2z3",
		Args:              takes(0, 1, ""),
		ValidArgsFunction: p.completeTask,
		Annotations:       exits(fault.ExitFailed, fault.ExitNotFound, fault.ExitSuspended, fault.ExitServer, fault.ExitChecks, fault.ExitInterrupt),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && follow:
				return fault.New(fault.Input, "the task to follow is missing").WithHint("see `longshift status` for the running ones")
			case len(args) == 0:
				return p.statusTable(c.Context())
			}
			return p.status(c.Context(), args[0], follow, wait)
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "follow the task to its end")
	c.Flags().BoolVar(&wait, "wait", false, "with -f and without a terminal: stay while the task is suspended")
	return c
}

func (p *program) statusTable(ctx context.Context) error {
	c, err := p.client(ctx)
	if err != nil {
		return err
	}
	rows := []row{}
	err = p.eachTask(ctx, c, runningTasks, 1000, func(r row) bool {
		rows = append(rows, r)
		return true
	})
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		if err := p.checkAttributes(ctx, c); err != nil {
			return err
		}
	}
	return p.printRows(rows, "no task is running")
}

func (p *program) status(ctx context.Context, given string, follow, wait bool) error {
	c, f, err := p.lookUp(ctx, given)
	if err != nil {
		return err
	}
	if follow {
		p.greet(f.id, f.run)
		return p.followTask(ctx, c, f, wait)
	}
	w, err := p.once(ctx, c, f)
	if err != nil {
		return err
	}
	return p.print(w.status, func() string { return p.statusText(w) })
}

// lookUp connects and finds a task.
func (p *program) lookUp(ctx context.Context, given string) (client.Client, found, error) {
	if _, err := p.config(); err != nil {
		return nil, found{}, err
	}
	c, err := p.client(ctx)
	if err != nil {
		return nil, found{}, err
	}
	f, err := p.find(ctx, c, given)
	return c, f, err
}

// once takes one look at a task. A task whose worker does not answer is shown as the server knows it.
func (p *program) once(ctx context.Context, c watched, f found) (snapshot, error) {
	w := &watcher{client: c, id: f.id, run: f.run, clock: p.clock}
	w.look(ctx)
	switch {
	case ctx.Err() != nil:
		return w.last, errInterrupted
	case w.last.trouble == noServer:
		return w.last, fault.New(fault.Infra, "the Temporal server at %s does not answer", shownAddress(p.address)).WithHint("try again, or see `longshift doctor`")
	case w.last.status == nil && w.last.err != nil:
		return w.last, w.last.err
	case w.last.trouble == noWorker:
		p.say("no worker is answering; this is what the server knows")
	}
	if w.last.status == nil {
		w.last.status = statusOf(f.row)
	}
	if w.last.err != nil && w.last.status.Detail == "" {
		w.last.status.Detail = w.last.err.Error()
	}
	return w.last, nil
}

// statusOf is the little that the server itself knows of a task.
func statusOf(r row) *signals.Status {
	return &signals.Status{
		WorkflowID: r.ID, RunID: r.RunID, Repository: r.Repository, Started: r.Started, Phase: r.Phase, Outcome: r.Outcome,
		NeedsHuman: r.NeedsHuman, WaitingUntil: r.WaitingUntil, Host: r.Host, Agent: r.Agent, Usage: task.Usage{CostUSD: r.CostUSD},
	}
}

// statusText is how a task stands, for people.
func (p *program) statusText(s snapshot) string {
	status, now := s.status, p.clock.now()
	if isEnded(status) {
		return summaryText(status, endOf(status, now), "Repository", oneLine(status.Repository), "Request", clip(plain(status.Task), 1000),
			"By", oneLine(status.RequestedBy), "Web", p.link(status))
	}
	phase := phaseText(status.Phase)
	switch status.Phase {
	case task.Approving, task.Waiting, task.Suspended, task.Queued:
		if status.Reason != "" {
			phase += ": " + reasonText(status.Reason)
		}
		if status.WaitingUntil.After(now) {
			phase += fmt.Sprintf(" (%s left)", remaining(status.WaitingUntil.Sub(now)))
		}
	}
	session := ""
	if b := s.beat; b != nil {
		session = fmt.Sprintf("%d, %s, for %s: %s (%s)", b.N, b.Role, sinceText(now, b.Started), oneLine(b.Activity), count(b.Tools, "tool"))
	}
	if session == "" && s.waits != "" {
		session = "waits " + s.waits
	}
	pairs := []string{"Phase", phase, "Session", session, "Detail", plain(status.Detail), "Next", plain(status.NextAction), "Commands", questionsText(status, now),
		"Request", clip(plain(status.Task), 1000), "By", oneLine(status.RequestedBy), "Repository", oneLine(status.Repository), "Branch", oneLine(status.Branch), "Host", oneLine(status.Host),
		"Round", round(status)}
	pairs = append(pairs, figures(status)...)
	return facts(status.WorkflowID, append(pairs, "Worked", worked(status), "Started", ago(now, status.Started), "Web", p.link(status))...)
}

func round(status *signals.Status) string {
	if status.Iteration == 0 || status.Iterations == 0 {
		return ""
	}
	return fmt.Sprintf("%d of at most %d", status.Iteration, status.Iterations)
}

// worked is the running time of agents and commands, against its budget.
func worked(status *signals.Status) string {
	if status.BudgetTime == 0 {
		return ""
	}
	return duration(status.Worked.Round(time.Second)) + " of " + duration(status.BudgetTime)
}

// link is the task's page in Temporal Web.
func (p *program) link(status *signals.Status) string { return p.page(status.WorkflowID, status.RunID) }

func (p *program) page(id, run string) string {
	web := p.web
	if c, err := p.config(); web == "" && err == nil {
		web = p.webOf(c.WebURL, p.address)
	}
	return signals.WebURL(web, p.namespace, id, run)
}
