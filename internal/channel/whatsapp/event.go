package whatsapp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/task"
)

// event converts a message. Its Kind is empty for unsupported types. It returns false for messages that are ignored:
// those without a sender or time, in groups, and forwarded ones, whose words are another's. The text of a quoted message
// is not included.
func (w *WhatsApp) event(ctx context.Context, m message, people []contact) (e channel.Event, ok bool) {
	seconds, err := strconv.ParseInt(m.Timestamp, 10, 64)
	from := m.From
	if from == "" {
		from = m.FromHidden
	}
	if err != nil || seconds <= 0 || m.ID == "" || !digits.MatchString(from) && !hidden.MatchString(from) {
		w.log.WarnContext(ctx, "a whatsapp message without an id, a sender or a time was left out", "type", m.Type)
		return e, false
	}
	if m.Group != "" { // an answer would go to one person, while the text was meant for many
		w.log.InfoContext(ctx, "a message in a whatsapp group was left alone")
		return e, false
	}
	if m.Context.Forwarded || m.Context.Often { // the person who forwards it may not mean its words
		w.log.InfoContext(ctx, "a forwarded whatsapp message was left alone")
		return e, false
	}
	sum := sha256.Sum256([]byte(m.ID))
	e = channel.Event{ID: "whatsapp-" + hex.EncodeToString(sum[:16]), User: channel.User{ID: from, Name: name(from, people)},
		Room: task.Room{Channel: channel.WhatsApp, ID: from}, Direct: true, At: time.Unix(seconds, 0).UTC()}
	switch {
	case m.Type == "text" && m.Text.Body != "":
		e.Kind, e.Text, e.ReplyTo, e.Message = channel.Said, m.Text.Body, m.Context.ID, m.ID
	case m.Type == "interactive" && m.Interactive.Type == "button_reply" && token.MatchString(m.Interactive.Button.ID):
		e.Kind, e.Token, e.Message = channel.Press, m.Interactive.Button.ID, m.Context.ID
	case m.Type == "reaction" || m.Type == "system": // an emoji, a changed number: nothing to answer
		return e, false
	}
	return e, true
}

// name returns a person's display name, which can be chosen freely.
func name(id string, people []contact) string {
	for _, p := range people {
		if n := strings.TrimLeft(strings.TrimSpace(p.Profile.Name), "@"); (p.ID == id || p.Hidden == id) && n != "" {
			return n
		}
	}
	return id
}
