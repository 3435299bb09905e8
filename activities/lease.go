package activities

import (
	"context"
	"sync"
	"time"
)

// leaseIdle is how long a session keeps its slot between two acts. A session that waits for people gives it back itself; this is for those
// whose workflow was ended from outside. What they have left running in the background ends with it.
const leaseIdle = 2 * time.Minute

// leases are the slots that sessions of Longshift's own agent hold from their first act to their end or their next wait.
type leases struct {
	slots     *slots
	abandoned func(session string) // called for a session that gives its slot back because nothing happens in it

	mu   sync.Mutex
	held map[string]*lease // by session
}

type lease struct {
	acts   int         // that run now
	idle   *time.Timer // gives the slot back; nil while an act runs
	ending bool        // it is given back when no act runs any more
}

// hold waits until the session has a slot, and returns the function that says that the act is over.
func (l *leases) hold(ctx context.Context, session string, p Precedence) (over func(), err error) {
	if had := l.join(session); had != nil {
		return func() { l.leave(session, had) }, nil
	}
	if err := l.slots.take(ctx, p); err != nil {
		return nil, err
	}
	if had := l.join(session); had != nil { // another act has got one meanwhile
		l.slots.release()
		return func() { l.leave(session, had) }, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[string]*lease{}
	}
	mine := &lease{acts: 1}
	l.held[session] = mine
	return func() { l.leave(session, mine) }, nil
}

// join counts an act of a session that has a slot already. It returns nil for one that has none.
func (l *leases) join(session string) *lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.held[session]
	if h == nil || h.ending {
		return nil
	}
	h.acts++
	if h.idle != nil {
		h.idle.Stop()
		h.idle = nil
	}
	return h
}

// leave counts an act that is over. The last one of a session that has ended gives the slot back.
func (l *leases) leave(session string, h *lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	h.acts--
	switch {
	case h.acts > 0:
	case h.ending:
		l.slots.release()
	default:
		h.idle = time.AfterFunc(leaseIdle, func() { l.abandon(session, h) })
	}
}

// end gives the session's slot back, as soon as no act of it runs any more.
func (l *leases) end(session string) {
	l.mu.Lock()
	h := l.held[session]
	l.mu.Unlock()
	if h != nil {
		l.giveBack(session, h)
	}
}

// abandon gives back the slot of a session in which nothing happens, and ends what it has left running.
func (l *leases) abandon(session string, h *lease) {
	l.mu.Lock()
	idle := h.acts == 0 && l.held[session] == h // and not used again since the timer has fired
	l.mu.Unlock()
	if idle {
		l.abandoned(session)
		l.giveBack(session, h)
	}
}

func (l *leases) giveBack(session string, h *lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[session] != h || h.ending {
		return
	}
	delete(l.held, session)
	h.ending = true
	if h.idle != nil {
		h.idle.Stop()
	}
	if h.acts == 0 {
		l.slots.release()
	}
}
