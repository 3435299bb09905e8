package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/attachment"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

const (
	limiterName = "limiter:github.com:acme:calc"
	issueID     = "issue:github.com:acme:calc:3"
	origin      = `"origin":{"intake":"calc","source":"github","key":"3","label":"longshift","guard":{"sessions":1,"pauseIfOpenPR":true}}`
)

// arriving are the workflows of work that comes by itself, and the ways of a task that waits for its turn.
func arriving() []branch {
	given := func(arg any) func(*play) ([]any, error) {
		return func(*play) ([]any, error) { return []any{arg}, nil }
	}
	return []branch{
		{name: "queued", input: origin, config: `{"approval":{"mode":"none"}}`, limiter: closed, outcome: task.PullRequest, drive: letIn},
		{
			name: "queued-limited", input: origin, config: `{"approval":{"mode":"none"}}`, limiter: closed, most: 25, outcome: task.PullRequest,
			drive: func(ctx context.Context, p *play) error {
				return inTurn(
					func() error { return p.until(ctx, isQueued) },
					func() error {
						return p.update(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-1"), AddCost: 500})
					},
					func() error { return letIn(ctx, p) })
			},
		},
		{
			name: "queued-at-another", input: origin, config: `{"approval":{"mode":"none"}}`, limiter: closedInTurn, shared: true,
			outcome: task.PullRequest,
			drive: func(ctx context.Context, p *play) error {
				return inTurn(
					func() error { return p.until(ctx, isQueued) },
					func() error { return p.update(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-1")}) },
					func() error { return p.happens(ctx, "AcquireAdmission", 3) },
					func() error { return letIn(ctx, p) })
			},
		},
		{
			name: "queued-once-approved", input: origin, config: required, limiter: closedInTurn, rooms: []task.Room{room},
			outcome: task.PullRequest,
			drive: func(ctx context.Context, p *play) error {
				return inTurn(
					func() error { return approveWhatIsShown(ctx, p) },
					func() error { return letIn(ctx, p) })
			},
		},
		{name: "queued-abandoned", input: origin, limiter: closed, outcome: task.Abandoned, drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, isQueued) },
				func() error {
					return p.update(ctx, signals.Abandon, signals.AbandonRequest{Message: by("abandon-1"), Reason: "not now"})
				})
		}},
		{name: "limiter", flow: signals.Limiter, endless: true, drive: comeAndGo},
		{name: "limiter-failures", flow: signals.Limiter, endless: true, drive: failAgain},
		{name: "intake", flow: signals.IssueIntake, args: given(signals.IntakeInput{Name: "calc", Source: "github", Repository: "acme/calc",
			Label: "longshift",
			Guard: task.Guard{Sessions: 1}})},
		{name: "undo", flow: signals.Undo, args: given(signals.UndoInput{TaskID: "calc-1", Repository: "acme/calc", Fork: true,
			PullRequest: pullNumber, Branch: "longshift/calc-1", Heads: []string{commitID("1")}})},
		{name: "undo-no-fork", flow: signals.Undo, noFork: true, args: given(signals.UndoInput{TaskID: "calc-1", Repository: "acme/calc",
			Fork: true, PullRequest: pullNumber, Branch: "longshift/calc-1"})},
		{name: "images", flow: signals.CodingTask, args: drawn, config: `{"approval":{"mode":"none"}}`, outcome: task.PullRequest},
		{name: "attachment", flow: signals.Attachment, args: given([]byte("picture")), endless: true, drive: useTwice},
		{name: "checkup", flow: signals.Checkup, args: given(signals.CheckupInput{Hosts: []string{steady, absent}})},
	}
}

// drawn brings an image, and is the input of a task that it belongs to.
func drawn(p *play) ([]any, error) {
	content := []byte("GIF89a0\t0\t!!!")
	image, err := attachment.Of("drawing.gif", content)
	if err != nil {
		return nil, err
	}
	if err := attachment.Offer(context.Background(), p.stage.client, image, content); err != nil {
		return nil, err
	}
	data, err := json.Marshal([]task.Image{image})
	if err != nil {
		return nil, err
	}
	p.input = `"images":` + string(data)
	return taskInput(p)
}

// useTwice has two tasks use an attachment, and one of them end.
func useTwice(ctx context.Context, p *play) error {
	use := func(u signals.AttachmentUse) func() error {
		return func() error { return p.signal(ctx, signals.UseAttachment, u) }
	}
	return inTurn(use(signals.AttachmentUse{}), use(signals.AttachmentUse{Task: "a", Run: "run-a"}),
		use(signals.AttachmentUse{Task: "b", Run: "run-b"}), use(signals.AttachmentUse{Task: "a", Run: "run-a", Ended: true}))
}

// closed is a gate that lets nobody in at once.
func closed(int) signals.AcquireAnswer {
	return signals.AcquireAnswer{Limiter: limiterName, Wait: signals.WaitSessions, Detail: "1 of 1 at work: another"}
}

// closedInTurn are two gates, of which the second is closed first, and then the first one.
func closedInTurn(n int) signals.AcquireAnswer {
	if n == 2 || n == 3 {
		return closed(n)
	}
	return signals.AcquireAnswer{Limiter: limiterName, Admitted: true, Ceiling: 10}
}

func isQueued(s signals.Status) bool { return s.Phase == task.Queued && s.Reason != "" }

// letIn says that the task waits for something else, and then that it may work.
func letIn(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.until(ctx, isQueued) },
		func() error {
			return p.signal(ctx, signals.Admission, signals.AcquireAnswer{Limiter: limiterName, Wait: signals.WaitPull,
				Detail: "a pull request of ours is open: https://github.com/acme/calc/pull/1"})
		},
		func() error {
			return p.signal(ctx, signals.Admission, signals.AcquireAnswer{Limiter: limiterName, Admitted: true, Ceiling: 10})
		})
}

// comeAndGo fills a gate with one place, frees it, and finds out that the next one is gone.
func comeAndGo(ctx context.Context, p *play) error {
	return inTurn(p.enters(ctx, "enter", "a"), p.enters(ctx, "enter", "b"), p.enters(ctx, "enter", "c"), func() error {
		return p.updateAs(ctx, signals.Release, "leave-a", signals.ReleaseRequest{Workflow: "a", Run: "run-a", Spent: 3, Succeeded: true,
			Pull: &signals.OpenPull{Repository: task.Repository{Text: "acme/calc", Owner: "acme", Name: "calc"}, Number: 1,
				URL: "https://github.com/acme/calc/pull/1"}})
	}, func() error { return p.happens(ctx, "ReconcileLimiter", 5) })
}

// enters has a task ask the limiter for admission.
func (p *play) enters(ctx context.Context, key, id string) func() error {
	return func() error {
		return p.updateAs(ctx, signals.Acquire, key+"-"+id, signals.AcquireRequest{Workflow: id, Run: "run-" + id, Repository: "acme/calc",
			Guard: task.Guard{Sessions: 1, DailyCost: 50}, Budget: 20, Lease: 300 * time.Millisecond})
	}
}

// failAgain has one task stop with errors, twice.
func failAgain(ctx context.Context, p *play) error {
	fails := func(key string) func() error {
		return func() error {
			return p.updateAs(ctx, signals.Release, key, signals.ReleaseRequest{Workflow: "a", Run: "run-a", Failed: true})
		}
	}
	return inTurn(p.enters(ctx, "enter", "a"), fails("stop"), p.enters(ctx, "enter-again", "a"), fails("stop-again"))
}

// arrivalSteps are those of limiters and sources.
type arrivalSteps struct{ *plays }

// AcquireAdmission answers as the branch says; without a word of it everybody is let in.
func (s *arrivalSteps) AcquireAdmission(ctx context.Context, _ activities.AcquireInput) (signals.AcquireAnswer, error) {
	if p := s.of(ctx); p != nil && p.limiter != nil {
		return p.limiter(p.count("AcquireAdmission")), nil
	}
	return signals.AcquireAnswer{Limiter: limiterName, Admitted: true}, nil
}

// ReleaseAdmission takes every place back.
func (s *arrivalSteps) ReleaseAdmission(context.Context, activities.ReleaseInput) error { return nil }

// ReportToSource takes every word.
func (s *arrivalSteps) ReportToSource(context.Context, activities.SourceInput) error { return nil }

// ReconcileLimiter finds, after a while, that one of those inside is gone.
func (s *arrivalSteps) ReconcileLimiter(ctx context.Context, in activities.ReconcileInput) (activities.Reconciled, error) {
	var seen activities.Reconciled
	if s.of(ctx).count("ReconcileLimiter") > 4 {
		for _, h := range in.Holders {
			if h.Workflow == "b" {
				seen.Gone = append(seen.Gone, signals.ReleaseRequest{Workflow: h.Workflow, Run: h.Run, Spent: 1})
			}
		}
	}
	return seen, nil
}

// PollSource finds one issue, and one that must not be begun.
func (s *arrivalSteps) PollSource(_ context.Context, in activities.PollSourceInput) (activities.Found, error) {
	issue := task.Issue{Forge: "github", Number: 3, Title: "Add is wrong", Body: "It subtracts."}
	w := intake.Work{Item: intake.Item{Key: "3", ID: issueID, Title: issue.Title}, Task: "Resolve issue #3.", Issue: &issue, By: "maria"}
	found := activities.Found{Work: []intake.Work{w}, PollResult: signals.PollResult{At: in.Now, Seen: 2,
		Skipped: []signals.Skipped{{Key: "4", Why: "the label was set by eve, who has no write access"}},
		Refused: map[string]signals.Refusal{"4": {At: in.Now, Why: "the label was set by eve, who has no write access"}}}}
	return found, nil
}
