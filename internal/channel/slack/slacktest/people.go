package slacktest

import (
	"fmt"
	"testing"

	"github.com/longshift/longshift/internal/channel/channeltest"
)

// Say lets somebody write, in a thread or not, and delivers it over Socket Mode. direct adds a mention of us, but not in a private
// chat, where there is no need of one. It returns the TS of the message.
func (s *Server) Say(t testing.TB, channel, user, text, thread string, direct bool) (ts string) {
	t.Helper()
	ts, payload := s.speech(t, channel, user, text, thread, direct)
	s.Socket.Deliver(Event, payload)
	return ts
}

// Press lets somebody press a button below a message that stands, over Socket Mode. There need not be such a button: the message may
// have been edited since it was shown.
func (s *Server) Press(t testing.TB, channel, ts, token, user string) {
	t.Helper()
	s.Socket.Deliver(Interaction, s.press(t, channel, ts, token, user))
}

// Fill enters a text in the form that was opened last for somebody, and sends it over Socket Mode. It waits for the form.
func (s *Server) Fill(t testing.TB, text, user string) {
	t.Helper()
	m, ok := s.take(user)
	if !ok {
		t.Fatalf("no form is opened for %s", user)
	}
	s.Socket.Deliver(Interaction, FormCall(m, text, Person(user)))
}

// Command lets somebody use the slash command, over Socket Mode.
func (s *Server) Command(channel, user, text string) {
	s.Socket.Deliver(Command, Flat(s.command(channel, user, text)))
}

// Redeliver sends the latest envelope once more, as when our acknowledgement was lost.
func (s *Server) Redeliver() {
	if !s.Socket.redeliver() {
		s.t.Error("nothing was delivered that could be delivered again")
	}
}

// Connected says how many Socket Mode connections stand.
func (s *Server) Connected() int { return s.Socket.State().Open }

// Trigger lets somebody set off what may open a form.
func (s *Server) Trigger(user string) (id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trigger(user)
}

func (s *Server) trigger(user string) string {
	s.count++
	id := fmt.Sprintf("13345224609.738474920.%d", s.count)
	s.triggers[id] = user
	return id
}

// AnswerURL makes an address at which a slash command of somebody's may be answered.
func (s *Server) AnswerURL(user string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	path := fmt.Sprintf("/commands/T0/%d/x", s.count)
	s.commands[path] = user
	return s.root + path
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

// speech lets a message stand and returns its event. A mention comes as app_mention; Slack sends it as message too.
func (s *Server) speech(t testing.TB, channel, user, text, thread string, direct bool) (ts string, payload any) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if thread != "" {
		root := s.message(channel, thread)
		if root == nil {
			t.Fatalf("no message %s stands in %s", thread, channel)
		}
		if root.thread != "" {
			thread = root.thread // people who reply to a reply write in its thread
		}
	}
	kind, text := "message", entities(text)
	if direct && channel[:1] != "D" {
		kind, text = "app_mention", "<@"+BotUser+"> "+text
	}
	m := &standing{channel: channel, ts: s.stamp(), thread: thread, user: user, text: text}
	s.messages = append(s.messages, m)
	e := MessageEvent(kind, channel, user, text, m.ts, thread)
	name := Person(user).Name
	e["user_profile"] = map[string]any{"display_name": name, "name": name}
	return m.ts, EventCall(e)
}

// Echo returns the event of a message that no person wrote: by another program, or our own that comes back.
func Echo(by channeltest.Author, channel, text, ts string) map[string]any {
	e := MessageEvent("message", channel, BotUser, entities(text), ts, "")
	e["bot_id"] = BotID
	if by == channeltest.Robot {
		e["subtype"], e["bot_id"], e["user"] = "bot_message", "B0OTHER", "U0OTHER"
	}
	return EventCall(e)
}
