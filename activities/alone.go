package activities

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

const (
	fenceTicks = 4                // the fence on the remote is read at each fourth check of a session without a server
	fenceTime  = 30 * time.Second // limits one read of it: writes to the workspace wait meanwhile
)

// watch ends a session that nobody needs any more, when no attempt can: either none waits for it, or those that do have no connection
// to the server.
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
		if !attended { // otherwise its attempt ends it
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
	return nil // the server does not answer, or the task still works
}

// fenced returns an error when the fence on the remote shows that another attempt has the task. An unreadable remote is no error.
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
