package main

import (
	"context"
	"crypto/rand"
	"fmt"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// commands are the branches in which a command waits for a person, and those in which what an agent did is not let through.
func commands() []branch {
	return []branch{{
		name: "command-allowed", outcome: task.PullRequest, config: `{"commands":{"wait":"0s"}}`, session: asks,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonCommand)) },
				func() error {
					return p.update(ctx, signals.Allow, signals.AllowRequest{Message: by("allow-1"), Question: question, Comment: "once"})
				})
		},
	}, {
		name: "command-changed", outcome: task.PullRequest, config: `{"commands":{"wait":"0s"}}`, session: asksAgain,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonCommand)) },
				func() error { return p.update(ctx, signals.Allow, signals.AllowRequest{Message: by("allow-3")}) },
				func() error {
					return p.until(ctx, func(s signals.Status) bool {
						return suspended(signals.ReasonCommand)(s) && len(s.Questions) == 1 && len(s.Questions[0].Changed) == 1
					})
				},
				func() error {
					return p.update(ctx, signals.Allow, signals.AllowRequest{Message: by("allow-4"), ForTask: true})
				})
		},
	}, {
		name: "command-denied", outcome: task.PullRequest, config: `{"commands":{"wait":"1h"}}`, session: asks,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, func(s signals.Status) bool { return len(s.Questions) == 1 }) },
				func() error {
					return p.signal(ctx, signals.Deny, signals.DenyRequest{Message: by("deny-1"), Reason: "do without"})
				})
		},
	}, {
		name: "command-unanswered", outcome: task.PullRequest, config: `{"commands":{"wait":"0s"}}`, session: asks,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonCommand)) },
				func() error { return p.update(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-1")}) })
		},
	}, {
		name: "command-left-open", outcome: task.PullRequest, config: `{"commands":{"wait":"1h"}}`, session: asks,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, func(s signals.Status) bool { return len(s.Questions) == 1 }) },
				func() error {
					return p.update(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-2"), AddCost: 1})
				},
				func() error { return p.update(ctx, signals.Allow, signals.AllowRequest{Message: by("allow-5")}) })
		},
	}, {
		name: "command-without-place", input: origin, outcome: task.PullRequest, config: `{"commands":{"wait":"0s"},"approval":{"mode":"none"}}`, session: asks,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonCommand)) },
				func() error {
					return p.update(ctx, signals.Allow, signals.AllowRequest{Message: by("allow-1"), Question: question, Comment: "once"})
				})
		},
	}, {
		name: "command-abandoned", outcome: task.Abandoned, config: `{"commands":{"wait":"0s"}}`, session: asks,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonCommand)) },
				func() error {
					return p.update(ctx, signals.Abandon, signals.AbandonRequest{Message: by("abandon-1"), Reason: "not that way"})
				})
		},
	}, {
		name: "loop", outcome: task.PullRequest,
		session: func(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
			if in.Role == task.Implementer && n <= 2 {
				return spent(agent.Looped, "the same call came five times"), nil
			}
			return activities.SessionResult{}, nil
		},
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonLoop)) },
				func() error { return p.signal(ctx, signals.Resume, nil) })
		},
	}, {
		name: "secret", outcome: task.PullRequest,
		commit: func(n int) (activities.Committed, error) {
			if n == 1 {
				return activities.Committed{Failed: "not pushed, because it holds a secret: calc.go line 3", Leak: true}, nil
			}
			return activities.Committed{}, nil
		},
	}, {
		name: "push-allowed", outcome: task.PullRequest, commit: sensitive,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonPush)) },
				func() error {
					return p.update(ctx, signals.Allow, signals.AllowRequest{Message: by("allow-2"), Question: signals.PushID})
				})
		},
	}, {
		name: "push-denied", outcome: task.Rejected, commit: sensitive,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonPush)) },
				func() error {
					return p.signal(ctx, signals.Deny, signals.DenyRequest{Message: by("deny-2"), Reason: "no CI here"})
				})
		},
	}}
}

// sensitive is a commit with a workflow that a push would start, and with a lock file.
func sensitive(int) (activities.Committed, error) {
	return activities.Committed{Sensitive: []task.Finding{
		{ID: question, Kind: "ci", Path: ".github/workflows/test.yml", What: "new", Action: task.AskFinding},
		{ID: "lock", Kind: "locks", Path: "go.sum", What: "changed", Action: task.NameFinding},
	}}, nil
}

const question = "0123456789abcdef0123456789abcdef"

// asks is an implementer who wants to run what policy leaves to a person, as a host puts it to the task. Without an answer its
// session ends.
func asks(ctx context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	if in.Role != task.Implementer || n > 1 {
		return activities.SessionResult{}, nil
	}
	return put(ctx, signals.Question{ID: question, Session: in.N, Role: in.Role, Tool: "Bash", Command: "terraform plan", Dir: "infra",
		Rule: "program.unknown", Reason: "terraform is not in the table of programs"})
}

// asksAgain is one who changes the script each time before it is to run.
func asksAgain(ctx context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	if in.Role != task.Implementer || n > 3 {
		return activities.SessionResult{}, nil
	}
	sum := fmt.Sprintf("%012x", n)
	return put(ctx, signals.Question{ID: question[:20] + sum, TextID: question, Session: in.N, Role: in.Role, Tool: "Bash",
		Command: "sudo sh deploy.sh",
		Files:   []signals.File{{Path: "deploy.sh", Sum: sum}}, Rule: "sudo", Reason: "sudo is not run unattended"})
}

// put asks, and ends the session when there is no answer yet.
func put(ctx context.Context, q signals.Question) (activities.SessionResult, error) {
	run := activity.GetInfo(ctx).WorkflowExecution
	return putTo(ctx, activities.Workflow{ID: run.ID, RunID: run.RunID}, q)
}

// putTo asks a run of a workflow.
func putTo(ctx context.Context, run activities.Workflow, q signals.Question) (activities.SessionResult, error) {
	h, err := activity.GetClient(ctx).UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: run.ID, RunID: run.RunID, UpdateName: signals.Ask, UpdateID: rand.Text(),
		WaitForStage: client.WorkflowUpdateStageAccepted,
		Args:         []any{q},
	})
	if err != nil {
		return activities.SessionResult{}, err
	}
	var a signals.Answer
	if err := h.Get(ctx, &a); err != nil {
		return activities.SessionResult{}, err
	}
	if a.Verdict == signals.Later {
		return spent(agent.NeedsApproval, "a person has been asked"), nil
	}
	return activities.SessionResult{}, nil
}
