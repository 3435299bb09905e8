package github

import (
	"maps"
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

// limit remembers the pauses that GitHub has asked for, so that no task makes a request meanwhile: GitHub bans clients that do. Each token,
// and each installation of an app, has an allowance of its own.
type limit struct {
	mu sync.Mutex
	of map[string]*pause
}

type pause struct {
	until   time.Time
	strikes int // secondary limits without a time, in a row
}

// wait returns the rest of the pause.
func (l *limit) wait(who string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.of[who]; p != nil {
		return max(0, p.until.Sub(now))
	}
	return 0
}

// pause records a pause and returns its length. When GitHub has named none (a wait of 0), it is a minute, doubled each time that the
// last pause was too short.
func (l *limit) pause(who string, now time.Time, wait time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.of[who]
	if p == nil {
		maps.DeleteFunc(l.of, func(_ string, old *pause) bool { return now.Sub(old.until) > longestWait })
		if l.of == nil {
			l.of = map[string]*pause{}
		}
		p = &pause{}
		l.of[who] = p
	}
	if wait <= 0 {
		if !now.Before(p.until) { // concurrent calls count once
			p.strikes++
		}
		wait = min(firstStrike<<min(max(p.strikes, 1)-1, 10), longestWait)
	}
	wait = min(max(wait, time.Second), longestWait)
	if until := now.Add(wait); until.After(p.until) {
		p.until = until
	}
	return wait
}

// passed records that a request succeeded.
func (l *limit) passed(who string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.of[who]; p != nil && !now.Before(p.until) {
		p.strikes = 0
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
