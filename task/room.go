package task

import "slices"

// Room is a conversation of a channel, or one thread of it.
type Room struct {
	Channel string `json:"channel"`          // slack, telegram, whatsapp or terminal
	ID      string `json:"id"`               // the channel's id of the conversation
	Thread  string `json:"thread,omitempty"` // id of the message that started the thread; empty for the conversation itself
}

// MessageRef identifies a message of ours. Of one that was split, it is the last part.
type MessageRef struct {
	Room
	Message string   `json:"message"`         // the channel's id of the message
	Parts   []string `json:"parts,omitempty"` // ids of the parts before it, which people may answer too
}

// Is reports whether an id is that of the message or of one of its parts.
func (m MessageRef) Is(id string) bool {
	return id != "" && (id == m.Message || slices.Contains(m.Parts, id))
}

// Wants reports whether people want to be notified of a log entry of this kind. The log itself keeps every entry.
func (n NotifySettings) Wants(kind string) bool {
	switch kind {
	case "iteration", "session", "output":
		return false // for those who read the whole log
	case "plan":
		return n.PlanReady
	case "prepared", "host", "command", "note", "deliverable", "commit", "review":
		return n.Progress
	case "pull_request", "ended":
		return n.Complete
	case "error", "suspended", "waiting", "blocked":
		return n.Error
	}
	return true // people's own actions, and what they must know
}
