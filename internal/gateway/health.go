package gateway

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// health is what the answers of an endpoint have told a session of it: whether it has quota, takes the credential, and answers at all.
type health struct {
	mu       *sync.Mutex // of the session, which tells its state as of one moment
	now      func() time.Time
	limitOf  func(h http.Header, now time.Time, persists bool) *Limit
	state    State // what it says of the endpoint
	throttle throttle
	limited  string // the model that hit state.Limit
}

// observe evaluates the headers of an answer. It reports whether the session's quota is used up, so that retrying before
// the reset is useless.
func (h *health) observe(model string, status int, header http.Header) (exhausted bool) {
	now := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gauge(header)
	switch {
	case status < 300:
		h.throttle, h.state.AuthRefused = throttle{}, ""
		if h.state.Limit != nil && h.limited == model {
			h.state.Limit = nil
		}
	case status == http.StatusTooManyRequests:
		h.state.Throttled++
		h.throttle.add(now)
		if l := h.limitOf(header, now, h.throttle.persists()); l != nil {
			h.state.Limit, h.limited = l, model
			return true
		}
	case status == statusOverloaded:
		h.state.Overloaded++
		h.fails(now)
	case status >= 500:
		h.state.Failed++
		h.fails(now)
	}
	return false
}

// fails notes a call that the endpoint has failed. It is called with the lock.
func (h *health) fails(now time.Time) {
	if h.state.FailingSince.IsZero() {
		h.state.FailingSince = now
	}
}

// answered notes a call that the endpoint has answered to its end. The status tells less: it comes before the answer.
func (h *health) answered() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.FailingSince = time.Time{}
}

// explain adds what the body of an error says, which arrives after its headers.
func (h *health) explain(model string, status int, p problem) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := p.limit(status); l != nil {
		h.state.Limit, h.limited = l, model
		return
	}
	switch {
	case status == http.StatusTooManyRequests:
		if h.state.Limit != nil && h.limited == model {
			h.state.Limit.Text = p.text
		}
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		h.state.AuthRefused = cmp.Or(p.text, http.StatusText(status))
	}
}

// brokeOff notes an answer that the endpoint has not brought to its end. kind is that of the error that it has named, "" for none.
func (h *health) brokeOff(kind string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch kind {
	case "":
	case "overloaded_error", "server_is_overloaded", "slow_down":
		h.state.Overloaded++
	default:
		h.state.Failed++
	}
	h.fails(h.now())
}

// unreachable counts a call without an answer.
func (h *health) unreachable() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.Unreachable++
	h.fails(h.now())
}

// refuseAuth records that the credential source failed.
func (h *health) refuseAuth(why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.state.AuthRefused = why
}

// gauge records the utilization of the subscription's windows. mu is held.
func (h *health) gauge(header http.Header) {
	if v := header.Get(unified + "Status"); v != "" {
		h.state.Quota = v
	}
	for name := range header {
		window, ours := strings.CutPrefix(name, unified)
		window, gauge := strings.CutSuffix(window, "-Utilization")
		if !ours || !gauge {
			continue
		}
		u, err := strconv.ParseFloat(header.Get(name), 64)
		if err != nil {
			continue
		}
		if h.state.Windows == nil {
			h.state.Windows = map[string]Window{}
		}
		h.state.Windows[strings.ToLower(window)] = Window{
			Utilization: u, Reset: epoch(header.Get(unified + window + "-Reset")), Status: header.Get(unified + window + "-Status"),
		}
	}
}
