package tasks

import (
	"context"
	"fmt"
	"time"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// planPrompt shows a plan that waits for a decision, and takes the decision from the keyboard.
type planPrompt struct {
	id      string
	screen  *term.Screen
	now     func() time.Time
	send    func(ctx context.Context, name string, payload Payload) (Delivery, error)
	refuse  func(what, text string) error // a text that no task may keep
	keys    *term.Keyboard                // nil when nobody can be asked
	shown   int                           // plan revision shown
	asking  bool                          // the keyboard is open for a decision
	typing  *term.LineEditor
	sending bool
	sent    chan sent
}

// sent is the outcome of a decision.
type sent struct {
	name     string
	delivery Delivery
	err      error
}

// show shows a plan that waits for a decision, once, and asks for one where a person can be asked. Where the task ends with this command,
// no other command is named.
func (p *planPrompt) show(status *signals.Status, ends bool) {
	if !p.waits(status) {
		p.stopAsking()
		p.shown = 0
		return
	}
	if status.Plan.Revision == p.shown {
		return
	}
	p.stopAsking() // the text typed was about the revision before
	p.shown = status.Plan.Revision
	p.screen.Line(PlanText(status.Plan) + "\n")
	if p.keys != nil && p.keys.Open() == nil {
		p.asking = true // the live line says the rest
		return
	}
	p.screen.Line(decideText(p.id, status, p.now(), ends))
}

// waits tells whether a plan waits for a decision.
func (p *planPrompt) waits(status *signals.Status) bool {
	return status.Phase == task.Approving && status.Plan != nil
}

// asks tells whether a person can be asked.
func (p *planPrompt) asks() bool { return p.keys != nil }

// release gives the terminal back. The prompt may open it again.
func (p *planPrompt) release() {
	if p.keys != nil {
		p.keys.Close()
	}
}

// close stops asking for good, because the terminal is gone.
func (p *planPrompt) close() {
	p.stopAsking()
	p.keys = nil
}

func (p *planPrompt) stopAsking() {
	if p.asking {
		p.keys.Close()
	}
	p.asking, p.typing = false, nil
}

// pressed returns the keys while there is something to decide.
func (p *planPrompt) pressed() <-chan rune {
	if p.asking && p.keys != nil {
		return p.keys.Pressed()
	}
	return nil
}

// key takes one key and tells whether it was Ctrl-C.
func (p *planPrompt) key(ctx context.Context, key rune) (interrupted bool) {
	if key == term.KeyInterrupt {
		return true
	}
	if p.typing != nil {
		p.typed(ctx, key)
		return false
	}
	revision := p.shown
	if p.sending {
		return false
	}
	switch key {
	case 'a', 'A', 'y', 'Y':
		p.decide(ctx, signals.Approve, func(m signals.Message) any { return signals.ApproveRequest{Message: m, Revision: revision} })
	case 'e', 'E':
		p.typing = &term.LineEditor{}
	case 'r', 'R', 'n', 'N':
		p.decide(ctx, signals.Reject, func(m signals.Message) any { return signals.RejectRequest{Message: m, Revision: revision} })
	}
	return false
}

// typed takes one key of the text that says what is to change.
func (p *planPrompt) typed(ctx context.Context, key rune) {
	switch p.typing.Key(key) {
	case term.Editing:
		return
	case term.Entered:
		text, revision := p.typing.Line(), p.shown
		if err := p.refuse("the text", text); err != nil {
			p.answered(sent{name: signals.Edit, err: err})
		} else if text != "" {
			p.decide(ctx, signals.Edit, func(m signals.Message) any {
				return signals.EditRequest{Message: m, Revision: revision, Text: text}
			})
		}
	case term.Dropped:
	}
	p.typing = nil
}

// decide sends a decision without holding up the screen.
func (p *planPrompt) decide(ctx context.Context, name string, m Payload) {
	p.sending = true
	go func() {
		d, err := p.send(ctx, name, m)
		p.sent <- sent{name, d, err}
	}()
}

// answered shows the outcome of a decision. The task's own log says that it was taken.
func (p *planPrompt) answered(s sent) {
	p.sending = false
	if s.err != nil {
		ShowEvent(p.screen, p.now(), s.name, s.err.Error())
		return
	}
	p.stopAsking()
	if s.delivery.Via == viaSignal {
		ShowEvent(p.screen, p.now(), s.name, s.delivery.Text)
	}
}

// line asks for the decision, shows what is typed, and counts down.
func (p *planPrompt) line(status *signals.Status) string {
	left := waitLeft(status, p.now())
	switch {
	case p.sending:
		return "⏳ Sending your decision..."
	case p.typing != nil:
		const ask = "What should change? (enter sends, esc goes back) "
		return ask + p.typing.Shown(p.screen.Columns()-1-term.Cells(ask))
	case p.asking:
		return fmt.Sprintf("⏳ Plan %d: [a]pprove, [e]dit, [r]eject · %s", p.shown, left)
	}
	return fmt.Sprintf("⏳ Plan %d waits for a decision · %s", p.shown, left)
}
