package activities

import (
	"context"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func notSetUp(name string) error {
	return &agent.Unfit{Err: fault.New(fault.Input, "agent %q is not set up on this host", name).
		WithHint("allow it with LONGSHIFT_AGENTS, or choose another agent in the configuration")}
}

// begin opens a session's workspace and record. kept is the result if the ask has one. The caller closes the run's tree, unless begin fails.
func (s *Sessions) begin(ctx context.Context, in SessionInput) (run *sessionRun, kept *SessionResult, err error) {
	tree, err := s.workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return nil, nil, err
	}
	run = &sessionRun{ctx: ctx, of: s, in: in, tree: tree}
	var res SessionResult
	var ok bool
	if run.rec, err = openRecord(s.data, in); err == nil {
		res, ok, err = run.rec.result(in.Ask)
	}
	if err != nil {
		tree.Close()
		return nil, nil, err
	}
	if ok {
		kept = &res
	}
	return run, kept, nil
}

// mayWork is asked before anything is spent.
func (s *Sessions) mayWork(role task.Role) error {
	if err := disk.Full(s.data); err != nil {
		return err
	}
	if s.writeOff && !role.ReadOnly() { // each of its writes would be refused, and its report would be wrong
		return fault.New(fault.Denied, "writing is switched off on host %s, and this session has to write", s.host).
			WithHint("start its worker without LONGSHIFT_WRITE_OFF")
	}
	return nil
}
