package activities

import (
	"context"
	"sync"
	"time"

	"github.com/longshift/longshift/signals"
)

// mostAsking is how many questions of a session are on their way at one time. A workflow takes ten updates at once, and what
// people answer is an update too: a session that asks must never stand in the way of the answer.
const mostAsking = 4

// people is whom one session asks. What has been answered is not asked again: a workflow takes 2000 updates in its life, and after
// that it could neither be answered nor resumed nor abandoned by one.
type people struct {
	put   func(context.Context, signals.Question) (signals.Answer, error)
	now   func() time.Time
	slots chan struct{}

	mu       sync.Mutex
	answered map[string]signals.Answer // by the question's id
}

func newPeople(put func(context.Context, signals.Question) (signals.Answer, error), now func() time.Time) *people {
	return &people{put: put, now: now, slots: make(chan struct{}, mostAsking), answered: map[string]signals.Answer{}}
}

// ask gives the answer that is known, or waits for its turn and asks.
func (p *people) ask(ctx context.Context, q signals.Question) (signals.Answer, error) {
	if known, ok := p.known(q.ID); ok {
		return known, nil
	}
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return signals.Answer{}, context.Cause(ctx)
	}
	defer func() { <-p.slots }()
	if known, ok := p.known(q.ID); ok { // another call has asked the same meanwhile
		return known, nil
	}
	answer, err := p.put(ctx, q)
	if err == nil && (answer.Verdict == signals.Yes || answer.Verdict == signals.No) {
		p.mu.Lock()
		p.answered[q.ID] = answer
		p.mu.Unlock()
	}
	return answer, err
}

// known gives an answer that still holds. A yes ends at its time; a no holds for the session.
func (p *people) known(id string) (signals.Answer, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	answer, ok := p.answered[id]
	if ok && answer.Verdict == signals.Yes && !p.now().Before(answer.Expires) {
		delete(p.answered, id)
		return signals.Answer{}, false
	}
	return answer, ok
}
