package channeltest

import (
	"context"
	"errors"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
)

// received records the events that a channel delivers.
type received struct {
	t      *testing.T
	events chan channel.Event
	stop   func()

	mu     sync.Mutex
	answer channel.Answer
	refuse int // how many more events to answer with an error
}

// listen starts the listener or webhook, until the case ends.
func listen(t *testing.T, f Fixture) *received {
	t.Helper()
	e := &received{t: t, events: make(chan channel.Event, 100)}
	if f.Webhook != nil {
		f.Serve(t, f.Webhook.Handler(e.handle))
	}
	if f.Listener == nil {
		e.stop = func() {}
		return e
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Listener.Listen(ctx, e.handle) }()
	e.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Listen: %v", err)
			}
		case <-time.After(Patience):
			t.Error("Listen goes on after its context has ended")
		}
	})
	t.Cleanup(e.stop)
	return e
}

func (e *received) handle(_ context.Context, ev channel.Event) (channel.Answer, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case e.events <- ev:
	default:
		e.t.Error("more events than anybody caused")
	}
	if e.refuse > 0 {
		e.refuse--
		return channel.Answer{}, errors.New("not now")
	}
	return e.answer, nil
}

func (e *received) say(a channel.Answer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answer = a
}

func (e *received) fail() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refuse++
}

var plainID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,200}$`)

// next waits for an event and checks what all events have in common.
func (e *received) next() channel.Event {
	e.t.Helper()
	select {
	case ev := <-e.events:
		if !plainID.MatchString(ev.ID) {
			e.t.Errorf("event id %q", ev.ID)
		}
		if ev.User.ID == "" || ev.User.Name == "" {
			e.t.Errorf("user %+v", ev.User)
		}
		return ev
	case <-time.After(Patience):
		e.t.Fatal("nothing was heard")
		return channel.Event{}
	}
}

// nothing checks that no further event was delivered. For a listener that is certain, since it has ended.
func (e *received) nothing() {
	e.t.Helper()
	e.stop()
	select {
	case ev := <-e.events:
		e.t.Errorf("heard %+v", ev)
	default:
	}
}

// until waits for something that a platform shows after the handler has returned.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s does not come", what)
		}
	}
}
