package activities

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace"
)

// runningSessions holds the agent sessions that run in this process, by their id. A session belongs to the process and not to the attempt
// that began it: after an outage the server times the attempt out, and the next one joins the session.
type runningSessions struct {
	workspaces *workspace.Manager
	acts       *flights      // of sessions of Longshift's own agent; may be nil
	heartbeat  time.Duration // timeout of attempts; when it is 0, sessions without an attempt are not watched
	log        *slog.Logger

	mu  sync.Mutex
	all map[string]*live
}

type live struct {
	in   SessionInput
	ctx  context.Context
	end  context.CancelCauseFunc
	says func() any // details of its heartbeats

	done chan struct{} // closed when it has ended; res and err are set then
	res  SessionResult
	err  error

	// guarded by runningSessions.mu
	begun    bool       // it has a slot
	attempts int        // number of those that wait for its end
	last     *heartbeat // of the attempt that joined last
}

// runSession runs a session to its end.
type runSession func(context.Context, *live) (SessionResult, error)

// errSuperseded is the cause of a session that ends because its workspace is needed for something else.
var errSuperseded = fault.New(fault.Stopping, "the session was ended: another attempt has its task")

// supersede ends work of this process whose workspace is needed for something else, and waits until it has ended.
func supersede(ctx context.Context, end context.CancelCauseFunc, done <-chan struct{}) error {
	end(errSuperseded)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// join returns the running session of this input, or begins it with run. It ends a session with the same id for another input first.
func (s *runningSessions) join(ctx context.Context, in SessionInput, run runSession) (*live, error) {
	mine := heartbeatOf(ctx)
	mine.alone.Store(true)
	for {
		s.mu.Lock()
		l := s.all[in.ID]
		switch {
		case l == nil:
			l = &live{in: in, says: mine.says, done: make(chan struct{}), attempts: 1, last: mine}
			l.ctx, l.end = context.WithCancelCause(context.WithoutCancel(ctx))
			if s.all == nil {
				s.all = map[string]*live{}
			}
			s.all[in.ID] = l
			s.mu.Unlock()
			go s.carry(l, run)
			return l, nil
		case l.in.Ref == in.Ref && l.in.Ask == in.Ask && l.ctx.Err() == nil:
			l.attempts++
			l.last = mine
			s.mu.Unlock()
			setHeartbeatDetails(ctx, l.says)
			s.log.InfoContext(ctx, "Session joined", "session", in.ID)
			return l, nil
		}
		s.mu.Unlock()
		if err := supersede(ctx, l.end, l.done); err != nil {
			return nil, err
		}
	}
}

// carry runs a session to its end. A panic of the session is its error.
func (s *runningSessions) carry(l *live, run runSession) {
	if s.heartbeat > 0 {
		go s.watch(l)
	}
	func() {
		defer func() {
			if p := recover(); p != nil { // the worker has other sessions, which go on
				s.log.ErrorContext(l.ctx, "Session panicked", "session", l.in.ID, "panic", p, "stack", string(debug.Stack()))
				l.err = fault.New(fault.Internal, "the session panicked: %v", p)
			}
		}()
		l.res, l.err = run(l.ctx, l)
	}()
	s.mu.Lock()
	delete(s.all, l.in.ID)
	s.mu.Unlock()
	l.end(nil)
	close(l.done)
}

// wait waits for the end of a session, on behalf of an attempt. The end of the attempt ends the session too, unless the server has timed
// the attempt out: then another one may join.
func (s *runningSessions) wait(ctx context.Context, l *live) (SessionResult, error) {
	select {
	case <-l.done:
		return l.res, l.err
	case <-ctx.Done():
	}
	why := context.Cause(ctx)
	if s.detach(l, why) {
		return SessionResult{}, ctx.Err()
	}
	l.end(why)
	<-l.done
	return l.res, l.err
}

// detach removes an attempt from a session, and tells whether the session continues without it.
func (s *runningSessions) detach(l *live, why error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.attempts--
	return errors.Is(why, errGone) && l.begun || (errors.Is(why, errGone) || errors.Is(why, errAlone)) && l.attempts > 0
}

// begin notes that the session has its slot: from here on another attempt may join it.
func (s *runningSessions) begin(l *live) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.begun = true
}

// attended tells whether an attempt waits for the session, and returns the heartbeat of the last one.
func (s *runningSessions) attended(l *live) (bool, *heartbeat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return l.attempts > 0, l.last
}

// end ends the sessions of a task that run under a lower fence, and waits until they have ended.
func (s *runningSessions) end(ctx context.Context, taskID string, below int) error {
	s.mu.Lock()
	var old []*live
	for _, l := range s.all {
		if l.in.TaskID == taskID && l.in.Fence < below {
			old = append(old, l)
		}
	}
	s.mu.Unlock()
	for _, l := range old {
		if err := supersede(ctx, l.end, l.done); err != nil {
			return err
		}
	}
	if s.acts == nil {
		return nil
	}
	return s.acts.endBelow(ctx, taskID, below)
}
