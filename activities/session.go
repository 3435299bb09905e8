package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/workspace"
	"github.com/longshift/longshift/task"
)

// SessionInput asks for an agent session, or for the continuation of one.
type SessionInput struct {
	Ref
	N          int           `json:"n"`   // number of the session in its task, from 1
	Ask        int           `json:"ask"` // how often the workflow has asked for this session, from 1
	ID         string        `json:"id"`
	Role       task.Role     `json:"role"`
	Agent      string        `json:"agent"`
	Model      string        `json:"model"`
	Thinking   int           `json:"thinking,omitempty"`
	CeilingUSD float64       `json:"ceilingUsd,omitempty"` // limit of the session's cost on this host, over all its attempts
	Wall       time.Duration `json:"wall,omitempty"`       // how long this attempt may run
	Scenario   string        `json:"scenario,omitempty"`
	Nudge      bool          `json:"nudge,omitempty"` // the session ended without a report; ask for the report alone
	Next       *SessionInput `json:"next,omitempty"`  // the session that most likely follows; its agent is prestarted when this one reports
	Prompt     prompt.Data   `json:"prompt"`
	Precedence Precedence    `json:"precedence,omitzero"`

	Commands task.CommandSettings  `json:"commands,omitzero"` // the task's settings for commands and paths
	Paths    task.PathSettings     `json:"paths,omitzero"`
	Tools    task.ToolSettings     `json:"tools,omitzero"`
	Native   task.NativeSettings   `json:"native,omitzero"`
	OpenCode task.OpenCodeSettings `json:"opencode,omitzero"`
	Env      map[string]string     `json:"env,omitempty"`      // variables that the task sets for the commands of the session
	NeedsEnv []string              `json:"needsEnv,omitempty"` // variables that it needs from the operator
}

type SessionResult struct {
	Kind     agent.OutcomeKind `json:"kind"`
	Report   task.Report       `json:"report,omitzero"`
	Plan     *task.Plan        `json:"plan,omitempty"`
	Review   *task.Review      `json:"review,omitempty"`
	Error    string            `json:"error,omitempty"` // for kinds other than completed, and for unreadable answers
	Usage    task.Usage        `json:"usage,omitzero"`  // of the session on this host, over all its attempts
	Turns    int               `json:"turns,omitempty"`
	Resumed  int               `json:"resumed,omitempty"` // how often it was resumed on this host
	Duration time.Duration     `json:"duration"`          // of this ask, over all its attempts on this host
	Reset    time.Time         `json:"reset,omitzero"`

	Head     string `json:"head,omitempty"`     // of the conversation, for Longshift's own agent
	Messages int    `json:"messages,omitempty"` // of people, that it holds
}

// leadsOn tells whether the next session most likely follows now. ceiling is what the session was allowed to cost, in US dollars: a task that has
// no money left is parked.
func (res SessionResult) leadsOn(ceiling float64) bool {
	if res.Kind != agent.Completed || ceiling != 0 && res.Usage.CostUSD >= ceiling {
		return false
	}
	kind := res.Report.Kind
	return kind == task.ReportProgress || kind == task.ReportDone || res.Plan != nil && res.Plan.Verdict == task.VerdictWork
}

// Sessions runs the agent sessions of a host.
type Sessions struct {
	host       string
	data       string
	workspaces *workspace.Manager
	agents     map[string]agent.Agent
	writeOff   bool // no program may write
	slots      *slots
	running    *runningSessions
	launcher   *launcher
	prestarter *prestarter
	enforcers  *enforcers
	inspector  *inspector
	images     *images
	redact     *redact.Redactor
	now        func() time.Time

	refusals refusals
	unkept   sync.Map // results that could not be written to disk, by their file
}

// RunAgent runs one session to its end. When the session already runs in this process, the attempt joins it. When it has finished, the
// attempt returns the kept result. When it was interrupted, the attempt ends its remaining processes and resumes it.
func (s *Sessions) RunAgent(ctx context.Context, in SessionInput) (SessionResult, error) {
	if _, ok := s.agents[in.Agent]; !ok {
		return SessionResult{}, notSetUp(in.Agent)
	}
	l, err := s.running.join(ctx, in, s.session)
	if err != nil {
		return SessionResult{}, err
	}
	return s.running.wait(ctx, l)
}

// session runs a session to its end, independent of the attempts that wait for it.
func (s *Sessions) session(ctx context.Context, l *live) (res SessionResult, err error) {
	in, came := l.in, s.now()
	run, kept, err := s.begin(ctx, in)
	if err != nil {
		return SessionResult{}, err
	}
	defer run.tree.Close()
	if kept != nil {
		return *kept, nil
	}
	rec := run.rec
	if res, ok := s.unkept.Load(rec.resultFile(in.Ask)); ok {
		return s.keep(rec, in.Ask, res.(SessionResult))
	}
	if err := s.mayWork(in.Role); err != nil {
		return SessionResult{}, err
	}
	ctx, release, err := s.slots.acquire(ctx, in.Precedence, in.Wall)
	if err != nil {
		return SessionResult{}, err
	}
	defer release()
	if res, ok := s.refusals.spare(in, came, s.now()); ok {
		s.prestarter.drop(in.ID)
		return s.keep(rec, in.Ask, res)
	}
	s.running.begin(l)
	run.ctx, run.agent, run.start = ctx, s.agents[in.Agent], s.now()
	if run.prestarted = s.prestarter.handOver(in.ID, in.Agent); run.prestarted == nil {
		if err := rec.reap(ctx); err != nil {
			return SessionResult{}, err
		}
	}
	if !rec.begun() {
		rec.goOn(run.origin())
	}
	if !run.keeps() { // otherwise the next session goes on with this one's process
		s.prestarter.startEarly(ctx, in.Next)
	}
	defer func() { // the result is on disk by then
		if in.Next != nil && (err != nil || !res.leadsOn(in.CeilingUSD)) {
			s.prestarter.drop(in.Next.ID)
		}
	}()
	before := rec.state
	res, err = run.do(ctx)
	if errors.Is(err, agent.ErrGone) { // it begins with a process of its own
		rec.state, run.prestarted = before, nil
		rec.goOn(nil)
		res, err = run.do(ctx)
	}
	if err != nil {
		return SessionResult{}, err
	}
	s.refusals.note(in, run.start, s.now(), res)
	if res, err = s.keep(rec, in.Ask, res); err != nil {
		run.onward.drop()
		return SessionResult{}, err
	}
	if run.onward != nil && !s.prestarter.goOn(ctx, in.Next, run.onward) { // what is left of this session goes now
		run.onward.drop()
	}
	return res, nil
}

// keep writes the session's result to disk. When the disk is full, the result stays in memory for the next attempt, and the work is not
// lost.
func (s *Sessions) keep(rec *record, ask int, res SessionResult) (SessionResult, error) {
	file := rec.resultFile(ask)
	if err := rec.keep(ask, res); err != nil {
		s.unkept.Store(file, res)
		return SessionResult{}, err
	}
	s.unkept.Delete(file)
	return res, nil
}
