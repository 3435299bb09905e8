package activities

import (
	"context"
	"sync"

	"github.com/longshift/longshift/signals"
)

// mostAsking is how many questions of a session are on their way at one time. A workflow takes ten updates at once, and what
// people answer is an update too: a session that asks must never stand in the way of the answer.
const mostAsking = 4

// people is whom one session asks. An answer that stands is not asked for again: a workflow takes 2000 updates in its life, and after
// that it could neither be answered nor resumed nor abandoned by one. A yes to one run is used up by it.
type people struct {
	put   func(context.Context, signals.Question) (signals.Answer, error)
	slots chan struct{}

	mu       sync.Mutex
	answered map[string]signals.Answer // by the id of the text
	asking   map[string]chan struct{}  // closed when the question about that text has come back
}

func newPeople(put func(context.Context, signals.Question) (signals.Answer, error)) *people {
	return &people{put: put, slots: make(chan struct{}, mostAsking), answered: map[string]signals.Answer{}, asking: map[string]chan struct{}{}}
}

// ask gives the answer that is known, or waits for its turn and asks.
func (p *people) ask(ctx context.Context, q signals.Question) (signals.Answer, error) {
	known, done, err := p.turn(ctx, q.Text())
	if done == nil {
		return known, err
	}
	defer done()
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return signals.Answer{}, context.Cause(ctx)
	}
	defer func() { <-p.slots }()
	answer, err := p.put(ctx, q)
	if err == nil && answer.Lasting() {
		p.mu.Lock()
		p.answered[q.Text()] = answer
		p.mu.Unlock()
	}
	return answer, err
}

// turn waits until no other call asks about the same text. Then it gives the answer that stands, or done for whoever asks now.
func (p *people) turn(ctx context.Context, text string) (known signals.Answer, done func(), err error) {
	for {
		p.mu.Lock()
		known, ok := p.answered[text]
		other, busy := p.asking[text]
		if !ok && !busy {
			p.asking[text] = make(chan struct{})
		}
		p.mu.Unlock()
		switch {
		case ok:
			return known, nil, nil
		case !busy:
			return known, func() { p.done(text) }, nil
		}
		select {
		case <-other:
		case <-ctx.Done():
			return known, nil, context.Cause(ctx)
		}
	}
}

func (p *people) done(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.asking[text])
	delete(p.asking, text)
}
