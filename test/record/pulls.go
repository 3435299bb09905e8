package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Looks are quick, so that a recording takes seconds.
const (
	quick       = `{"pullRequest":{"poll":"1s","batch":"1s"}}`
	checked     = `{"check":"go test ./...","pullRequest":{"poll":"1s","batch":"1s"}}`
	setUp       = `{"setup":"go mod download","check":"go test ./...","pullRequest":{"poll":"1s","batch":"1s"}}`
	endsAtQuota = `{"quota":"end","pullRequest":{"poll":"1s","batch":"1s"}}`
	seldom      = `{"pullRequest":{"poll":"1h","batch":"1s"}}`
	oneRound    = `{"pullRequest":{"poll":"1s","batch":"1s","rounds":1}}`
)

// pulls are the branches in which a pull request is looked after.
func pulls() []branch {
	return []branch{
		{name: "task-followed", outcome: task.PullRequest, config: quick, followed: true},
		{
			name: "pull-request-round", outcome: task.PullMerged, config: checked, rooms: []task.Room{room}, followed: true,
			keep: func(string) string { return pullID }, snapshot: muchToDo, drive: mergeInTheEnd,
		},
		withFollower(branch{name: "pull-request-conflict-stays", outcome: task.PullMerged, snapshot: conflicting, session: unresolved,
			commit: nothingNew,
			drive:  mergeAfterAll}),
		withFollower(branch{name: "pull-request-base-moved", outcome: task.PullMerged, snapshot: conflictingAnew, push: afterTheBase, drive: mergeAfter("CleanUp", 2)}),
		withFollower(branch{name: "pull-request-blocker", outcome: task.PullClosed, snapshot: failsUntil(2), drive: resumeThenClose}),
		withFollower(branch{name: "pull-request-aside", outcome: task.PullMerged, snapshot: failsBesideWords, drive: mergeAfter("AnswerPullRequest", 2)}),
		withFollower(branch{name: "pull-request-rounds-used-up", outcome: task.PullMerged, config: oneRound, snapshot: failsOtherwiseUntil(2),
			drive: resumeThenMerge}),
		withFollower(branch{name: "pull-request-changed", outcome: task.PullMerged, snapshot: failsUntil(1), push: tooLate, drive: mergeAfterPush}),
		withFollower(branch{name: "pull-request-taken-over", outcome: task.PullMerged, snapshot: failsUntil(1), push: tooLate, left: true,
			clean: notAtFirst, commit: madeBefore, drive: mergeAfterPush}),
		withFollower(branch{name: "pull-request-set-up", outcome: task.PullMerged, config: setUp, snapshot: failsOtherwiseUntil(2), drive: mergeAfterPush}),
		withFollower(branch{name: "pull-request-merged-unseen", outcome: task.PullMerged, config: seldom, snapshot: mergedMeanwhile}),
		withFollower(branch{name: "pull-request-fails-anew", outcome: task.PullMerged, snapshot: failsAnew, drive: mergeAfter("CleanUp", 2)}),
		withFollower(branch{name: "pull-request-quota", outcome: task.PullMerged, config: endsAtQuota, snapshot: failsUntil(1), session: usedUpOnce,
			drive: resumeAtQuotaThenMerge}),
		withFollower(branch{name: "pull-request-parked", outcome: task.PullClosed, snapshot: failsUntil(1), commit: unapproved, drive: closeWhenParked}),
		withFollower(branch{name: "pull-request-failures-wait", outcome: task.PullClosed, checkRun: true, snapshot: failsBesideRunning,
			commit: unapproved, drive: closeWhenParked}),
		withFollower(branch{name: "pull-request-merges-alone", outcome: task.PullMerged, snapshot: failsThenConflicts, drive: mergeAfter("CleanUp", 2)}),
		withFollower(branch{name: "pull-request-abandoned", outcome: task.Abandoned, snapshot: failsUntil(2), drive: giveUp}),
		withFollower(branch{name: "pull-request-continued", outcome: task.PullMerged, full: 40, snapshot: failsUntil(1), drive: mergeInANewRun}),
		withFollower(branch{name: "pull-request-continuation", outcome: task.PullMerged, full: 40, newest: true, snapshot: failsUntil(1),
			drive: mergeInANewRun}),
		{name: "task-check-run", outcome: task.PullRequest, config: quick, checkRun: true},
		{name: "abandoned-last", outcome: task.Abandoned, config: quick, checkRun: true, writeRun: away, drive: abandonAtCheckRun},
		withFollower(branch{name: "pull-request-check-runs", outcome: task.Abandoned, checkRun: true, snapshot: failsUntil(2), drive: giveUp}),
		withFollower(branch{name: "pull-request-foreign-head", outcome: task.PullMerged, checkRun: true, snapshot: pushedByOthers,
			drive: mergeAfter("WriteCheckRun", 1)}),
		withFollower(branch{name: "pull-request-check-run-owed", outcome: task.PullMerged, checkRun: true, snapshot: failsUntil(1),
			writeRun: awayForOneRun, drive: mergeAfter("WriteCheckRun", 3+triesOfARun)}),
	}
}

// withFollower makes a branch start with a pull request that stands.
func withFollower(b branch) branch {
	b.flow, b.args = signals.PullRequestFlow, following
	if b.config == "" {
		b.config = quick
	}
	return b
}

// following is what a task hands over.
func following(p *play) ([]any, error) {
	var job task.Config
	if err := json.Unmarshal([]byte(p.config), &job); err != nil {
		return nil, err
	}
	r, err := resolved(job)
	if err != nil {
		return nil, err
	}
	plan := planned("FIX-001")
	plan.Revision, plan.Deliverables[0].Status = 1, task.Passed
	runs := 0
	if p.checkRun {
		runs = 1
	}
	return []any{signals.PullRequestInput{
		Input: task.Input{Repository: "acme/calc", Task: "fix Add and write Mul"}, Settings: r.Settings, Task: "calc", Run: "calc-run",
		TaskID: "calc-1",
		Fence:  1, PullRequest: signals.PullRequest{Number: pullNumber, URL: pullURL},
		CheckRuns: runs, Branch: "longshift/calc-1", Base: "main", Head: commitID("0"), Plan: plan,
		Budget: signals.Budget{Usage: task.Usage{Input: 12000, Output: 2700, CostUSD: 0.24, Calls: 12}, BudgetUSD: r.Settings.Budget.Cost,
			Worked: 5 * time.Minute, BudgetTime: r.Settings.Budget.Time.Std()},
	}}, nil
}

// unresolved is an implementer who does not know what both sides meant.
func unresolved(_ context.Context, in activities.SessionInput, _ int) (activities.SessionResult, error) {
	res := well(in, nil)
	if in.Role == task.Implementer {
		res.Report = task.Report{Kind: task.ReportBlocked, Text: "both sides rename Add, each in its own way"}
	}
	return res, nil
}

// The third check run completes a round. The forge takes none of the tries at it.
const triesOfARun = 5

func awayForOneRun(n int) error {
	if n > 2 && n <= 2+triesOfARun {
		return away(n)
	}
	return nil
}

// notAtFirst is a workspace that can't be removed at first.
func notAtFirst(_ context.Context, _ *stage, n int) error {
	if n == 1 {
		return fault.New(fault.Denied, "remove the checkpoint: it is protected")
	}
	return nil
}

// madeBefore is a second commit that finds the first one made.
func madeBefore(n int) (activities.Committed, error) {
	if n == 1 {
		return activities.Committed{}, nil
	}
	one := commitID("1")
	return activities.Committed{Commit: one, Files: 1, Earlier: []signals.Commit{{ID: one, Subject: "Mend Add"}}}, nil
}

func away(int) error { return fault.New(fault.Infra, "write the check run: the forge is away") }

func nothingNew(int) (activities.Committed, error) {
	return activities.Committed{Commit: commitID("0")}, nil
}

// usedUpOnce is an agent whose account has no quota for the first session.
func usedUpOnce(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	if in.Role == task.Implementer && n == 1 {
		return spent(agent.Quota, "the week is used up"), nil
	}
	return activities.SessionResult{}, nil
}

// unapproved is a commit that fails in a way that ends the round.
func unapproved(int) (activities.Committed, error) {
	return activities.Committed{}, fault.New(fault.Unapproved, "nobody has approved it")
}

// tooLate is a push that comes after somebody else's, once.
func tooLate(p *play, n int) error {
	if n == 1 {
		p.set("commit", 100)
		p.set("head", 100)
		return fault.New(fault.Changed, "push longshift/calc-1: somebody else has pushed").WithHint("look at the branch")
	}
	return nil
}

// afterTheBase is a push that comes when the pull request has been read once more.
func afterTheBase(p *play, n int) error {
	if n > 1 {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	return p.happens(ctx, "PollPullRequest", p.counted("PollPullRequest")+2)
}
