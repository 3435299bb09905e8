package gateway

import (
	"maps"
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
	st := s.health.state
	st.BudgetRefused, st.LedgerError = s.account.refused, s.account.unwritten
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
