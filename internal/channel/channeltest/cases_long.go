package channeltest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// long returns a text that takes about three messages, and words of it in order.
func long(f Fixture) (text string, words []string) {
	size := 3 * max(f.Limit, 2000)
	var s strings.Builder
	for i := 1; s.Len() < size; i++ {
		w := fmt.Sprintf("paragraph-%03d-begins", i)
		words = append(words, w)
		s.WriteString(w + strings.Repeat(" and goes on", 15) + ".\n\n")
	}
	return s.String(), words
}

func testLong(t *testing.T, f Fixture) {
	text, words := long(f)
	m := message("k1", text)
	m.Buttons = buttons()
	at := post(t, f, f.Room, m)
	shown := f.Shown(t, f.Room)
	has(t, all(shown), words...)
	if f.Limit > 0 && len(shown) < 2 {
		t.Fatalf("%d messages stand for a text of %d bytes", len(shown), len(text))
	}
	last := shown[len(shown)-1]
	if last.ID != at.Message || !slices.Equal(last.Buttons, standing(m.Buttons)) {
		t.Errorf("place %q, last message %q with %+v", at.Message, last.ID, last.Buttons)
	}
	for _, s := range shown[:len(shown)-1] {
		if len(s.Buttons) > 0 {
			t.Errorf("a part before the last one has buttons: %+v", s.Buttons)
		}
	}
}

// testReplyToPart answers the first part of a long message, which people do who have read it from the top.
func testReplyToPart(t *testing.T, f Fixture) {
	e := listen(t, f)
	text, _ := long(f)
	at := post(t, f, f.Room, message("k1", text))
	first := f.Shown(t, f.Room)[0].ID
	f.Say(t, Say{Room: f.Room, User: f.User, Text: "take the other way", ReplyTo: first})
	if ev := e.next(); ev.ReplyTo != first || ev.ReplyTo == at.Message || !at.Is(ev.ReplyTo) {
		t.Errorf("replied to %q of %+v, heard %+v", first, at, ev)
	}
}

// testHuge posts a text that no channel can show in full. It must be truncated with a note.
func testHuge(t *testing.T, f Fixture) {
	m := message("k1", strings.Repeat("word ", 200_000))
	m.Buttons = buttons()
	at := post(t, f, f.Room, m)
	s := find(t, f, at)
	has(t, s.Text, "left out")
	if !slices.Equal(s.Buttons, standing(m.Buttons)) {
		t.Errorf("buttons %+v", s.Buttons)
	}
}

func testCode(t *testing.T, f Fixture) {
	size := max(f.Limit, 2000)
	var want []string
	var text strings.Builder
	for i := range 4 {
		var code strings.Builder
		for j := 0; code.Len() < size*2/5; j++ {
			fmt.Fprintf(&code, "line %d of block %d\n", j, i)
		}
		want = append(want, strings.TrimSuffix(code.String(), "\n"))
		fmt.Fprintf(&text, "Block %d:\n\n```go\n%s```\n\n", i, code.String())
	}
	post(t, f, f.Room, message("k1", text.String()))
	var got []string
	for _, s := range f.Shown(t, f.Room) {
		got = append(got, s.Code...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %d blocks of code:\n%q\nwant %d:\n%q", len(got), got, len(want), want)
	}
}
