package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// sessionRun is one attempt to run a session.
type sessionRun struct {
	ctx        context.Context // outlives the agent
	of         *Sessions
	in         SessionInput
	tree       *workspace.Tree
	rec        *record
	agent      agent.Agent
	start      time.Time
	prestarted *endpoints // of the prestarted agent; nil without one
	over       bool       // an earlier attempt has reported the session's end
	onward     *relay     // what another session can go on with; nil for nothing
}

func (r *sessionRun) do(ctx context.Context) (_ SessionResult, err error) {
	ctx, stop := untilStopping(ctx)
	defer stop()
	defer func() { err = orInterrupted(ctx, err) }()
	ends, err := r.open()
	if err != nil {
		return SessionResult{}, err
	}
	defer func() {
		if r.onward == nil {
			r.coolDown()
			ends.close()
		}
	}()
	r.over = ends.ended()
	model := &ends.model
	s, err := r.session(ctx)
	if err != nil {
		return SessionResult{}, err
	}
	s.Keep = r.keeps()
	seen, dirs, err := r.of.launcher.confine(ctx, &s, r.in, ends)
	if err != nil {
		return SessionResult{}, err
	}
	if ends.view != nil && !reflect.DeepEqual(seen, *ends.view) {
		return SessionResult{}, fault.New(fault.Infra, "run session %s in another box: %w", s.ID, agent.ErrGone)
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

	out, runErr := agent.Outcome{}, error(nil)
	ends.begin(r.in, log)
	if !ends.ended() { // otherwise an earlier attempt was cut off after its last report
		out, runErr = r.agent.Run(ctx, s, func(e agent.Event) {
			enforcer.event(e)
			log.event(e)
		})
	}
	if fault.KindOf(runErr) == fault.Internal { // an alarm: what was reported is not to be believed
		runErr = errors.Join(runErr, ends.distrust())
	} else if ends.ended() {
		out.Kind, runErr = agent.Completed, nil
	}
	runErr = model.throttled(ctx, runErr)
	usage := ends.end(out.Kept)
	if usage == (task.Usage{}) {
		usage = out.Usage
	}
	// A session that completed at the moment of an interruption is complete, and must not be paid for again.
	if out.Kind != agent.Completed || runErr != nil {
		if err := interrupted(ctx); err != nil {
			return SessionResult{}, err
		}
	}
	if runErr != nil {
		return SessionResult{}, fmt.Errorf("run %s: %w", r.in.Agent, runErr)
	}
	res := SessionResult{Kind: out.Kind, Usage: usage, Turns: cmp.Or(out.Turns, int(usage.Calls)), Reset: out.Reset,
		Duration: r.worked(), Resumed: r.rec.resumed(out.Resumed)}
	model.judge(&res, out)
	if res.Kind == agent.Completed {
		r.report(&res, out, log)
	} else {
		res.Error = excerpt.Tail(r.of.redact.String(out.Text), 1000)
	}
	if err := r.undoWrites(context.WithoutCancel(ctx), before, &res); err != nil {
		return SessionResult{}, err
	}
	if err := r.starved(res, cmp.Or(enforcer.unwritten(), model.unwritten())); err != nil {
		return SessionResult{}, errors.Join(err, ends.reopen())
	}
	log.end(res)
	hideSecrets(r.of.redact, &res)
	if out.Kept && res.Report.Kind == task.ReportProgress && res.leadsOn(r.in.CeilingUSD) {
		r.onward = r.left(ends, seen)
	}
	return res, nil
}

// keeps tells whether the next session can go on with this one's process.
func (r *sessionRun) keeps() bool {
	_, ok := r.agent.(Keeper)
	next := r.in.Next
	return ok && r.of.launcher.viaGateway() && next != nil && next.Role == r.in.Role && next.Agent == r.in.Agent && next.Model == r.in.Model &&
		next.Thinking == r.in.Thinking
}

// left is what the next session can go on with.
func (r *sessionRun) left(ends *endpoints, seen boxView) *relay {
	ends.view = &seen
	from := ends.from
	if from == nil {
		from = &origin{role: r.in.Role, home: cmp.Or(r.rec.state.Home, r.in.ID), mark: r.in.ID}
	}
	return &relay{agent: r.agent.(Keeper), ended: r.in.ID, ends: ends, origin: from}
}

// origin is that of the process that waits for the session, nil when none does or when it is its own.
func (r *sessionRun) origin() *origin {
	if r.prestarted == nil {
		return nil
	}
	return r.prestarted.from
}

// coolDown ends a process that waits for Run, if Run is never called, or for another session that does not come.
func (r *sessionRun) coolDown() {
	if w, ok := r.agent.(Warmer); ok {
		w.Cool(r.in.ID)
	}
}

// open opens the session's endpoints, or takes over those of its prestarted agent. Of an agent that was made ready for another role or another
// model nothing is taken over.
func (r *sessionRun) open() (*endpoints, error) {
	if r.prestarted == nil {
		return r.of.launcher.open(r.in, r.rec)
	}
	if from := r.origin(); from != nil && from.role != r.in.Role || !r.prestarted.serves(r.in) {
		r.coolDown() // it is connected to what is closed now
		r.prestarted.close()
		r.rec.goOn(nil)
		return r.of.launcher.open(r.in, r.rec)
	}
	if m := r.prestarted.model.endpoint; m != nil {
		m.SetBudget(r.in.CeilingUSD)
	}
	return r.prestarted, nil
}

// starved returns a fault when a session ended without its result because the disk was full, or because its decisions or costs could not be
// recorded. The session itself is not at fault, and is resumed later.
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
	return nil // budget, quota and login don't depend on the disk
}

// worked returns the running time of the ask so far.
func (r *sessionRun) worked() time.Duration { return r.rec.elapsed(r.of.now().Sub(r.start)) }

// firstHeartbeat returns the heartbeat of a session that has just begun.
func firstHeartbeat(in SessionInput, start time.Time) signals.Heartbeat {
	return signals.Heartbeat{Session: in.ID, N: in.N, Role: in.Role, Activity: "Starting", Started: start}
}
