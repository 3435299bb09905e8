package workflows

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// newSession numbers a session. Its id is a UUIDv7 made of the workflow's own time and identity, so that replay gives the same.
func (t *pipeline) newSession(ctx workflow.Context, role task.Role, d *task.Deliverable) *session {
	t.sessions++
	in := t.addressed(t.sessions, role)
	entry := signals.Session{N: t.sessions, ID: in.ID, Role: role, Host: t.taken.Host, Started: workflow.Now(ctx)}
	in.Prompt = t.told(role, d)
	if d != nil {
		entry.Deliverable = d.ID
	}
	t.status.Sessions = append(t.status.Sessions, entry)
	s := &session{at: len(t.status.Sessions) - 1, input: in}
	if role == task.Planner {
		s.cap = t.settings.Budget.PlanCost
	}
	return s
}

// addressed is what is known of a session before its prompt is.
func (t *pipeline) addressed(n int, role task.Role) activities.SessionInput {
	s := &t.settings
	in := activities.SessionInput{N: n, ID: sessionID(t.status.Started, t.status.RunID, n), Role: role, Agent: s.Agent,
		Model: s.Model, Thinking: s.Thinking, Scenario: s.Scenario, Commands: s.Commands, Paths: s.Paths, Env: s.Env, NeedsEnv: s.NeedsEnv}
	if role == task.Planner {
		in.Model = s.PlanModel
	}
	in.Prompt.Standing = t.standing()
	return in
}

func (t *pipeline) standing() prompt.Standing {
	return prompt.Standing{Specs: t.settings.Specs, Setup: t.settings.Setup, Check: t.settings.Check, Commits: t.settings.Commits}
}

// ahead describes the session that comes next if all goes well, so that its agent can be started while a step before it
// still runs: the planner's, the next deliverable's, or the review's. after is the deliverable in work, nil when none is.
func (t *pipeline) ahead(after *task.Deliverable) *activities.SessionInput {
	if t.status.Usage.CostUSD >= t.status.BudgetUSD || t.status.Worked >= t.status.BudgetTime {
		return nil // the task will be parked, and a parked task has no process
	}
	role := task.Reviewer
	if t.status.Plan == nil {
		role = task.Planner
	} else if slices.ContainsFunc(t.status.Plan.Deliverables, func(d task.Deliverable) bool {
		return d.Status == task.Pending && (after == nil || d.ID != after.ID)
	}) {
		role = task.Implementer
	}
	next := t.addressed(t.sessions+1, role)
	next.Ref = t.ref()
	next.CeilingUSD = t.status.BudgetUSD - t.status.Usage.CostUSD // the session itself sets its own
	return &next
}

// precedence is the task's claim to a slot of its host.
func (t *pipeline) precedence(ctx workflow.Context) activities.Precedence {
	rank := activities.Finishing
	if t.status.Plan == nil {
		rank = activities.Beginning
	} else if _, _, pending := t.status.Plan.Counts(); pending > 0 {
		rank = activities.Working
	}
	return activities.Precedence{Rank: rank, Since: workflow.GetInfo(ctx).WorkflowStartTime}
}

// told is what a new session is told. Messages from people go with it and are used up.
func (t *pipeline) told(role task.Role, d *task.Deliverable) prompt.Data {
	data := prompt.Data{
		Standing: t.standing(), Task: t.input.Task, Issue: t.input.Issue, RequestedBy: t.input.RequestedBy, Plan: t.status.Plan, Progress: t.progress,
		Deliverable: d, BaseCommit: t.status.BaseCommit, Tells: t.tells,
	}
	if c := t.status.Check; c != nil {
		data.Result = &prompt.Result{Command: c.Command, Exit: c.ExitCode, Tail: c.Tail, Flaky: c.Flaky, Failing: c.Failing, OnBase: c == t.status.BaseCheck}
	}
	if b := t.status.BaseCheck; b != nil && b != t.status.Check && !b.Passed() {
		data.Before = &prompt.Result{Command: b.Command, Exit: b.ExitCode, Tail: clip(b.Tail, 1000), Failing: b.Failing}
	}
	data.Fixing, data.Refused = t.fixing, t.refused
	if r := t.status.Review; role == task.Planner && r != nil {
		data.Review = r.Text
	}
	if e := t.edit; role == task.Planner && e != nil {
		data.Edit, data.EditBy = e.text, &task.Person{Name: e.by}
	}
	if d != nil {
		if f, ok := t.feedback[d.ID]; ok {
			data.Feedback = &f
		}
		_, _, pending := t.status.Plan.Counts()
		data.Left = pending - 1
	}
	data.Tells = append(data.Tells, t.untold...) // answers to commands that came when no session waited
	t.tells, t.untold, t.status.Tells = nil, nil, 0
	return data
}

func sessionID(now time.Time, run string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", run, n))
	var id uuid.UUID
	copy(id[:], sum[:])
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		id[i] = byte(ms >> (8 * (5 - i)))
	}
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}
