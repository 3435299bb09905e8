package telegram

import (
	"slices"
	"testing"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
)

// TestOutage checks that updates during an outage are handled afterwards, once each, by two listeners.
func TestOutage(t *testing.T) {
	s, x := start(t)
	at, err := x.Post(t.Context(), room(private), channel.Message{Text: "?", Buttons: []channel.Button{{Label: "Yes", Token: "yes"}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	var one, two heard
	answer := func(channel.Event, int) (channel.Answer, error) { return channel.Answer{Text: "Fine."}, nil }
	one.then, two.then = answer, answer
	listens(t, x, &one)
	listens(t, open(t, s), &two)
	tell(s, "before")
	await(t, func() bool { return s.Confirmed() > s.Last() })

	s.Down(true)
	if _, err := x.Post(t.Context(), room(private), channel.Message{Text: "lost?"}, false); fault.KindOf(err) != fault.Infra {
		t.Errorf("Post: %v", err)
	}
	tell(s, "meanwhile")
	alerts := s.Press(private, private, "ada", int(number(t, at.Message)), "yes")
	s.Again()
	s.Down(false)

	ids := map[string]int{}
	await(t, func() bool {
		clear(ids)
		for _, h := range []*heard{&one, &two} {
			h.mu.Lock()
			for _, e := range h.events {
				ids[e.Text+e.Token]++
			}
			h.mu.Unlock()
		}
		return ids["yes"] >= 2 && len(alerts()) >= 2
	})
	if ids["before"] == 0 || ids["meanwhile"] == 0 || len(ids) != 3 {
		t.Errorf("heard %v", ids)
	}
	if slices.ContainsFunc(alerts(), func(a string) bool { return a != "Fine." }) {
		t.Errorf("alerts %q", alerts())
	}
}
