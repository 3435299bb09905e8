package main

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// meter stands before a forge and counts what comes in. It can ask for a pause, as GitHub does by its secondary limits.
type meter struct {
	*httptest.Server
	latency time.Duration // of an answer of the API: a forge is not on this machine
	minute  int           // requests of the API that are taken in a minute; 0 for any

	mu       sync.Mutex
	api, git traffic
	taken    int           // requests of the API in this minute
	ends     time.Time     // when it is over
	pauseAt  int           // this request that writes begins the pause; 0 for none
	pause    time.Duration // how long it is
	until    time.Time     // the pause that was asked for
	refused  int           // requests that came in a pause
}

// traffic are the requests of one kind.
type traffic struct {
	now, most int         // at the same time
	came      []time.Time // all of them, in order
	wrote     []time.Time // those that change something
}

func newMeter(s *scene, front string, latency time.Duration, minute int) (*meter, error) {
	to, err := url.Parse(front)
	if err != nil {
		return nil, err
	}
	m, forward := &meter{latency: latency, minute: minute}, httputil.NewSingleHostReverseProxy(to)
	forward.ErrorLog = log.New(io.Discard, "", 0) // a worker that is killed leaves requests behind
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		end, wait := m.begin(r)
		defer end()
		if ofAPI(r) {
			time.Sleep(m.latency)
		}
		if wait > 0 {
			refuse(w, wait)
			return
		}
		forward.ServeHTTP(w, r)
	}))
	s.Cleanup(m.Close)
	return m, nil
}

// begin counts a request, and tells how long its client is to wait before it comes again.
func (m *meter) begin(r *http.Request) (end func(), wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, t := time.Now(), &m.git
	api := ofAPI(r)
	if api {
		t = &m.api
	}
	t.came = append(t.came, now)
	if r.Method != http.MethodGet && r.Method != http.MethodHead && !strings.HasSuffix(r.URL.Path, "/graphql") {
		t.wrote = append(t.wrote, now)
		if api && m.pauseAt > 0 && len(t.wrote) == m.pauseAt {
			m.until = now.Add(m.pause)
		}
	}
	if api {
		wait = m.take(now)
	}
	t.now++
	t.most = max(t.most, t.now)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		t.now--
	}, wait
}

func ofAPI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/api/") }

// take tells how long the client of this request has to wait; 0 when it is served.
func (m *meter) take(now time.Time) time.Duration {
	if now.After(m.ends) {
		m.taken, m.ends = 0, now.Add(time.Minute)
	}
	if m.taken++; m.minute > 0 && m.taken > m.minute && m.until.Before(m.ends) {
		m.until = m.ends
	}
	if !now.Before(m.until) {
		return 0
	}
	m.refused++
	return m.until.Sub(now)
}

// refuse answers as GitHub does to too many requests in a short time.
func refuse(w http.ResponseWriter, wait time.Duration) {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write([]byte(`{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",` +
		`"documentation_url":"https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`))
}

// clear forgets what was counted and gives it.
func (m *meter) clear() (api, git traffic, refused int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	api, git, refused = m.api, m.git, m.refused
	m.taken, m.ends, m.until, m.refused = 0, time.Time{}, time.Time{}, 0
	m.api, m.git = traffic{now: api.now, most: api.now}, traffic{now: git.now, most: git.now}
	return api, git, refused
}

// askForPause has the meter ask for a pause at a request that writes, counted from now on.
func (m *meter) askForPause(at int, pause time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pauseAt, m.pause = len(m.api.wrote)+at, pause
}

// within is the largest number of times in any window of this length.
func within(times []time.Time, window time.Duration) (most int) {
	times = slices.SortedFunc(slices.Values(times), time.Time.Compare)
	first := 0
	for last, at := range times {
		for at.Sub(times[first]) >= window {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}
