package slacktest

import (
	"fmt"
	"testing"

	"github.com/longshift/longshift/internal/channel/channeltest"
)

// Say writes a message as a user, possibly in a thread, and delivers it over Socket Mode. direct adds a mention of the
// bot, except in a private chat, where none is needed. It returns the message's TS.
func (s *Server) Say(t testing.TB, channel, user, text, thread string, direct bool) (ts string) {
	t.Helper()
	ts, payloads := s.speech(t, channel, user, text, thread, direct)
	s.Socket.Deliver(Event, payloads...)
	return ts
}

// Press presses a button of an existing message, over Socket Mode. The button need not exist: the message may have been
// edited since it was shown.
func (s *Server) Press(t testing.TB, channel, ts, token, user string) {
	t.Helper()
	s.Socket.Deliver(Interaction, s.press(t, channel, ts, token, user))
}

// Fill submits a user's latest form, over Socket Mode. It waits for the form.
func (s *Server) Fill(t testing.TB, text, user string) {
	t.Helper()
	m, ok := s.take(user)
	if !ok {
		t.Fatalf("no form is opened for %s", user)
	}
	s.Socket.Deliver(Interaction, FormCall(m, text, Person(user)))
}

// Command uses the slash command, over Socket Mode.
func (s *Server) Command(channel, user, text string) {
	s.Socket.Deliver(Command, Flat(s.command(channel, user, text)))
}

// Redeliver sends the latest delivery once more, as after a lost acknowledgement: a mention has two envelopes.
func (s *Server) Redeliver() {
	if !s.Socket.redeliver() {
		s.t.Error("nothing was delivered that could be delivered again")
	}
}

func (s *Server) Connected() int { return s.Socket.State().Open }

// Trigger creates a trigger id for a user, which may open a form.
func (vs *views) Trigger(user string) (id string) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return vs.trigger(user)
}

func (vs *views) trigger(user string) string {
	vs.count++
	id := fmt.Sprintf("13345224609.738474920.%d", vs.count)
	vs.triggers[id] = user
	return id
}

// AnswerURL creates a response URL for a user's slash command.
func (c *conversations) AnswerURL(user string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	path := fmt.Sprintf("/commands/T0/%d/x", c.count)
	c.commands[path] = user
	return c.root + path
}

func (s *Server) command(channel, user, text string) any {
	return CommandCall(channel, entities(text), s.Trigger(user), s.AnswerURL(user), Person(user))
}

func (s *Server) press(t testing.TB, channel, ts, token, user string) any {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.message(channel, ts)
	if m == nil {
		t.Fatalf("no message %s stands in %s", ts, channel)
	}
	block, button := buttonsID, Button{Label: "Approve", Token: token}
	for _, b := range m.blocks {
		for _, e := range elements(b) {
			if b.Type == "actions" && e.Value == token {
				block, button = b.BlockID, Button{e.Text.Text, e.Value, e.Style}
			}
		}
	}
	return pressCall(channel, ts, s.threadOf(m), block, button, s.trigger(user), s.stamp(), Person(user))
}

// speech creates a message and returns its events. Slack sends a mention both as app_mention and as message.
func (c *conversations) speech(t testing.TB, channel, user, text, thread string, direct bool) (ts string, payloads []any) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if thread != "" {
		root := c.message(channel, thread)
		if root == nil {
			t.Fatalf("no message %s stands in %s", thread, channel)
		}
		if root.thread != "" {
			thread = root.thread // a reply to a reply belongs to the same thread
		}
	}
	kinds, text := []string{"message"}, entities(text)
	if direct && channel[:1] != "D" {
		kinds, text = []string{"app_mention", "message"}, "<@"+BotUser+"> "+text
	}
	m := &standing{channel: channel, ts: c.stamp(), thread: thread, user: user, text: text}
	c.messages = append(c.messages, m)
	name := Person(user).Name
	for _, kind := range kinds {
		e := MessageEvent(kind, channel, user, text, m.ts, thread)
		e["user_profile"] = map[string]any{"display_name": name, "name": name}
		payloads = append(payloads, EventCall(e))
	}
	return m.ts, payloads
}

// Echo returns the event of a message by another program, or of Longshift's own message.
func Echo(by channeltest.Author, channel, text, ts string) map[string]any {
	e := MessageEvent("message", channel, BotUser, entities(text), ts, "")
	e["bot_id"] = BotID
	if by == channeltest.Robot {
		e["subtype"], e["bot_id"], e["user"] = "bot_message", "B0OTHER", "U0OTHER"
	}
	return EventCall(e)
}
