package workflows

import (
	"slices"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/task"
)

// ahead describes the session that comes next if all goes well, so that its agent can be prestarted while an earlier step
// still runs: the planner's, the next deliverable's, or the reviewer's.
func (se *sessions) ahead() *activities.SessionInput {
	if se.status.Plan == nil {
		return se.inRole(task.Planner)
	}
	return se.carrying("")
}

// after describes the session that follows on this one if all goes well.
func (se *sessions) after(s *session) *activities.SessionInput {
	switch d := s.brief.deliverable; {
	case d != nil:
		return se.carrying(d.ID)
	case s.input.Role == task.Planner && !se.asks() && !se.def.input.Sync:
		return se.inRole(task.Implementer)
	}
	return nil
}

// carrying describes the session that carries on the plan when a deliverable is done: the next one's, or the reviewer's.
func (se *sessions) carrying(done string) *activities.SessionInput {
	if slices.ContainsFunc(se.status.Plan.Deliverables, func(d task.Deliverable) bool { return d.Status == task.Pending && d.ID != done }) {
		return se.inRole(task.Implementer)
	}
	return se.inRole(task.Reviewer)
}

// inRole describes the next session, in a role.
func (se *sessions) inRole(role task.Role) *activities.SessionInput {
	if se.status.Usage.CostUSD >= se.status.BudgetUSD || se.status.Worked >= se.status.BudgetTime {
		return nil // the task will be parked, and a parked task has no process
	}
	next := se.addressed(se.numbered+1, role)
	if n := len(se.status.Sessions); se.settings.Quota == task.QuotaNext && n > 0 && se.status.Sessions[n-1].Agent != next.Agent {
		return nil // its account may be used up
	}
	if opened := se.status.Plan.Opened(); len(opened) > 0 {
		next.Prompt.Plan = &task.Plan{Opens: opened} // as much of it as its agent's sandbox depends on
	}
	next.Ref = se.ref()
	next.CeilingUSD = se.status.BudgetUSD - se.status.Usage.CostUSD // the session itself sets its own
	return &next
}
