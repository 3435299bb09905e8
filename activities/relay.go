package activities

import (
	"context"
	"errors"
	"reflect"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

// Keeper is an agent whose process can go on from one session to the next.
type Keeper interface {
	Warmer
	Clear(ctx context.Context, ended string, s agent.Session) error
}

// relay is a session that has ended, with what its agent's process goes on with.
type relay struct {
	agent Keeper
	ended string // the session
	ends  *endpoints
	*origin
}

// origin is what a process keeps from the session that it was started for, whatever sessions it goes on with.
type origin struct {
	role task.Role
	home string // the session whose state folder it has
	mark string // the session that it is marked with
}

// drop ends the process, if there is one.
func (r *relay) drop() {
	if r == nil {
		return
	}
	r.agent.Cool(r.ended)
	r.ends.close()
}

// end closes the endpoints, and returns what the session has used. Those of a process that is kept stay where they are, for the session that
// follows; until then they take nothing.
func (e *endpoints) end(kept bool) task.Usage {
	if !kept {
		return e.close()
	}
	if e.reports != nil {
		e.reports.Leave()
	}
	return e.model.close()
}

// goOn has the next session go on with the process, in the background. When that can't be done, a fresh one is started. It returns false
// when the process is not needed; the caller ends it then. The result of the session that has ended is on disk by now: what it has left goes.
func (p *prestarter) goOn(ctx context.Context, next *SessionInput, from *relay) bool {
	if p.lacksMemory() || outOfTouch(ctx) || ctx.Err() != nil { // the task may be at its end
		return false
	}
	return p.begin(ctx, next, from.agent, func(ctx context.Context, in SessionInput, e *prestarted) error {
		if !p.holds(in.ID, e) { // it was dropped meanwhile
			from.drop()
			return nil
		}
		ends, err := p.clear(ctx, in, from)
		if err == nil {
			p.waits(in.ID, e, ends)
			return nil
		}
		p.log.InfoContext(ctx, "The next session starts a fresh process", "session", in.ID, "error", err)
		from.drop()
		return p.warm(ctx, in, e)
	})
}

// clear makes the process that of the session.
func (p *prestarter) clear(ctx context.Context, in SessionInput, from *relay) (*endpoints, error) {
	rec, err := openRecord(p.data, in)
	if err != nil {
		return nil, err
	}
	if rec.begun() {
		return nil, errors.New("it has begun")
	}
	rec.goOn(from.origin)
	in.CeilingUSD = -1 // nothing may be spent before the session begins
	s, err := p.launcher.start(ctx, in, rec)
	if err != nil {
		return nil, err
	}
	ends, err := p.launcher.follow(in, rec, from)
	if err != nil {
		return nil, err
	}
	seen, _, err := p.launcher.confine(ctx, &s, in, ends)
	if err == nil && !reflect.DeepEqual(seen, *from.ends.view) {
		err = errors.New("its box differs, or .git was made anew")
	}
	if err == nil {
		err = from.agent.Clear(ctx, from.ended, s)
	}
	if err == nil { // whoever goes on with the session after a kill finds process and conversation
		err = rec.save()
	}
	if err != nil {
		from.agent.Cool(in.ID)
		ends.close()
		return nil, err
	}
	return ends, nil
}

// follow opens the endpoints of a session where those of the one before were.
func (la *launcher) follow(in SessionInput, rec *record, from *relay) (*endpoints, error) {
	before := from.ends.model.endpoint
	session, err := la.openModel(in, rec, before.Token())
	if err != nil {
		return nil, err
	}
	e := &endpoints{model: model{session, in.api(), in.Model}, caller: from.ends.caller, from: from.origin, view: from.ends.view}
	e.caller.Store(in.caller())
	if from.ends.reports == nil {
		return e, nil
	}
	if e.reports, err = from.ends.reports.Follow(la.reporting(in, rec)); err != nil {
		e.model.close()
		return nil, err
	}
	return e, nil
}
