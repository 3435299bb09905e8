package activities

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"

	"github.com/longshift/longshift/internal/fault"
)

// sessions are the agent sessions that run in this process, by their id. A session belongs to the process and not to the attempt that
// began it: after an outage the server gives the attempt up, and the next one joins the session.
type sessions struct {
	mu  sync.Mutex
	all map[string]*live
}

// live is one running session.
type live struct {
	in   SessionInput
	ctx  context.Context
	end  context.CancelCauseFunc
	says func() any // what heartbeats say of it

	done chan struct{} // closed when it has ended; then there are
	res  SessionResult
	err  error

	// guarded by sessions.mu
	begun    bool // it has a slot
	attempts int  // that wait for its end
	last     *heartbeat
}

// errSuperseded is the cause of a session that ends because its workspace is needed for something else.
var errSuperseded = fault.New(fault.Stopping, "the session was ended: another attempt has its task")

// join returns the running session of this input, or begins it. A session of the same id for another input is ended first.
func (h *Host) join(ctx context.Context, in SessionInput) (*live, error) {
	mine := beaterOf(ctx)
	mine.alone.Store(true)
	for {
		h.sessions.mu.Lock()
		l := h.sessions.all[in.ID]
		switch {
		case l == nil:
			l = &live{in: in, says: mine.says, done: make(chan struct{}), attempts: 1, last: mine}
			l.ctx, l.end = context.WithCancelCause(context.WithoutCancel(ctx))
			if h.sessions.all == nil {
				h.sessions.all = map[string]*live{}
			}
			h.sessions.all[in.ID] = l
			h.sessions.mu.Unlock()
			go h.carry(l)
			return l, nil
		case l.in.Ref == in.Ref && l.in.Ask == in.Ask && l.ctx.Err() == nil:
			l.attempts++
			l.last = mine
			h.sessions.mu.Unlock()
			beatWith(ctx, l.says)
			h.Log.InfoContext(ctx, "Session joined", "session", in.ID)
			return l, nil
		}
		h.sessions.mu.Unlock()
		l.end(errSuperseded)
		select {
		case <-l.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// carry runs a session to its end.
func (h *Host) carry(l *live) {
	if h.Heartbeat > 0 {
		go h.watch(l)
	}
	func() {
		defer func() {
			if p := recover(); p != nil { // of one session; the worker has others
				h.Log.ErrorContext(l.ctx, "Session panicked", "session", l.in.ID, "panic", p, "stack", string(debug.Stack()))
				l.err = fault.New(fault.Internal, "the session panicked: %v", p)
			}
		}()
		l.res, l.err = h.session(l.ctx, l)
	}()
	h.sessions.mu.Lock()
	delete(h.sessions.all, l.in.ID)
	h.sessions.mu.Unlock()
	l.end(nil)
	close(l.done)
}

// attend waits for the end of a session, for an attempt. The end of the attempt ends the session, unless the server has given the attempt up:
// then another one may join.
func (h *Host) attend(ctx context.Context, l *live) (SessionResult, error) {
	select {
	case <-l.done:
		return l.res, l.err
	case <-ctx.Done():
	}
	why := context.Cause(ctx)
	if h.sessions.leave(l, why) {
		return SessionResult{}, ctx.Err()
	}
	l.end(why)
	<-l.done
	return l.res, l.err
}

// leave removes an attempt from a session, and tells whether the session continues.
func (s *sessions) leave(l *live, why error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.attempts--
	return errors.Is(why, errGone) && l.begun || (errors.Is(why, errGone) || errors.Is(why, errAlone)) && l.attempts > 0
}

// begin notes that the session has its slot: from here on another attempt may join it.
func (s *sessions) begin(l *live) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.begun = true
}

// attended tells whether an attempt waits for the session, and gives the beater of the last one.
func (s *sessions) attended(l *live) (bool, *heartbeat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.attempts > 0, l.last
}

// endSessions ends what runs for a task under a fence below this one, and waits until it is gone.
func (h *Host) endSessions(ctx context.Context, taskID string, below int) error {
	h.sessions.mu.Lock()
	var old []*live
	for _, l := range h.sessions.all {
		if l.in.TaskID == taskID && l.in.Fence < below {
			old = append(old, l)
		}
	}
	h.sessions.mu.Unlock()
	for _, l := range old {
		l.end(errSuperseded)
		select {
		case <-l.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
