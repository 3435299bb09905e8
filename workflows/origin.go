package workflows

import (
	"cmp"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// origin is where the task comes from: the source whose work it is, which is shown the result.
type origin struct {
	facts
	parking   *parking
	claimed   bool            // the source has been told that the task works
	reporting workflow.Future // tells the source that the task waits
}

// atSource returns what is reported to the source.
func (og *origin) atSource(stage activities.Stage) activities.SourceInput {
	s := og.status
	in := activities.SourceInput{Stage: stage, Repository: og.def.repo, Origin: *og.def.input.Origin, TaskID: s.TaskID,
		RequestedBy: s.RequestedBy, Outcome: s.Outcome, Detail: excerpt.Clip(s.Detail, 500), Reason: s.Reason, Branch: s.Branch,
		CostUSD: s.Usage.CostUSD, Sessions: len(s.Sessions)}
	if s.PullRequest != nil {
		in.PullRequest = s.PullRequest.URL
	}
	return in
}

// claim claims the work at its source, so that nobody else begins it. Work that is not wanted any more ends the task before it costs
// anything.
func (og *origin) claim(ctx workflow.Context) error {
	if !og.def.sourced() {
		return nil
	}
	og.hasReported(ctx)
	og.claimed = true // unless we hear otherwise: an answer may be lost
	var declined error
	err := og.parking.insist(ctx, func() error {
		err := workflow.ExecuteActivity(og.assignment.control(ctx, "claim "+og.def.input.Origin.Key), sources.ReportToSource,
			og.atSource(activities.Claimed)).Get(ctx, nil)
		if kind := kindOf(err); ctx.Err() == nil && (kind == fault.Conflict || kind == fault.NotFound) {
			og.claimed = false
			declined = end(task.Declined, "%s", message(err))
			return nil
		}
		return err
	})
	return cmp.Or(declined, err)
}

// showQueued reports to the source, once, that the task waits. A source that does not answer stops nothing.
func (og *origin) showQueued(ctx workflow.Context) {
	if og.reporting != nil || og.claimed || !og.def.sourced() {
		return
	}
	in := og.atSource(activities.Waits)
	og.reporting = workflow.ExecuteActivity(courtesy(ctx, "show that "+in.Origin.Key+" waits"), sources.ReportToSource, in)
}

// hasReported waits for showQueued to end, so that a later report does not arrive first. It tells whether there was such a report.
func (og *origin) hasReported(ctx workflow.Context) bool {
	if og.reporting == nil {
		return false
	}
	_ = og.reporting.Get(ctx, nil)
	return true
}
