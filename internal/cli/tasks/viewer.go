package tasks

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
)

// Viewer shows one task: as it is now, or until it has ended.
type Viewer struct {
	server   *server.Connector
	config   *environ.Config
	tasks    *Tasks
	printer  *term.Printer
	terminal *term.Input
	clock    environ.Clock
}

func NewViewer(t *Tasks, config *environ.Config, input *term.Input, clock environ.Clock) *Viewer {
	return &Viewer{t.server, config, t, t.printer, input, clock}
}

// LookUp connects and finds a task.
func (v *Viewer) LookUp(ctx context.Context, given string) (client.Client, Found, error) {
	if _, err := v.config.Read(); err != nil {
		return nil, Found{}, err
	}
	c, err := v.server.Connect(ctx)
	if err != nil {
		return nil, Found{}, err
	}
	f, err := v.tasks.Find(ctx, c, given)
	return c, f, err
}

// Once asks once about a task. A task whose worker does not answer is shown as the server knows it, and people are told.
func (v *Viewer) Once(ctx context.Context, c PollClient, f Found) (Snapshot, error) {
	s, err := v.Ask(ctx, c, f)
	if err == nil && s.Unanswered() {
		v.printer.Say("no worker is answering; this is what the server knows; %s", startWorker)
	}
	return s, err
}

// Ask asks once about a task, and tells people nothing.
func (v *Viewer) Ask(ctx context.Context, c PollClient, f Found) (Snapshot, error) {
	s := v.Poller(c, f).Poll(ctx)
	switch {
	case ctx.Err() != nil:
		return s, term.ErrInterrupted
	case s.trouble == NoServer:
		return s, fault.New(fault.Infra, "the Temporal server at %s does not answer", v.server.Address()).
			WithHint("try again, or see `longshift doctor`")
	case s.Status == nil && s.Err != nil:
		return s, s.Err
	}
	if s.Status == nil {
		s.Status = statusOf(f.row)
	}
	if s.Err != nil && s.Status.Detail == "" {
		s.Status.Detail = s.Err.Error()
	}
	return s, nil
}

// startWorker is what to do where no worker answers.
const startWorker = "start one with `longshift dev` or longshift-worker, or see `longshift doctor`"

// serverAway is said once where the server does not answer.
const serverAway = "the Temporal server does not answer; the task is safe there; trying again"

// Poller polls a task.
func (v *Viewer) Poller(c PollClient, t Found) *Poller {
	return NewPoller(c, t.ID, t.Run, v.clock)
}

// Print prints the status of a task, with the text that a command makes of it.
func (v *Viewer) Print(s Snapshot, text func(s Snapshot, now time.Time, page string) string) error {
	return v.printer.Print(s.Status, func() string { return text(s, v.clock.Now(), v.server.Page(s.Status.WorkflowID, s.Status.RunID)) })
}

// Greet says what was started and where it can be seen.
func (v *Viewer) Greet(id, run string) {
	if !v.printer.IsText() {
		return
	}
	v.printer.Say("task %s", id)
	if page := v.server.Page(id, run); page != "" {
		v.printer.Say("%s", page)
	}
}

// Follow follows a task and ends with the exit code of its outcome.
func (v *Viewer) Follow(ctx context.Context, cl client.Client, t Found, flags FollowFlags) error {
	screen, o := v.printer.Screen(), FollowOptions{wait: flags.wait, untilPlan: flags.UntilPlan, verbose: flags.verbose}
	if flags.notify {
		o.Notify = v.notifier(ctx, screen)
	}
	f, endDebug := v.Follower(t.ID, cl, screen, o), func(bool) {}
	if flags.debug {
		endDebug = v.tail(ctx, cl, t, screen.Line)
	}
	status, err := f.Follow(ctx, v.Poller(cl, t))
	endDebug(status != nil && IsEnded(status))
	if errors.Is(err, errPlanReady) {
		return v.printPlan(status)
	}
	if err != nil && (status == nil || !IsEnded(status)) {
		return v.leave(t, status, err)
	}
	if err != nil && status.Detail == err.Error() {
		status.Detail = "" // the error says it
	}
	if printed := v.printLast("end", status); printed != nil {
		return printed
	}
	return Ending(status, err)
}

// leave ends the following of a task that goes on. People have been told; a program is given the last status, which has the task's id.
func (v *Viewer) leave(t Found, status *signals.Status, err error) error {
	var suspended term.Exit
	lineType := "interrupted"
	switch {
	case v.printer.IsText():
		return err
	case errors.As(err, &suspended):
		lineType = "suspended"
	case !errors.Is(err, term.ErrInterrupted):
		return err
	}
	if status == nil { // no worker has answered yet
		status = statusOf(t.row)
		status.WorkflowID, status.RunID = t.ID, t.Run
	}
	return cmp.Or(v.printLast(lineType, status), err)
}

// printPlan prints nothing more as text: the follower has shown the plan.
func (v *Viewer) printPlan(status *signals.Status) error {
	if v.printer.IsText() {
		return nil
	}
	return v.printLast("plan", status)
}

// printLast prints the last status: as text, or as the one document of json, or as the last line of jsonl, which has a type.
func (v *Viewer) printLast(lineType string, status *signals.Status) error {
	if v.printer.Format == term.FormatJSONL {
		return v.printer.Encode(map[string]any{"type": lineType, "status": status}, "")
	}
	return v.PrintSummary(status)
}

// Ended waits until the task has ended and prints its last status.
func (v *Viewer) Ended(ctx context.Context, c PollClient, f Found) error {
	w := v.Poller(c, f)
	var last Snapshot
	said := NoTrouble
	for last = range w.Watch(ctx) {
		switch {
		case last.trouble == said:
		case last.trouble == NoWorker:
			v.printer.Say("no worker is answering; the task ends when one is back; %s", startWorker)
		case last.trouble == NoServer:
			v.printer.Say(serverAway)
		}
		said = last.trouble
	}
	if !last.Closed {
		return term.ErrInterrupted
	}
	if last.Status == nil {
		return last.Err
	}
	return v.PrintSummary(last.Status)
}

func (v *Viewer) PrintSummary(status *signals.Status) error {
	return v.printer.Print(status, func() string {
		return v.printer.PaintLines(SummaryText(status, EndOf(status, v.clock.Now())), func(n int) term.Style {
			if n > 0 {
				return ""
			}
			return OutcomeStyle(status.Outcome)
		})
	})
}
