package task

// Room is where people talk: a conversation of a channel, or one thread of it.
type Room struct {
	Channel string `json:"channel"`          // slack, telegram, whatsapp or terminal
	ID      string `json:"id"`               // of the conversation, as the channel names it
	Thread  string `json:"thread,omitempty"` // id of the message that a thread hangs on; empty for the conversation itself
}

// MessageRef is where a message of ours stands.
type MessageRef struct {
	Room
	Message string `json:"message"` // its id, as the channel names it
}
