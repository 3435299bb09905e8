package slack

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
	"github.com/longshift/longshift/internal/clock"
)

// listen runs a listener until the end of the test, or until stop is called, which waits for it.
func listen(t *testing.T, s *Slack, handle channel.Handle) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Listen(ctx, handle) }()
	stop = sync.OnceValue(func() error {
		cancel()
		select {
		case err := <-done:
			return err
		case <-time.After(10 * time.Second):
			return errors.New("Listen goes on after its context has ended")
		}
	})
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("Listen: %v", err)
		}
	})
	return stop
}

// nap replaces long pauses.
func nap(ctx context.Context, _ time.Duration) error { return clock.Sleep(ctx, 10*time.Millisecond) }

func statusEvent(ts string) any {
	return eventCall(messageEvent("message", "D0ADA", ada.ID, "status", ts, ""))
}

// TestAcknowledged checks that an envelope is acknowledged only after the handler has succeeded.
func TestAcknowledged(t *testing.T) {
	f := newFake(t)
	free := make(chan struct{})
	var once sync.Once
	release := func() { once.Do(func() { close(free) }) }
	t.Cleanup(release)
	got := make(chan channel.Event, 10)
	listen(t, f.open(nil), func(ctx context.Context, e channel.Event) (channel.Answer, error) {
		got <- e
		select {
		case <-free:
			return channel.Answer{}, nil
		case <-ctx.Done():
			return channel.Answer{}, ctx.Err()
		}
	})
	s := f.Socket
	s.Again(time.Hour)
	held := s.Deliver(callEvent, statusEvent("1760000009.000100"))
	<-got
	passed := s.Deliver(callEvent, eventCall(map[string]any{"type": "reaction_added"})) // acknowledged at once, since it is ignored
	if !s.Wait(func(is slacktest.State) bool { return slices.Contains(is.Acks, passed) }) {
		t.Fatal("what is not for us is not acknowledged")
	}
	if slices.Contains(s.State().Acks, held) {
		t.Error("acknowledged before the handler took it")
	}
	release()
	if !s.Wait(func(is slacktest.State) bool { return slices.Contains(is.Acks, held) }) {
		t.Error("not acknowledged after the handler took it")
	}
}

// TestHeardAgain checks that deliveries of each kind are retried with the same ID after the handler has failed: events
// by Slack, which gets no acknowledgement, others by the listener.
func TestHeardAgain(t *testing.T) {
	for kind, payload := range map[string]any{callEvent: statusEvent("1760000009.000100"), callInteraction: pressed0,
		callCommand: flat(commandCall(general, "status", "1.2.3", "", ada))} {
		t.Run(kind, func(t *testing.T) {
			f := newFake(t)
			s := f.Socket
			s.Again(500 * time.Millisecond)
			got := make(chan channel.Event, 10)
			var n atomic.Int32 // what is delivered again may meet what was delivered first
			stop := listen(t, f.open(nil), func(_ context.Context, e channel.Event) (channel.Answer, error) {
				got <- e
				if n.Add(1) == 1 {
					return channel.Answer{}, errors.New("not now")
				}
				return channel.Answer{}, nil
			})
			id := s.Deliver(kind, payload)
			if first, second := <-got, <-got; first.ID != second.ID {
				t.Errorf("ids %q and %q", first.ID, second.ID)
			}
			if !s.Wait(func(is slacktest.State) bool { return slices.Contains(is.Acks, id) }) {
				t.Fatal("not acknowledged")
			}
			if err := stop(); err != nil {
				t.Fatal(err)
			}
			if len(got) != 0 || len(s.State().Acks) != 1 {
				t.Fatalf("received %d times more, acknowledged %d times", len(got), len(s.State().Acks))
			}
		})
	}
}

// TestStrangeEnvelopes checks that unknown envelopes are acknowledged and end nothing.
func TestStrangeEnvelopes(t *testing.T) {
	f := newFake(t)
	s := f.Socket
	e := &recorder{}
	listen(t, f.open(nil), e.handle)
	if !s.Wait(func(is slacktest.State) bool { return is.Open == 1 }) {
		t.Fatal("no connection")
	}
	s.Raw(`{"type":"events_api","envelope_id":"new-event","payload":{"type":"event_callback","event":{"type":"an_event_of_tomorrow"}}}`)
	s.Raw(`{"type":"interactive","envelope_id":"new-shape","payload":{"type":"block_actions","actions":"?"}}`)
	s.Raw(`{"type":"things_of_tomorrow","envelope_id":"new-kind","payload":{}}`)
	s.Raw(`{"type":"events_api","payload":{}}`)
	s.Raw(`no JSON`)
	s.Raw(``)
	want := s.Deliver(callEvent, statusEvent("1760000009.000100"))
	if !s.Wait(func(is slacktest.State) bool {
		return slices.Contains(is.Acks, want) && slices.Contains(is.Acks, "new-event") && slices.Contains(is.Acks, "new-shape") &&
			slices.Contains(is.Acks, "new-kind")
	}) {
		t.Errorf("acknowledged %q", s.State().Acks)
	}
	if len(e.all()) != 1 {
		t.Errorf("received %+v", e.all())
	}
}

// TestTwoListeners checks that each delivery goes to one listener, and that one continues when the other ends.
func TestTwoListeners(t *testing.T) {
	f := newFake(t)
	s := f.Socket
	e := &recorder{}
	stop := listen(t, f.open(nil), e.handle)
	listen(t, f.open(nil), e.handle)
	if !s.Wait(func(is slacktest.State) bool { return is.Open == 2 }) {
		t.Fatal("no two connections")
	}
	for i := range 10 {
		s.Deliver(callEvent, statusEvent(fmt.Sprintf("1760000009.%06d", i)))
	}
	if !s.Wait(func(is slacktest.State) bool { return len(is.Acks) == 10 }) {
		t.Fatalf("acknowledged %d", len(s.State().Acks))
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	if !s.Wait(func(is slacktest.State) bool { return is.Open == 1 }) {
		t.Fatal("the connection of the ended one stays")
	}
	s.Deliver(callEvent, statusEvent("1760000010.000000"))
	if !s.Wait(func(is slacktest.State) bool { return len(is.Acks) == 11 }) {
		t.Fatalf("acknowledged %d", len(s.State().Acks))
	}
	if len(e.all()) != 11 {
		t.Errorf("received %d", len(e.all()))
	}
}
