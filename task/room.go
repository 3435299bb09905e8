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
