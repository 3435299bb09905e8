package main

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/signals"
)

// What people do with a pull request that is looked after.

// mergeInTheEnd merges when the round has its answers and the workspace is gone: the second one, the first was the task's.
func mergeInTheEnd(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.happens(ctx, "AnswerPullRequest", 1) },
		func() error { return p.happens(ctx, "CleanUp", 2) },
		func() error { return p.turns(ctx, pullID, "merged") })
}

// mergeAfterAll merges what our work could not help with: somebody has resolved the conflict.
func mergeAfterAll(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.happens(ctx, "AbortMerge", 1) },
		func() error { return p.happens(ctx, "CleanUp", 1) },
		func() error { return p.turns(ctx, p.name, "merged") })
}

// mergeAfter merges when a step has been taken so many times.
func mergeAfter(step string, times int) func(context.Context, *play) error {
	return func(ctx context.Context, p *play) error {
		return inTurn(
			func() error { return p.happens(ctx, step, times) },
			func() error { return p.turns(ctx, p.name, "merged") })
	}
}

func mergeAfterPush(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.happens(ctx, "pushed", 1) },
		func() error { return p.happens(ctx, "CleanUp", 2) },
		func() error { return p.turns(ctx, p.name, "merged") })
}

func resumeThenClose(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.resumeFrom(ctx, signals.ReasonBlocker) },
		func() error { return p.happens(ctx, "CleanUp", 2) },
		func() error { return p.turns(ctx, p.name, "closed") })
}

// closeWhenParked closes a pull request whose round has ended badly, once it has been looked at again.
func closeWhenParked(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.until(ctx, suspended(signals.ReasonInfra)) },
		func() error { return p.happens(ctx, "PollPullRequest", p.counted("PollPullRequest")+2) },
		func() error { return p.turns(ctx, p.name, "closed") })
}

func resumeThenMerge(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.resumeFrom(ctx, signals.ReasonRounds) },
		func() error { return p.happens(ctx, "CleanUp", 2) },
		func() error { return p.turns(ctx, p.name, "merged") })
}

func resumeAtQuotaThenMerge(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.resumeFrom(ctx, signals.ReasonQuota) },
		func() error { return p.happens(ctx, "CleanUp", 1) },
		func() error { return p.turns(ctx, p.name, "merged") })
}

func giveUp(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.until(ctx, suspended(signals.ReasonBlocker)) },
		func() error {
			return p.update(ctx, signals.Abandon, signals.AbandonRequest{Message: by("abandon-1"), Reason: "no longer needed"})
		})
}

// abandonAtCheckRun gives a task up while its last step runs.
func abandonAtCheckRun(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.happens(ctx, "WriteCheckRun", 1) },
		func() error {
			return p.update(ctx, signals.Abandon, signals.AbandonRequest{Message: by("abandon-1"), Reason: "no longer needed"})
		})
}

// mergeInANewRun merges when the history has become too long and a new run looks on.
func mergeInANewRun(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.happens(ctx, "CleanUp", 1) },
		func() error { return p.continued(ctx) },
		func() error { return p.turns(ctx, p.name, "merged") })
}

func (p *play) resumeFrom(ctx context.Context, why signals.Reason) error {
	return inTurn(
		func() error { return p.until(ctx, suspended(why)) },
		func() error {
			return p.update(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-1"), Note: "the value may be nil"})
		})
}

// turns is the end of a pull request, and the webhook that tells.
func (p *play) turns(ctx context.Context, workflow, into string) error {
	p.count(into)
	if err := p.stage.client.SignalWorkflow(ctx, workflow, "", signals.Changed,
		signals.ChangedRequest{What: "pull_request " + into}); err != nil {
		return fmt.Errorf("signal %s: %w", signals.Changed, err)
	}
	return nil
}

// unreadableThenMerge has a pull request that can't be read during a round, until it is merged.
func unreadableThenMerge(ctx context.Context, p *play) error {
	if err := p.until(ctx, suspended(signals.ReasonQuota)); err != nil {
		return err
	}
	p.set("unreadable", 1)
	for range 3 {
		before := p.counted("PollPullRequest")
		if err := p.wakes(ctx, "check_run completed"); err != nil {
			return err
		}
		if err := p.happens(ctx, "PollPullRequest", before+1); err != nil {
			return err
		}
	}
	return inTurn(
		func() error { return p.changed(ctx, "unread-in-round") },
		func() error { p.set("unreadable", 0); p.count("merged"); return nil },
		func() error { return p.wakes(ctx, "pull_request merged") })
}

// mergeWhenRarelyRead merges during a round that waits for a person, when the history has become long.
func mergeWhenRarelyRead(ctx context.Context, p *play) error {
	return inTurn(
		func() error { return p.changed(ctx, "rare-in-round") },
		func() error { p.count("merged"); return nil },
		func() error { return p.wakes(ctx, "pull_request merged") })
}

// wakes has the pull request read at once.
func (p *play) wakes(ctx context.Context, what string) error {
	return p.signal(ctx, signals.Changed, signals.ChangedRequest{What: what, Now: true})
}
