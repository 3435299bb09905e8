package workflows

import (
	"cmp"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// publisher pushes the branch and opens the pull request.
type publisher struct {
	facts
	journal    *journal
	questions  *questions
	admissions *admissions
	budget     *budget
	parking    *parking
	runner     *runner
	briefing   *briefing
	checks     *checks
	commits    *commits
	record     *record
	checkRuns  *checkRuns

	title    string           // summary of the first plan, which names the pull request
	approach string           // of the first plan
	followed *task.Repository // of the pull request, when it can be followed
}

// entitle names the pull request and says how it was done, by the first plan.
func (pu *publisher) entitle(p task.Plan) { pu.title, pu.approach = p.Summary, p.Approach }

// publish pushes the branch and opens the pull request, as a draft when the check fails. Work that changed nothing gets none.
func (pu *publisher) publish(ctx workflow.Context) error {
	if pu.commits.last.failed == "" && (pu.status.Head == pu.status.BaseCommit || pu.status.Files == 0) {
		return pu.publishUnchanged(ctx)
	}
	pu.journal.enter(ctx, task.Publish)
	if err := pu.commits.commitRest(ctx, true); err != nil {
		return err
	}
	if err := pu.record.done(ctx); err != nil {
		return err
	}
	return pu.open(ctx)
}

// open pushes the branch and opens the pull request.
func (pu *publisher) open(ctx workflow.Context) error {
	head, err := pu.push(ctx)
	if err != nil {
		return err
	}
	pu.status.Head = head
	in := activities.PullRequestInput{
		Ref: pu.ref(), Repository: pu.def.repo, Fork: pu.def.fork, Head: pu.status.Branch, HeadCommit: head, Base: pu.status.Base,
		Draft: pu.settings.PullRequest.Draft || !pu.checks.sound(), Labels: pu.settings.PullRequest.Labels,
		Reviewers: pu.settings.PullRequest.Reviewers, Summary: pu.summary(),
	}
	var pr forge.PullRequest
	late := false
	err = pu.parking.insist(ctx, func() (err error) {
		late, err = pu.openPull(ctx, in, &pr)
		return err
	})
	if err != nil {
		return err
	}
	pu.status.PullRequest = &signals.PullRequest{Number: pr.Number, URL: pr.URL}
	pu.status.Warnings = append(pu.status.Warnings, pr.Warnings...)
	if pr.Owner != "" {
		pu.followed = &task.Repository{Host: pr.Host, Owner: pr.Owner, Name: pr.Name}
	}
	pu.journal.say(ctx, "pull_request", "%s", pr.URL)
	if late {
		return ctx.Err()
	}
	pu.checkRuns.on = pr.CheckRuns
	pu.checkRuns.end(ctx, head, pu.standing())
	if !pu.checks.sound() {
		return end(task.ChecksFailed, "the pull request is a draft: %s", pu.checks.red())
	}
	return nil
}

// opensToItsEnd is the change since which a task that is stopped while its pull request is being opened waits for it, for a minute.
const opensToItsEnd = "opens-to-its-end"

// openPull opens the pull request. A task that is stopped meanwhile has to say whether there is one: it waits, but not for a forge that is away.
// late tells that there is one, and that the task was stopped.
func (pu *publisher) openPull(ctx workflow.Context, in activities.PullRequestInput, pr *forge.PullRequest) (late bool, err error) {
	rest, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	toItsEnd := func() bool { return workflow.GetVersion(rest, opensToItsEnd, workflow.DefaultVersion, 1) >= 1 }
	if ctx.Err() != nil && toItsEnd() { // it was stopped while the branch was pushed
		return false, ctx.Err()
	}
	opened := workflow.ExecuteActivity(pu.assignment.opening(ctx), pulls.OpenPullRequest, in)
	if workflow.Await(ctx, opened.IsReady) == nil {
		return false, opened.Get(ctx, pr)
	}
	if toItsEnd() {
		_, _ = workflow.AwaitWithTimeout(rest, time.Minute, opened.IsReady)
	}
	if !opened.IsReady() || opened.Get(rest, pr) != nil {
		return false, ctx.Err()
	}
	return true, nil
}

func (pu *publisher) push(ctx workflow.Context) (string, error) {
	var head string
	in := activities.PushInput{BaseRef: pu.status.BaseCommit, Reviewed: pu.status.Head, Paths: pu.settings.Paths,
		Planned: pu.status.Plan.Opened()}
	if pu.settings.Commits == "single" {
		in.Squash = cmp.Or(pu.title, pu.status.Plan.Summary)
	}
	err := pu.cleared(ctx, func(allowed []string) error {
		in.Allowed = allowed
		return pu.parking.insist(ctx, func() error { return pu.pushBranch(ctx, &in, &head) })
	})
	return head, err
}

// pushBranch pushes the branch if it holds the reviewed head. After a secret was found that is not required: a person has to rewrite its
// commits.
func (pu *publisher) pushBranch(ctx workflow.Context, in *activities.PushInput, head *string) error {
	err := pu.runner.inGit(ctx, "push "+pu.status.Branch, git.PushBranch, func() any {
		in.Ref = pu.ref()
		return *in
	}, head)
	if kindOf(err) == fault.Leak {
		in.Reviewed = ""
	}
	return err
}

// clean removes the workspace of a task that ended well. Otherwise workspace and checkpoint are kept for people to look at.
func (pu *publisher) clean(ctx workflow.Context, o task.Outcome) {
	if pu.assignment.Host == "" || pu.status.Branch == "" || !o.Good() && !pu.published(o) && pu.worthKeeping() || o == task.Failed ||
		o == task.Cancelled {
		return
	}
	pu.journal.enter(ctx, task.Cleaning)
	if err := pu.runner.remove(ctx); err != nil {
		pu.status.Warnings = append(pu.status.Warnings, "the workspace could not be removed: "+message(err))
	}
}

// worthKeeping tells whether somebody has worked in the workspace.
func (pu *publisher) worthKeeping() bool {
	return slices.ContainsFunc(pu.status.Sessions, func(s signals.Session) bool { return s.Role == task.Implementer })
}

// published tells whether the task has ended with an open pull request, ready or draft.
func (pu *publisher) published(o task.Outcome) bool {
	return pu.status.PullRequest != nil && (o == task.PullRequest || o == task.ChecksFailed)
}
