package slack

import (
	"reflect"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
)

// TestLoud checks that a message that needs a reaction is broadcast to the channel if it is in a thread.
func TestLoud(t *testing.T) {
	for name, c := range map[string]struct {
		room           string
		thread, loud   bool
		text           string
		parts, showing int
	}{
		"in a thread":             {general, true, true, "Approve?", 1, 1},
		"in a private channel":    {"P0PRIVATE", true, true, "Approve?", 1, 1},
		"in a group":              {"G0GROUP", true, true, "Approve?", 1, 1},
		"quiet in a thread":       {general, true, false, "Working.", 1, 0},
		"in the channel":          {general, false, true, "Approve?", 1, 0},
		"in a private chat":       {"D0ADA", true, true, "Approve?", 1, 0},
		"to a person":             {ada.ID, true, true, "Approve?", 1, 0},
		"of several parts":        {general, true, true, longText(), 3, 1},
		"quiet of several parts":  {general, true, false, longText(), 3, 0},
		"several, in the channel": {general, false, true, longText(), 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			s := f.open(nil)
			to := room(c.room, "")
			root := f.Put(slacktest.Post{Channel: c.room, User: ada.ID, Text: "Root."})
			if c.thread {
				to.Thread = root
			}
			m := channel.Message{Key: "plan", Text: c.text, Loud: c.loud}
			at := mustPost(t, s, to, m, false)
			if err := s.Edit(t.Context(), at, channel.Message{Key: "plan", Text: "Approved."}); err != nil {
				t.Fatal(err)
			}
			parts := f.Messages(c.room)[1:]
			if len(parts) != c.parts {
				t.Fatalf("%d parts, want %d", len(parts), c.parts)
			}
			for i, p := range parts {
				if want := i == len(parts)-1 && c.showing == 1; p.Broadcast != want {
					t.Errorf("part %d shown in the channel: %v, want %v", i+1, p.Broadcast, want)
				}
			}
			if last := parts[len(parts)-1]; last.Edited != 1 || last.Text != "Approved." {
				t.Errorf("after the edit: %+v", last)
			}
		})
	}
}

// TestLoudEdit checks that a loud edit succeeds and does not broadcast the old reply.
func TestLoudEdit(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	to := room(general, f.Put(slacktest.Post{Channel: general, User: ada.ID, Text: "Root."}))
	at := mustPost(t, s, to, channel.Message{Key: "plan", Text: "Working."}, false)
	if err := s.Edit(t.Context(), at, channel.Message{Key: "plan", Text: "Approve?", Loud: true}); err != nil {
		t.Fatal(err)
	}
	if m := f.Messages(general)[1]; m.Broadcast || m.Text != "Approve?" {
		t.Errorf("after the edit: %+v", m)
	}
}

// TestFindBesideLoud checks that a broadcast reply does not count as a message of the channel with the same key, and is
// found in its thread.
func TestFindBesideLoud(t *testing.T) {
	f := newFake(t)
	s := f.open(nil)
	root := mustPost(t, s, room(general, ""), channel.Message{Key: "root", Text: "Root."}, false)
	m := channel.Message{Key: "plan", Text: "Approve?", Loud: true}
	reply := mustPost(t, s, room(general, root.Message), m, false)
	own := mustPost(t, s, room(general, ""), m, true)
	if own.Message == reply.Message || own.Thread != "" {
		t.Errorf("the reply was found in the channel: %+v", own)
	}
	if again := mustPost(t, s, room(general, root.Message), m, true); !reflect.DeepEqual(again, reply) {
		t.Errorf("place %+v, want %+v", again, reply)
	}
	if again := mustPost(t, s, room(general, ""), m, true); !reflect.DeepEqual(again, own) {
		t.Errorf("place %+v, want %+v", again, own)
	}
	// A message with replies has its own timestamp as its thread, and is not a reply.
	if again := mustPost(t, s, room(general, ""), channel.Message{Key: "root", Text: "Root."}, true); !reflect.DeepEqual(again, root) {
		t.Errorf("place %+v, want %+v", again, root)
	}
}
