package activities

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/workspace"
	"github.com/longshift/longshift/signals"
)

// sessionRun is one run of a session.
type sessionRun struct {
	ctx        context.Context // for what outlives the agent
	of         *Sessions
	in         SessionInput
	tree       *workspace.Tree
	rec        *record
	agent      agent.Agent
	start      time.Time
	prestarted *gateway.Session // of an agent that was started ahead; nil when there is none
}

func (r *sessionRun) do(ctx context.Context) (_ SessionResult, err error) {
	ctx, stop := untilStopping(ctx)
	defer stop()
	defer func() { err = orInterrupted(ctx, err) }()
	model, err := r.openModel()
	if err != nil {
		return SessionResult{}, err
	}
	defer model.close()
	if w, ok := r.agent.(Warmer); ok && r.prestarted != nil {
		defer w.Cool(r.in.ID) // for when Run does not come to take the process over; after that there is nothing to end
	}
	s, err := r.session(ctx)
	if err != nil {
		return SessionResult{}, err
	}
	dirs, err := r.of.launcher.confine(ctx, &s, r.in, model.endpoint)
	if err != nil {
		return SessionResult{}, err
	}
	enforcer, err := r.of.enforcers.of(r.in, r.tree.Dir(), s.StateDir, dirs.Cache, filepath.Join(s.StateDir, changeFile))
	if err != nil {
		return SessionResult{}, err
	}
	s.Permit = enforcer.decides()
	before, err := r.snapshot(ctx)
	if err != nil {
		return SessionResult{}, err
	}
	log, err := newSessionLog(r, model.usage)
	if err != nil {
		return SessionResult{}, err
	}
	defer log.close()
	setHeartbeatDetails(ctx, log.heartbeat)

	out, runErr := r.agent.Run(ctx, s, func(e agent.Event) {
		enforcer.event(e)
		log.event(e)
	})
	usage := model.close()
	if usage == (task.Usage{}) {
		usage = out.Usage
	}
	// A session that completed in the very moment of an interruption is complete: it must not be paid for again.
	if out.Kind != agent.Completed || runErr != nil {
		if err := interrupted(ctx); err != nil {
			return SessionResult{}, err
		}
	}
	if runErr != nil {
		return SessionResult{}, fmt.Errorf("run %s: %w", r.in.Agent, runErr)
	}
	res := SessionResult{Kind: out.Kind, Usage: usage, Turns: out.Turns, Reset: out.Reset,
		Duration: r.rec.elapsed(r.of.now().Sub(r.start)), Resumed: r.rec.resumed(out.Resumed)}
	model.judge(&res, out)
	if res.Kind == agent.Completed {
		r.report(&res, out, log)
	} else {
		res.Error = tail(r.of.redact.String(out.Text), 1000)
	}
	if err := r.undoWrites(context.WithoutCancel(ctx), before, &res); err != nil {
		return SessionResult{}, err
	}
	if err := r.starved(res, cmp.Or(enforcer.unwritten(), model.unwritten())); err != nil {
		return SessionResult{}, err
	}
	log.end(res)
	hideSecrets(r.of.redact, &res)
	return res, nil
}

// starved gives the fault of a session that ended without what it was to bring when there was no room, or when what we have to write down
// of it could not be written: the fault is not its own, and it is gone on with when that can be.
func (r *sessionRun) starved(res SessionResult, unwritten error) error {
	switch res.Kind {
	case agent.Errored, agent.Looped:
		return cmp.Or(disk.Full(r.of.data), unwritten)
	case agent.Completed:
		switch res.Report.Kind {
		case task.ReportNone, task.ReportSpecIssue, task.ReportBlocked:
			if res.Plan == nil && res.Review == nil {
				return cmp.Or(disk.Full(r.of.data), unwritten)
			}
		}
	}
	return nil // money, quota, login: whether there is room or not
}

// firstHeartbeat gives the heartbeat of a session that has just begun.
func firstHeartbeat(in SessionInput, start time.Time) signals.Heartbeat {
	return signals.Heartbeat{Session: in.ID, N: in.N, Role: in.Role, Activity: "Starting", Started: start}
}
