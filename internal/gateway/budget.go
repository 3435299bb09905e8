package gateway

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// waiter is a call that waits for admission.
type waiter struct {
	bid  bid
	done chan verdict // buffered
}

// verdict is the answer to a waiter: its call number and the output it may have, or the reason for the refusal.
type verdict struct {
	number uint64
	output int64
	err    error
}

var (
	errClosed = errors.New("the session is closed")
	errBudget = errors.New("the budget is used up")
	errLedger = errors.New("write usage ledger")
)

// reserve admits a call or refuses it. It blocks while calls in flight leave the decision open.
func (a *account) reserve(ctx context.Context, b bid) (verdict, error) {
	a.mu.Lock()
	v, decided := a.judge(b)
	if decided {
		a.mu.Unlock()
		return v, v.err
	}
	w := &waiter{bid: b, done: make(chan verdict, 1)}
	a.queue = append(a.queue, w)
	a.mu.Unlock()
	select {
	case v := <-w.done:
		return v, v.err
	case <-ctx.Done():
		a.abandon(w)
		return verdict{}, ctx.Err()
	}
}

// abandon removes a waiter whose client is gone. If it was admitted at the same moment, its reservation is released.
func (a *account) abandon(w *waiter) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if i := slices.Index(a.queue, w); i >= 0 {
		a.queue = slices.Delete(a.queue, i, i+1)
		return
	}
	if v := <-w.done; v.err == nil {
		a.settleLocked(v.number, settlement{})
	}
}

// judge decides on a call if that is possible now. mu is held.
func (a *account) judge(b bid) (verdict, bool) {
	switch {
	case a.over:
		return verdict{err: errClosed}, true
	case a.exhausted():
		return a.unaffordable(), true
	}
	if b.output = a.fit(b); b.output == 0 {
		if len(a.open) == 0 { // nothing will be settled that could leave more
			return a.unaffordable(), true
		}
		return verdict{}, false
	}
	number, err := a.ledger.reserve(b)
	if err != nil {
		a.unwritten = err.Error()
		return verdict{err: fmt.Errorf("%w: %w", errLedger, err)}, true
	}
	a.unwritten = ""
	if a.open == nil {
		a.open = map[uint64]bid{}
	}
	a.open[number] = b
	a.reserved += b.worst()
	return verdict{number: number, output: b.output}, true
}

// unaffordable refuses a call for want of money. mu is held.
func (a *account) unaffordable() verdict {
	a.refused = true
	return verdict{err: fmt.Errorf("%w: $%.4f of $%.4f", errBudget, a.spent.usd(), a.ceiling.usd())}
}

// wake judges the waiting calls again, in their order. mu is held.
func (a *account) wake() {
	for len(a.queue) > 0 {
		w := a.queue[0]
		v, decided := a.judge(w.bid)
		if !decided {
			return
		}
		a.queue = a.queue[1:]
		w.done <- v
	}
}

// finish admits no further call, and refuses those that wait. mu is held.
func (a *account) finish() {
	a.over = true
	for _, w := range a.queue {
		w.done <- verdict{err: errClosed}
	}
	a.queue = nil
}

// arrived records how much output of a call has arrived, in bytes, for the case that this process is killed before its end.
func (a *account) arrived(number uint64, text int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if b, ok := a.open[number]; ok {
		if err := a.ledger.arrived(number, min(text/guessBytes, b.output), b.each); err != nil {
			a.log.Warn("write usage ledger", "error", err)
		}
	}
}

// settle books the cost of a call and wakes waiting calls.
func (a *account) settle(number uint64, st settlement) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.settleLocked(number, st)
}

func (a *account) settleLocked(number uint64, st settlement) {
	b, ok := a.open[number]
	if !ok {
		return
	}
	delete(a.open, number)
	a.reserved -= b.worst()
	a.spent += st.cost
	a.totals = a.totals.add(st.counts)
	if st.billed {
		a.calls++
	}
	if err := a.ledger.settle(number, st); err != nil {
		a.unwritten = err.Error() // no call is admitted until the file can be written again
		a.log.Error("write usage ledger", "error", err)
	}
	a.wake()
}
