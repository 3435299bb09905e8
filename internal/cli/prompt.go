package cli

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// plan shows a plan that waits for a decision, once, and asks for one where somebody can be asked.
func (f *follower) plan(status *signals.Status) {
	waiting := status.Phase == task.Approving && status.Plan != nil
	if !waiting {
		f.stopAsking()
		f.shown = 0
		return
	}
	if status.Plan.Revision == f.shown {
		return
	}
	f.stopAsking() // the text typed was about the revision before
	f.shown = status.Plan.Revision
	f.screen.line(planText(status.Plan) + "\n")
	if f.keys != nil && f.keys.open() == nil {
		f.asking = true // the live line says the rest
		return
	}
	f.screen.line(f.decideText(status))
}

func (f *follower) stopAsking() {
	if f.asking {
		f.keys.close()
	}
	f.asking, f.typing = false, nil
}

// pressed gives the keys while there is something to decide.
func (f *follower) pressed() <-chan rune {
	if f.asking && f.keys != nil {
		return f.keys.keys
	}
	return nil
}

// key takes one key and tells whether it was Ctrl-C.
func (f *follower) key(ctx context.Context, key rune) (interrupted bool) {
	if key == keyInterrupt {
		return true
	}
	if f.typing != nil {
		f.typed(ctx, key)
		return false
	}
	revision := f.shown
	if f.sending {
		return false
	}
	switch key {
	case 'a', 'A', 'y', 'Y':
		f.decide(ctx, signals.Approve, func(m signals.Message) any { return signals.ApproveRequest{Message: m, Revision: revision} })
	case 'e', 'E':
		f.typing = &lineEditor{}
	case 'r', 'R', 'n', 'N':
		f.decide(ctx, signals.Reject, func(m signals.Message) any { return signals.RejectRequest{Message: m, Revision: revision} })
	}
	return false
}

// typed takes one key of the text that says what is to change.
func (f *follower) typed(ctx context.Context, key rune) {
	switch f.typing.key(key) {
	case editing:
		return
	case entered:
		if text, revision := string(f.typing.text), f.shown; text != "" {
			f.decide(ctx, signals.Edit, func(m signals.Message) any {
				return signals.EditRequest{Message: m, Revision: revision, Text: text}
			})
		}
	case dropped:
	}
	f.typing = nil
}

// decide sends a decision without holding up the screen.
func (f *follower) decide(ctx context.Context, name string, m payload) {
	f.sending = true
	go func() {
		d, err := f.send(ctx, name, m)
		f.sent <- sent{name, d, err}
	}()
}

// answered takes what became of a decision. The task's own log says that it was taken.
func (f *follower) answered(s sent) {
	f.sending = false
	if s.err != nil {
		f.event(s.name, s.err.Error())
		return
	}
	f.stopAsking()
	if s.delivery.Via == viaSignal {
		f.event(s.name, s.delivery.Text)
	}
}

// liveLine is what the task does now.
func (f *follower) liveLine() string {
	now, s := f.p.clock.now(), f.now
	switch {
	case s.trouble == noServer:
		return "⏳ The Temporal server does not answer; trying again"
	case s.trouble == noWorker:
		return "⏳ No worker is answering; the task is safe"
	case s.status == nil:
		return fmt.Sprintf("⚡ %s Starting...", sinceText(now, f.since))
	}
	cost := usd(s.status.Usage.CostUSD)
	switch s.status.Phase {
	case task.Approving:
		return f.approvalLine()
	case task.Suspended:
		if s.status.Reason == signals.ReasonCommand {
			return fmt.Sprintf("⏳ A command waits for you · longshift allow %s · no answer in %s is a no", f.id, remaining(s.status.WaitingUntil.Sub(now)))
		}
		if s.status.Reason == signals.ReasonPush {
			return fmt.Sprintf("⏳ A push waits for you · longshift allow %s", f.id)
		}
		return fmt.Sprintf("⏳ Suspended (%s) · longshift resume %s", s.status.Reason, f.id)
	case task.Waiting:
		return waitingText(s.status, now)
	case task.Queued:
		if s.status.Reason == "" {
			return fmt.Sprintf("⏳ %s Queued...", sinceText(now, f.since))
		}
		return fmt.Sprintf("⏳ %s Queued: %s · longshift resume %s lets it go first", sinceText(now, f.since), reasonText(s.status.Reason), f.id)
	}
	if n := len(s.status.Questions); n > 0 {
		return fmt.Sprintf("⏳ %s for you · longshift allow %s · %s", waits(n), f.id, cost)
	}
	if b := s.beat; b != nil {
		cost = usd(s.status.Usage.CostUSD + running(s.status, b).CostUSD)
		return fmt.Sprintf("⚡ %s %s... (%s) · %s", sinceText(now, b.Started), b.Activity, count(b.Tools, "tool"), cost)
	}
	if s.waits != "" {
		return fmt.Sprintf("⏳ %s Waiting %s · %s", sinceText(now, f.since), s.waits, cost)
	}
	return fmt.Sprintf("⚡ %s %s... · %s", sinceText(now, f.since), phaseText(s.status.Phase), cost)
}

func waits(commands int) string {
	if commands == 1 {
		return "A command waits"
	}
	return count(commands, "command") + " wait"
}

// running is what the session that runs now has used on top of what the status counts.
func running(status *signals.Status, b *signals.Beat) task.Usage {
	for _, s := range status.Sessions {
		if s.ID == b.Session {
			return b.Usage.Sub(s.Usage)
		}
	}
	return b.Usage
}

// approvalLine asks for the decision, shows what is typed, and counts down.
func (f *follower) approvalLine() string {
	left := waitLeft(f.now.status, f.p.clock.now())
	switch {
	case f.sending:
		return "⏳ Sending your decision..."
	case f.typing != nil:
		const ask = "What is to change? (enter sends, esc goes back) "
		return ask + f.typing.shown(f.screen.columns()-1-cells(ask))
	case f.asking:
		return fmt.Sprintf("⏳ Plan %d: [a]pprove, [e]dit, [r]eject · %s", f.shown, left)
	}
	return fmt.Sprintf("⏳ Plan %d waits for a decision · %s", f.shown, left)
}
