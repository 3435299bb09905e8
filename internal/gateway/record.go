package gateway

import (
	"time"
)

const (
	lineOpen    = "open"    // an attempt of the session begins
	lineReserve = "reserve" // written before a call is sent
	lineSettle  = "settle"  // written when its answer has ended, however it ended
)

// line is one line of a ledger. Money is in billionths of a US dollar.
type line struct {
	Type    string    `json:"type"`
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"` // open
	Call    uint64    `json:"call,omitempty"`    // reserve, settle
	Model   string    `json:"model,omitempty"`
	Bytes   int       `json:"bytes,omitempty"`  // reserve: of the request
	Worst   nanos     `json:"worst,omitempty"`  // reserve: upper bound of the cost
	Tokens  int64     `json:"tokens,omitempty"` // reserve: estimated input
	Guess   nanos     `json:"guess,omitempty"`  // reserve: estimated cost of that input
	Status  int       `json:"status,omitempty"` // settle: HTTP status, 0 without an answer
	counts
	Cost   nanos    `json:"cost,omitempty"`   // settle
	Billed bool     `json:"billed,omitempty"` // settle: counts as a model call
	Flags  []string `json:"flags,omitempty"`  // settle: why the figures are not exact
}

const (
	flagLost    = "lost"          // the process or the client was gone before the answer; the input is an estimate
	flagCut     = "cut"           // the answer broke off; its output is an estimate
	flagUnread  = "unread"        // the answer held no readable usage; all of it is an estimate
	flagUnknown = "unknown_model" // not in the price list; priced as the dearest model there
)

// settlement is how a call ended.
type settlement struct {
	model  string
	status int
	counts counts
	cost   nanos
	billed bool
	flags  []string
}

// past is the sum of earlier attempts in a ledger.
type past struct {
	cost   nanos
	counts counts
	calls  int
}

func (p *past) add(st settlement) {
	p.cost += st.cost
	p.counts = p.counts.add(st.counts)
	if st.billed {
		p.calls++
	}
}
