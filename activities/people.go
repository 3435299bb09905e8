package activities

import (
	"context"
	"sync"

	"github.com/longshift/longshift/signals"
)

// mostAsking limits the questions of a session that are open at the same time. A workflow accepts ten updates at once, and the answers of
// people are updates too: the questions of a session must never block them.
const mostAsking = 4

// people passes the questions of one session to people. It keeps lasting answers and does not ask again: a workflow accepts 2000 updates in
// its life, and after that people could not answer, resume or abandon it. A yes to a single run is not kept.
type people struct {
	put   func(context.Context, signals.Question) (signals.Answer, error)
	slots chan struct{}

	mu       sync.Mutex
	answered map[string]signals.Answer // by the id of the text
	asking   map[string]chan struct{}  // closed when the question about that text has returned
}

func newPeople(put func(context.Context, signals.Question) (signals.Answer, error)) *people {
	return &people{put: put, slots: make(chan struct{}, mostAsking), answered: map[string]signals.Answer{}, asking: map[string]chan struct{}{}}
}

// ask returns the known answer, or waits until it may ask, and asks.
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

// turn waits until no other call asks about the same text. Then it returns the known answer, or done, which the caller calls after it has
// asked.
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
