package activities

import (
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/task"
)

// report reads the agent's report: from what it has handed in by tools, its structured answer, its markers and text.
func (r *sessionRun) report(res *SessionResult, out agent.Outcome, log *sessionLog) {
	text := log.text() // reading the end of the text may complete markers too
	answer, markers := log.reports()
	if answer == nil {
		answer = out.Answer
	}
	res.Report = task.NewReport(r.in.Role, markers, text)
	switch {
	case res.Report.Kind == task.ReportSpecIssue:
	case r.in.Role == task.Planner:
		plan, err := readPlan(answer, res.Report)
		if err != nil {
			res.Kind, res.Error = agent.Errored, "the plan can't be used: "+err.Error()
			return
		}
		res.Plan = &plan
		res.Report.Kind, res.Report.Text = task.ReportPlan, "" // the plan is reported once
	case r.in.Role == task.Reviewer && answer != nil:
		review, err := task.DecodeReview(answer)
		if err != nil {
			res.Kind, res.Error = agent.Errored, "the review can't be used: "+err.Error()
			return
		}
		if res.Report.Kind == task.ReportChanges && review.Approved { // a review with both verdicts is no approval
			review = task.Review{Text: res.Report.Text}
		}
		res.Review = &review
	case r.in.Role == task.Reviewer && res.Report.Kind == task.ReportApproved && r.in.byTools() && r.in.confirms():
		// Only the tool asks what was confirmed. Without a review the session is asked for its report again.
	case r.in.Role == task.Reviewer:
		if res.Report.Kind == task.ReportApproved || res.Report.Kind == task.ReportChanges {
			res.Review = &task.Review{Approved: res.Report.Kind == task.ReportApproved, Text: res.Report.Text}
		}
	}
}

func readPlan(answer []byte, rep task.Report) (task.Plan, error) {
	if answer != nil {
		return task.DecodePlan(answer)
	}
	return task.PlanFromText(rep.Text)
}

// hideSecrets removes secrets and paths of this machine from a result before it goes into history.
func hideSecrets(r *redact.Redactor, res *SessionResult) {
	hide := r.String
	res.Error, res.Report.Text = hide(res.Error), hide(res.Report.Text)
	for _, list := range [][]string{res.Report.Notes, res.Report.Findings} {
		for i := range list {
			list[i] = hide(list[i])
		}
	}
	if res.Review != nil {
		res.Review.Text = hide(res.Review.Text)
	}
	if p := res.Plan; p != nil {
		p.Summary, p.Approach, p.Evidence = hide(p.Summary), hide(p.Approach), hide(p.Evidence)
		for _, list := range [][]string{p.Files, p.Risks, p.Split, p.Deprecated} {
			for i := range list {
				list[i] = hide(list[i])
			}
		}
		for i := range p.Deliverables {
			d := &p.Deliverables[i]
			d.Description, d.Proof = hide(d.Description), hide(d.Proof)
			for j := range d.Acceptance {
				d.Acceptance[j] = hide(d.Acceptance[j])
			}
		}
	}
}
