package tasks

import (
	"fmt"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// liveLine is what the task does now.
func (f *follower) liveLine() string {
	now, s := f.clock.Now(), f.now
	switch {
	case s.trouble == NoServer:
		return "⏳ The Temporal server does not answer; trying again"
	case s.trouble == NoWorker:
		return "⏳ No worker is answering; the task is safe"
	case s.Status == nil:
		return fmt.Sprintf("⚡ %s Starting...", term.SinceText(now, f.since))
	}
	cost := term.USD(s.Status.Usage.CostUSD)
	switch s.Status.Phase {
	case task.Approving:
		return f.plan.line(s.Status)
	case task.Suspended:
		if s.Status.Reason == signals.ReasonCommand {
			return fmt.Sprintf("⏳ A command waits for you · longshift allow %s · no answer in %s is a no",
				f.id, term.Remaining(s.Status.WaitingUntil.Sub(now)))
		}
		if s.Status.Reason == signals.ReasonPush {
			return fmt.Sprintf("⏳ A push waits for you · longshift allow %s", f.id)
		}
		return fmt.Sprintf("⏳ Suspended (%s) · %s", s.Status.Reason, resumeCommand(f.id, s.Status.Reason))
	case task.Waiting:
		return waitingText(s.Status, now)
	case task.Queued:
		if s.Status.Reason == "" {
			return fmt.Sprintf("⏳ %s Queued...", term.SinceText(now, f.since))
		}
		return fmt.Sprintf("⏳ %s Queued: %s · longshift resume %s lets it go first",
			term.SinceText(now, f.since), reasonText(s.Status.Reason), f.id)
	}
	if n := len(s.Status.Questions); n > 0 {
		return fmt.Sprintf("⏳ %s for you · longshift allow %s · %s", waits(n), f.id, cost)
	}
	if b := s.Beat; b != nil {
		cost = term.USD(s.Status.Usage.CostUSD + running(s.Status, b).CostUSD)
		return fmt.Sprintf("⚡ %s %s... (%s) · %s", term.SinceText(now, b.Started), b.Activity, term.Count(b.Tools, "tool"), cost)
	}
	if s.waits != "" {
		return fmt.Sprintf("⏳ %s Waiting %s · %s", term.SinceText(now, f.since), s.waits, cost)
	}
	return fmt.Sprintf("⚡ %s %s... · %s", term.SinceText(now, f.since), phaseText(s.Status.Phase), cost)
}

func waits(commands int) string {
	if commands == 1 {
		return "A command waits"
	}
	return term.Count(commands, "command") + " wait"
}

// running is what the session that runs now has used on top of what the status counts.
func running(status *signals.Status, b *signals.Heartbeat) task.Usage {
	for _, s := range status.Sessions {
		if s.ID == b.Session {
			return b.Usage.Sub(s.Usage)
		}
	}
	return b.Usage
}
