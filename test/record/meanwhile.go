package main

import (
	"context"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// meanwhile are the branches in which a person acts while a step runs, which ends as it began.
func meanwhile() []branch {
	added, pushed, opened := make(chan struct{}), make(chan struct{}), make(chan struct{})
	return []branch{{
		name: "budget-added", outcome: task.PullRequest, config: `{"budget":{"cost":0.25}}`,
		session: func(ctx context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
			if in.Role != task.Implementer || n > 1 {
				return activities.SessionResult{}, nil
			}
			return spent(agent.Budget, "the next call would pass the ceiling"), reached(ctx, added)
		},
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.runs(ctx, task.Implementer) },
				func() error {
					return p.update(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-1"), AddCost: 5})
				},
				func() error { close(added); return nil })
		},
	}, {
		name: "abandoned-at-the-push", outcome: task.Abandoned, config: quick,
		push:  func(*play, int) error { return reached(context.Background(), pushed) },
		drive: func(ctx context.Context, p *play) error { return p.abandonAt(ctx, "PushBranch", pushed) },
	}, {
		name: "abandoned-at-opening", outcome: task.Abandoned, config: quick, followed: true,
		opens: func(ctx context.Context) error { return reached(ctx, opened) },
		drive: func(ctx context.Context, p *play) error { return p.abandonAt(ctx, "OpenPullRequest", opened) },
	}}
}

// abandonAt gives a task up while a step runs, which ends well all the same.
func (p *play) abandonAt(ctx context.Context, step string, end chan<- struct{}) error {
	return inTurn(
		func() error { return p.happens(ctx, step, 1) },
		func() error {
			return p.update(ctx, signals.Abandon, signals.AbandonRequest{Message: by("abandon-1"), Reason: "no longer needed"})
		},
		func() error { close(end); return nil })
}

// reached waits until a person has acted.
func reached(ctx context.Context, point <-chan struct{}) error {
	select {
	case <-point:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
