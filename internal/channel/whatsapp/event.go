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

// event reads who did what and when. Its Kind is empty for what we don't understand; not ok is what nobody has to
// hear: what has no sender or time, what was said to a group, and what was forwarded, for those are another's words. The text of a
// message that one answers to does not come with the answer.
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
	if m.Group != "" { // answers would go to one person, and the text was meant for many
		w.log.InfoContext(ctx, "a message in a whatsapp group was left alone")
		return e, false
	}
	if m.Context.Forwarded || m.Context.Often { // whoever sends on another's words need not mean them
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
	case m.Type == "reaction" || m.Type == "system": // a sign below a message, a new number: nothing to answer to
		return e, false
	}
	return e, true
}

// name gives how a person is called. Anybody may choose any name.
func name(id string, people []contact) string {
	for _, p := range people {
		if n := strings.TrimLeft(strings.TrimSpace(p.Profile.Name), "@"); (p.ID == id || p.Hidden == id) && n != "" {
			return n
		}
	}
	return id
}
