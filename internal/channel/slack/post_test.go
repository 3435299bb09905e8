package slack

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/task"
)

func mustPost(t *testing.T, s *Slack, to task.Room, m channel.Message, again bool) task.Place {
	t.Helper()
	at, err := s.Post(t.Context(), to, m, again)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// longText takes three messages.
func longText() string {
	var s strings.Builder
	for i := range 100 {
		fmt.Fprintf(&s, "Paragraph %d%s.\n\n", i, strings.Repeat(" goes on", 25))
	}
	return s.String()
}

// TestPostAgain takes up a message of several parts where it was broken off.
func TestPostAgain(t *testing.T) {
	for name, thread := range map[string]bool{"channel": false, "thread": true} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			s := f.open(nil)
			to := room(general, "")
			if thread {
				to.Thread = mustPost(t, s, to, channel.Message{Key: "root", Text: "Root."}, false).Message
			}
			m := channel.Message{Key: "plan", Text: longText(), Buttons: []channel.Button{{Label: "Yes", Token: "yes"}}}
			f.mu.Lock()
			first := len(f.messages)
			f.mu.Unlock()
			mustPost(t, s, to, m, false)
			f.mu.Lock()
			n := len(f.messages) - first
			f.messages = f.messages[:first+1] // only the first part stands
			f.mu.Unlock()
			if n != 3 {
				t.Fatalf("%d parts, want 3", n)
			}
			at := mustPost(t, s, to, m, true)
			again := mustPost(t, s, to, m, true)
			f.mu.Lock()
			defer f.mu.Unlock()
			if len(f.messages) != first+3 || at != again || f.messages[first+2].ts != at.Message {
				t.Errorf("%d messages, want %d; places %+v and %+v", len(f.messages), first+3, at, again)
			}
			for _, p := range f.messages[first:] {
				if p.thread != to.Thread {
					t.Errorf("part in thread %q", p.thread)
				}
			}
		})
	}
}

// TestFindOverPages finds a message that others have pushed back, and goes no further than ten pages.
func TestFindOverPages(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	to := room(general, "")
	m := channel.Message{Key: "plan", Text: "The plan."}
	first := mustPost(t, s, to, m, false)
	f.mu.Lock()
	for range 2*pageSize + 5 {
		f.messages = append(f.messages, &stored{channel: general, ts: f.stamp(), user: ada.ID, text: "chat"})
	}
	f.mu.Unlock()
	if at := mustPost(t, s, to, m, true); at != first {
		t.Errorf("place %+v, want %+v", at, first)
	}
	f.mu.Lock()
	if f.calls["conversations.history"] != 3 {
		t.Errorf("%d pages were read, want 3", f.calls["conversations.history"])
	}
	f.calls["conversations.history"] = 0
	f.mu.Unlock()
	late := mustPost(t, s, to, channel.Message{Key: "late", Text: "x"}, false)
	if at := mustPost(t, s, to, channel.Message{Key: "late", Text: "x"}, true); at != late {
		t.Errorf("place %+v, want %+v", at, late)
	}
	f.mu.Lock()
	if n := f.calls["conversations.history"]; n != 1 {
		t.Errorf("%d pages were read for a message on the first one", n)
	}
	for range pages * pageSize {
		f.messages = append(f.messages, &stored{channel: general, ts: f.stamp(), user: ada.ID, text: "chat"})
	}
	f.calls["conversations.history"] = 0
	f.mu.Unlock()
	mustPost(t, s, to, channel.Message{Key: "other", Text: "x"}, true)
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := f.calls["conversations.history"]; n != pages {
		t.Errorf("%d pages were read, want %d", n, pages)
	}
}

// TestOnlyOurs: another app's message with our key does not count as ours, nor does ours with another key or in another place.
func TestOnlyOurs(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	to := room(general, "")
	m := channel.Message{Key: "plan", Text: "The plan."}
	meta := func(kind, key, part string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"event_type":%q,"event_payload":{"key":%q,"part":%q}}`, kind, key, part))
	}
	for _, x := range []stored{
		{channel: general, user: "U0OTHER", bot: "B0OTHER", metadata: meta(eventType, "plan", "1/1")},
		{channel: general, user: ada.ID, metadata: meta(eventType, "plan", "1/1")},
		{channel: general, user: botUser, bot: botID, metadata: meta("deploy", "plan", "1/1")},
		{channel: general, user: botUser, bot: botID, metadata: meta(eventType, "plan-2", "1/1")},
		{channel: general, user: botUser, bot: botID, metadata: meta(eventType, "plan", "x")},
		{channel: "C0ELSE", user: botUser, bot: botID, metadata: meta(eventType, "plan", "1/1")},
		{channel: general, user: botUser, bot: botID},
	} {
		x.ts = f.stamp()
		f.messages = append(f.messages, &x)
	}
	before := len(f.messages)
	mustPost(t, s, to, m, true)
	if n := len(f.messages); n != before+1 {
		t.Errorf("%d messages were written, want 1", n-before)
	}
}

// TestFindAfterEdit: the key stays with the message.
func TestFindAfterEdit(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	m := channel.Message{Key: "plan", Text: longText()}
	at := mustPost(t, s, room(general, ""), m, false)
	if err := s.Edit(t.Context(), at, channel.Message{Key: "plan", Text: "Approved."}); err != nil {
		t.Fatal(err)
	}
	if again := mustPost(t, s, room(general, ""), m, true); again != at {
		t.Errorf("place %+v, want %+v", again, at)
	}
}
