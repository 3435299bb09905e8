package main

import (
	"context"
	"slices"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

const required = `{"approval":{"mode":"required"}}`

// decisions are the branches that a decision on the plan makes.
func decisions() []branch {
	return []branch{{
		name: "approved", outcome: task.PullRequest, plan: []string{"FIX-001", "API-002", "DOC-003"},
		config: `{"setup":"go mod download","check":"go test ./...","approval":{"mode":"required"}}`,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, approving) },
				func() error {
					return p.update(ctx, signals.Approve, signals.ApproveRequest{Message: by("approve-1"), Revision: 1,
						Comment: "use the standard library"})
				})
		},
	}, {
		name: "setup-once", outcome: task.PullRequest, config: `{"setup":"go mod download","check":"go test ./...","approval":{"mode":"none"}}`,
	}, {
		name: "approved-by-timer", outcome: task.PullRequest, config: `{"check":"go test ./...","approval":{"mode":"auto","after":"1s"}}`,
	}, {
		name: "edited", outcome: task.PullRequest, config: `{"approval":{"mode":"auto","after":"1h"}}`, drive: edit,
	}, {
		name: "rejected", outcome: task.Rejected, config: required,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, approving) },
				func() error { return p.signal(ctx, signals.Reject, signals.RejectRequest{Reason: "not now"}) })
		},
	}}
}

// edit sends the plan back, is late with an approval of the first revision, and approves the second one. A message that is
// delivered twice counts once.
func edit(ctx context.Context, p *play) error {
	tell := func() error {
		return p.signal(ctx, signals.Tell, signals.TellRequest{Message: by("tell-1"), Text: "write tests first"})
	}
	refused := func(s signals.Status) bool {
		return slices.ContainsFunc(s.Log, func(l signals.LogLine) bool { return l.Kind == "refused" })
	}
	return inTurn(
		func() error { return p.until(ctx, approving) },
		tell, tell,
		func() error {
			return p.update(ctx, signals.Edit, signals.EditRequest{Message: by("edit-1"), Revision: 1, Text: "leave the documentation out"})
		},
		func() error {
			return p.until(ctx, func(s signals.Status) bool { return approving(s) && s.Plan.Revision == 2 })
		},
		func() error { return p.signal(ctx, signals.Approve, signals.ApproveRequest{Revision: 1}) },
		func() error { return p.until(ctx, refused) },
		func() error { return p.signal(ctx, signals.Approve, nil) })
}

// messages are the branches in which a person lifts what a task waits for, or ends it.
func messages() []branch {
	return []branch{{
		name: "spec-issue", outcome: task.PullRequest, session: unclear,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonSpecIssue)) },
				func() error {
					return p.signal(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-1"), Note: "the integer one"})
				})
		},
	}, {
		name: "budget", outcome: task.PullRequest, config: `{"budget":{"cost":0.25}}`, session: costly,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonBudget)) },
				func() error {
					return p.update(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-1"), AddCost: 5})
				})
		},
	}, {
		name: "cancelled", outcome: task.Cancelled, session: endless,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.runs(ctx, task.Implementer) },
				func() error { return p.stage.client.CancelWorkflow(ctx, p.run.GetID(), "") })
		},
	}, {
		name: "abandoned", outcome: task.Abandoned, session: endless,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.runs(ctx, task.Implementer) },
				func() error {
					return p.update(ctx, signals.Abandon, signals.AbandonRequest{Message: by("abandon-1"), Reason: "no longer needed"})
				})
		},
	}}
}

func unclear(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	res := activities.SessionResult{}
	if in.Role == task.Planner && n == 1 {
		res = spent(agent.Completed, "")
		res.Report = task.Report{Kind: task.ReportSpecIssue, Text: "which sum does Add give: of integers or of floats?"}
	}
	return res, nil
}

func costly(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	res := activities.SessionResult{}
	if in.Role == task.Implementer && n == 1 {
		res = spent(agent.Budget, "the next call would pass the ceiling")
	}
	return res, nil
}

// endless is an implementer who works until it is stopped.
func endless(ctx context.Context, in activities.SessionInput, _ int) (activities.SessionResult, error) {
	if in.Role != task.Implementer {
		return activities.SessionResult{}, nil
	}
	<-ctx.Done()
	return activities.SessionResult{}, ctx.Err()
}

func approving(s signals.Status) bool { return s.Phase == task.Approving }

func suspended(why signals.Reason) func(signals.Status) bool {
	return func(s signals.Status) bool { return s.Phase == task.Suspended && s.Reason == why }
}

// by is the envelope of a message from a person.
func by(delivery string) signals.Message { return signals.Message{ID: delivery, By: "maria"} }

// inTurn does one thing after the other, until one fails.
func inTurn(things ...func() error) error {
	for _, do := range things {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}
