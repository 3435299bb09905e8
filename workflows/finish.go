package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// finish turns the end of the pipeline into the workflow's result.
func (t *pipeline) finish(ctx workflow.Context, err error) (signals.Status, error) {
	var e *ending
	switch {
	case err == nil && t.abandonedLate(ctx, 1):
		e = &ending{task.Abandoned, t.inbox.abandoned}
	case err == nil:
		e = &ending{outcome: task.PullRequest}
	case errors.As(err, &e):
	case t.pullEnded != "":
		e = &ending{outcome: t.pullEnded}
	case t.inbox.abandoned != "":
		e = &ending{task.Abandoned, t.inbox.abandoned}
	case temporal.IsCanceledError(err):
		e = &ending{task.Cancelled, "cancelled"}
	default:
		e = &ending{task.Failed, message(err)}
	}
	rest, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	t.checkRuns.stop(rest)
	if t.publisher.published(e.outcome) && t.abandonedLate(rest, 2) { // while the check failed, or its result was being shown
		e = &ending{task.Abandoned, t.inbox.abandoned}
	}
	t.publisher.clean(rest, e.outcome)
	t.useImages(rest, true)
	t.status.Outcome, t.status.Detail, t.status.Reason = e.outcome, excerpt.Clip(e.detail, 2000), ""
	t.status.NextAction, t.status.NeedsHuman, t.status.WaitingUntil, t.status.Questions = "", false, time.Time{}, nil
	t.journal.say(rest, "ended", "%s", outcomeLine(e))
	t.journal.enter(rest, task.Ended)
	untold := t.inbox.untold(t.questions.undelivered)
	followed := t.publisher.published(e.outcome) && t.publisher.follow(rest, untold)
	if n := len(untold); n > 0 && !followed {
		t.status.Warnings = append(t.status.Warnings, fmt.Sprintf("%d messages came after the last session, and nothing was made of them", n))
	}
	t.depart(rest, followed)
	t.journal.show(rest, signals.Notice{Subject: signals.SubjectEnd, Final: !followed})
	_ = workflow.Await(rest, t.journal.notices.idle)
	// A request that is being answered must not be cut off by the end of the workflow.
	_ = workflow.Await(rest, func() bool { return workflow.AllHandlersFinished(rest) })
	switch e.outcome {
	case task.Cancelled:
		return *t.status, temporal.NewCanceledError(*t.status)
	case task.Failed:
		return *t.status, t.failure(err)
	}
	return *t.status, nil
}

// abandonedLast is the change since which a task that is abandoned while its last step runs ends as abandoned, as the person was told; since 2 also
// one whose check fails, and one that shows its check's result.
const abandonedLast = "abandoned-last"

func (t *pipeline) abandonedLate(ctx workflow.Context, since workflow.Version) bool {
	return t.inbox.abandoned != "" && workflow.GetVersion(ctx, abandonedLast, workflow.DefaultVersion, 2) >= since
}

// failure keeps the kind of the error that ended the task, so that clients return the right exit code.
func (t *pipeline) failure(err error) error {
	kind, hint := kindOf(err), hintOf(err)
	if e := (*ending)(nil); errors.As(err, &e) { // ended by a decision, not by infrastructure
		kind = fault.Work
	}
	return temporal.NewApplicationErrorWithOptions(message(err), string(kind),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{hint, *t.status}})
}

func outcomeLine(e *ending) string {
	if e.detail == "" {
		return string(e.outcome)
	}
	return string(e.outcome) + ": " + firstLine(e.detail)
}

// depart releases the task's admissions, and then reports its end to the source, which may start the next task.
func (t *pipeline) depart(ctx workflow.Context, followed bool) {
	var pull *signals.OpenPull
	if s := t.status; t.publisher.published(s.Outcome) {
		pull = &signals.OpenPull{Repository: t.def.repo, Number: s.PullRequest.Number, URL: s.PullRequest.URL, Task: s.WorkflowID}
		if followed {
			pull.Task = ""
			r := t.publisher.followed
			pull.Workflow = signals.PullRequestID(r.Host, r.Owner, r.Name, pull.Number)
		}
	}
	o := t.status.Outcome
	t.admissions.release(ctx, signals.ReleaseRequest{Pull: pull, Succeeded: o.Good(), Failed: o == task.Failed}, nil)
	if err := t.admissions.followed(ctx); err != nil {
		t.status.Warnings = append(t.status.Warnings, message(err))
	}
	if !t.origin.hasReported(ctx) && !t.origin.claimed {
		return
	}
	err := workflow.ExecuteActivity(t.assignment.control(ctx, "report "+t.def.input.Origin.Key), sources.ReportToSource,
		t.origin.atSource(activities.Reported)).Get(ctx, nil)
	if err != nil {
		t.status.Warnings = append(t.status.Warnings, message(err))
	}
}

// ended notes the end of the pull request, and stops the round.
func (f *follower) ended(ctx workflow.Context, l forge.Snapshot) {
	if f.pullEnded != "" { // the poller and a round may see it at the same time
		return
	}
	f.pullEnded = task.PullClosed
	if l.State == forge.Merged {
		f.pullEnded = task.PullMerged
	}
	by := ""
	if l.MergedBy != "" {
		by = " by " + l.MergedBy
	}
	f.journal.say(ctx, "pull_request", "%s%s", f.pullEnded, by)
	f.stop()
}
