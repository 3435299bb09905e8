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
func (s *Session) reserve(ctx context.Context, b bid) (verdict, error) {
	s.mu.Lock()
	v, decided := s.judge(b)
	if decided {
		s.mu.Unlock()
		return v, v.err
	}
	w := &waiter{bid: b, done: make(chan verdict, 1)}
	s.account.queue = append(s.account.queue, w)
	s.mu.Unlock()
	select {
	case v := <-w.done:
		return v, v.err
	case <-ctx.Done():
		s.abandon(w)
		return verdict{}, ctx.Err()
	}
}

// abandon removes a waiter whose client is gone. If it was admitted at the same moment, its reservation is released.
func (s *Session) abandon(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.account.queue, w); i >= 0 {
		s.account.queue = slices.Delete(s.account.queue, i, i+1)
		return
	}
	if v := <-w.done; v.err == nil {
		s.settleLocked(v.number, settlement{})
	}
}

// judge decides on a call if that is possible now. s.mu is held.
func (s *Session) judge(b bid) (verdict, bool) {
	a := &s.account
	switch {
	case s.closed || a.over:
		return verdict{err: errClosed}, true
	case a.exhausted():
		return s.unaffordable(), true
	}
	if b.output = a.fit(b); b.output == 0 {
		if len(a.open) == 0 { // nothing will be settled that could leave more
			return s.unaffordable(), true
		}
		return verdict{}, false
	}
	number, err := s.ledger.reserve(b)
	if err != nil {
		s.state.LedgerError = err.Error()
		return verdict{err: fmt.Errorf("%w: %w", errLedger, err)}, true
	}
	s.state.LedgerError = ""
	if a.open == nil {
		a.open = map[uint64]bid{}
	}
	a.open[number] = b
	a.reserved += b.worst()
	return verdict{number: number, output: b.output}, true
}

// unaffordable refuses a call for want of money. s.mu is held.
func (s *Session) unaffordable() verdict {
	s.state.BudgetRefused = true
	return verdict{err: fmt.Errorf("%w: $%.4f of $%.4f", errBudget, s.account.spent.usd(), s.account.ceiling.usd())}
}

// wake judges the waiting calls again, in their order. s.mu is held.
func (s *Session) wake() {
	for len(s.account.queue) > 0 {
		w := s.account.queue[0]
		v, decided := s.judge(w.bid)
		if !decided {
			return
		}
		s.account.queue = s.account.queue[1:]
		w.done <- v
	}
}

// refuseAll refuses every waiting call. s.mu is held.
func (s *Session) refuseAll(err error) {
	for _, w := range s.account.queue {
		w.done <- verdict{err: err}
	}
	s.account.queue = nil
}

// arrived records how much output of a call has arrived, in bytes, for the case that this process is killed before its end.
func (s *Session) arrived(number uint64, text int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b, ok := s.account.open[number]; ok {
		if err := s.ledger.arrived(number, min(text/guessBytes, b.output), b.each); err != nil {
			s.gateway.log.Warn("write usage ledger", "session", s.id, "error", err)
		}
	}
}

// settle books the cost of a call and wakes waiting calls.
func (s *Session) settle(number uint64, st settlement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settleLocked(number, st)
}

func (s *Session) settleLocked(number uint64, st settlement) {
	a := &s.account
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
	if err := s.ledger.settle(number, st); err != nil {
		s.state.LedgerError = err.Error() // no call is admitted until the file can be written again
		s.gateway.log.Error("write usage ledger", "session", s.id, "error", err)
	}
	s.wake()
}
