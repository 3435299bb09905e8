package activities

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

const (
	fenceTicks = 4                // the fence on the remote is read at every so manieth check of a session without a server
	fenceTime  = 30 * time.Second // for that at most: what writes to the workspace waits meanwhile
)

// watch ends a session that is not needed any more when no attempt can: those that wait for it have no connection to the server, or there
// are none.
func (s *runningSessions) watch(l *live) {
	tick := time.NewTicker(s.heartbeat / fenceTicks)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-l.done:
			return
		case <-tick.C:
		}
		attended, last := s.attended(l)
		if attended && last.silence() < s.heartbeat {
			n = 0
			continue
		}
		var why error
		if !attended { // else its attempt ends it
			why = s.unattended(l, last)
		}
		if why == nil && n%fenceTicks == 0 {
			why = s.fenced(l)
		}
		if why != nil {
			s.log.InfoContext(l.ctx, "Session ended", "session", l.in.ID, "why", why)
			l.end(why)
			return
		}
	}
}

// unattended returns why a session that no attempt waits for has to end.
func (s *runningSessions) unattended(l *live, last *heartbeat) error {
	if last.silence() > last.of.Alone {
		return errAlone
	}
	ctx, stop := context.WithTimeout(l.ctx, s.heartbeat)
	defer stop()
	info, err := describedBy(ctx, last.server(ctx), last.info.WorkflowExecution.ID, last.info.WorkflowExecution.RunID)
	if err == nil && (!isRunning(info) || !atWork(info)) {
		return fault.New(fault.Stopping, "its task has ended, or waits for a person")
	}
	return nil // nothing more is known
}

// fenced returns an error when the fence on the remote says that another attempt has the task. A remote that can't be read says nothing.
func (s *runningSessions) fenced(l *live) error {
	ctx, stop := context.WithTimeout(l.ctx, fenceTime)
	defer stop()
	tree, err := s.workspaces.Open(ctx, l.in.TaskID, l.in.Fence)
	if err == nil {
		defer tree.Close()
		err = tree.Held(ctx)
	}
	if isOneOf(err, fault.Fenced) {
		return errSuperseded
	}
	return nil
}
