package listen

import (
	"sync"
	"time"
)

// quiet remembers who was told something, so that nobody is told twice in a day.
type quiet struct {
	lock  sync.Mutex
	until map[string]time.Time
}

const (
	quietFor = 24 * time.Hour
	mostKept = 10_000 // names in memory
)

// first tells whether it is the first time for a name.
func (q *quiet) first(name string, now time.Time) bool {
	q.lock.Lock()
	defer q.lock.Unlock()
	if now.Before(q.until[name]) {
		return false
	}
	if len(q.until) >= mostKept {
		for other, until := range q.until {
			if !now.Before(until) {
				delete(q.until, other)
			}
		}
	}
	if len(q.until) >= mostKept { // rather say nothing than grow
		return false
	}
	q.until[name] = now.Add(quietFor)
	return true
}

// limiter counts what somebody does within a time, and says when it is too much. It is in memory: another process, or this one
// after a restart, counts anew.
type limiter struct {
	most    int
	in      time.Duration
	waiting int // beyond the most: they get a moment later on

	lock  sync.Mutex
	tries map[string][]time.Time
}

func newLimiter(most int, in time.Duration, waiting int) *limiter {
	return &limiter{most: most, in: in, waiting: waiting, tries: map[string][]time.Time{}}
}

// Bounds of wrong codes.
const (
	mostTries = 5
	triesIn   = time.Hour
)

// take counts a try of this moment, or refuses it. It is for a limiter in which nobody waits.
func (l *limiter) take(name string, now time.Time) bool {
	_, ok := l.slot(name, now)
	return ok
}

// slot counts a try, and gives the moment at which it may be made: now, or as soon as enough of those before it no longer count. It
// refuses when too many wait already.
func (l *limiter) slot(name string, now time.Time) (at time.Time, ok bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	recent := l.within(l.tries[name], now)
	if len(recent) >= l.most+l.waiting {
		l.tries[name] = recent
		return time.Time{}, false
	}
	if _, known := l.tries[name]; !known && len(l.tries) >= mostKept {
		for other, times := range l.tries {
			if len(l.within(times, now)) == 0 {
				delete(l.tries, other)
			}
		}
		if len(l.tries) >= mostKept { // too many at once: nobody who is new may
			return time.Time{}, false
		}
	}
	at = now
	if before := len(recent) - l.most; before >= 0 {
		if free := recent[before].Add(l.in); free.After(now) {
			at = free
		}
	}
	l.tries[name] = append(recent, at)
	return at, true
}

// giveBack takes the try of that time back: it was right, nothing came of it, or nobody answered.
func (l *limiter) giveBack(name string, at time.Time) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for i, t := range l.tries[name] {
		if t.Equal(at) {
			l.tries[name] = append(l.tries[name][:i:i], l.tries[name][i+1:]...)
			return
		}
	}
}

// within gives the times that still count.
func (l *limiter) within(times []time.Time, now time.Time) (recent []time.Time) {
	for _, t := range times {
		if now.Sub(t) < l.in {
			recent = append(recent, t)
		}
	}
	return recent
}
