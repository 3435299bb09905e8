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
	"github.com/longshift/longshift/internal/fault"
)

// TestReconnects: for ever, with growing pauses, with a new token each time; a refused token ends only what never worked.
func TestReconnects(t *testing.T) {
	f := newFake(t)
	s := &f.socket
	e := &ears{}
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
				s.mu.Lock()
				s.deaf, token = false, appToken
				s.mu.Unlock()
			}
			if len(pauses) == 6 {
				token = "xapp-refused"
			}
			return ctx.Err()
		}
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
	}), e.hear)
	if !s.wait(func() bool { return len(s.conns) == 1 }) {
		t.Fatal("no connection")
	}
	first := s.deliver(callEvent, statusEvent("1760000009.000100"))
	if !s.wait(func() bool { return slices.Contains(s.acks, first) }) {
		t.Fatal("not acknowledged")
	}
	s.mu.Lock()
	s.deaf = true
	s.mu.Unlock()
	s.drop()
	second := s.deliver(callEvent, statusEvent("1760000010.000100"))
	if !s.wait(func() bool { return slices.Contains(s.acks, second) }) {
		t.Fatal("not acknowledged after the break")
	}
	mu.Lock()
	defer mu.Unlock()
	if pauses[0] != firstPause || !slices.IsSorted(pauses) || slices.Max(pauses) != longPause {
		t.Errorf("pauses %v", pauses)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened > len(pauses)+1 {
		t.Errorf("%d connections with %d pauses", s.opened, len(pauses))
	}
	if !slices.Contains(s.tokens, "xapp-refused") {
		t.Errorf("tokens %q", s.tokens)
	}
	if strings.Contains(log.String(), "xapp-") || strings.Contains(log.String(), "ticket") {
		t.Errorf("the log holds what it may not:\n%s", log.String())
	}
}

// TestSlackIsDown: a failed opening is one pause, and one that Slack asks for is as long as it says.
func TestSlackIsDown(t *testing.T) {
	f := newFake(t)
	s := &f.socket
	s.down = []func(w http.ResponseWriter){
		func(w http.ResponseWriter) { w.WriteHeader(http.StatusServiceUnavailable) },
		func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "40")
			w.WriteHeader(http.StatusTooManyRequests)
		},
		func(w http.ResponseWriter) { deny(w, "internal_error") },
	}
	var mu sync.Mutex
	var pauses []time.Duration
	listen(t, f.open(func(c *Config) {
		c.Sleep = func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			pauses = append(pauses, d)
			return ctx.Err()
		}
	}), (&ears{}).hear)
	if !s.wait(func() bool { return len(s.conns) == 1 }) {
		t.Fatal("no connection")
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []time.Duration{firstPause, 40 * time.Second, 4 * firstPause}; !slices.Equal(pauses, want) {
		t.Errorf("pauses %v, want %v", pauses, want)
	}
}

// TestSecureSocket: the certificates of the HTTP client hold for the socket too.
func TestSecureSocket(t *testing.T) {
	f := newFake(t)
	f.server.Close()
	f.server = httptest.NewTLSServer(f)
	s := &f.socket
	e := &ears{}
	listen(t, f.open(func(c *Config) { c.HTTP = f.server.Client() }), e.hear)
	if !s.wait(func() bool { return len(s.conns) == 1 }) {
		t.Fatal("no connection")
	}
	s.deliver(callEvent, statusEvent("1760000009.000100"))
	if !s.wait(func() bool { return len(s.acks) == 1 }) || len(e.heard()) != 1 {
		t.Error("not acknowledged")
	}
}

// TestLargeEnvelope: what is too large ends the connection, not the listener.
func TestLargeEnvelope(t *testing.T) {
	f := newFake(t)
	s := &f.socket
	e := &ears{}
	listen(t, f.open(nil), e.hear)
	if !s.wait(func() bool { return len(s.conns) == 1 }) {
		t.Fatal("no connection")
	}
	s.raw(`{"type":"events_api","envelope_id":"large","payload":"` + strings.Repeat("x", 2<<20) + `"}`)
	if !s.wait(func() bool { return s.opened == 2 && len(s.conns) == 1 }) {
		t.Fatal("no second connection")
	}
	if len(e.heard()) != 0 || len(s.acks) != 0 {
		t.Errorf("heard %d, acknowledged %q", len(e.heard()), s.acks)
	}
}

// TestDisconnect: Slack asks for a new connection every few hours.
func TestDisconnect(t *testing.T) {
	f := newFake(t)
	s := &f.socket
	e := &ears{}
	listen(t, f.open(nil), e.hear)
	if !s.wait(func() bool { return len(s.conns) == 1 }) {
		t.Fatal("no connection")
	}
	s.raw(`{"type":"disconnect","reason":"refresh_requested","debug_info":{"host":"applink"}}`)
	if !s.wait(func() bool { return s.opened == 2 && len(s.conns) == 1 }) {
		t.Fatal("no second connection")
	}
	s.deliver(callEvent, statusEvent("1760000009.000100"))
	if !s.wait(func() bool { return len(s.acks) == 1 }) {
		t.Fatal("not acknowledged")
	}
}

func TestRefusedListener(t *testing.T) {
	for name, c := range map[string]struct {
		token Secret
		want  fault.Kind
	}{"none": {nil, fault.Input}, "empty": {fixed(""), fault.Denied}, "wrong": {fixed("xapp-wrong"), fault.Denied}} {
		f := newFake(t)
		err := f.open(func(x *Config) { x.AppToken = c.token }).Listen(t.Context(), (&ears{}).hear)
		if fault.KindOf(err) != c.want || strings.Contains(err.Error(), "xapp-") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNothingLeft: a listener that was busy and lost connections leaves no goroutine.
func TestNothingLeft(t *testing.T) {
	f := newFake(t)
	s := &f.socket
	leaf := f.open(nil)
	before := runtime.NumGoroutine()
	for round := range 3 {
		e := &ears{answer: channel.Answer{Text: "x"}}
		stop := listen(t, leaf, e.hear)
		if !s.wait(func() bool { return len(s.conns) == 1 }) {
			t.Fatal("no connection")
		}
		for i := range 5 {
			s.deliver(callEvent, statusEvent(fmt.Sprintf("176000%d009.%06d", round, i)))
		}
		if !s.wait(func() bool { return len(s.acks) >= 5*(round+1) }) {
			t.Fatalf("acknowledged %d", len(s.acks))
		}
		s.drop()
		if !s.wait(func() bool { return s.opened >= 2*(round+1) && len(s.conns) == 1 }) {
			t.Fatal("no second connection")
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if !s.wait(func() bool { return len(s.conns) == 0 }) {
			t.Fatal("the connection stays")
		}
	}
	leaf.http.CloseIdleConnections()
	eventually(t, "the end of all goroutines", func() bool {
		leaf.http.CloseIdleConnections()
		return runtime.NumGoroutine() <= before
	})
}
