package slack

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func mustPost(t *testing.T, s *Slack, to task.Room, m channel.Message, again bool) task.MessageRef {
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

// TestPostAgain continues a split message where it was interrupted.
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
			first := len(f.Messages(general))
			mustPost(t, s, to, m, false)
			n := len(f.Messages(general)) - first
			f.Keep(first + 1) // only the first part is left
			if n != 3 {
				t.Fatalf("%d parts, want 3", n)
			}
			at := mustPost(t, s, to, m, true)
			again := mustPost(t, s, to, m, true)
			all := f.Messages(general)
			if len(all) != first+3 || !reflect.DeepEqual(at, again) || all[first+2].TS != at.Message {
				t.Fatalf("%d messages, want %d; places %+v and %+v", len(all), first+3, at, again)
			}
			for _, p := range all[first:] {
				if p.Thread != to.Thread {
					t.Errorf("part in thread %q", p.Thread)
				}
			}
		})
	}
}

// TestPostToADeletedThread: Slack posts a reply to a deleted message in the channel itself, where another try finds it, or writes it.
func TestPostToADeletedThread(t *testing.T) {
	for name, posted := range map[string]bool{"posted before": true, "posted only now": false} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			s := f.open(nil)
			to, m := room(general, ""), channel.Message{Key: "plan", Text: longText(), Loud: true}
			to.Thread = mustPost(t, s, to, channel.Message{Key: "root", Text: "Root."}, false).Message
			f.Keep(0)
			if posted {
				mustPost(t, s, to, m, false)
			}
			at := mustPost(t, s, to, m, true)
			all := f.Messages(general)
			if len(all) != 3 || all[2].TS != at.Message || all[2].Thread != "" || at.Room != room(general, "") {
				t.Errorf("%d messages, the place is %+v", len(all), at)
			}
		})
	}
}

// TestPostLate: a worker that was stopped, and whose attempt has been given up, writes nothing when it goes on: another may have.
func TestPostLate(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	to, m := room(general, ""), channel.Message{Key: "card", Text: "Preparing."}
	at := mustPost(t, s, to, m, false)
	ctx := clock.WithLimit(t.Context(), func() error { return fault.New(fault.Infra, "too late") })
	_, posted := s.Post(ctx, to, channel.Message{Key: "plan", Text: "The plan."}, true)
	edited := s.Edit(ctx, at, channel.Message{Key: "card", Text: "Planning."})
	for does, err := range map[string]error{"post": posted, "edit": edited} {
		if fault.KindOf(err) != fault.Infra || !strings.Contains(err.Error(), "too late") {
			t.Errorf("%s: %v", does, err)
		}
	}
	if all := f.Messages(general); len(all) != 1 || !strings.Contains(all[0].Text, "Preparing") {
		t.Errorf("the channel has %+v", all)
	}
}

// chatter writes n messages as another person.
func chatter(f *fake, n int) {
	for range n {
		f.Put(slacktest.Post{Channel: general, User: ada.ID, Text: "chat"})
	}
}

// TestFindOverPages finds a message behind many others, but not beyond ten pages.
func TestFindOverPages(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	to := room(general, "")
	m := channel.Message{Key: "plan", Text: "The plan."}
	first := mustPost(t, s, to, m, false)
	chatter(f, 2*pageSize+5)
	if at := mustPost(t, s, to, m, true); !reflect.DeepEqual(at, first) {
		t.Errorf("place %+v, want %+v", at, first)
	}
	read := f.Calls()["conversations.history"]
	if read != 3 {
		t.Errorf("%d pages were read, want 3", read)
	}
	late := mustPost(t, s, to, channel.Message{Key: "late", Text: "x"}, false)
	if at := mustPost(t, s, to, channel.Message{Key: "late", Text: "x"}, true); !reflect.DeepEqual(at, late) {
		t.Errorf("place %+v, want %+v", at, late)
	}
	if n := f.Calls()["conversations.history"] - read; n != 1 {
		t.Errorf("%d pages were read for a message on the first one", n)
	}
	chatter(f, pages*pageSize)
	read = f.Calls()["conversations.history"]
	mustPost(t, s, to, channel.Message{Key: "other", Text: "x"}, true)
	if n := f.Calls()["conversations.history"] - read; n != pages {
		t.Errorf("%d pages were read, want %d", n, pages)
	}
}

// TestOnlyOurs checks that messages with the key of another app, with another key, or in another place do not count.
func TestOnlyOurs(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	to := room(general, "")
	m := channel.Message{Key: "plan", Text: "The plan."}
	meta := func(kind, key, part string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"event_type":%q,"event_payload":{"key":%q,"part":%q}}`, kind, key, part))
	}
	for _, x := range []slacktest.Post{
		{Channel: general, User: "U0OTHER", Bot: "B0OTHER", Metadata: meta(eventType, "plan", "1/1")},
		{Channel: general, User: ada.ID, Metadata: meta(eventType, "plan", "1/1")},
		{Channel: general, User: botUser, Bot: botID, Metadata: meta("deploy", "plan", "1/1")},
		{Channel: general, User: botUser, Bot: botID, Metadata: meta(eventType, "plan-2", "1/1")},
		{Channel: general, User: botUser, Bot: botID, Metadata: meta(eventType, "plan", "x")},
		{Channel: "C0ELSE", User: botUser, Bot: botID, Metadata: meta(eventType, "plan", "1/1")},
		{Channel: general, User: botUser, Bot: botID},
	} {
		f.Put(x)
	}
	before := len(f.Messages(general))
	mustPost(t, s, to, m, true)
	if n := len(f.Messages(general)); n != before+1 {
		t.Errorf("%d messages were written, want 1", n-before)
	}
}

// TestFindAfterEdit checks that an edit keeps the key.
func TestFindAfterEdit(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	m := channel.Message{Key: "plan", Text: longText()}
	at := mustPost(t, s, room(general, ""), m, false)
	if err := s.Edit(t.Context(), at, channel.Message{Key: "plan", Text: "Approved."}); err != nil {
		t.Fatal(err)
	}
	if again := mustPost(t, s, room(general, ""), m, true); again.Message != at.Message {
		t.Errorf("place %+v, want %+v", again, at)
	}
}
