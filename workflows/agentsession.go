package workflows

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// SessionRun is the input of an AgentSession, and what one run of it hands to the next.
type SessionRun struct {
	Open       activities.OpenInput  `json:"open"` // as it was begun; its conversation has grown to Progress.Head since
	Assignment activities.Assignment `json:"assignment"`
	About      string                `json:"about"` // what the session is, for people
	Limits     SessionLimits         `json:"limits"`
	Used       task.Usage            `json:"used,omitzero"`      // of the session on this host, before this ask
	Progress   *SessionProgress      `json:"progress,omitempty"` // nil in the first run
}

// SessionLimits bound one ask of a session.
type SessionLimits struct {
	Steps int           `json:"steps"` // calls of tools
	Time  time.Duration `json:"time"`  // running time that the task has left
}

// SessionProgress is how far an ask has come.
type SessionProgress struct {
	Head   string                   `json:"head"`            // name of the conversation's last entry
	Calls  []activities.PlannedCall `json:"calls,omitempty"` // that the last answer has left open
	Worked time.Duration            `json:"worked"`          // running time of the acts, without waits for a slot
	Acts   int                      `json:"acts"`
	Steps  int                      `json:"steps"`
	Turns  int                      `json:"turns"`            // answers of the model
	Usage  task.Usage               `json:"usage,omitzero"`   // of the session on this host
	Silent int                      `json:"silent,omitempty"` // answers in a row that call no tool
	Unsaid []signals.SessionMessage `json:"unsaid,omitempty"` // what the model has to be told with the next call
	Recent []string                 `json:"recent,omitempty"` // the last acts, for people
}

// AgentSession carries out one ask of a session of Longshift's own agent: it asks the model, makes the calls that the model wants, and asks
// again, until the session has reported or can't go on now. Calls of the model and of tools are activities on the task's host, so what has
// ended is never done again. Waiting is for the workflow of the task: this one ends meanwhile, and another goes on with the conversation.
func AgentSession(ctx workflow.Context, in SessionRun) (activities.SessionResult, error) {
	s := &agentSession{in: in, assignment: &assignment{in.Assignment}, at: SessionProgress{Usage: in.Used}}
	if in.Progress != nil {
		s.at = *in.Progress
	}
	why, err := s.loop(ctx)
	var next *workflow.ContinueAsNewError
	switch {
	case errors.As(err, &next):
		return activities.SessionResult{}, err
	case ctx.Err() != nil:
		after, stop := workflow.NewDisconnectedContext(ctx)
		defer stop()
		s.giveUp(after)
		return activities.SessionResult{}, temporal.NewCanceledError(s.progress())
	case err != nil:
		if inQuestion, _ := hostInQuestion(err); !inQuestion { // what it holds on the host is given back
			s.giveUp(ctx)
		}
		return activities.SessionResult{}, s.failed(err)
	case why.kept != nil:
		return *why.kept, nil
	}
	res, err := s.end(ctx, why)
	if err != nil {
		return res, s.failed(err)
	}
	s.over = res.Kind
	s.show(ctx)
	return res, nil
}

// agentSession is an AgentSession at work.
type agentSession struct {
	in         SessionRun
	assignment *assignment
	at         SessionProgress
	doing      string // the act that runs, for people
	over       agent.OutcomeKind
}

// stopped is why an ask ends.
type stopped struct {
	kind  agent.OutcomeKind
	text  string
	reset time.Time
	kept  *activities.SessionResult // of an ask that had ended before
}

// loop is the session. It returns why it ends.
func (s *agentSession) loop(ctx workflow.Context) (stopped, error) {
	if s.in.Progress == nil {
		if kept, err := s.open(ctx); err != nil || kept != nil {
			return stopped{kept: kept}, err
		}
	}
	for {
		if err := s.goOnLater(ctx); err != nil {
			return stopped{}, err
		}
		step := s.ask
		if len(s.at.Calls) > 0 {
			step = s.run
		}
		if why := s.exhausted(); why != nil {
			return *why, nil
		}
		why, err := step(ctx)
		if err != nil {
			return stopped{}, err
		}
		if why != nil {
			return *why, nil
		}
	}
}

// receive takes the messages of people that have come. Nothing waits for them: the model is told with its next call.
func (s *agentSession) receive(ctx workflow.Context) {
	messages := workflow.GetSignalChannel(ctx, signals.SessionTell)
	for m := (signals.SessionMessage{}); messages.ReceiveAsync(&m); m = (signals.SessionMessage{}) {
		s.at.Unsaid = append(s.at.Unsaid, m)
	}
}

// goOnLater returns the error that has a new run go on, when the history of this one has become long.
func (s *agentSession) goOnLater(ctx workflow.Context) error {
	if !workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
		return nil
	}
	if ctx.Err() != nil { // the new run would not know that it is to end
		return ctx.Err()
	}
	s.receive(ctx)
	next, at := s.in, s.at
	next.Progress = &at
	return workflow.NewContinueAsNewError(ctx, signals.AgentSession, next)
}

// errLostWorker is the cause of a session that loses its worker again and again, which may be its own doing.
var errLostWorker = temporal.NewApplicationError("the worker was lost again and again", string(fault.Infra))

// failed is the error of a session that can't go on here. It says how far the conversation came.
func (s *agentSession) failed(err error) error {
	return temporal.NewApplicationErrorWithOptions(message(err), string(kindOf(err)), temporal.ApplicationErrorOptions{
		NonRetryable: true, Cause: err, Details: []any{hintOf(err), s.progress()}})
}

// giveUp ends the ask on its host where nobody reads its result, which tells what the model's last call has cost.
func (s *agentSession) giveUp(ctx workflow.Context) {
	if res, err := s.end(ctx, stopped{kind: agent.Interrupted}); err == nil {
		s.at.Usage = res.Usage
	}
}

// progress is what the task is told of a session that failed or was cancelled.
func (s *agentSession) progress() SessionProgress {
	return SessionProgress{Head: s.at.Head, Usage: s.at.Usage, Worked: s.at.Worked}
}

// progressOf reads how far a session came that has failed or was cancelled.
func progressOf(err error) (SessionProgress, bool) {
	p, ok := detailsOf[SessionProgress](err)
	return p, ok && p.Head != ""
}
