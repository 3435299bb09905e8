package app

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
)

// What a forge was told is taken is handed on when Temporal is back, by the next process when this one has ended, each once and in its
// order. One that fails holds up no other, and what can't be used is dropped.
func TestNewsOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	cfg, log := load(t, "LONGSHIFT_DATA="+t.TempDir()), slog.New(slog.DiscardHandler)
	ctx, die := context.WithCancel(t.Context())
	tried := make(chan string, 10)
	first := newNews(cfg, func(_ context.Context, e forge.Event) error {
		tried <- e.ID
		return fault.New(fault.Infra, "Temporal is away")
	}, log)
	var running sync.WaitGroup
	running.Go(func() { first.run(ctx) })
	for _, id := range []string{"a", "b"} {
		must(t, first.take(ctx, forge.Event{ID: id, Kind: forge.Commanded, Text: "/longshift retry", At: time.Now().UTC()}))
	}
	<-tried
	die()
	running.Wait()
	for _, id := range []string{"broken", "c"} { // taken, and never tried
		must(t, first.take(ctx, forge.Event{ID: id}))
	}

	ctx, stop := context.WithCancel(t.Context())
	handed := make(chan string)
	next := newNews(cfg, func(_ context.Context, e forge.Event) error {
		if e.ID == "broken" {
			return fault.New(fault.Input, "names no issue")
		}
		if e.ID == "a" && e.Text != "/longshift retry" {
			t.Errorf("handed on %+v", e)
		}
		handed <- e.ID
		return nil
	}, log)
	running.Go(func() { next.run(ctx) })
	for _, want := range []string{"a", "b", "c"} {
		if got := <-handed; got != want {
			t.Errorf("handed on %s, want %s", got, want)
		}
	}
	must(t, next.take(ctx, forge.Event{ID: "d"}))
	if got := <-handed; got != "d" {
		t.Errorf("what came later: %s", got)
	}
	stop()
	running.Wait()
	if left, err := next.box.Left(); err != nil || len(left) > 1 { // d may have been handed on and not crossed out
		t.Errorf("%d left, %v", len(left), err)
	}
}

// A day later nothing is handed on.
func TestOldNewsIsDropped(t *testing.T) {
	t.Parallel()
	n := newNews(load(t, "LONGSHIFT_DATA="+t.TempDir()), func(context.Context, forge.Event) error { t.Error("handed on"); return nil },
		slog.New(slog.DiscardHandler))
	must(t, n.take(t.Context(), forge.Event{ID: "old"}))
	n.now = func() time.Time { return time.Now().Add(newsAge + time.Minute) }
	if !n.pass(t.Context()) {
		t.Error("something is left")
	}
}
