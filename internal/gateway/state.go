package gateway

import (
	"maps"
	"net/http"
	"time"
)

// State is what the gateway has seen of a session that its driver must know.
type State struct {
	BudgetRefused bool      // a call was refused because the budget is used up
	Limit         *Limit    // the quota that is used up, nil when none is known to be
	AuthRefused   string    // why the API or our own credential source refuses us, "" when it does not
	LedgerError   string    // why usage can't be written down; calls are refused until it can
	LastCall      time.Time // when a call last began, moved or ended; zero before the first
	InFlight      int       // requests being served, those that wait for the budget included
	Waiting       int       // of them, those that wait for the budget

	Quota       string            // the API's word on the subscription: allowed, allowed_warning, rejected; "" when it says none
	Windows     map[string]Window // gauges by the API's names, such as 5h and 7d
	Throttled   int               // answers with 429
	Overloaded  int               // answers with 529, and overload in mid-stream
	Failed      int               // other answers with 5xx, and errors in mid-stream
	Unreachable int               // calls that no answer came to
}

// Window is one gauge of a subscription.
type Window struct {
	Utilization float64   // 0..1 and above
	Reset       time.Time // zero when unknown
	Status      string
}

// State gives the session's state now.
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

// observe takes in what the head of an answer says. It tells whether the session's quota is gone, so that asking again is
// of no use before it is back.
func (s *Session) observe(model string, status int, h http.Header) (exhausted bool) {
	now := s.gateway.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gauge(h)
	switch {
	case status < 300:
		s.throttle = throttle{}
		s.state.AuthRefused = ""
		if s.state.Limit != nil && s.limited == model {
			s.state.Limit = nil
		}
	case status == http.StatusTooManyRequests:
		s.state.Throttled++
		s.throttle.add(now)
		if l := limitOf(h, now, s.throttle.persists()); l != nil {
			s.state.Limit, s.limited = l, model
			return true
		}
	case status == statusOverloaded:
		s.state.Overloaded++
	case status >= 500:
		s.state.Failed++
	}
	return false
}

// explain takes in the message of an error, which comes after its head.
func (s *Session) explain(model string, status int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case status == http.StatusTooManyRequests:
		if s.state.Limit != nil && s.limited == model {
			s.state.Limit.Text = text
		}
	case status == http.StatusPaymentRequired || noCredit(status, text):
		s.state.Limit, s.limited = &Limit{Status: status, Claim: claimCredit, Text: text}, model
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		s.state.AuthRefused = orElse(text, http.StatusText(status))
	}
}

// brokeOff counts an error that came in a stream that had begun well.
func (s *Session) brokeOff(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch kind {
	case "":
	case "overloaded_error":
		s.state.Overloaded++
	default:
		s.state.Failed++
	}
}

// unreachable counts a call that no answer came to.
func (s *Session) unreachable() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Unreachable++
}

// refuseAuth notes that our own credential source has nothing for us.
func (s *Session) refuseAuth(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.AuthRefused = why
}
