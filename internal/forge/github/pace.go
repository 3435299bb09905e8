package github

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// hourFactor is how much more requests that write GitHub takes in an hour than in a minute: 500 and 80 (docs.github.com, "Rate limits for the
	// REST API", secondary rate limits). It bans clients that go on meeting the limit.
	hourFactor = 6
	// heldBack is how long a request waits for its turn. One that would have to wait longer fails, and its call comes again.
	heldBack = 5 * time.Second
	// sharersKnown is how long the number of workers counts that share the limit.
	sharersKnown = time.Minute
	// mostUsers bounds what is remembered: tokens are renewed.
	mostUsers = 100
)

// pace spreads the requests of a user that write over time. Workers don't know what others have written, so that each takes an equal share.
type pace struct {
	most    int                                    // in a minute, of all workers; 0 for any number
	sharers func(ctx context.Context) (int, error) // how many workers write for the same user; nil when no other does

	mu    sync.Mutex
	share int       // the number of workers, 0 before it was asked for
	asked time.Time // when it was
	of    map[string]*turns
}

// turns are the times of one user's requests that write, in order.
type turns struct {
	taken    []time.Time // in the last hour; the last ones may be a few seconds ahead
	promised []time.Time // when calls come again that were sent away
}

// take returns how long a request that writes has to wait. It is not to be made when ok is false: then its call comes again after that time.
func (p *pace) take(ctx context.Context, who string, now time.Time) (wait time.Duration, ok bool) {
	if p.most == 0 {
		return 0, true
	}
	minute := max(1, p.most/p.workers(ctx, now))
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.of[who]
	if t == nil {
		if p.of == nil || len(p.of) >= mostUsers {
			p.of = map[string]*turns{}
		}
		t = &turns{}
		p.of[who] = t
	}
	t.forget(now)
	if next := nextTurn(t.taken, now, minute); next.Sub(now) <= heldBack {
		t.taken = append(t.taken, next)
		return next.Sub(now), true
	}
	next := nextTurn(slices.SortedFunc(slices.Values(slices.Concat(t.taken, t.promised)), time.Time.Compare), now, minute)
	t.promised = append(t.promised, next)
	return next.Sub(now), false
}

// nextTurn returns when one more request may be made after those, if so many are taken in a minute.
func nextTurn(after []time.Time, now time.Time, minute int) time.Time {
	next := now
	for window, most := range map[time.Duration]int{time.Minute: minute, time.Hour: hourFactor * minute} {
		if first := len(after) - most; first >= 0 && after[first].Add(window).After(next) {
			next = after[first].Add(window)
		}
	}
	return next
}

// forget drops what does not count any more. Whoever comes at the time of a promise takes its turn.
func (t *turns) forget(now time.Time) {
	t.taken = slices.DeleteFunc(t.taken, func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	t.promised = slices.DeleteFunc(t.promised, func(at time.Time) bool { return !at.After(now) })
}

// workers returns how many share the limit. When that can't be asked, it is what it was.
func (p *pace) workers(ctx context.Context, now time.Time) int {
	p.mu.Lock()
	known := max(1, p.share)
	ask := p.sharers != nil && (p.share == 0 || now.Sub(p.asked) >= sharersKnown)
	p.mu.Unlock()
	if !ask {
		return known
	}
	n, err := p.sharers(ctx)
	if err == nil {
		known = max(1, n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.share, p.asked = known, now
	return known
}

// paced makes requests of a user, those that write at the pace that GitHub takes.
type paced struct {
	*connection
	who  string
	next http.RoundTripper
}

func (p paced) RoundTrip(r *http.Request) (*http.Response, error) {
	if writing(r) {
		if err := p.turn(r.Context()); err != nil {
			if r.Body != nil {
				_ = r.Body.Close()
			}
			return nil, err
		}
	}
	return p.next.RoundTrip(r)
}

// turn waits for the turn of a request that writes.
func (p paced) turn(ctx context.Context) error {
	wait, ok := p.pace.take(ctx, p.who, p.now())
	switch {
	case !ok:
		return &problem{message: "much else is to be written first, and GitHub takes only so much in a minute", passing: true, wait: wait}
	case wait == 0:
		return nil
	}
	if err := p.sleep(ctx, wait); err != nil {
		return err
	}
	return p.paused(p.who) // GitHub may have asked for a pause meanwhile
}

// writing tells whether a request changes something. What is asked by GraphQL is a question, although it is sent like a change.
func writing(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead && !strings.HasSuffix(r.URL.Path, "/graphql")
}
