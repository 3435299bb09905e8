package gateway

import (
	"log/slog"
	"math"
	"sync"

	"github.com/longshift/longshift/task"
)

// nanos is an amount of money in billionths of a US dollar. Prices per token are whole nanos, so sums are exact.
type nanos int64

func (n nanos) usd() float64 { return float64(n) / 1e9 }

// noCeiling is the ceiling of a session without a budget.
const noCeiling nanos = math.MaxInt64

// ceilingOf converts Spec.BudgetUSD: 0 means no ceiling, less than 0 means that nothing may be spent.
func ceilingOf(usd float64) nanos {
	switch {
	case usd == 0 || usd > 1e9:
		return noCeiling
	case usd < 0 || math.IsNaN(usd):
		return 0
	}
	return nanos(math.Round(usd * 1e9))
}

// bid is what the gateway knows about a call before it sends it.
type bid struct {
	model  string
	speed  string // that it asks for
	geo    string // the region that it asks for
	bytes  int    // of the request
	input  nanos  // upper bound of what the input costs
	output int64  // tokens, at most
	stream bool   // the answer is streamed
	least  int64  // the smallest output, in tokens, that can be asked for
	each   nanos  // what a token of output costs
	tokens int64  // estimated tokens of input
	guess  nanos  // estimated cost of that input
	likely nanos  // the same, at the price of cached input where the request asks to cache
}

// worst is the most that the call can cost.
func (b bid) worst() nanos { return b.input + nanos(b.output)*b.each }

// account is the money of a session: what is spent and reserved, and the calls that wait for it. Each call is in the ledger before it is sent.
type account struct {
	mu     *sync.Mutex // of the session, which tells its state as of one moment
	ledger *ledger
	log    *slog.Logger

	spent    nanos // settled, over all attempts
	totals   counts
	calls    int
	ceiling  nanos
	reserved nanos          // worst cases of the calls in flight, summed
	open     map[uint64]bid // calls in flight by number
	queue    []*waiter      // calls that wait for one in flight to settle, oldest first
	over     bool           // no further call is admitted

	refused   bool   // a call was, because the budget is used up
	unwritten string // why the ledger can't be written, "" when it can
}

// fit returns how much output a call may have now, or 0 when none. A call gets all the output it asks for when the budget
// covers its worst case on top of the worst cases in flight. When no other call is in flight, its output is cut to what is
// left beside its likely input, since most input is far cheaper than the worst. An answer that is cut off is paid for and
// of no use, so there is none when little is left. A session can exceed its ceiling by at most one input, whose exact size
// is unknown in advance.
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
	output := int64((left - b.likely) / b.each)
	if output < a.least(b) {
		return 0
	}
	return min(output, b.output)
}

// least is the smallest output that is worth sending a call for: what most answers need, or as much as a tenth of the
// money buys in a session that has little.
func (a *account) least(b bid) int64 {
	tenth := int64(a.ceiling / 10 / b.each)
	return min(b.output, leastOutput, max(tenth, b.least))
}

func (a *account) exhausted() bool { return a.spent >= a.ceiling }

func (a *account) usage() task.Usage {
	return task.Usage{
		Input: a.totals.Input, Output: a.totals.Output, CacheRead: a.totals.CacheRead,
		CacheWrite: a.totals.Write5m + a.totals.Write1h, CostUSD: a.spent.usd(), Calls: a.calls,
	}
}
