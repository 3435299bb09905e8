package github

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/httpclient"
)

const (
	firstStrike = time.Minute   // GitHub's rule for a secondary limit that names no time
	longestWait = 2 * time.Hour // the hourly limit is over by then, whatever a header says
)

// limit remembers that GitHub has asked for a pause, so that no other task asks in the meantime: GitHub bans those who do.
type limit struct {
	mu      sync.Mutex
	token   string // whose pause it is
	until   time.Time
	strikes int // secondary limits without a time, in a row
}

// wait says how much of the pause is left.
func (l *limit) wait(token string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token != token {
		return 0
	}
	return max(0, l.until.Sub(now))
}

// pause notes a pause. A wait of 0 is one that GitHub has not named: a minute, doubled each time the last one did not help.
func (l *limit) pause(token string, now time.Time, wait time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token != token {
		l.token, l.until, l.strikes = token, time.Time{}, 0
	}
	if wait <= 0 {
		if !now.Before(l.until) { // calls that were under way at the same time count as one
			l.strikes++
		}
		wait = min(firstStrike<<min(max(l.strikes, 1)-1, 10), longestWait)
	}
	wait = min(max(wait, time.Second), longestWait)
	if until := now.Add(wait); until.After(l.until) {
		l.until = until
	}
	return wait
}

// passed notes that a call went through.
func (l *limit) passed(token string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token == token && !now.Before(l.until) {
		l.strikes = 0
	}
}

// untilReset is the wait when the hourly allowance is used up.
func untilReset(h http.Header, now time.Time) (time.Duration, bool) {
	if h.Get("X-Ratelimit-Remaining") != "0" {
		return 0, false
	}
	reset, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil {
		return 0, false
	}
	// One second more: the header has whole seconds.
	return max(0, time.Unix(reset, 0).Sub(httpclient.Now(h, now))) + time.Second, true
}
