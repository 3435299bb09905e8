package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/task"
)

// ahead describes the session that comes next if all goes well, so that its agent can be prestarted while an earlier step
// still runs: the planner's, the next deliverable's, or the reviewer's.
func (br *briefing) ahead() *activities.SessionInput {
	if br.status.Plan == nil {
		return br.inRole(task.Planner)
	}
	return br.carrying("")
}

// after describes the session that follows on this one if all goes well.
func (br *briefing) after(s *session) *activities.SessionInput {
	switch d := s.brief.deliverable; {
	case d != nil:
		return br.carrying(d.ID)
	case s.input.Role == task.Planner && !br.asks() && !br.def.input.Sync:
		return br.inRole(task.Implementer)
	}
	return nil
}

// carrying describes the session that carries on the plan when a deliverable is done: the next one's, or the reviewer's.
func (br *briefing) carrying(done string) *activities.SessionInput {
	if slices.ContainsFunc(br.status.Plan.Deliverables, func(d task.Deliverable) bool { return d.Status == task.Pending && d.ID != done }) {
		return br.inRole(task.Implementer)
	}
	return br.inRole(task.Reviewer)
}

// inRole describes the next session, in a role.
func (br *briefing) inRole(role task.Role) *activities.SessionInput {
	if br.status.Usage.CostUSD >= br.status.BudgetUSD || br.status.Worked >= br.status.BudgetTime {
		return nil // the task will be parked, and a parked task has no process
	}
	next := br.addressed(br.numbered+1, role)
	if n := len(br.status.Sessions); br.settings.Quota == task.QuotaNext && n > 0 && br.status.Sessions[n-1].Agent != next.Agent {
		return nil // its account may be used up
	}
	if opened := br.status.Plan.Opened(); len(opened) > 0 {
		next.Prompt.Plan = &task.Plan{Opens: opened} // as much of it as its agent's sandbox depends on
	}
	next.Ref = br.ref()
	next.CeilingUSD = br.status.BudgetUSD - br.status.Usage.CostUSD // the session itself sets its own
	return &next
}

// precedence ranks the task among those that wait for a slot of its host.
func (f facts) precedence(ctx workflow.Context) activities.Precedence {
	rank := activities.Finishing
	if f.status.Plan == nil {
		rank = activities.Beginning
	} else if _, _, pending := f.status.Plan.Counts(); pending > 0 {
		rank = activities.Working
	}
	return activities.Precedence{Rank: rank, Since: workflow.GetInfo(ctx).WorkflowStartTime}
}
