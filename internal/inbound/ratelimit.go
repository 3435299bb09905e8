package inbound

import (
	"sync"
	"time"
)

// rateLimit bounds what each person does within a period. It is in memory: another process, or this one after a restart, counts anew. It
// is safe for concurrent use.
type rateLimit struct {
	most    int
	period  time.Duration
	waiting int // beyond most: these get a later time

	lock  sync.Mutex
	times map[string][]time.Time
}

func newRateLimit(most int, period time.Duration, waiting int) *rateLimit {
	return &rateLimit{most: most, period: period, waiting: waiting, times: map[string][]time.Time{}}
}

// take counts a try, or refuses it. It is for limits without waiting.
func (l *rateLimit) take(name string, now time.Time) bool {
	_, ok := l.reserve(name, now)
	return ok
}

// reserve counts a try, and returns the time at which it may be made: now, or when enough of those before it have expired. It refuses a try
// when too many wait, or when there are too many names.
func (l *rateLimit) reserve(name string, now time.Time) (at time.Time, ok bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	recent := l.recent(l.times[name], now)
	if len(recent) >= l.most+l.waiting {
		l.times[name] = recent
		return time.Time{}, false
	}
	if _, known := l.times[name]; !known && len(l.times) >= maxNames {
		for other, times := range l.times {
			if len(l.recent(times, now)) == 0 {
				delete(l.times, other)
			}
		}
		if len(l.times) >= maxNames {
			return time.Time{}, false
		}
	}
	at = now
	if before := len(recent) - l.most; before >= 0 {
		if free := recent[before].Add(l.period); free.After(now) {
			at = free
		}
	}
	l.times[name] = append(recent, at)
	return at, true
}

// giveBack removes the try of a time: it does not count.
func (l *rateLimit) giveBack(name string, at time.Time) {
	l.lock.Lock()
	defer l.lock.Unlock()
	for i, t := range l.times[name] {
		if t.Equal(at) {
			l.times[name] = append(l.times[name][:i:i], l.times[name][i+1:]...)
			return
		}
	}
}

// recent returns the times that have not expired.
func (l *rateLimit) recent(times []time.Time, now time.Time) (recent []time.Time) {
	for _, t := range times {
		if now.Sub(t) < l.period {
			recent = append(recent, t)
		}
	}
	return recent
}
