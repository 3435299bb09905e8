package sweep

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// What an interrupt leaves is not told as removed, and not as if it stayed for good.
func TestSweepInterrupted(t *testing.T) {
	w := newWorld(t)
	w.folder("first", 10, false)
	w.folder("second", 10, false)
	w.left("at once", "first", "second")
	w.now = w.now.Add(25 * time.Hour)
	all, err := w.Find(t.Context())
	must(t, err)
	ctx, stop := context.WithCancel(t.Context())
	asked := w.Asked
	w.Asked = func(ctx context.Context, o Owner) (State, error) {
		stop()
		return asked(ctx, o)
	}
	if all, err := w.Find(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted while the server is asked, Find returns %+v: %v", all, err)
	}
	ctx, stop = context.WithCancel(t.Context())
	w.spaces.removing = stop
	if _, err := w.Clear(ctx, all); !errors.Is(err, context.Canceled) {
		t.Errorf("Clear returns %v", err)
	}
	if all[0].Stays != "" || all[1].Stays != "interrupted" || !slices.Equal(w.spaces.removed, []string{"first"}) {
		t.Errorf("removed are %q, and told is %+v", w.spaces.removed, all)
	}
}
