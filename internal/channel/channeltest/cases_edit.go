package channeltest

import (
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

func edits(f Fixture) bool { return !f.NoEdit }

// edit changes a message and returns what is shown then. Where messages can't be edited, that is the newest message.
func edit(t *testing.T, f Fixture, key, before, after string, more ...channel.Button) Shown {
	t.Helper()
	m := message(key, before)
	m.Buttons = buttons()
	at := post(t, f, f.Room, m)
	n := len(f.Shown(t, f.Room))
	m = message(key, after)
	m.Buttons = more
	for range 2 { // the second one must change nothing
		if err := f.Channel.Edit(t.Context(), at, m); err != nil {
			t.Fatalf("Edit: %v", err)
		}
	}
	shown := f.Shown(t, f.Room)
	if f.NoEdit {
		return shown[len(shown)-1]
	}
	if len(shown) != n {
		t.Errorf("%d messages stand after the edit, %d before", len(shown), n)
	}
	return find(t, f, at)
}

func testEdit(t *testing.T, f Fixture) {
	s := edit(t, f, "k1", "Approve the plan?", "**Approved** by Ada.")
	has(t, s.Text, "Approved by Ada.")
	if len(s.Buttons) > 0 {
		t.Errorf("buttons are left: %+v", s.Buttons)
	}
	if strings.Contains(s.Text, "Approve the plan?") {
		t.Errorf("the old text is left: %q", s.Text)
	}
}

func testEditButtons(t *testing.T, f Fixture) {
	s := edit(t, f, "k1", "Approve the plan?", "Are you sure?", channel.Button{Label: "Yes", Token: "yes.1"})
	has(t, s.Text, "Are you sure?")
	if want := []Button{{"Yes", "yes.1"}}; !slices.Equal(s.Buttons, want) {
		t.Errorf("buttons %+v, want %+v", s.Buttons, want)
	}
}

// testEditLong edits a message to a long text, which has to fit into one message unless an edit is another post.
func testEditLong(t *testing.T, f Fixture) {
	text, words := long(f)
	s := edit(t, f, "k1", "Short.", text, channel.Button{Label: "Yes", Token: "yes.1"})
	has(t, s.Text, words[0])
	if f.Limit > 0 && !f.NoEdit {
		has(t, s.Text, "left out")
	}
	if len(s.Buttons) != 1 {
		t.Errorf("buttons %+v", s.Buttons)
	}
}

func testEditEmpty(t *testing.T, f Fixture) {
	at := post(t, f, f.Room, message("k1", "Here."))
	failed(t, f, f.Channel.Edit(soon(t), at, message("k1", " ")), fault.Input)
	has(t, find(t, f, at).Text, "Here.")
}

func testEditGone(t *testing.T, f Fixture) {
	failed(t, f, f.Channel.Edit(soon(t), f.Gone, message("k1", "Nowhere.")), fault.NotFound)
}
