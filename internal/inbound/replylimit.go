package inbound

import (
	"sync"
	"time"
)

// replyLimit bounds answers that would tell somebody the same again: one a day. It is safe for concurrent use.
type replyLimit struct {
	lock  sync.Mutex
	until map[string]time.Time
}

const (
	replyEvery = 24 * time.Hour
	maxNames   = 10_000 // in memory, of each limit
)

// first reports whether a name is to be answered. Beyond maxNames new names are not.
func (l *replyLimit) first(name string, now time.Time) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	if now.Before(l.until[name]) {
		return false
	}
	if len(l.until) >= maxNames {
		for other, until := range l.until {
			if !now.Before(until) {
				delete(l.until, other)
			}
		}
	}
	if len(l.until) >= maxNames {
		return false
	}
	l.until[name] = now.Add(replyEvery)
	return true
}
