package slack

import (
	"context"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
	"github.com/longshift/longshift/internal/fault"
)

// mentioned is a mention in a channel, as one of Slack's two events.
func mentioned(kind, ts string) any {
	return eventCall(messageEvent(kind, general, ada.ID, "<@U0BOT> status", ts, ""))
}

// TestMentionIsHandledOnce: Slack sends a mention as two events, at the same time. One is handled and answered, and both are acknowledged.
func TestMentionIsHandledOnce(t *testing.T) {
	f, e := newFake(t), &recorder{answer: channel.Answer{Text: "Two tasks run."}}
	listen(t, f.open(nil), e.handle)
	for n := range 20 {
		f.Say(t, general, ada.ID, "status", "", true)
		if !f.Socket.Wait(func(is slacktest.State) bool { return len(is.Acks) == 2*(n+1) }) {
			t.Fatalf("%d acknowledgements, want %d", len(f.Socket.State().Acks), 2*(n+1))
		}
	}
	eventually(t, "the answers", func() bool { return len(f.answers()) >= 20 })
	if got, shown := len(e.all()), len(f.answers()); got != 20 || shown != 20 {
		t.Errorf("%d handled and %d answered, want 20", got, shown)
	}
}

// TestMentionByOneEvent: which of the events comes alone depends on what the app is subscribed to, and on the kind of chat.
func TestMentionByOneEvent(t *testing.T) {
	e := &recorder{}
	call := newCaller(t, newFake(t).open(nil).Handler(e.handle))
	for i, payload := range []any{mentioned("app_mention", "1760000009.000100"), mentioned("message", "1760000009.000200"),
		eventCall(messageEvent("message", "D0ADA", ada.ID, "<@U0BOT> status", "1760000009.000300", ""))} {
		if status, _ := call.call(callEvent, payload); status != 200 || len(e.all()) != i+1 {
			t.Errorf("%d: status %d, handled %d", i, status, len(e.all()))
		}
	}
}

// TestMentionThatFailed: an event that could not be handled leaves the mention to the other one, or to its own next delivery. The one that was handled
// is handled again when it is delivered again, as any other event.
func TestMentionThatFailed(t *testing.T) {
	const first, second = "app_mention", "message"
	for name, deliveries := range map[string][]struct {
		kind    string
		fails   bool
		handled bool
	}{
		"the other one":   {{first, true, true}, {second, false, true}, {first, false, false}, {second, false, true}},
		"delivered again": {{first, true, true}, {first, false, true}, {second, false, false}},
		"both":            {{first, true, true}, {second, true, true}, {second, false, true}, {first, false, false}},
	} {
		t.Run(name, func(t *testing.T) {
			e := &recorder{}
			call := newCaller(t, newFake(t).open(nil).Handler(e.handle))
			for i, d := range deliveries {
				e.mu.Lock()
				before := len(e.events)
				if e.err = nil; d.fails {
					e.err = fault.New(fault.Infra, "Temporal is away")
				}
				e.mu.Unlock()
				status, _ := call.call(callEvent, mentioned(d.kind, "1760000009.000100"))
				if handled := len(e.all()) > before; handled != d.handled || (status == 200) == d.fails {
					t.Errorf("delivery %d, %s: status %d, handled %v, want %v", i, d.kind, status, handled, d.handled)
				}
			}
		})
	}
}

// TestMentionWaits: an event waits while the other one is handled. If that takes too long for Slack, none of them is acknowledged.
func TestMentionWaits(t *testing.T) {
	for name, c := range map[string]struct {
		takes  time.Duration
		status int
	}{
		"handled":  {time.Second, 200},
		"too slow": {time.Minute, 500},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := New(Config{BotToken: fixed(botToken), SigningSecret: fixed(signing)})
				if err != nil {
					t.Fatal(err)
				}
				s.self = known
				handled := 0 // without an error
				h := s.Handler(func(ctx context.Context, _ channel.Event) (channel.Answer, error) {
					select {
					case <-time.After(c.takes):
						handled++
						return channel.Answer{}, nil
					case <-ctx.Done():
						return channel.Answer{}, ctx.Err()
					}
				})
				var both sync.WaitGroup
				for _, kind := range []string{"app_mention", "message"} {
					both.Go(func() {
						w := httptest.NewRecorder()
						h.ServeHTTP(w, signed(callEvent, mentioned(kind, "1760000009.000100")))
						if w.Code != c.status {
							t.Errorf("%s: status %d, want %d", kind, w.Code, c.status)
						}
					})
				}
				both.Wait()
				if want := map[int]int{200: 1}[c.status]; handled != want {
					t.Errorf("handled %d times, want %d", handled, want)
				}
			})
		})
	}
}

// TestTwinsAreBounded: the newest mentions are remembered.
func TestTwinsAreBounded(t *testing.T) {
	var w twins
	handle := func(n int, kind string) bool {
		id := fmt.Sprint(n)
		mine, err := w.begin(t.Context(), id, kind)
		if err != nil {
			t.Fatal(err)
		}
		if mine {
			w.end(id, kind, true)
		}
		return mine
	}
	for n := range 3 * maxTwins {
		handle(n, "message")
	}
	if len(w.handled) != maxTwins || len(w.order) != maxTwins || len(w.running) != 0 {
		t.Errorf("%d and %d are remembered, %d run", len(w.handled), len(w.order), len(w.running))
	}
	if handle(2*maxTwins, "app_mention") || !handle(2*maxTwins-1, "app_mention") {
		t.Error("the newest are not remembered, or an older one is")
	}
}
