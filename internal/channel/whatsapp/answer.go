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
)

const onlyText = "I understand only text messages and the buttons below my messages."

// answers records who was told that only text is supported.
type answers struct {
	mu       sync.Mutex
	informed map[string]time.Time
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

// explain tells a person once an hour which messages are supported. Messages older than that are ignored.
func (w *WhatsApp) explain(ctx context.Context, m message, e channel.Event) {
	now := w.now()
	if now.Sub(e.At) > pardonOnce || !w.answers.first(e.User.ID, now) {
		return
	}
	w.log.InfoContext(ctx, "a whatsapp message of a kind that is not understood", "type", m.Type)
	w.answer(ctx, m, e, channel.Answer{Text: onlyText})
}

// answer sends an answer that quotes the person's message. The event takes effect even if this fails.
func (w *WhatsApp) answer(ctx context.Context, m message, e channel.Event, a channel.Answer) {
	text := a.Text
	if a.Form != nil { // WhatsApp has no forms
		if text != "" {
			text += "\n\n"
		}
		text += a.Form.Hint
	}
	if text == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	to := e.Room
	to.Thread = m.ID
	if _, err := w.Post(ctx, to, channel.Message{Key: e.ID, Text: text}, false); err != nil {
		w.log.WarnContext(ctx, "an answer on whatsapp was not sent", "event", e.ID, "error", err, "hint", fault.HintOf(err))
	}
}
