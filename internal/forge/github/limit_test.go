package github

import (
	"errors"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge/forgetest"
)

func TestHourlyLimit(t *testing.T) {
	for _, status := range []int{403, 429} {
		b := newBench(t)
		r := b.request()
		b.server.Inject(forgetest.PrimaryLimit(status, 25*time.Minute).On("POST", "/pulls"))
		err := b.fails(r)
		if got := retryAfterOf(t, err); got != 25*time.Minute+time.Second {
			t.Errorf("%d: wait %s", status, got)
		}
		before := len(b.server.Calls())
		b.clock.advance(10 * time.Minute)
		if got := retryAfterOf(t, b.fails(r)); got != 15*time.Minute+time.Second {
			t.Errorf("%d: second wait %s", status, got)
		}
		if n := len(b.server.Calls()); n != before {
			t.Errorf("%d: %d calls were made during the pause", status, n-before)
		}
		b.clock.advance(15*time.Minute + time.Second)
		b.ensure(r)
	}
}

// TestAllowanceRunsOut is the same limit as it occurs naturally: the last answer before it says 0 remaining.
func TestAllowanceRunsOut(t *testing.T) {
	b := newBench(t)
	b.server.SetAllowance(3, begin.Add(40*time.Minute))
	r := b.request()
	r.Labels = []string{"longshift"}
	if got := retryAfterOf(t, b.fails(r)); got != 40*time.Minute+time.Second {
		t.Errorf("wait %s", got)
	}
	number := b.only().Number
	b.clock.advance(41 * time.Minute)
	if p := b.ensure(r); !p.Found || p.Number != number || len(b.only().Labels) != 1 {
		t.Errorf("got %+v, there stands %+v", p, b.only())
	}
}

func TestSecondaryLimitDoubles(t *testing.T) {
	for _, status := range []int{403, 429} {
		b := newBench(t)
		r := b.request()
		for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
			b.server.Inject(forgetest.SecondaryLimit(status, 0))
			if got := retryAfterOf(t, b.fails(r)); got != want {
				t.Errorf("%d: wait %s, want %s", status, got, want)
			}
			b.clock.advance(want)
		}
		b.ensure(r)
		b.server.Inject(forgetest.SecondaryLimit(status, 0))
		if got := retryAfterOf(t, b.fails(r)); got != time.Minute {
			t.Errorf("%d: after a call that went through the wait is %s", status, got)
		}
	}
}

func TestSecondaryLimitNamesTime(t *testing.T) {
	b := newBench(t)
	b.server.Inject(forgetest.SecondaryLimit(403, 90*time.Second))
	if got := retryAfterOf(t, b.fails(b.request())); got != 90*time.Second {
		t.Errorf("wait %s", got)
	}
}

// TestStrikesOfOneMoment: concurrent calls that meet the limit are one strike, and the longest pause counts.
func TestStrikesOfOneMoment(t *testing.T) {
	var l limit
	for range 5 {
		if got := l.pause("k", begin, 0); got != time.Minute {
			t.Errorf("pause of %s", got)
		}
	}
	l.pause("k", begin, 10*time.Second)
	if got := l.wait("k", begin); got != time.Minute {
		t.Errorf("%s are left", got)
	}
	if got := l.pause("k", begin, 90*24*time.Hour); got != longestWait {
		t.Errorf("a broken header gives %s", got)
	}
}

func TestNewTokenIsNotPaused(t *testing.T) {
	b := newBench(t)
	b.server.Inject(forgetest.SecondaryLimit(403, time.Hour))
	b.fails(b.request())
	if wait := b.forge.limit.wait("another token", b.clock.now()); wait != 0 {
		t.Errorf("another token waits %s", wait)
	}
}

// TestLibraryRefuses shows how a client of the library that is used for several requests refuses them, and that understand handles it.
func TestLibraryRefuses(t *testing.T) {
	for _, c := range []struct {
		name  string
		first forgetest.Fault
	}{
		{"hourly limit", forgetest.PrimaryLimit(403, time.Hour)},
		{"secondary limit", forgetest.SecondaryLimit(403, 90*time.Second)},
		{"secondary limit without a time", forgetest.SecondaryLimit(403, 0)}, // it waits for the reset of the hourly one
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.server.SetNow(time.Now) // the library has no other clock
			b.server.Inject(c.first)
			client := (&session{connection: b.forge.connection, key: forgetest.Token}).client()
			if _, _, err := client.Repositories.Get(t.Context(), "acme", "shop"); err == nil {
				t.Fatal("the first call went through")
			}
			_, resp, err := client.Repositories.Get(t.Context(), "acme", "shop")
			if n := len(b.server.Calls()); n != 1 || err == nil {
				t.Fatalf("%d calls were made, error %v: the library has not refused", n, err)
			}
			var p *problem
			if err := understand(t.Context(), resp, err, time.Now()); !errors.As(err, &p) || !p.limited || !p.passing || p.wait <= time.Minute {
				t.Errorf("understood as %+v", p)
			}
		})
	}
}
