package app

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/audit"
)

// A worker that runs for months drops what is older than the retention, not only when it starts.
func TestKeepPruning(t *testing.T) {
	t.Parallel()
	l, err := audit.Open(t.Context(), filepath.Join(t.TempDir(), audit.FileName), slog.New(slog.DiscardHandler))
	must(t, err)
	defer l.Close()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, day := range []int{0, 10} {
		must(t, l.AppendAct(t.Context(), audit.Act{Time: at.AddDate(0, 0, day), Channel: "terminal", User: "ann", Verb: "approve", Task: "t-1",
			Verdict: audit.ActDone}))
	}
	ctx, stop := context.WithCancel(t.Context())
	tick, ended := make(chan time.Time), make(chan struct{})
	go func() { keepPruning(ctx, l, 90*24*time.Hour, tick, slog.New(slog.DiscardHandler)); close(ended) }()
	for _, c := range []struct{ day, left int }{{89, 2}, {91, 1}, {101, 0}} {
		tick <- at.AddDate(0, 0, c.day)
		tick <- at // the tick before is dealt with when this one is taken
		left := 0
		for _, err := range l.Acts(t.Context(), audit.ActFilter{}) {
			must(t, err)
			left++
		}
		if left != c.left {
			t.Errorf("on day %d %d entries are left, want %d", c.day, left, c.left)
		}
	}
	stop()
	<-ended
}
