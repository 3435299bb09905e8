package gateway

import (
	"math"

	"github.com/longshift/longshift/task"
)

// nanos is money in thousand-millionths of a US dollar. Prices per token are whole numbers of it, so sums are exact.
type nanos int64

func (n nanos) usd() float64 { return float64(n) / 1e9 }

// noCeiling stands for a budget without end.
const noCeiling nanos = math.MaxInt64

// ceilingOf turns the caller's dollars into a ceiling: 0 means none, less than 0 means that nothing may be spent.
func ceilingOf(usd float64) nanos {
	switch {
	case usd == 0 || usd > 1e9:
		return noCeiling
	case usd < 0 || math.IsNaN(usd):
		return 0
	}
	return nanos(math.Round(usd * 1e9))
}

// bid is what is known of a call before it is sent.
type bid struct {
	model  string
	bytes  int   // of the request
	input  nanos // its input costs no more than this
	output int64 // tokens, at most
	stream bool  // its answer comes as it is made
	least  int64 // tokens of output without which it is of no use
	each   nanos // what a token of output costs
	tokens int64 // a fair guess of its input
	guess  nanos // what that input costs
}

// worst is what the call costs at most.
func (b bid) worst() nanos { return b.input + nanos(b.output)*b.each }

// account is a session's money. Session.mu guards it.
type account struct {
	spent    nanos // settled, all attempts
	totals   counts
	calls    int
	ceiling  nanos
	reserved nanos          // worst cases of the calls in flight
	open     map[uint64]bid // calls in flight by number
	queue    []*waiter      // calls that wait for one in flight to settle, oldest first
}

// fit gives the output that a call may have now, or 0 when it has to wait. It may have all that it asks for when what is
// left, with the calls in flight at their worst, pays for the worst of it. What a call that is alone asks for beyond that is
// cut, but for the least that is of use: so only that and its input, which nobody knows before, can pass the ceiling.
func (a *account) fit(b bid) int64 {
	left := a.ceiling - a.spent - a.reserved
	switch {
	case a.ceiling == noCeiling || b.worst() <= left:
		return b.output
	case len(a.open) > 0:
		return 0
	case b.each == 0:
		return b.output
	}
	output := int64((left - b.input) / b.each)
	if output < b.least { // at its worst; most input is far cheaper than that
		output = max(b.least, int64((left-b.guess)/b.each))
	}
	return min(output, b.output)
}

func (a *account) exhausted() bool { return a.spent >= a.ceiling }

func (a *account) usage() task.Usage {
	return task.Usage{
		Input: a.totals.Input, Output: a.totals.Output, CacheRead: a.totals.CacheRead,
		CacheWrite: a.totals.Write5m + a.totals.Write1h, CostUSD: a.spent.usd(), Calls: a.calls,
	}
}
