package slack

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/channel/slack/slacktest"
	"github.com/longshift/longshift/internal/fault"
)

// TestReconnects checks that the listener reconnects for ever, with growing pauses and a new token each time. A refused
// token only ends a listener that never worked.
func TestReconnects(t *testing.T) {
	f := newFake(t)
	s := f.Socket
	e := &recorder{}
	var mu sync.Mutex
	var pauses []time.Duration
	token := appToken
	var log bytes.Buffer
	listen(t, f.open(func(c *Config) {
		c.AppToken = func(context.Context) (string, error) { mu.Lock(); defer mu.Unlock(); return token, nil }
		c.Sleep = func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			if pauses = append(pauses, d); len(pauses) == 12 {
				s.Deaf(false)
				token = appToken
			}
			if len(pauses) == 6 {
				token = "xapp-refused"
			}
			return ctx.Err()
		}
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	}), e.handle)
	if !s.Wait(func(is slacktest.State) bool { return is.Open == 1 }) {
		t.Fatal("no connection")
	}
	first := s.Deliver(callEvent, statusEvent("1760000009.000100"))
	if !s.Wait(func(is slacktest.State) bool { return slices.Contains(is.Acks, first) }) {
		t.Fatal("not acknowledged")
	}
	s.Deaf(true)
	s.Drop()
	second := s.Deliver(callEvent, statusEvent("1760000010.000100"))
	if !s.Wait(func(is slacktest.State) bool { return slices.Contains(is.Acks, second) }) {
		t.Fatal("not acknowledged after the break")
	}
	mu.Lock()
	defer mu.Unlock()
	if pauses[0] != firstPause || !slices.IsSorted(pauses) || slices.Max(pauses) != longPause {
		t.Errorf("pauses %v", pauses)
	}
	if is := s.State(); is.Opened > len(pauses)+1 {
		t.Errorf("%d connections with %d pauses", is.Opened, len(pauses))
	}
	if !slices.Contains(s.State().Tokens, "xapp-refused") {
		t.Errorf("tokens %q", s.State().Tokens)
	}
	if strings.Contains(log.String(), "xapp-") || strings.Contains(log.String(), "ticket") {
		t.Errorf("the log holds what it may not:\n%s", log.String())
	}
}

// TestSlackIsDown checks that a failed request for a connection causes one pause, as long as Slack asks for.
func TestSlackIsDown(t *testing.T) {
	f := newFake(t)
	s := f.Socket
	s.AnswerOpening(
		func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
		func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "40")
			w.WriteHeader(http.StatusTooManyRequests)
		},
		func(w http.ResponseWriter) { slacktest.Deny(w, "internal_error") },
	)
	var mu sync.Mutex
	var pauses []time.Duration
	listen(t, f.open(func(c *Config) {
		c.Sleep = func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			pauses = append(pauses, d)
			return ctx.Err()
		}
	}), (&recorder{}).handle)
	if !s.Wait(func(is slacktest.State) bool { return is.Open == 1 }) {
		t.Fatal("no connection")
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []time.Duration{firstPause, 40 * time.Second, 4 * firstPause}; !slices.Equal(pauses, want) {
		t.Errorf("pauses %v, want %v", pauses, want)
	}
}

// TestSecureSocket checks that the socket uses the certificates of the HTTP client.
func TestSecureSocket(t *testing.T) {
	f := newFake(t)
	server := httptest.NewTLSServer(f)
	defer server.Close()
	s := f.Socket
	e := &recorder{}
	listen(t, f.open(func(c *Config) { c.HTTP, c.APIURL = server.Client(), server.URL+"/api" }), e.handle)
	if !s.Wait(func(is slacktest.State) bool { return is.Open == 1 }) {
		t.Fatal("no connection")
	}
	s.Deliver(callEvent, statusEvent("1760000009.000100"))
	if !s.Wait(func(is slacktest.State) bool { return len(is.Acks) == 1 }) || len(e.all()) != 1 {
		t.Error("not acknowledged")
	}
}

// TestLargeEnvelope checks that a message over the limit ends the connection, but not the listener.
func TestLargeEnvelope(t *testing.T) {
	f := newFake(t)
	s := f.Socket
	e := &recorder{}
	listen(t, f.open(nil), e.handle)
	if !s.Wait(func(is slacktest.State) bool { return is.Open == 1 }) {
		t.Fatal("no connection")
	}
	s.Raw(`{"type":"events_api","envelope_id":"large","payload":"` + strings.Repeat("x", 2<<20) + `"}`)
	if !s.Wait(func(is slacktest.State) bool { return is.Opened == 2 && is.Open == 1 }) {
		t.Fatal("no second connection")
	}
	if len(e.all()) != 0 || len(s.State().Acks) != 0 {
		t.Errorf("received %d, acknowledged %q", len(e.all()), s.State().Acks)
	}
}

// TestDisconnect checks the reconnect that Slack requests every few hours.
func TestDisconnect(t *testing.T) {
	f := newFake(t)
	s := f.Socket
	e := &recorder{}
	listen(t, f.open(nil), e.handle)
	if !s.Wait(func(is slacktest.State) bool { return is.Open == 1 }) {
		t.Fatal("no connection")
	}
	s.Raw(`{"type":"disconnect","reason":"refresh_requested","debug_info":{"host":"applink"}}`)
	if !s.Wait(func(is slacktest.State) bool { return is.Opened == 2 && is.Open == 1 }) {
		t.Fatal("no second connection")
	}
	s.Deliver(callEvent, statusEvent("1760000009.000100"))
	if !s.Wait(func(is slacktest.State) bool { return len(is.Acks) == 1 }) {
		t.Fatal("not acknowledged")
	}
}

func TestRefusedListener(t *testing.T) {
	for name, c := range map[string]struct {
		token Secret
		want  fault.Kind
	}{"none": {nil, fault.Input}, "empty": {fixed(""), fault.Denied}, "wrong": {fixed("xapp-wrong"), fault.Denied}} {
		f := newFake(t)
		err := f.open(func(x *Config) { x.AppToken = c.token }).Listen(t.Context(), (&recorder{}).handle)
		if fault.KindOf(err) != c.want || strings.Contains(err.Error(), "xapp-") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNothingLeft checks that a busy listener that has lost connections leaves no goroutine behind.
func TestNothingLeft(t *testing.T) {
	f := newFake(t)
	s := f.Socket
	leaf := f.open(nil)
	before := runtime.NumGoroutine()
	for round := range 3 {
		e := &recorder{answer: channel.Answer{Text: "x"}}
		stop := listen(t, leaf, e.handle)
		if !s.Wait(func(is slacktest.State) bool { return is.Open == 1 }) {
			t.Fatal("no connection")
		}
		for i := range 5 {
			s.Deliver(callEvent, statusEvent(fmt.Sprintf("176000%d009.%06d", round, i)))
		}
		if !s.Wait(func(is slacktest.State) bool { return len(is.Acks) >= 5*(round+1) }) {
			t.Fatalf("acknowledged %d", len(s.State().Acks))
		}
		s.Drop()
		if !s.Wait(func(is slacktest.State) bool { return is.Opened >= 2*(round+1) && is.Open == 1 }) {
			t.Fatal("no second connection")
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if !s.Wait(func(is slacktest.State) bool { return is.Open == 0 }) {
			t.Fatal("the connection stays")
		}
	}
	leaf.http.CloseIdleConnections()
	eventually(t, "the end of all goroutines", func() bool {
		leaf.http.CloseIdleConnections()
		return runtime.NumGoroutine() <= before
	})
}
