package gateway

import (
	"cmp"
	"maps"
	"net/http"
	"time"
)

// State is what a session's driver needs to know about its calls.
type State struct {
	BudgetRefused bool      // a call was refused because the budget is used up
	Limit         *Limit    // the quota that is used up, nil when none is known to be
	AuthRefused   string    // why the API or the credential source refuses, "" when neither does
	LedgerError   string    // why usage can't be written; calls are refused until it can
	LastCall      time.Time // when a call last started, progressed or ended; zero before the first
	InFlight      int       // requests being served, including those that wait for the budget
	Waiting       int       // requests that wait for the budget

	Quota       string            // subscription status reported by the API: allowed, allowed_warning, rejected; "" for none
	Windows     map[string]Window // utilization by the API's names, such as 5h and 7d
	Throttled   int               // answers with 429
	Overloaded  int               // answers with 529, and overload in mid-stream
	Failed      int               // other answers with 5xx, and errors in mid-stream
	Unreachable int               // calls without an answer

	FailingSince time.Time // since when the endpoint has answered no call to its end, its own faults being the reason; zero while it answers
}

// Window is the utilization of one quota window of a subscription.
type Window struct {
	Utilization float64   // 0..1 and above
	Reset       time.Time // zero when unknown
	Status      string
}

func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.state
	st.InFlight, st.Waiting = s.active, len(s.account.queue)
	st.Windows = maps.Clone(st.Windows)
	if st.Limit != nil {
		l := *st.Limit
		st.Limit = &l
	}
	if ns := s.lastCall.Load(); ns != 0 {
		st.LastCall = time.Unix(0, ns)
	}
	return st
}

// observe evaluates the headers of an answer. It reports whether the session's quota is used up, so that retrying before
// the reset is useless.
func (s *Session) observe(model string, status int, h http.Header) (exhausted bool) {
	now := s.gateway.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gauge(h)
	switch {
	case status < 300:
		s.throttle, s.state.AuthRefused = throttle{}, ""
		if s.state.Limit != nil && s.limited == model {
			s.state.Limit = nil
		}
	case status == http.StatusTooManyRequests:
		s.state.Throttled++
		s.throttle.add(now)
		if l := s.api.limit(h, now, s.throttle.persists()); l != nil {
			s.state.Limit, s.limited = l, model
			return true
		}
	case status == statusOverloaded:
		s.state.Overloaded++
		s.fails(now)
	case status >= 500:
		s.state.Failed++
		s.fails(now)
	}
	return false
}

// fails notes a call that the endpoint has failed. It is called with the lock.
func (s *Session) fails(now time.Time) {
	if s.state.FailingSince.IsZero() {
		s.state.FailingSince = now
	}
}

// answered notes a call that the endpoint has answered to its end. The status tells less: it comes before the answer.
func (s *Session) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.FailingSince = time.Time{}
}

// explain adds what the body of an error says, which arrives after its headers.
func (s *Session) explain(model string, status int, p problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := p.limit(status); l != nil {
		s.state.Limit, s.limited = l, model
		return
	}
	switch {
	case status == http.StatusTooManyRequests:
		if s.state.Limit != nil && s.limited == model {
			s.state.Limit.Text = p.text
		}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		s.state.AuthRefused = cmp.Or(p.text, http.StatusText(status))
	}
}

// brokeOff notes an answer that the endpoint has not brought to its end. kind is that of the error that it has named, "" for none.
func (s *Session) brokeOff(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch kind {
	case "":
	case "overloaded_error", "server_is_overloaded", "slow_down":
		s.state.Overloaded++
	default:
		s.state.Failed++
	}
	s.fails(s.gateway.now())
}

// unreachable counts a call without an answer.
func (s *Session) unreachable() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Unreachable++
	s.fails(s.gateway.now())
}

// refuseAuth records that the credential source failed.
func (s *Session) refuseAuth(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.AuthRefused = why
}
