package telegramtest

import (
	"net/http"
	"slices"
	"testing"
)

func TestAlerts(t *testing.T) {
	s := New(t)
	s.Open(chat)
	do(t, s, "sendMessage", text("?"))
	id := s.Messages(chat)[0].ID
	one, two := s.Press(chat, 7, "ada", id, "y"), s.Press(chat, 8, "bob", id, "y")
	if s.Waiting() != 2 {
		t.Errorf("%d presses wait", s.Waiting())
	}
	answer := func(query, words string) {
		do(t, s, "answerCallbackQuery", map[string]any{"callback_query_id": query, "text": words, "show_alert": true})
	}
	answer("query2", "No.")
	answer("query1", "Fine.")
	if !slices.Equal(one(), []string{"Fine."}) || !slices.Equal(two(), []string{"No."}) || !slices.Equal(s.Alerts(8), two()) || len(s.Alerts(0)) != 2 ||
		s.Waiting() != 0 {
		t.Errorf("%q, %q, %d wait", one(), two(), s.Waiting())
	}
}

// TestAgain checks that an update is delivered until it is confirmed, and then once more for each Again.
func TestAgain(t *testing.T) {
	s := New(t)
	s.Say(chat, 7, "ada", "a", 0)
	first := s.Last()
	s.Say(chat, 7, "ada", "b", 0)
	last := s.Last()
	s.Again() // before it was confirmed
	for i, c := range []struct {
		offset int64
		want   []int64
	}{{0, []int64{first, last}}, {last, []int64{last}}, {last + 1, []int64{last}}, {last + 1, nil}} {
		if _, got := get(t, s, c.offset); !slices.Equal(got, c.want) {
			t.Errorf("poll %d from %d: %v, want %v", i, c.offset, got, c.want)
		}
	}
	if s.Confirmed() != last+1 {
		t.Errorf("confirmed up to %d", s.Confirmed())
	}
	s.Again() // and after
	if _, got := get(t, s, 0); !slices.Equal(got, []int64{last}) {
		t.Errorf("got %v", got)
	}
}

// TestPollers checks that a newer poll ends an older one, that none hangs, and that polling works after an outage.
func TestPollers(t *testing.T) {
	s := New(t)
	s.Open(chat)
	s.Down(true)
	s.Say(chat, 7, "ada", "while you were down", 0)
	if status, got := get(t, s, 0); status != http.StatusBadGateway || got != nil {
		t.Errorf("a poll while down: %d, %v", status, got)
	}
	if status, _ := do(t, s, "sendMessage", text("x")); status != http.StatusBadGateway || len(s.Messages(chat)) != 0 {
		t.Errorf("a message while down: %d", status)
	}
	s.Down(false)
	_, got := get(t, s, 0)
	if !slices.Equal(got, []int64{s.Last()}) {
		t.Errorf("after the outage: %v", got)
	}
	statuses := make(chan int, 5)
	for range cap(statuses) {
		go func() {
			status, _ := get(t, s, s.Last()+1)
			statuses <- status
		}()
	}
	n := map[int]int{}
	for range cap(statuses) {
		n[<-statuses]++
	}
	if n[http.StatusOK] == 0 || s.Conflicts() == 0 || n[http.StatusConflict] != s.Conflicts() || n[http.StatusOK]+s.Conflicts() != cap(statuses) {
		t.Errorf("answers %v, %d conflicts", n, s.Conflicts())
	}
}
