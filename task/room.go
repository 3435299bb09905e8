package task

// Room is a conversation of a channel, or one thread of it.
type Room struct {
	Channel string `json:"channel"`          // slack, telegram, whatsapp or terminal
	ID      string `json:"id"`               // the channel's id of the conversation
	Thread  string `json:"thread,omitempty"` // id of the message that started the thread; empty for the conversation itself
}

// MessageRef identifies a message of ours.
type MessageRef struct {
	Room
	Message string `json:"message"` // the channel's id of the message
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
