package workflows

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// How long a notice is worth delivering. Progress is soon replaced by the next notice.
const (
	progressLife = 15 * time.Minute
	subjectLife  = 24 * time.Hour
)

// mostKept is how many messages of one room are remembered with their buttons.
const mostKept = 40

// serve shows one notice after the other.
func (c *conversation) serve(ctx workflow.Context, r *room) {
	for {
		r.busy = false
		c.picture(ctx)
		if err := workflow.Await(ctx, func() bool { return len(r.queue) > 0 }); err != nil {
			return
		}
		r.busy = true
		n := r.queue[0]
		r.queue = r.queue[1:]
		switch {
		case n.Subject == "" && n.Final:
			c.settleAll(ctx, r)
		case n.Subject == "":
		case n.Settled:
			c.settle(ctx, r, n)
		default:
			c.call(ctx, r, n)
		}
		c.publish(ctx)
		c.refresh(ctx, r, n)
		c.publish(ctx)
	}
}

// lateCard is the change since which the card is brought up to date after an outage of its channel.
const lateCard = "late-card"

// refresh edits the room's card, or posts it. While more notices wait it is left to the last one.
func (c *conversation) refresh(ctx workflow.Context, r *room, n signals.Notice) {
	if len(r.queue) > 0 && r.Card != nil {
		return
	}
	if n.Final && n.Subject == "" && r.Card == nil { // nobody wants a card about the end alone
		return
	}
	late := (n.Subject != "" || n.Final) && !workflow.Now(ctx).Before(n.At.Add(progressLife))
	n.Subject = ""
	in := c.showInput(r, n)
	if in.At = r.Card; in.At == nil {
		in.Sought, in.Key = r.CardKey != "", cmp.Or(r.CardKey, in.Key)
		r.CardKey = in.Key
	}
	if late && workflow.GetVersion(ctx, lateCard, workflow.DefaultVersion, 1) >= 1 {
		in.Notice.At = workflow.Now(ctx) // what had a message of its own is shown on the card too, however long the channel was away
	}
	place, ok := c.show(ctx, in, progressLife)
	if ok {
		r.Card = &place
	}
}

// call posts a message of its own, because somebody has to act. It is a reply to the card.
func (c *conversation) call(ctx workflow.Context, r *room, n signals.Notice) {
	if r.Card == nil {
		c.refresh(ctx, r, n)
	}
	for i := range r.Messages {
		if m := &r.Messages[i]; m.Settled == "" && overtakes(n.Subject, m.Notice.Subject) {
			c.replace(ctx, r, m, "a newer message follows")
		}
	}
	in := c.showInput(r, n)
	in.Buttons = c.buttons(ctx, n)
	if r.Card != nil && in.Room.Thread == "" {
		in.Room.Thread = r.Card.Message
	}
	// The buttons count from the moment that somebody may see them, which is before the channel confirms the message.
	r.Messages = append(r.Messages, signals.RoomMessage{Notice: n, Buttons: in.Buttons})
	if len(r.Messages) > mostKept {
		r.Messages = r.Messages[len(r.Messages)-mostKept:]
	}
	at := len(r.Messages) - 1
	if place, ok := c.show(ctx, in, subjectLife); ok {
		r.Messages[at].Ref = place
	} else {
		r.Messages[at].Settled = "it was never shown"
	}
}

// overtakes tells whether a message about one subject replaces an older one about another. Commands wait side by side, and news stay.
func overtakes(newer, older signals.Subject) bool {
	return older != signals.SubjectNews && (newer == signals.SubjectEnd || newer == older && newer != signals.SubjectCommand)
}

// settle removes the buttons of a message whose subject is decided, and shows the decision.
func (c *conversation) settle(ctx workflow.Context, r *room, n signals.Notice) {
	for i := range r.Messages {
		m := &r.Messages[i]
		same := m.Notice.Subject == n.Subject && m.Notice.From == n.From && m.Notice.Revision == n.Revision && m.Notice.Question == n.Question
		if same && m.Settled == "" {
			c.replace(ctx, r, m, n.Text)
		}
	}
}

// settlesAtEnd is the change since which the end of a task removes the buttons of its messages although it has no message of its own.
const settlesAtEnd = "settles-at-end"

// settleAll removes the buttons of all messages, because the task has ended.
func (c *conversation) settleAll(ctx workflow.Context, r *room) {
	for i := range r.Messages {
		m := &r.Messages[i]
		waits := m.Settled == "" && len(m.Buttons) > 0
		if waits && workflow.GetVersion(ctx, settlesAtEnd, workflow.DefaultVersion, 1) >= 1 {
			c.replace(ctx, r, m, "the task has ended")
		}
	}
}

func (c *conversation) replace(ctx workflow.Context, r *room, m *signals.RoomMessage, why string) {
	m.Settled = why // the buttons are stale from now on, whenever people see that
	in := c.showInput(r, m.Notice)
	in.Settled, in.At, in.Notice.At = why, &m.Ref, workflow.Now(ctx)
	c.show(ctx, in, subjectLife)
}

func (c *conversation) showInput(r *room, n signals.Notice) activities.ShowInput {
	return activities.ShowInput{Room: r.Room, Notice: n, Key: messageKey(n)}
}

// messageKey names a message within its room: by its sender, its number there, and its subject.
func messageKey(n signals.Notice) string {
	sum := sha256.Sum256([]byte(n.From + "\x00" + n.Run))
	return fmt.Sprintf("%x.%d.%s", sum[:6], n.N, n.Subject)
}

// show posts or edits a message. It is retried until it succeeds or is too old. Then, or when the channel refuses it, it is dropped:
// nothing waits for a channel.
func (c *conversation) show(ctx workflow.Context, in activities.ShowInput, life time.Duration) (task.MessageRef, bool) {
	left := in.Notice.At.Add(life).Sub(workflow.Now(ctx))
	for left > 0 {
		var place task.MessageRef
		err := workflow.ExecuteActivity(showOptions(ctx, in, left), messages.Show, in).Get(ctx, &place)
		if err == nil {
			return place, true
		}
		if ctx.Err() != nil {
			break
		}
		if kindOf(err) == fault.NotFound && in.At != nil && in.Settled == "" { // a person has deleted it
			in.At = nil
			continue
		}
		workflow.GetLogger(ctx).Warn("A notice is dropped", "channel", in.Room.Channel, "task", in.Notice.From, "kind", in.Notice.Kind,
			"error", err)
		return place, false
	}
	workflow.GetLogger(ctx).Warn("A notice is dropped: it is too old", "channel", in.Room.Channel, "task", in.Notice.From,
		"kind", in.Notice.Kind)
	return task.MessageRef{}, false
}

func showOptions(ctx workflow.Context, in activities.ShowInput, life time.Duration) workflow.Context {
	summary := in.Room.Channel + ": " + string(in.Notice.Subject)
	if in.Notice.Subject == "" {
		summary = in.Room.Channel + ": progress"
	}
	return noticeShown(ctx, summary, life)
}
