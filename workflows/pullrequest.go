package workflows

import (
	"cmp"
	"slices"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// PullRequest follows one pull request of Longshift until it is merged or closed. Reviews, failed checks and conflicts with the base become
// follow-up rounds, which run through the same stages as a task. Its input comes from the task.
func PullRequest(ctx workflow.Context, in signals.PullRequestInput) (signals.Status, error) {
	f, err := beginFollow(ctx, in)
	if err != nil {
		return signals.Status{}, err
	}
	err = f.run(f.work)
	if workflow.IsContinueAsNewError(err) {
		return signals.Status{}, err
	}
	return f.finish(ctx, err)
}

// follower is the state of a PullRequest workflow.
type follower struct {
	*pipeline
	in        signals.PullRequestInput
	going     signals.PullRequestState // what the next run goes on from; see anew for what the parts hold
	poller    *poller
	worklist  *worklist
	merger    *merger
	overtaken int    // rounds in a row that somebody else's push has made void
	pushed    string // commit that the round has pushed
	answered  int    // resumes that the round was for
}

// run waits until there is something to do, does it in a round, and waits again. A parked pull request waits for a person, or for the cause
// to go away.
func (f *follower) run(ctx workflow.Context) error {
	seen, resumed := 0, f.inbox.resumed()
	idle := func() bool { return !f.poller.news(seen) && f.inbox.resumed() == resumed && f.full(ctx) }
	for {
		f.rest(ctx)
		if err := workflow.Await(ctx, func() bool { return f.poller.news(seen) || f.inbox.resumed() > resumed || f.full(ctx) }); err != nil {
			return err
		}
		switch {
		case f.inbox.resumed() > resumed: // a person has looked at it
			resumed = f.inbox.resumed()
			f.worklist.rounds, f.worklist.tried = 0, map[string]string{}
			f.unpark(ctx)
			f.poller.again()
			continue
		case !f.poller.news(seen):
			if err := f.leave(ctx, idle); err != nil {
				return err
			}
			continue
		}
		seen = f.poller.snapshots
		if err := f.act(ctx); err != nil {
			return err
		}
		if f.answered > resumed && workflow.GetVersion(ctx, parkedRound, workflow.DefaultVersion, 1) >= 1 {
			resumed = f.answered // the round itself waited for a person, who has said nothing of the next one
		}
	}
}

// act does what the newest snapshot asks for.
func (f *follower) act(ctx workflow.Context) error {
	f.checkRuns.settle(ctx)
	f.worklist.forgetMended(ctx)
	items, waits := f.worklist.todo()
	if f.keeps(ctx, waits) {
		f.admissions.release(ctx, signals.ReleaseRequest{}, nil)
		return nil
	}
	if len(items) == 0 && !f.worklist.conflict() {
		f.unpark(ctx)
		switch head := f.poller.snapshot.Head; {
		case f.checkRuns.stopped:
			f.checkRuns.end(ctx, head, forge.Standing{State: forge.Void, Detail: "Nothing is left to do"})
		case f.checkRuns.lacking(ctx, head):
			f.checkRuns.end(ctx, head, forge.Standing{State: forge.Void, Detail: "Pushed by somebody else, and not looked at"})
		}
		f.admissions.release(ctx, signals.ReleaseRequest{}, nil)
		return nil
	}
	items, others := f.worklist.untried(ctx, items)
	if p := f.going.Parked; p != nil && p.About == f.worklist.about(items) {
		f.admissions.release(ctx, signals.ReleaseRequest{}, nil)
		return nil
	}
	if why, detail := f.worklist.blocked(items, others); why != "" {
		if f.park(ctx, why, detail) || f.checkRuns.lacking(ctx, f.poller.snapshot.Head) {
			f.checkRuns.ask(ctx, f.poller.snapshot.Head)
		}
		f.admissions.release(ctx, signals.ReleaseRequest{}, nil)
		return nil
	}
	f.unpark(ctx)
	f.poller.busy = true
	defer func() { f.poller.busy = false }()
	switch waited, err := f.admissions.acquire(ctx, signals.PriorityResume); {
	case err != nil:
		return err
	case waited: // what there is to do may be something else by now
		f.poller.again()
		return nil
	}
	return f.attempt(ctx, items)
}

// beginFollow makes the workflow ready for messages, and starts to poll.
func beginFollow(ctx workflow.Context, in signals.PullRequestInput) (*follower, error) {
	repo, err := task.ParseRepository(in.Input.Repository)
	if err != nil {
		return nil, badInput(err)
	}
	info := workflow.GetInfo(ctx)
	going := signals.PullRequestState{Started: workflow.Now(ctx)}
	if in.State != nil {
		going = *in.State
	}
	if going.Tried == nil {
		going.Tried = map[string]string{}
	}
	if going.Done == nil {
		going.Done = map[string]string{}
	}
	def := &definition{input: in.Input, repo: repo, fork: in.Fork, continues: true}
	f := &follower{in: in, going: going, pipeline: newPipeline(ctx, def, signals.Status{
		WorkflowID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID, TaskID: in.TaskID, Repository: in.Input.Repository,
		Task:    in.Input.Task,
		Started: going.Started, Phase: task.Following, Agent: in.Settings.Agent, Branch: in.Branch, Base: in.Base, Head: in.Head,
		Pushed: cmp.Or(going.Pushed, in.Head), Others: going.Others || in.State != nil && going.Pushed == "", Fence: in.Fence,
		Plan: in.Plan, Usage: in.Usage, BudgetUSD: in.BudgetUSD, Worked: in.Worked, BudgetTime: in.BudgetTime, Iterations: in.Settings.Iterations,
		BaseCheck: in.BaseCheck, PullRequest: &in.PullRequest, Notify: &in.Settings.Notify, Log: going.Log, Rounds: going.Rounds,
		Warnings: slices.Clone(going.Warnings),
	})}
	*f.settings = in.Settings
	f.budget.restore(in.Usage)
	f.budget.limit(in.MaxCost, in.MaxTime)
	f.briefing.numbered = max(going.Sessions, in.Sessions)
	f.journal.restore(going.Log, going.Progress)
	f.questions.restore(in.Answers)
	f.inbox.restore(going.Seen, slices.Concat(in.Tells, going.Tells))
	f.checkRuns.on, f.checkRuns.n, f.checkRuns.stopped = in.CheckRuns > 0, in.CheckRuns, going.Parked != nil
	f.checkRuns.at = cmp.Or(going.CheckedHead, in.Head)
	f.merger = &merger{facts: f.facts, journal: f.journal, parking: f.parking, runner: f.runner, briefing: f.briefing, checks: f.checks,
		commits: f.commits, deliverables: f.deliverables}
	f.runner.restored = f.merger.again
	f.worklist = &worklist{facts: f.facts, rounds: going.Rounds, done: going.Done, tried: going.Tried}
	if err := f.listen(ctx); err != nil {
		return nil, err
	}
	f.poller = &poller{facts: f.facts, journal: f.journal, number: in.Number, stamp: going.Stamp, failed: f.unreadable, closed: f.ended,
		tried: f.worklist.triedChecks, snapshot: forge.Snapshot{Warnings: going.Warnings}}
	f.worklist.snapshot = &f.poller.snapshot
	f.poller.receive(ctx)
	if in.Limiter != "" {
		f.admissions.reserved()
		f.admissions.require(activities.Checked{Limited: in.Limited, Shared: in.Shared})
		if in.Limiter != signals.LimiterOfAll { // which knows of no pull requests
			f.admissions.closing = in.Limiter
			f.admissions.pull = signals.OpenPull{Repository: repo, Number: in.Number, URL: in.URL, Task: in.Task}
		}
		f.admissions.receive(ctx)
	}
	if in.Conversation {
		f.journal.notices.join(ctx, signals.ConversationID(in.Run), f.going.Notices)
	}
	if in.State == nil {
		f.journal.say(ctx, "following", "looking after %s", in.URL)
		f.journal.show(ctx, signals.Notice{})
	}
	workflow.GoNamed(ctx, "look", f.poller.run)
	return f, nil
}

// full tells whether it is time to continue as new.
func (f *follower) full(ctx workflow.Context) bool {
	return workflow.GetInfo(ctx).GetContinueAsNewSuggested() && f.journal.notices.idle() && workflow.AllHandlersFinished(ctx)
}

// leave continues as new if nothing is to be done. The next run would know neither of an admission nor that this one was to end.
func (f *follower) leave(ctx workflow.Context, idle func() bool) error {
	if breathe(ctx); !idle() {
		return nil
	}
	f.checkRuns.settle(ctx) // the next run would not know of it
	f.admissions.release(ctx, signals.ReleaseRequest{}, nil)
	switch breathe(ctx); {
	case !idle():
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return f.anew(ctx)
}

// anew continues as new with everything that counts.
func (f *follower) anew(ctx workflow.Context) error {
	in, s := f.in, f.status
	in.Usage, in.BudgetUSD, in.Worked, in.BudgetTime, in.Plan = s.Usage, s.BudgetUSD, s.Worked, s.BudgetTime, s.Plan
	in.Head, in.Base, in.Fence, in.CheckRuns, in.Answers = s.Head, s.Base, s.Fence, f.checkRuns.n, f.questions.lasting()
	g, wl := f.going, f.worklist
	g.Rounds, g.Done, g.Tried = wl.rounds, wl.done, wl.tried
	g.Sessions, g.Notices, g.Log, g.Progress = f.briefing.numbered, f.journal.notices.n, s.Log[max(0, len(s.Log)-20):], f.journal.progress
	g.Seen, g.Tells = f.inbox.seen[max(0, len(f.inbox.seen)-200):], f.inbox.untold(f.questions.undelivered)
	in.Tells = nil // they are in g
	g.Stamp, g.Pushed, g.Others, g.CheckedHead = f.poller.handOver(), s.Pushed, s.Others, f.checkRuns.at
	g.Warnings = f.poller.snapshot.Warnings
	in.State = &g
	return workflow.NewContinueAsNewError(ctx, signals.PullRequestFlow, in)
}
