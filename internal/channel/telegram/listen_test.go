package telegram

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/telegram/telegramtest"
	"github.com/longshift/longshift/internal/fault"
)

// heard collects events.
type heard struct {
	mu     sync.Mutex
	events []channel.Event
	then   func(e channel.Event, n int) (channel.Answer, error) // n counts from 1; may be nil
}

func (h *heard) hear(_ context.Context, e channel.Event) (channel.Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
	if h.then == nil {
		return channel.Answer{}, nil
	}
	return h.then(e, len(h.events))
}

func (h *heard) texts() (list []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		list = append(list, e.Text+e.Token)
	}
	return list
}

func (h *heard) has(n int) func() bool { return func() bool { return len(h.texts()) >= n } }

// listens runs a listener; stop ends it and waits.
func listens(t *testing.T, x *Telegram, h *heard) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- x.Listen(ctx, h.hear) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Listen: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

func tell(s *telegramtest.Server, text string) int64 {
	s.Say(private, private, "ada", text, 0)
	return s.Last()
}

// TestTwoListeners checks that two listeners take turns and that each update is handled; what one has confirmed need not
// reach the other.
func TestTwoListeners(t *testing.T) {
	s, x := start(t)
	var one, two heard
	listens(t, x, &one)
	listens(t, open(t, s), &two)
	var want []string
	for i := range 60 {
		text := fmt.Sprint("work ", i)
		want = append(want, text)
		tell(s, text)
		await(t, func() bool { return slices.Contains(one.texts(), text) || slices.Contains(two.texts(), text) })
	}
	await(t, func() bool { return s.Confirmed() > s.Last() })
	for _, h := range []*heard{&one, &two} {
		got := h.texts()
		if len(got) == 0 {
			t.Error("one of them heard nothing")
		}
		if !slices.IsSortedFunc(got, func(a, b string) int { return slices.Index(want, a) - slices.Index(want, b) }) {
			t.Errorf("out of order: %q", got)
		}
	}
	if s.Conflicts() == 0 {
		t.Error("they never met")
	}
}

// TestRestartBeforeConfirm restarts after an update was handled and before it was confirmed.
func TestRestartBeforeConfirm(t *testing.T) {
	s, x := start(t)
	id := tell(s, "work")
	ctx, cancel := context.WithCancel(t.Context())
	var first channel.Event
	err := x.Listen(ctx, func(_ context.Context, e channel.Event) (channel.Answer, error) {
		first = e
		cancel()
		return channel.Answer{Text: "Taken."}, nil
	})
	if err != nil || s.Confirmed() > id {
		t.Fatalf("%v, confirmed up to %d", err, s.Confirmed())
	}
	var h heard
	listens(t, open(t, s), &h)
	await(t, h.has(1))
	if again := h.events[0]; again != first || first.ID != fmt.Sprintf("telegram-%d-%d", botID, id) {
		t.Errorf("first %+v, then %+v", first, again)
	}
	await(t, func() bool { return s.Confirmed() == id+1 })
}

// TestHearFailsThenTakes checks that later updates wait for a failing one, so that the order is kept, and that nothing
// is confirmed too early.
func TestHearFailsThenTakes(t *testing.T) {
	s, x := start(t)
	ids := []int64{tell(s, "a"), tell(s, "b"), tell(s, "c")}
	h := heard{then: func(e channel.Event, n int) (channel.Answer, error) {
		if s.Confirmed() > ids[2] || e.Text == "b" && s.Confirmed() > ids[1] {
			t.Errorf("%q was confirmed before it was taken", e.Text)
		}
		if e.Text == "b" && n < 4 {
			return channel.Answer{}, errors.New("not now")
		}
		return channel.Answer{}, nil
	}}
	listens(t, x, &h)
	await(t, func() bool { return s.Confirmed() == ids[2]+1 })
	if got := strings.Join(h.texts(), ""); got != "abbbc" {
		t.Errorf("heard %q", got)
	}
}

// TestGivenUp checks that one bad update does not block others for ever, and that an outage allows ten times as many
// tries.
func TestGivenUp(t *testing.T) {
	for name, c := range map[string]struct {
		err   error
		tries int
	}{"bad": {errors.New("broken"), 20}, "outage": {fault.New(fault.Infra, "down"), 200}} {
		t.Run(name, func(t *testing.T) {
			s, _ := start(t)
			var logged lines
			x := open(t, s, func(c *Config) {
				c.Log = logged.log()
				c.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
			})
			at, err := x.Post(t.Context(), room(private), channel.Message{Text: "?", Buttons: []channel.Button{{Label: "Yes", Token: "yes"}}}, false)
			if err != nil {
				t.Fatal(err)
			}
			var id int
			fmt.Sscan(at.Message, &id)
			s.Press(private, private, "ada", id, "yes")
			tell(s, "next")
			h := heard{then: func(e channel.Event, _ int) (channel.Answer, error) {
				if e.Kind == channel.Press {
					return channel.Answer{}, c.err
				}
				return channel.Answer{}, nil
			}}
			listens(t, x, &h)
			await(t, h.has(c.tries+1))
			if got := h.texts(); got[c.tries-1] != "yes" || got[c.tries] != "next" {
				t.Errorf("heard %d", len(got))
			}
			if alerts := s.Alerts(private); !strings.Contains(strings.Join(alerts, ""), "could not be taken in") || !strings.Contains(logged.String(), "given up") {
				t.Errorf("alerts %q, logged %s", alerts, logged.String())
			}
		})
	}
}

// TestWhileWeWereDown checks that updates from before the start are handled in order, and that invalid ones are skipped.
func TestWhileWeWereDown(t *testing.T) {
	s, x := start(t)
	tell(s, "old one")
	s.Add(map[string]any{"message": map[string]any{"message_id": "no number"}})
	tell(s, "old two")
	var h heard
	listens(t, x, &h)
	await(t, h.has(2))
	if got := h.texts(); !slices.Equal(got, []string{"old one", "old two"}) {
		t.Errorf("heard %q", got)
	}
	// After a week without updates, their numbers may restart lower.
	await(t, func() bool { return s.Confirmed() == 5004 && s.Offset() == 0 })
	s.Renumber(17)
	tell(s, "new one")
	await(t, h.has(3))
}

// TestNothingLeft checks that no goroutine or connection outlives Listen, whether it ends during a poll or between two.
func TestNothingLeft(t *testing.T) {
	s, _ := start(t)
	before := runtime.NumGoroutine()
	x := open(t, s, func(c *Config) { c.HTTP = &http.Client{Transport: &http.Transport{}} })
	var h heard
	stop := listens(t, x, &h)
	tell(s, "work")
	await(t, h.has(1))
	stop()
	await(t, func() bool { return runtime.NumGoroutine() <= before })

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	tell(s, "more work")
	err := x.Listen(ctx, func(context.Context, channel.Event) (channel.Answer, error) {
		cancel()
		return channel.Answer{}, nil
	})
	if err != nil {
		t.Error(err)
	}
	await(t, func() bool { return runtime.NumGoroutine() <= before })
}
