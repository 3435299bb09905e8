package workflows

import (
	"cmp"
	"crypto/rand"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// buttons returns the choices of a subject, each with a token of its own that nobody can guess.
func (c *conversation) buttons(ctx workflow.Context, n signals.Notice) []signals.Button {
	var verbs []string
	switch n.Subject {
	case signals.SubjectPlan:
		verbs = []string{signals.Approve, signals.Edit, signals.Reject}
	case signals.SubjectCommand:
		verbs = []string{signals.Allow, signals.AllowForTask, signals.Deny}
		if signals.IsPush(n.Question) {
			verbs = []string{signals.Allow, signals.Deny}
		}
	case signals.SubjectStop:
		verbs = []string{signals.Resume, signals.Abandon}
	default:
		return nil
	}
	var nonce string
	if err := workflow.SideEffect(ctx, func(workflow.Context) any { return rand.Text() }).Get(&nonce); err != nil {
		return nil
	}
	var all []signals.Button
	for _, v := range verbs {
		all = append(all, signals.Button{Verb: v, Token: signals.Token(c.in.Run, nonce+"-"+v)})
	}
	return all
}

// token resolves a button. A button of another room is unknown.
func (c *conversation) token(q signals.TokenQuery) signals.TokenAnswer {
	for _, m := range c.messages(q.Room) {
		for _, b := range m.Buttons {
			if b.Token == q.Token {
				a := c.stateOf(m)
				a.Verb = b.Verb
				return a
			}
		}
	}
	return signals.TokenAnswer{State: signals.TokenUnknown}
}

// about says what a message is about. The card is about nothing in particular.
func (c *conversation) about(q signals.AboutQuery) signals.TokenAnswer {
	for _, m := range c.messages(q.Room) {
		if m.Ref.Is(q.Message) {
			return c.stateOf(m)
		}
	}
	return signals.TokenAnswer{State: signals.TokenUnknown}
}

// messages returns the messages in a room, in all its threads.
func (c *conversation) messages(at task.Room) (here []signals.RoomMessage) {
	for _, r := range c.rooms {
		for _, m := range r.Messages {
			if r.Channel == at.Channel && r.place(m.Ref).ID == at.ID {
				here = append(here, m)
			}
		}
	}
	return here
}

// place is the room in which a message of this room is: another one after a group on Telegram has become a supergroup.
func (r *room) place(m task.MessageRef) task.Room {
	return task.Room{Channel: r.Channel, ID: cmp.Or(m.ID, r.ID)}
}

// stateOf returns the state of a message.
func (c *conversation) stateOf(m signals.RoomMessage) signals.TokenAnswer {
	a := signals.TokenAnswer{State: signals.TokenLive, Workflow: m.Notice.From, Run: m.Notice.Run, First: c.first(m.Notice.Run),
		Revision: m.Notice.Revision, Question: m.Notice.Question}
	if m.Settled != "" {
		a.State, a.Why = signals.TokenStale, m.Settled
	}
	return a
}

// first returns the first run of the execution that a notice came from. Workflows that continue as new name no run.
func (c *conversation) first(run string) string {
	if run == "" {
		return ""
	}
	return c.in.Run
}
