package telegram

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
)

// TestPressesFromBefore checks that a press that waited for the listener is old, that a later one is not, and that one that the handler
// fails on keeps its time.
func TestPressesFromBefore(t *testing.T) {
	s, _ := start(t)
	var hours atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(hours.Load()) * time.Hour) }
	x := open(t, s, func(c *Config) { c.Now = now })
	at, err := x.Post(t.Context(), room(private), channel.Message{Text: "?", Buttons: []channel.Button{{Label: "Yes", Token: "yes"}}}, false)
	if err != nil {
		t.Fatal(err)
	}
	var id int
	fmt.Sscan(at.Message, &id)
	s.Press(private, private, "ada", id, "before")
	h := heard{then: func(_ channel.Event, n int) (channel.Answer, error) {
		if n == 2 {
			hours.Add(3)
			return channel.Answer{}, errors.New("not now")
		}
		return channel.Answer{}, nil
	}}
	listens(t, x, &h)
	await(t, h.has(1))
	began := now()
	await(t, s.Listening)
	s.Press(private, private, "ada", id, "during")
	await(t, h.has(3))
	await(t, func() bool { return s.Confirmed() > s.Last() })
	s.Press(private, private, "ada", id, "after")
	await(t, h.has(4))
	ages := make([]time.Duration, 4)
	for i, e := range h.events {
		ages[i] = began.Sub(e.At)
	}
	if ages[0] < 24*time.Hour || ages[1] > time.Minute || ages[2] != ages[1] || ages[3] > time.Minute-3*time.Hour {
		t.Errorf("heard %q, %v before the start", h.texts(), ages)
	}
}

// TestPressTimes checks what follows from answers to polls: after a gap, and while more waits than one answer holds.
func TestPressTimes(t *testing.T) {
	day := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	answer := func(first, n int) (list []json.RawMessage) {
		for i := range n {
			list = append(list, json.RawMessage(fmt.Sprintf(`{"update_id":%d}`, first+i)))
		}
		return list
	}
	var p presses
	if !p.behind(day) {
		t.Error("up to date before the first poll")
	}
	p.polled(answer(1, mostPolled), day)
	if !p.behind(day) || p.at(1) != unknown {
		t.Errorf("more may wait: %v", p.at(1))
	}
	p.polled(answer(101, 5), day)
	if p.behind(day.Add(mostBehind)) || p.at(101) != unknown {
		t.Errorf("all that waited: %v", p.at(101))
	}
	later := day.Add(2 * time.Hour)
	if !p.behind(later) {
		t.Error("up to date after a gap")
	}
	p.polled(answer(106, 1), later)
	if p.at(106) != day {
		t.Errorf("after a gap: %v", p.at(106))
	}
	p.polled(answer(106, 2), later.Add(time.Second))
	if p.at(106) != day || p.at(107) != later {
		t.Errorf("asked for again: %v, %v", p.at(106), p.at(107))
	}
}
