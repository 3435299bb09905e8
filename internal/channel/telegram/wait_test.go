package telegram

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel/telegram/telegramtest"
	"github.com/longshift/longshift/internal/fault"
)

// waits records pauses instead of waiting.
type waits struct {
	mu   sync.Mutex
	list []time.Duration
}

func (w *waits) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = append(w.list, d)
	return ctx.Err()
}

func TestWaits(t *testing.T) {
	s, _ := start(t)
	var w waits
	var logged lines
	x := open(t, s, func(c *Config) { c.Sleep, c.Backoff, c.Log = w.sleep, Backoff{}, logged.log() })
	conflict := telegramtest.Refuse(409, "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running")
	hook := telegramtest.Refuse(409, "Conflict: can't use getUpdates method while webhook is active")
	revoked := telegramtest.Refuse(401, "Unauthorized")
	fails := slices.Repeat([]http.HandlerFunc{gateway}, 9)
	s.FailPolls(append(fails, conflict, conflict, hook, hook, revoked, telegramtest.Slow(3600))...)
	tell(s, "work")
	var h heard
	stop := listens(t, x, &h)
	await(t, h.has(1))
	stop()
	near := func(got, want time.Duration) bool { return got <= want && got >= want*3/4 }
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60} {
		if want *= time.Second; !near(w.list[i], want) {
			t.Errorf("wait %d is %v, want about %v", i, w.list[i], want)
		}
	}
	for _, d := range w.list[9:13] {
		if d < 30*time.Second || d > 40*time.Second {
			t.Errorf("wait after a conflict %v", d)
		}
	}
	if !near(w.list[13], time.Minute) || w.list[14] != time.Hour {
		t.Errorf("then %v", w.list[13:])
	}
	text := logged.String()
	if n := strings.Count(text, "refuses to be polled"); n != 2 || !strings.Contains(text, "deleteWebhook") || !strings.Contains(text, "take turns") {
		t.Errorf("%d lines about conflicts: %s", n, text)
	}
	if n := strings.Count(text, "can't be polled"); n != 1 {
		t.Errorf("%d lines about an outage", n)
	}
}

// TestRefusedAtFirst checks that a token that never worked is reported as an error of the configuration.
func TestRefusedAtFirst(t *testing.T) {
	s := newRefusing(t, 401, "Unauthorized")
	x, err := New(Config{Token: held, BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Listen(t.Context(), nil); fault.KindOf(err) != fault.Denied || fault.HintOf(err) == "" {
		t.Errorf("got %v", err)
	}
}
