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

// limit remembers a pause that GitHub has asked for, so that no task makes a request meanwhile: GitHub bans clients that do.
type limit struct {
	mu      sync.Mutex
	token   string // the token that the pause applies to
	until   time.Time
	strikes int // secondary limits without a time, in a row
}

// wait returns the rest of the pause.
func (l *limit) wait(token string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token != token {
		return 0
	}
	return max(0, l.until.Sub(now))
}

// pause records a pause and returns its length. When GitHub has named none (a wait of 0), it is a minute, doubled each time that the
// last pause was too short.
func (l *limit) pause(token string, now time.Time, wait time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token != token {
		l.token, l.until, l.strikes = token, time.Time{}, 0
	}
	if wait <= 0 {
		if !now.Before(l.until) { // concurrent calls count once
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

// passed records that a request succeeded.
func (l *limit) passed(token string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token == token && !now.Before(l.until) {
		l.strikes = 0
	}
}

// untilReset returns the wait until the reset of the hourly allowance, when that is used up.
func untilReset(h http.Header, now time.Time) (time.Duration, bool) {
	if h.Get("X-Ratelimit-Remaining") != "0" {
		return 0, false
	}
	reset, err := strconv.ParseInt(h.Get("X-Ratelimit-Reset"), 10, 64)
	if err != nil {
		return 0, false
	}
	// One second more, because the header has whole seconds.
	return max(0, time.Unix(reset, 0).Sub(httpclient.Now(h, now))) + time.Second, true
}
