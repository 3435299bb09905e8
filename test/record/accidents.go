package main

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// accidents are the branches in which the surroundings fail.
func accidents() []branch {
	return []branch{{
		name: "server-away", outcome: task.PullRequest, hosts: []string{doomed}, away: true, session: cutOff,
	}, {
		name: "host-moved", outcome: task.PullRequest, hosts: []string{doomed}, session: cutOff,
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.runs(ctx, task.Implementer) },
				func() error { return p.beats(ctx) },
				func() error { p.stage.hosts[doomed].cut(); return nil })
		},
	}, {
		name: "host-restarted", outcome: task.PullRequest, hosts: []string{restarting}, session: handedBack,
		drive: func(ctx context.Context, p *play) error {
			h := p.stage.hosts[restarting]
			return inTurn(
				func() error { return p.runs(ctx, task.Implementer) },
				func() error { h.stop(); return h.start(ctx, p.stage) })
		},
	}, {
		name: "model-away", outcome: task.PullRequest, session: modelAway,
		drive: func(ctx context.Context, p *play) error {
			waits := func(s signals.Status) bool { return s.Phase == task.Waiting && s.Reason == signals.ReasonInfra }
			return inTurn(
				func() error { return p.until(ctx, waits) },
				func() error { return p.signal(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-1")}) })
		},
	}, {
		name: "workspace-lost", outcome: task.PullRequest,
		commit: func(n int) (activities.Committed, error) {
			if n == 1 {
				return activities.Committed{}, fault.New(fault.NotFound, "the task has no workspace on this host")
			}
			return activities.Committed{}, nil
		},
	}, {
		name: "unsaved-lost", outcome: task.PullRequest, hosts: []string{doomed},
		commit: func(n int) (activities.Committed, error) {
			if n <= 2 {
				return activities.Committed{Failed: "no space"}, nil
			}
			return activities.Committed{}, nil
		},
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonInfra)) },
				func() error { p.stage.hosts[doomed].cut(); return nil },
				func() error { return p.signal(ctx, signals.Resume, nil) })
		},
	}, {
		name: "committed-before-the-review", outcome: task.PullRequest, drive: resumeOnce(signals.ReasonInfra),
		commit: func(n int) (activities.Committed, error) {
			if n <= 2 {
				return activities.Committed{Failed: "no space"}, nil
			}
			return activities.Committed{}, nil
		},
	}, {
		name: "checkout-refused", input: `"spec":["SPEC.md"]`, outcome: task.PullRequest,
		session: func(_ context.Context, in activities.SessionInput, _ int) (activities.SessionResult, error) {
			res := well(in, []string{"FIX-001"})
			if in.Role == task.Planner {
				res.Plan.Deliverables[0].Proof = proofOfAdd
			}
			return res, nil
		},
		checkout: func(n int) error {
			if n <= 2 {
				return fault.New(fault.Denied, "fetch objects of Git LFS: the login is refused").WithHint("renew the token")
			}
			return nil
		},
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonAccess)) },
				func() error { return p.signal(ctx, signals.Resume, nil) })
		},
	}, {
		name: "forge-away-at-first", outcome: task.PullRequest, drive: resumeOnce(signals.ReasonInfra),
		prepare: func(n int) error {
			if n == 1 { // as after the last of its tries
				return temporal.NewNonRetryableApplicationError("fetch acme/calc: the forge does not answer", string(fault.Infra), nil)
			}
			return nil
		},
	}, {
		name: "clean-up-lost", outcome: task.PullRequest, hosts: []string{vanishing}, bare: true,
		clean: func(ctx context.Context, s *stage, n int) error {
			if n > 1 {
				return nil
			}
			go s.hosts[vanishing].cut()
			<-ctx.Done()
			return ctx.Err()
		},
	}, {
		name: "access-refused", outcome: task.PullRequest,
		prepare: func(n int) error {
			if n == 1 {
				return fault.New(fault.Denied, "fetch acme/calc: the login is refused").WithHint("renew the token")
			}
			return nil
		},
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonAccess)) },
				func() error { return p.signal(ctx, signals.Resume, nil) })
		},
	}, {
		name: "errors-in-a-row", outcome: task.PullRequest, config: `{"errors":1}`,
		session: func(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
			if in.Role == task.Implementer && n <= 2 {
				return spent(agent.Errored, "the agent ended with exit code 1"), nil
			}
			return activities.SessionResult{}, nil
		},
		drive: func(ctx context.Context, p *play) error {
			return inTurn(
				func() error { return p.until(ctx, suspended(signals.ReasonErrors)) },
				func() error { return p.signal(ctx, signals.Resume, nil) })
		},
	}}
}

// cutOff is an implementer of whom the server hears nothing after a first heartbeat.
func cutOff(ctx context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	if in.Role != task.Implementer || n > 1 {
		return activities.SessionResult{}, nil
	}
	activity.RecordHeartbeat(ctx, firstHeartbeat(in))
	<-ctx.Done()
	return activities.SessionResult{}, ctx.Err()
}

// handedBack is an implementer whose host stops in good order.
func handedBack(ctx context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	if in.Role != task.Implementer || n > 1 {
		return activities.SessionResult{}, nil
	}
	select {
	case <-activity.GetWorkerStopChannel(ctx):
		return activities.SessionResult{}, fault.New(fault.Stopping, "the worker is stopping; the work continues after its restart")
	case <-ctx.Done():
		return activities.SessionResult{}, ctx.Err()
	}
}

// firstHeartbeat is the heartbeat of a session that has spent something.
func firstHeartbeat(in activities.SessionInput) signals.Heartbeat {
	return signals.Heartbeat{Session: in.ID, N: in.N, Role: in.Role, Activity: "Running Bash", Tools: 2,
		Usage: task.Usage{Input: 900, Output: 120, CostUSD: 0.03, Calls: 2}, Started: time.Now().UTC()}
}

// modelAway is a model that is away for all tries of the implementer's first ask, and then for the first of the next one.
func modelAway(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	if in.Role == task.Implementer && n <= 7 {
		return activities.SessionResult{}, fault.New(fault.Infra, "the model does not answer")
	}
	return activities.SessionResult{}, nil
}
