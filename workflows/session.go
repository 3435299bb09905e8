package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// session is one agent session of the task: what is asked, and how it stands.
type session struct {
	at    int // index in status.Sessions
	input activities.SessionInput
	spent []hostUsage // on each host it has run on
	cap   float64     // US dollars it may cost in all, 0 for what is left of the task's budget
}

// converse runs sessions in a role until one reports, and gives that report. Whatever a person or time can lift
// (budget, quota, a refused key, a spec issue, errors in a row) is waited out in between.
func (t *pipeline) converse(ctx workflow.Context, role task.Role, deliverable *task.Deliverable) (activities.SessionResult, error) {
	s := t.newSession(ctx, role, deliverable)
	for {
		if err := t.afford(ctx, s); err != nil {
			return activities.SessionResult{}, err
		}
		res, err := t.ask(ctx, s)
		if err != nil {
			if ctx.Err() != nil || !t.liftable(err) {
				return res, err
			}
			if err := t.suspendFor(ctx, err); err != nil {
				return res, err
			}
			continue
		}
		again, err := t.settle(ctx, s, res)
		if err != nil {
			return res, err
		}
		if again == nil {
			return res, nil
		}
		s = again
	}
}

// ask runs the session on the task's host, wherever that comes to be.
func (t *pipeline) ask(ctx workflow.Context, s *session) (activities.SessionResult, error) {
	s.input.Ask++
	wall := t.status.BudgetTime - t.status.Worked
	var res activities.SessionResult
	err := t.onHost(ctx, step{
		options: func(ctx workflow.Context) workflow.Context {
			return t.long(ctx, s.summary(), wall)
		},
		call: func(ctx workflow.Context) error {
			t.entry(s).Host = t.taken.Host
			in := s.input
			in.Ref, in.Wall, in.Precedence = t.ref(), wall, t.precedence(ctx)
			if d := in.Prompt.Deliverable; d != nil {
				in.Next = t.ahead(d)
			}
			if in.CeilingUSD = t.left(s) + s.on(t.taken.Host).CostUSD; in.CeilingUSD <= 0 {
				in.CeilingUSD = -1 // 0 would be no ceiling
			}
			return workflow.ExecuteActivity(ctx, host.RunAgent, in).Get(ctx, &res)
		},
		missed: func(err error) {
			if b, ok := cut(err); ok {
				*s.on(t.taken.Host) = b.Usage
				t.count(s)
			}
		},
	})
	if err != nil {
		return res, err
	}
	*s.on(t.taken.Host) = res.Usage
	t.count(s)
	t.worked(res.Duration)
	e := t.entry(s)
	e.Duration += res.Duration
	e.Turns, e.Resumed, e.Outcome = res.Turns, res.Resumed, string(res.Kind)
	return res, nil
}

func (t *pipeline) entry(s *session) *signals.Session { return &t.status.Sessions[s.at] }

// note hands messages that came meanwhile to a session that goes on.
func (t *pipeline) note(s *session) {
	s.input.Prompt.Tells = append(s.input.Prompt.Tells, t.tells...)
	t.tells, t.status.Tells = nil, 0
}

func (s *session) summary() string {
	text := fmt.Sprintf("session %d: %s", s.input.N, s.input.Role)
	if d := s.input.Prompt.Deliverable; d != nil {
		text += " " + d.ID + " " + clip(d.Description, 80)
	}
	return text
}
