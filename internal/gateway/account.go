package gateway

import (
	"math"

	"github.com/longshift/longshift/internal/task"
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
	worst  nanos // the call costs no more than this
	tokens int64 // a fair guess of its input
	guess  nanos // what that input costs
}

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

func (a *account) exhausted() bool { return a.spent >= a.ceiling }

// fits tells whether the calls in flight leave room below the ceiling even at their worst. A call that is admitted only
// then can pass the ceiling by its own cost, and no other call can add to that: the budget is overshot by one answer at most.
func (a *account) fits() bool {
	return a.ceiling == noCeiling || a.spent+a.reserved < a.ceiling
}

func (a *account) usage() task.Usage {
	return task.Usage{
		Input: a.totals.Input, Output: a.totals.Output, CacheRead: a.totals.CacheRead,
		CacheWrite: a.totals.Write5m + a.totals.Write1h, CostUSD: a.spent.usd(), Calls: a.calls,
	}
}
