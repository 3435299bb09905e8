package slacktest

import "encoding/json"

type Message struct {
	TS        string
	Thread    string // TS of the message that it replies to, or ""
	User      string // BotUser for Longshift's
	Text      string // as people see it, without markup
	Code      []string
	Buttons   []Button
	Edited    int  // number of edits
	Broadcast bool // a reply that is shown in the channel too
	Mentions  int  // effective mentions in the message and its notification
}

type Button struct {
	Label, Token string
	Style        string // "primary", "danger" or ""
}

// Messages returns all messages in a channel, including its threads, oldest first.
func (c *conversations) Messages(channel string) (list []Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.messages {
		if m.channel != channel {
			continue
		}
		l, notice := show(m.blocks), look{}
		words := notice.read(m.text)
		if len(m.blocks) == 0 {
			l.text = words
		}
		list = append(list, Message{TS: m.ts, Thread: m.thread, User: m.user, Text: l.text, Code: l.code, Buttons: l.buttons,
			Edited: m.edited, Broadcast: m.broadcast, Mentions: l.calls + notice.calls})
	}
	return list
}

// Ephemeral returns the ephemeral messages to a user, oldest first, as plain text. Messages has those in a private chat.
func (c *conversations) Ephemeral(user string) (list []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.answers {
		if a.user == user {
			list = append(list, a.text)
		}
	}
	return list
}

// Post is a message that a test adds without a call.
type Post struct {
	Channel, Thread, User, Bot, Text string

	TS       string // "" for the time
	Metadata json.RawMessage
}

// Put adds messages, and returns the TS of the last one.
func (c *conversations) Put(posts ...Post) (ts string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range posts {
		if ts = p.TS; ts == "" {
			ts = c.stamp()
		}
		c.messages = append(c.messages, &standing{channel: p.Channel, ts: ts, thread: p.Thread, user: p.User, bot: p.Bot, text: p.Text,
			metadata: p.Metadata})
	}
	return ts
}

// Keep deletes all messages of all channels except the n oldest.
func (c *conversations) Keep(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages = c.messages[:min(n, len(c.messages))]
}
