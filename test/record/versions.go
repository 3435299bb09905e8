package main

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// versions are branches that show what a change has altered and no other branch comes upon.
func versions() []branch {
	const config = `{"agent":"native"}`
	added, resumed := make(chan struct{}), make(chan struct{})
	return []branch{{
		name: "lost-time-counts", outcome: task.PullRequest, hosts: []string{doomed}, away: true, session: cutOffAfterWork,
	}, {
		name: "budget-added-reserved", input: origin, outcome: task.PullRequest, limiter: reservesTen,
		session: func(ctx context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
			if in.Role != task.Implementer || n > 1 {
				return activities.SessionResult{}, nil
			}
			return activities.SessionResult{}, reached(ctx, added)
		},
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.runs(ctx, task.Implementer) },
				func() error {
					return p.update(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-1"), AddCost: 500})
				},
				func() error { close(added); return nil })
		},
	}, {
		name: "resumed-during-a-try", outcome: task.PullRequest, rooms: []task.Room{room}, // takes a minute, for which the first failure is waited for
		prepare: func(n int) error {
			if n == 2 {
				_ = reached(context.Background(), resumed)
			}
			if n <= 2 {
				return temporal.NewNonRetryableApplicationError("fetch acme/calc: the forge does not answer", string(fault.Infra), nil)
			}
			return nil
		},
		drive: func(ctx context.Context, p *play) error {
			resume := func(id string) func() error {
				return func() error { return p.update(ctx, signals.Resume, signals.ResumeRequest{Message: by(id)}) }
			}
			return inTurn(
				func() error { return p.happens(ctx, "PrepareWorkspace", 2) },
				resume("resume-1"),
				func() error { close(resumed); return nil },
				func() error { return p.changed(ctx, "asks-once-more") },
				func() error { return p.until(ctx, suspended(signals.ReasonInfra)) },
				resume("resume-2"))
		},
	}, {
		name: "abandoned-as-checks-failed", outcome: task.Abandoned, checkRun: true, writeRun: away, drive: abandonAtCheckRun,
		config: `{"check":"go test ./...","fixAttempts":0,"pullRequest":{"poll":"1s","batch":"1s"}}`,
		check:  func(*signals.Check, int) bool { return true },
	},
		{name: "native-acts-wait", config: config, hosts: []string{doomed}, act: cutOffWaiting,
			keep: func(string) string { return "native-acts-wait-session-2" }},
		{name: "native-worker-lost", outcome: task.PullRequest, config: config, hosts: []string{doomed}, act: cutOffAtWork, drive: loseTheHost},
		withFollower(branch{name: "pull-request-elsewhere", outcome: task.PullMerged, snapshot: movedElsewhere, drive: mergeAfter("CleanUp", 2)}),
		withFollower(branch{name: "pull-request-unread-in-round", outcome: task.PullMerged, config: endsAtQuota, snapshot: failsUntil(1),
			session: usedUpOnce, drive: unreadableThenMerge}),
		withFollower(branch{name: "pull-request-rarely-read", outcome: task.PullMerged, config: endsAtQuota, full: 40, session: usedUpOnce,
			snapshot: failsAsTheBaseMoves, drive: mergeWhenRarelyRead}),
	}
}

// cutOffAfterWork is an implementer of whom the server hears nothing after it has told how long it has worked.
func cutOffAfterWork(ctx context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	if in.Role != task.Implementer || n > 1 {
		return activities.SessionResult{}, nil
	}
	return activities.SessionResult{}, cutOffWith(ctx, worked(in))
}

// worked is the heartbeat of a session that has worked for a while.
func worked(in activities.SessionInput) signals.Heartbeat {
	b := firstHeartbeat(in)
	b.Worked = 40 * time.Second
	return b
}

// cutOffWith sends a last heartbeat, and ends when the server has given the step up.
func cutOffWith(ctx context.Context, b signals.Heartbeat) error {
	activity.RecordHeartbeat(ctx, b)
	<-ctx.Done()
	return ctx.Err()
}

// cutOffWaiting is a command of the implementer's that the server gives up while it waits for a slot.
func cutOffWaiting(ctx context.Context, _ *play, in activities.OpenInput, n int) (*activities.ActResult, error) {
	if in.Role != task.Implementer || n != 1 {
		return nil, nil
	}
	return nil, cutOffWith(ctx, signals.Heartbeat{Waiting: true})
}

// cutOffAtWork is a command of the implementer's during which the host goes.
func cutOffAtWork(ctx context.Context, p *play, in activities.OpenInput, n int) (*activities.ActResult, error) {
	if in.Role != task.Implementer || n != 1 {
		return nil, nil
	}
	activity.RecordHeartbeat(ctx, worked(in.SessionInput))
	p.count("at work")
	<-ctx.Done()
	return nil, ctx.Err()
}

func loseTheHost(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.happens(ctx, "at work", 1) },
		func() error { p.stage.hosts[doomed].cut(); return nil })
}

// reservesTen is a gate that lets everybody in, each with ten dollars.
func reservesTen(int) signals.AcquireAnswer {
	return signals.AcquireAnswer{Limiter: limiterName, Admitted: true, Ceiling: 10}
}
