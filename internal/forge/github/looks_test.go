package github

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// While so many pull requests are read, another one waits for its turn, without a request, as long as its caller does.
func TestLooksTakeTurns(t *testing.T) {
	b, n := opened(t)
	var ends []func()
	for range looksAtOnce {
		end, err := b.forge.looks.begin(t.Context(), begin)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := b.forge.Snapshot(ctx, shop(), n, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the end of the context", err)
	}
	if calls := len(b.server.Calls()); calls != 0 {
		t.Errorf("%d calls were made while others had their turn", calls)
	}
	ends[0]()
	b.look(n, "")
	b.look(n, "") // the turn was given back
}

// Those for whom there is no place among the waiting come again one after the other.
func TestLooksComeAgain(t *testing.T) {
	b, n := opened(t)
	b.forge.looks.waiting = mostWaiting
	var last time.Duration
	for range 3 {
		_, err := b.forge.Snapshot(t.Context(), shop(), n, "")
		later, ok := errors.AsType[*fault.Later](err)
		if !ok || fault.KindOf(err) != fault.Infra {
			t.Fatalf("got %v, want a time to come again", err)
		}
		if later.After <= last {
			t.Errorf("is to come again after %s, the one before it after %s", later.After, last)
		}
		last = later.After
	}
	b.forge.looks.waiting = 0
	b.look(n, "")
}
