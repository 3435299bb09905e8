package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge/forgetest"
)

// TestPaceOfManyWorkers: a thousand requests that write, which come to several workers at the same moment, are made as fast as GitHub takes
// them, and no faster. Time is only counted.
func TestPaceOfManyWorkers(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 3, 7} {
		type caller struct {
			at     time.Time
			worker int
		}
		paces := make([]pace, workers)
		var waiting []caller
		for i := range 1000 {
			paces[i%workers] = pace{most: 80, sharers: func(context.Context) (int, error) { return workers, nil }}
			waiting = append(waiting, caller{begin, i % workers})
		}
		var made []time.Time
		again := 0
		for len(waiting) > 0 {
			next := slices.MinFunc(waiting, func(a, b caller) int { return a.at.Compare(b.at) })
			i := slices.Index(waiting, next)
			wait, ok := paces[next.worker].take(t.Context(), "token", next.at)
			if ok {
				made = append(made, next.at.Add(wait))
				waiting = slices.Delete(waiting, i, i+1)
				continue
			}
			again++
			waiting[i].at = next.at.Add(wait)
		}
		slices.SortFunc(made, time.Time.Compare)
		within := func(window time.Duration) (most int) {
			for first, last := 0, 0; last < len(made); last++ {
				for made[last].Sub(made[first]) >= window {
					first++
				}
				most = max(most, last-first+1)
			}
			return most
		}
		minute, hour := within(time.Minute), within(time.Hour)
		if minute > 80 || hour > 480 || minute < 70 || hour < 460 {
			t.Errorf("%d workers: %d in a minute and %d in an hour", workers, minute, hour)
		}
		if again > 3*len(made) {
			t.Errorf("%d workers: %d requests were sent away %d times", workers, len(made), again)
		}
		t.Logf("%d workers: %d in a minute, %d in an hour, all after %s, %d sent away", workers, minute, hour, made[len(made)-1].Sub(begin), again)
	}
}

// TestWorkersCome: the share of a worker follows their number, and an answer that fails leaves it as it is.
func TestWorkersCome(t *testing.T) {
	t.Parallel()
	workers, failed := 1, error(nil)
	p := pace{most: 80, sharers: func(context.Context) (int, error) { return workers, failed }}
	atOnce := func(now time.Time) (n int) {
		for {
			if wait, ok := p.take(t.Context(), "token", now); !ok || wait > 0 {
				return n
			}
			n++
		}
	}
	now := begin
	for _, c := range []struct {
		workers int
		fails   error
		want    int
	}{{1, nil, 80}, {4, nil, 20}, {1, errors.New("the server is away"), 20}, {0, nil, 80}} {
		workers, failed = c.workers, c.fails
		now = now.Add(time.Hour)
		if got := atOnce(now); got != c.want {
			t.Errorf("%+v: %d at once", c, got)
		}
	}
}

// TestWritesWaitForTheirTurn: a request that writes waits a few seconds, or its call comes again; what only reads does not wait.
func TestWritesWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	b, n := opened(t)
	b.forge.pace.most = 4
	for i := range 4 {
		b.say(n, fmt.Sprint(i), "text")
	}
	b.clock.advance(57 * time.Second)
	before := b.clock.total()
	b.say(n, "waits", "text")
	if got := b.clock.total() - before; got != 3*time.Second {
		t.Errorf("waited %s", got)
	}
	for i := range 3 {
		b.say(n, fmt.Sprint(i+4), "text")
	}
	calls := len(b.server.Calls())
	err := b.forge.Comment(t.Context(), shop(), n, "later", "text")
	if got := retryAfterOf(t, err); got != time.Minute || b.clock.total()-before != 3*time.Second {
		t.Errorf("comes again after %s, waited %s", got, b.clock.total()-before)
	}
	for _, c := range b.server.Calls()[calls:] {
		if c.Method == http.MethodPost {
			t.Errorf("%s %s was made", c.Method, c.Path)
		}
	}
	b.look(n, "") // it only reads
	b.clock.advance(time.Minute)
	b.say(n, "later", "text")
}

// TestPauseWhileAWriteWaits: what waits for its turn is not made when GitHub has asked for a pause meanwhile.
func TestPauseWhileAWriteWaits(t *testing.T) {
	t.Parallel()
	b, n := opened(t)
	b.forge.pace.most = 1
	b.say(n, "one", "text")
	b.clock.advance(58 * time.Second)
	b.forge.sleep = func(ctx context.Context, d time.Duration) error {
		b.forge.limit.pause(forgetest.Token, b.clock.now(), time.Minute)
		return b.clock.sleep(ctx, d)
	}
	before := len(b.ours(n))
	if got := retryAfterOf(t, b.forge.Comment(t.Context(), shop(), n, "two", "text")); got != 58*time.Second || len(b.ours(n)) != before {
		t.Errorf("comes again after %s, there are %d comments", got, len(b.ours(n))-before)
	}
}
