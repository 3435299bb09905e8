package activities

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/internal/process"
	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/internal/workspace"
	"github.com/longshift/longshift/signals"
)

// SessionInput asks for one agent session, or for going on with one.
type SessionInput struct {
	Ref
	N          int           `json:"n"`   // number of the session in its task, from 1
	Ask        int           `json:"ask"` // how often the workflow has asked for this session, from 1
	ID         string        `json:"id"`
	Role       task.Role     `json:"role"`
	Agent      string        `json:"agent"`
	Model      string        `json:"model"`
	Thinking   int           `json:"thinking,omitempty"`
	CeilingUSD float64       `json:"ceilingUsd,omitempty"` // what the session may cost on this host, over all its attempts
	Wall       time.Duration `json:"wall,omitempty"`       // how long this attempt may run
	Scenario   string        `json:"scenario,omitempty"`
	Nudge      bool          `json:"nudge,omitempty"` // it ended without a report; ask for that alone
	Next       *SessionInput `json:"next,omitempty"`  // the session that most likely follows; its agent starts when this one reports
	Prompt     prompt.Data   `json:"prompt"`
	Precedence Precedence    `json:"precedence,omitzero"`

	Commands task.CommandSettings `json:"commands,omitzero"` // what the task says about commands and paths
	Paths    task.PathSettings    `json:"paths,omitzero"`
	Env      map[string]string    `json:"env,omitempty"`      // what the task sets for the commands of the session
	NeedsEnv []string             `json:"needsEnv,omitempty"` // what it needs of the operator
}

// SessionResult is what came of it.
type SessionResult struct {
	Kind     agent.OutcomeKind `json:"kind"`
	Report   task.Report       `json:"report,omitzero"`
	Plan     *task.Plan        `json:"plan,omitempty"`
	Review   *task.Review      `json:"review,omitempty"`
	Error    string            `json:"error,omitempty"` // for kinds that are not completed, and for answers that can't be read
	Usage    task.Usage        `json:"usage,omitzero"`  // of the session on this host, over all its attempts
	Turns    int               `json:"turns,omitempty"`
	Resumed  int               `json:"resumed,omitempty"` // how often it was gone on with on this host
	Duration time.Duration     `json:"duration"`          // of this ask, over its attempts on this host
	Reset    time.Time         `json:"reset,omitzero"`
}

// RunAgent runs one session to its end. An attempt that finds it running here joins it, one that finds it finished gives the kept
// result again; one that finds it interrupted ends what is left of it and goes on where it stopped.
func (h *Host) RunAgent(ctx context.Context, in SessionInput) (SessionResult, error) {
	if _, ok := h.Agents[in.Agent]; !ok {
		return SessionResult{}, fault.New(fault.Input, "agent %q is not set up on this host", in.Agent).
			WithHint("allow it with LONGSHIFT_AGENTS, or choose another agent in the configuration")
	}
	l, err := h.join(ctx, in)
	if err != nil {
		return SessionResult{}, err
	}
	return h.attend(ctx, l)
}

// session runs a session that this process holds, whoever waits for it.
func (h *Host) session(ctx context.Context, l *live) (SessionResult, error) {
	in := l.in
	tree, err := h.Workspaces.Open(ctx, in.TaskID, in.Fence)
	if err != nil {
		return SessionResult{}, err
	}
	defer tree.Close()
	rec, err := openRecord(h.Data, in)
	if err != nil {
		return SessionResult{}, err
	}
	if kept, ok, err := rec.result(in.Ask); err != nil || ok {
		return kept, err
	}
	if res, ok := h.unkept.Load(rec.resultFile(in.Ask)); ok {
		return h.keep(rec, in.Ask, res.(SessionResult))
	}
	if err := disk.Full(h.Data); err != nil { // before anything is spent
		return SessionResult{}, err
	}
	if h.Policy.WriteOff && !in.Role.ReadOnly() { // each of its writes would be refused, and what it says of its work would be wrong
		return SessionResult{}, fault.New(fault.Denied, "writing is switched off on host %s, and this session has to write", h.ID).
			WithHint("start its worker without LONGSHIFT_WRITE_OFF")
	}
	ctx, give, err := h.slot(ctx, in.Precedence, in.Wall)
	if err != nil {
		return SessionResult{}, err
	}
	defer give()
	h.sessions.begin(l)
	run := &sessionRun{ctx: ctx, host: h, in: in, tree: tree, rec: rec, agent: h.Agents[in.Agent], start: h.Now()}
	if run.early = h.takeAhead(in.ID); run.early == nil {
		if _, err := process.ReapSession(ctx, in.ID); err != nil {
			return SessionResult{}, fault.New(fault.Infra, "end what an earlier attempt left: %w", err)
		}
	}
	res, err := run.do(ctx)
	if err != nil {
		return SessionResult{}, err
	}
	return h.keep(rec, in.Ask, res)
}

// keep puts the session's result on disk. One that finds no room there stays in memory for the next attempt: the work is done.
func (h *Host) keep(rec *record, ask int, res SessionResult) (SessionResult, error) {
	file := rec.resultFile(ask)
	if err := rec.keep(ask, res); err != nil {
		h.unkept.Store(file, res)
		return SessionResult{}, err
	}
	h.unkept.Delete(file)
	return res, nil
}

// sessionRun is one run of a session.
type sessionRun struct {
	ctx   context.Context // for what outlives the agent
	host  *Host
	in    SessionInput
	tree  *workspace.Tree
	rec   *record
	agent agent.Agent
	start time.Time
	early *gateway.Session // of an agent that was started ahead; nil when there is none
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
	if w, ok := r.agent.(Warmer); ok && r.early != nil {
		defer w.Cool(r.in.ID) // for when Run does not come to take the process over; after that there is nothing to end
	}
	s, err := r.session(ctx)
	if err != nil {
		return SessionResult{}, err
	}
	dirs, err := r.host.confine(ctx, &s, r.in, model.gate)
	if err != nil {
		return SessionResult{}, err
	}
	warden, err := r.warden(ctx, s.StateDir, dirs.Cache, filepath.Join(s.StateDir, changeFile))
	if err != nil {
		return SessionResult{}, err
	}
	s.Permit = warden.permit
	if r.host.permit != nil {
		s.Permit = r.host.permit
	}
	before, err := r.snapshot(ctx)
	if err != nil {
		return SessionResult{}, err
	}
	log, err := newSessionLog(r, model.usage)
	if err != nil {
		return SessionResult{}, err
	}
	defer log.close()
	beatWith(ctx, log.beat)

	out, runErr := r.agent.Run(ctx, s, func(e agent.Event) {
		warden.event(e)
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
		Duration: r.rec.elapsed(r.host.Now().Sub(r.start)), Resumed: r.rec.resumed(out.Resumed)}
	model.judge(&res, out)
	if res.Kind == agent.Completed {
		r.report(&res, out, log)
	} else {
		res.Error = excerpt.Tail(r.host.Redact.String(out.Text), 1000)
	}
	if err := r.undoWrites(context.WithoutCancel(ctx), before, &res); err != nil {
		return SessionResult{}, err
	}
	if err := r.starved(res, cmp.Or(warden.unwritten(), model.unwritten())); err != nil {
		return SessionResult{}, err
	}
	log.end(res)
	r.host.clean(&res)
	return res, nil
}

// starved gives the fault of a session that ended without what it was to bring when there was no room, or when what we have to write down
// of it could not be written: the fault is not its own, and it is gone on with when that can be.
func (r *sessionRun) starved(res SessionResult, unwritten error) error {
	switch res.Kind {
	case agent.Errored, agent.Looped:
		return cmp.Or(disk.Full(r.host.Data), unwritten)
	case agent.Completed:
		switch res.Report.Kind {
		case task.ReportNone, task.ReportSpecIssue, task.ReportBlocked:
			if res.Plan == nil && res.Review == nil {
				return cmp.Or(disk.Full(r.host.Data), unwritten)
			}
		}
	}
	return nil // money, quota, login: whether there is room or not
}

// errStopping is the cause of a context that ends because this worker goes down.
var errStopping = fault.New(fault.Stopping, "the worker is stopping; the work goes on after its restart")

// interrupted gives the error of an activity whose context ended while the work was not done.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	if cause := context.Cause(ctx); fault.KindOf(cause) == fault.Stopping {
		return cause
	}
	return ctx.Err()
}

// orInterrupted gives the error of an interruption in place of those that it has caused: it breaks whatever is under way,
// each in its own words.
func orInterrupted(ctx context.Context, err error) error {
	if cut := interrupted(ctx); err != nil && cut != nil {
		return cut
	}
	return err
}

// beatOf gives the heartbeat of a session that has just begun.
func beatOf(in SessionInput, start time.Time) signals.Heartbeat {
	return signals.Heartbeat{Session: in.ID, N: in.N, Role: in.Role, Activity: "Starting", Started: start}
}
