package main

import (
	"context"
	"slices"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// branch is one way through a workflow: what its surroundings do, what people do, and how it must end.
type branch struct {
	name string

	flow    string                       // workflow type that is started; a CodingTask when none is named
	args    func(p *play) ([]any, error) // its input, when it is no CodingTask
	keep    func(run string) string      // id of the workflow whose history is kept, by the run of the one that is started; nil keeps that one
	newest  bool                         // of a workflow that continues as new its last run is kept, not its first
	sums    bool                         // the first call of the model summarises the conversation
	full    int                          // events after which the server asks for a new run; such a branch has a server of its own
	endless bool                         // it has no end: the recorder terminates it

	input  string   // members that are added to the input's JSON object
	config string   // the task's config, as a JSON object
	hosts  []string // that take the task, in order; the steady one afterwards
	away   bool     // they say that they did not hear the server
	plan   []string // deliverables of the plan; one when none is named

	// What the nth run of a step does instead of going well. A zero value lets it go well.
	prepare func(n int) error
	most    float64            // what the operator lets a task cost, in US dollars; 0 for no limit
	known   []activities.Known // what the repository has recorded of the deliverables of its specification
	commit  func(n int) (activities.Committed, error)
	// what the nth clean checkout comes to
	checkout func(n int) error
	session  func(ctx context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) // nth in its role

	// act is the nth command of sessions of our own agent in a role.
	act func(ctx context.Context, p *play, in activities.OpenInput, n int) (*activities.ActResult, error)

	bare  bool                                             // nothing is left to restore: the second preparation begins at the base
	left  bool                                             // the second preparation finds the commit of the first round
	clean func(ctx context.Context, s *stage, n int) error // nth removal of the workspace

	// check tells whether the nth run of the check after the first commit fails, or changes what it comes to; nil: it passes.
	check func(c *signals.Check, n int) bool

	cutProof int // number of the run of a proof during which the host goes that has the task

	// Channels and forges. Nobody looks on, and nobody follows the pull request, unless the branch says so.
	rooms    []task.Room       // in which the task is shown
	followed bool              // its pull request can be looked after
	checkRun bool              // its pull request takes check runs
	writeRun func(n int) error // what writing the nth of them comes to
	show     func(p *play, in activities.ShowInput) error
	snapshot func(p *play, l *forge.Snapshot) // makes of a quiet pull request what the branch is about
	push     func(p *play, n int) error
	opens    func(ctx context.Context) error   // before the pull request is opened
	limiter  func(n int) signals.AcquireAnswer // what it answers; everybody is let in when nil
	shared   bool                              // all tasks together are limited too
	noFork   bool                              // the fork was deleted

	drive   func(ctx context.Context, p *play) error // what people do, and what becomes of hosts
	outcome task.Outcome
	fails   fault.Kind // instead of an outcome: the error that the task ends with
}

// branches are all that are recorded.
func branches() []branch {
	return slices.Concat(decisions(), messages(), meanwhile(), sessions(), endings(), checks(), accidents(), commands(), native(), chats(), pulls(),
		inbounds(), arriving(), accounts(), versions())
}

// sessions are the branches that depend on how a session ends.
func sessions() []branch {
	return []branch{{
		name: "session-failed", outcome: task.PullRequest,
		session: func(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
			if in.Role == task.Implementer && n == 1 {
				return spent(agent.Errored, "the agent ended with exit code 1"), nil
			}
			return activities.SessionResult{}, nil
		},
	}, {
		name: "no-report", outcome: task.PullRequest,
		session: func(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
			res := activities.SessionResult{}
			if in.Role == task.Implementer && n == 1 {
				res = spent(agent.Completed, "")
				res.Report.Kind = task.ReportNone
			}
			return res, nil
		},
	}, {
		name: "quota", outcome: task.PullRequest,
		session: func(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
			res := activities.SessionResult{}
			if in.Role == task.Implementer && n == 1 {
				res = spent(agent.Quota, "the limit of five hours is used up")
				res.Reset = soon()
			}
			return res, nil
		},
	}, {
		name: "changes-requested", outcome: task.PullRequest, session: picky(1),
	}}
}

// picky is a reviewer who asks for changes so many times, and a planner who takes that up.
func picky(times int) func(context.Context, activities.SessionInput, int) (activities.SessionResult, error) {
	return func(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
		res := well(in, nil)
		switch {
		case in.Role == task.Reviewer && n <= times:
			res.Review = &task.Review{Text: "README.md is silent."}
		case in.Role == task.Planner && n > 1:
			res.Plan = planned("DOC-003")
		}
		return res, nil
	}
}

// contested is a reviewer who asks for changes a few times, and a planner who then says that there is nothing to do.
func contested(times int) func(context.Context, activities.SessionInput, int) (activities.SessionResult, error) {
	return func(_ context.Context, in activities.SessionInput, n int) (activities.SessionResult, error) {
		res := well(in, nil)
		switch {
		case in.Role == task.Reviewer && n <= times:
			res.Review = &task.Review{Text: "README.md is silent."}
		case in.Role == task.Planner && n > 1:
			res.Plan = &task.Plan{Verdict: task.VerdictAlreadyDone, Summary: "nothing to do", Evidence: "README.md says it"}
		}
		return res, nil
	}
}

// endings are the branches that end without a pull request and without a person.
func endings() []branch {
	verdict := func(v task.Verdict, why string) func(context.Context, activities.SessionInput, int) (activities.SessionResult, error) {
		return func(_ context.Context, in activities.SessionInput, _ int) (activities.SessionResult, error) {
			res := well(in, nil)
			res.Plan = &task.Plan{Verdict: v, Summary: "nothing to do", Evidence: why}
			return res, nil
		}
	}
	return []branch{
		{name: "already-done", outcome: task.AlreadyDone, session: verdict(task.VerdictAlreadyDone, "TestAdd passes on main")},
		{
			name: "already-done-contested", outcome: task.AlreadyDone, session: contested(1),
			commit: func(int) (activities.Committed, error) { return activities.Committed{Commit: commitID("base")}, nil },
		},
		{name: "impasse", outcome: task.PullRequest, session: contested(3), drive: resumeOnce(signals.ReasonReview)},
		{name: "declined", outcome: task.Declined, session: verdict(task.VerdictDeclined, "the specs forbid Mul")},
		{
			name: "all-blocked", outcome: task.AllBlocked, plan: []string{"FIX-001", "API-002"},
			config: `{"setup":"go mod download","check":"go test ./..."}`,
			session: func(_ context.Context, in activities.SessionInput, _ int) (activities.SessionResult, error) {
				res := well(in, []string{"FIX-001", "API-002"})
				if in.Role == task.Implementer {
					res.Report = task.Report{Kind: task.ReportBlocked, Text: "the module proxy is out of reach"}
				}
				return res, nil
			},
			commit: func(int) (activities.Committed, error) { return activities.Committed{Commit: commitID("base")}, nil },
		}, {
			name: "max-iterations", outcome: task.MaxIterations, config: `{"iterations":2,"check":"go test ./..."}`,
			session: picky(2),
		},
		{name: "forked", input: `"fork":true`, outcome: task.PullRequest},
		{name: "bad-input", input: `"bsae":"main"`, fails: fault.Input},
		{
			name: "repository-missing", fails: fault.NotFound,
			prepare: func(int) error {
				return fault.New(fault.NotFound, "repository \"acme/calc\": not found").WithHint("check the name and the token's access")
			},
		},
	}
}
