package whatsapp

import (
	"context"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

const (
	answerTime = 15 * time.Second // timeout for sending an answer; it is dropped then
	pardonOnce = time.Hour        // minimum time between two explanations to one person
	maxPardons = 1000             // remembered people
	maxReplies = 1000             // remembered events
)

const onlyText = "I understand only text messages and the buttons below my messages."

// pending is the answer to a message, which is sent once the delivery is acknowledged.
type pending struct {
	to     string // id of the message
	event  channel.Event
	answer channel.Answer
}

// answers records who was told that only text is supported, and which events were answered: a delivery of which a part failed comes
// again as a whole.
type answers struct {
	mu       sync.Mutex
	informed map[string]time.Time
	given    map[string]bool // by the event's id
}

// first reports whether a person should be told now, and records it.
func (a *answers) first(user string, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, ok := a.informed[user]; ok && now.Sub(at) < pardonOnce {
		return false
	}
	if a.informed == nil || len(a.informed) >= maxPardons {
		a.informed = map[string]time.Time{}
	}
	a.informed[user] = now
	return true
}

// claim reports whether an event is still to be answered, and records that it is.
func (a *answers) claim(event string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.given[event] {
		return false
	}
	if a.given == nil || len(a.given) >= maxReplies {
		a.given = map[string]bool{}
	}
	a.given[event] = true
	return true
}

// release takes a claim back: the answer was not sent.
func (a *answers) release(event string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.given, event)
}

// explain tells a person once an hour which messages are supported. Messages older than that are ignored.
func (w *WhatsApp) explain(ctx context.Context, m message, e channel.Event) channel.Answer {
	now := w.now()
	if now.Sub(e.At) > pardonOnce || !w.answers.first(e.User.ID, now) {
		return channel.Answer{}
	}
	w.log.InfoContext(ctx, "a whatsapp message of a kind that is not understood", "type", m.Type)
	return channel.Answer{Text: onlyText}
}

// answer sends an answer that quotes the person's message. The event takes effect even if this fails.
func (w *WhatsApp) answer(ctx context.Context, p pending) {
	text, e := p.answer.Text, p.event
	if form := p.answer.Form; form != nil { // WhatsApp has no forms
		if text != "" {
			text += "\n\n"
		}
		text += form.Hint
	}
	if text == "" || !w.answers.claim(e.ID) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	to := e.Room
	to.Thread = p.to
	if _, err := w.Post(ctx, to, channel.Message{Key: e.ID, Text: text}, false); err != nil {
		w.answers.release(e.ID)
		w.log.WarnContext(ctx, "an answer on whatsapp was not sent", "event", e.ID, "error", err, "hint", fault.HintOf(err))
	}
}
