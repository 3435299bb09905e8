package activities

import (
	"context"
	"errors"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
)

// EndInput ends an ask of a session.
type EndInput struct {
	Act
	Kind     agent.OutcomeKind `json:"kind"`
	Text     string            `json:"text,omitempty"`
	Reset    time.Time         `json:"reset,omitzero"`
	Turns    int               `json:"turns,omitempty"`
	Duration time.Duration     `json:"duration"`
}

// EndSession ends what the session has left running, gives its slot back, and returns what it has reported. The conversation stays, so that
// another ask can go on with it.
func (a *Acts) EndSession(ctx context.Context, in EndInput) (SessionResult, error) {
	defer a.forget(in.Session)
	defer a.handovers.forget(in.Session)
	defer a.leases.end(in.Session)
	a.processes.end(in.Session)
	s, err := a.started(in.Act)
	if err != nil {
		return SessionResult{}, err
	}
	run, kept, err := a.of.begin(ctx, s.SessionInput)
	if err != nil {
		return SessionResult{}, err
	}
	defer run.tree.Close()
	if kept != nil {
		return *kept, nil
	}
	if _, err := process.ReapSession(ctx, in.Session); err != nil {
		return SessionResult{}, fault.New(fault.Infra, "end what the session has left running: %w", err)
	}
	run.start = a.of.now()
	res, err := a.result(ctx, in, run, s)
	if err != nil {
		return SessionResult{}, err
	}
	return a.of.keep(run.rec, in.Ask, res)
}

// result is what the ask has come to.
func (a *Acts) result(ctx context.Context, in EndInput, run *sessionRun, s Started) (SessionResult, error) {
	log, err := openSessionLog(run)
	if err != nil {
		return SessionResult{}, err
	}
	defer log.close()
	endpoint, err := a.of.launcher.openModel(s.SessionInput, run.rec, "")
	if err != nil {
		return SessionResult{}, err
	}
	res := SessionResult{Kind: in.Kind, Usage: endpoint.Close(), Turns: in.Turns, Duration: in.Duration, Reset: in.Reset, Head: in.Head}
	if c, err := a.conversation(in.Act); err == nil {
		res.Messages = c.Messages()
	}
	reports, err := a.of.launcher.keepReports(s.SessionInput, run.rec)
	if err != nil {
		return SessionResult{}, err
	}
	defer reports.Close()
	reports.Begin(aboutSession(s.SessionInput, log.collect))
	if _, ended := reports.Ended(); ended {
		res.Kind = agent.Completed
	}
	if res.Kind == agent.Completed {
		run.report(&res, agent.Outcome{}, log)
		if err := run.starved(res, nil); err != nil {
			return SessionResult{}, errors.Join(err, reports.Reopen())
		}
	} else {
		res.Error = in.Text
	}
	if err := run.undoWrites(context.WithoutCancel(ctx), s.Before, &res); err != nil {
		return SessionResult{}, err
	}
	now := a.moment(in.Act, s, run.tree, in.Head)
	now.ends, now.last = true, res.Kind == agent.Completed
	if problem := a.handovers.bring(ctx, now); problem != "" {
		log.line("! %s", log.hide(problem))
	}
	log.end(res)
	hideSecrets(a.of.redact, &res)
	return res, nil
}
