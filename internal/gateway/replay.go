package gateway

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// replayed is the state that the lines of a ledger add up to.
type replayed struct {
	past past
	size int64           // of the complete lines; the rest is torn
	last uint64          // number of the last call
	open map[uint64]line // reservations without a settlement
}

// replay sums up the lines of a ledger. A torn last line is ignored. A bad line before it is an error, because then the
// session's spending is unknown.
func replay(path, session string, data []byte) (replayed, error) {
	r := replayed{open: map[uint64]line{}}
	for number := 1; len(data) > 0; number++ {
		text, rest, whole := bytes.Cut(data, []byte{'\n'})
		if !whole {
			break
		}
		var ln line
		if err := json.Unmarshal(text, &ln); err != nil {
			if torn(rest) {
				break
			}
			return r, fault.New(fault.Infra, "%s, line %d: not a ledger line: %w", path, number, err).
				WithHint("move the file aside to start the session's count from nothing")
		}
		if err := r.take(path, session, ln); err != nil {
			return r, err
		}
		r.size += int64(len(text)) + 1
		data = rest
	}
	return r, nil
}

// torn reports whether the rest holds no complete line: a power failure can leave zeros or half a line at the end.
func torn(rest []byte) bool {
	return len(bytes.Trim(rest, "\x00\n")) == 0
}

func (r *replayed) take(path, session string, ln line) error {
	switch ln.Type {
	case lineOpen:
		if ln.Session != session {
			return fault.New(fault.Conflict, "%s belongs to session %s, not to %s", path, ln.Session, session).
				WithHint("each session needs a ledger of its own")
		}
	case lineReserve:
		r.open[ln.Call] = ln
		r.last = max(r.last, ln.Call)
	case lineArrived:
		if b, ok := r.open[ln.Call]; ok {
			b.Output, b.Cost = ln.Output, ln.Cost
			r.open[ln.Call] = b
		}
	case lineSettle:
		if _, ok := r.open[ln.Call]; ok { // a second settlement of a call must not count twice
			delete(r.open, ln.Call)
			r.past.add(settlement{counts: ln.counts, cost: ln.Cost, billed: ln.Billed})
		}
	}
	return nil
}

const (
	lineOpen    = "open"    // an attempt of the session begins
	lineReserve = "reserve" // written before a call is sent
	lineArrived = "arrived" // written while its answer arrives: the output so far, an estimate, and what that costs
	lineSettle  = "settle"  // written when its answer has ended, however it ended
)

// line is one line of a ledger. Money is in billionths of a US dollar.
type line struct {
	Type    string    `json:"type"`
	Time    time.Time `json:"time"`
	Session string    `json:"session,omitempty"` // open
	Call    uint64    `json:"call,omitempty"`    // reserve, arrived, settle
	Model   string    `json:"model,omitempty"`
	Bytes   int       `json:"bytes,omitempty"`  // reserve: of the request
	Worst   nanos     `json:"worst,omitempty"`  // reserve: upper bound of the cost
	Tokens  int64     `json:"tokens,omitempty"` // reserve: estimated input
	Guess   nanos     `json:"guess,omitempty"`  // reserve: estimated cost of that input
	Status  int       `json:"status,omitempty"` // settle: HTTP status, 0 without an answer
	counts
	Cost   nanos    `json:"cost,omitempty"`   // arrived, settle
	Billed bool     `json:"billed,omitempty"` // settle: counts as a model call
	Flags  []string `json:"flags,omitempty"`  // settle: why the figures are not exact
}

const (
	flagLost    = "lost"          // the process or the client was gone before the end of the answer; input and output are estimates
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
