package main

import (
	"context"
	"fmt"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// checks are the branches that depend on what the check comes to.
func checks() []branch {
	const checked = `{"check":"go test ./..."}`
	return []branch{
		{name: "check-mended", outcome: task.PullRequest, config: checked, check: func(_ *signals.Check, n int) bool { return n == 1 }},
		{name: "check-flaky", outcome: task.PullRequest, config: checked,
			check: func(c *signals.Check, _ int) bool { c.Flaky = true; return false }},
		{name: "checks-failed", outcome: task.ChecksFailed, config: `{"check":"go test ./...","fixAttempts":1}`,
			check: func(*signals.Check, int) bool { return true }},
		{name: "sync", input: `"spec":["SPEC.md"],"sync":true`, outcome: task.PullRequest, session: dropping, known: []activities.Known{
			{Deliverable: task.Deliverable{ID: "FIX-001", Description: "Add adds"}},
			{Deliverable: task.Deliverable{ID: "API-002", Description: "Mul multiplies", Proof: "go test -run TestMul", Status: task.Passed, Reason: "mul.go has changed"},
				Open: true, Outdated: true, Command: "go test -run TestMul"}}},
		{name: "status-file", input: `"spec":["SPEC.md"]`, outcome: task.PullRequest, session: proving},
		{name: "unchanged-recorded", input: `"spec":["SPEC.md"]`, plan: []string{"API-002"}, outcome: task.PullRequest,
			commit: changesNothing, known: []activities.Known{{Deliverable: deliverables["API-002"], Open: true, Outdated: true, Command: "go test ./..."}}},
		{name: "unchanged-dropped", input: `"spec":["SPEC.md"]`, outcome: task.PullRequest, session: onlyDropping, commit: changesNothing,
			known: []activities.Known{{Deliverable: task.Deliverable{ID: "FIX-001", Description: "Add adds"}}}},
		{name: "unchanged-blocked", outcome: task.AllBlocked, session: blocking, commit: changesNothing},
		{name: "blocked-kept", input: `"spec":["SPEC.md"]`, outcome: task.PullRequest, session: leavingOut},
		{name: "blocked-kept-late", input: `"spec":["SPEC.md"]`, config: `{"approval":{"mode":"auto","after":"1h"}}`, outcome: task.PullRequest,
			session: editedFirst, drive: edit},
		{
			name: "work-saved", input: `"spec":["SPEC.md"]`, config: `{"fixAttempts":0,"approval":{"mode":"none"}}`, outcome: task.PullRequest, session: proving,
			commit: func(n int) (activities.Committed, error) {
				if n <= 3 {
					return activities.Committed{Failed: "big.bin has 60 MB", Refused: true}, nil
				}
				return activities.Committed{Commit: commitID(fmt.Sprint(n)), Created: true, Files: 1}, nil
			},
			drive: resumeOnce(signals.ReasonUnfit),
		},
		{
			name: "proof-told", input: `"spec":["SPEC.md"]`, config: `{"fixAttempts":1}`, outcome: task.AllBlocked, session: givingUp(3),
			commit: func(n int) (activities.Committed, error) {
				if n <= 2 { // so the proof first runs when the sessions are over
					return activities.Committed{Failed: "big.bin has 60 MB", Refused: true}, nil
				}
				return activities.Committed{}, nil
			},
		},
		{name: "work-apart", outcome: task.AllBlocked, config: `{"fixAttempts":1}`,
			commit: func(int) (activities.Committed, error) {
				return activities.Committed{Commit: commitID("base"), Apart: "nothing is left to commit, and there is work where no commit takes it: a stash"}, nil
			}},
		{name: "proof-replaced", input: `"spec":["SPEC.md"]`, outcome: task.AllBlocked, session: replacing},
		{name: "clean-anew", input: `"spec":["SPEC.md"]`, outcome: task.PullRequest,
			hosts: []string{doomed}, session: proving, cutProof: 3},
		{
			name: "check-without-place", input: origin, outcome: task.PullRequest, config: `{"check":"go test ./...","approval":{"mode":"none"}}`,
			check: endedTwice, drive: resumeOnce(signals.ReasonInfra),
		},
		{
			name: "check-unfinished", outcome: task.PullRequest, config: checked,
			check: endedTwice, drive: resumeOnce(signals.ReasonInfra),
		},
	}
}

func endedTwice(c *signals.Check, n int) bool {
	if n <= 2 {
		c.Unfinished = "ended by SIGKILL"
	}
	return false
}

// resumeOnce resumes a task that is suspended for a reason.
func resumeOnce(why signals.Reason) func(context.Context, *play) error {
	return func(ctx context.Context, p *play) error {
		return inTurn(
			func() error { return p.until(ctx, suspended(why)) },
			func() error { return p.signal(ctx, signals.Resume, signals.ResumeRequest{Message: by("resume-1")}) })
	}
}

const (
	proofOfAdd = "go test -run TestAdd"
	proofOfSub = "go test -run TestSub"
	proofOfSum = "go test -run TestSum"
)

// proving plans a deliverable with a proof, and one without.
func proving(_ context.Context, in activities.SessionInput, _ int) (activities.SessionResult, error) {
	res := well(in, []string{"FIX-001", "API-002"})
	if in.Role == task.Planner {
		res.Plan.Deliverables[0].Proof = proofOfAdd
	}
	return res, nil
}

// givingUp plans a deliverable whose proof fails twice. The nth session on it is blocked.
func givingUp(last int) func(context.Context, activities.SessionInput, int) (activities.SessionResult, error) {
	return func(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
		res := well(in, nil)
		switch {
		case in.Role == task.Planner:
			res.Plan.Deliverables[0].Proof = proofOfSum
		case in.Role == task.Implementer && n == last:
			res.Report = task.Report{Kind: task.ReportBlocked, Text: "no network"}
		}
		return res, nil
	}
}

// replacing is a planner who replaces the proof of a deliverable after a review. The work on that is blocked.
func replacing(ctx context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	res, err := givingUp(2)(ctx, in, n)
	switch {
	case in.Role == task.Planner && n == 1:
		res.Plan.Deliverables[0].Proof = proofOfSub
	case in.Role == task.Reviewer:
		res.Review = &task.Review{Text: "The proof shows too little."}
	}
	return res, err
}

// leavingOut is a planner who does not say again after a review what is blocked.
func leavingOut(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	res := well(in, []string{"FIX-001", "API-002"})
	switch {
	case in.Role == task.Planner && n > 1:
		res = well(in, []string{"FIX-003"})
	case in.Role == task.Reviewer && n == 1:
		res.Review = &task.Review{Text: "README.md is silent."}
	case in.Role == task.Implementer && in.Prompt.Deliverable.ID == "API-002":
		res.Report = task.Report{Kind: task.ReportBlocked, Text: "no network"}
	}
	return res, nil
}

// editedFirst is leavingOut, but for an edit of the first plan, which changes nothing.
func editedFirst(ctx context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
	if in.Role == task.Planner {
		n--
	}
	return leavingOut(ctx, in, n)
}

// dropping plans to add a deliverable, and to drop a recorded one.
func dropping(_ context.Context, in activities.SessionInput, _ int) (activities.SessionResult, error) {
	res := well(in, []string{"DOC-003"})
	if in.Role == task.Planner {
		res.Plan.Deprecated = []string{"FIX-001"}
	}
	return res, nil
}

// changesNothing is the commit of a session that has changed no file.
func changesNothing(int) (activities.Committed, error) {
	return activities.Committed{Commit: commitID("base")}, nil
}

// onlyDropping is a planner for whom all is done, but that a recorded deliverable is no longer asked for.
func onlyDropping(_ context.Context, in activities.SessionInput, _ int) (activities.SessionResult, error) {
	res := well(in, nil)
	if in.Role == task.Planner {
		res.Plan = &task.Plan{Verdict: task.VerdictAlreadyDone, Summary: "Add is no longer asked for", Evidence: "SPEC.md",
			Deprecated: []string{"FIX-001"}}
	}
	return res, nil
}

// blocking can't do one of two deliverables.
func blocking(_ context.Context, in activities.SessionInput, _ int) (activities.SessionResult, error) {
	res := well(in, []string{"FIX-001", "API-002"})
	if in.Role == task.Implementer && in.Prompt.Deliverable.ID == "API-002" {
		res.Report = task.Report{Kind: task.ReportBlocked, Text: "no network"}
	}
	return res, nil
}
