package workflows

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// mostOvertaken is how many rounds in a row somebody else's push may overtake without their being counted.
const mostOvertaken = 2

// mostReviews is how often the reviewer may send a round's work back before a person is asked.
const mostReviews = 3

// attempt does a round. A round that fails does not end the workflow; the pull request or a person does.
func (f *follower) attempt(ctx workflow.Context, items []forge.Item) error {
	f.worklist.rounds++
	f.status.Rounds = f.worklist.rounds
	f.journal.say(ctx, "round", "round %d: %s", f.worklist.rounds, f.worklist.news(items))
	f.journal.show(ctx, f.announcement())
	f.pushed = ""
	f.checkRuns.begin(ctx, f.poller.snapshot.Head, fmt.Sprintf("Round %d: %s", f.worklist.rounds, f.worklist.news(items)))
	about := f.worklist.about(items)
	err := f.round(ctx, items)
	f.answered = f.inbox.resumed()
	f.admissions.release(ctx, signals.ReleaseRequest{}, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil { // what sessions were told came to nothing with the round
		f.inbox.tellAgain(f.deliverables.told()...)
	}
	var e *ending
	switch {
	case err == nil:
		f.overtaken = 0
	case kindOf(err) == fault.Changed: // somebody has pushed meanwhile: poll again, then do what is left
		f.journal.say(ctx, "host", "changed by somebody else: %s", firstLine(message(err)))
		if f.overtaken++; f.overtaken <= mostOvertaken { // after that it counts, so that pushes can't cause rounds without end
			f.worklist.rounds--
		}
	case isLost(err): // the items are still open at the pull request
		f.journal.say(ctx, "host", "commits of this round were lost with their host; doing it again")
	case asError(err, &e):
		f.parkRound(ctx, about, signals.ReasonErrors, e.Error())
	default:
		f.parkRound(ctx, about, signals.ReasonInfra, message(err))
	}
	f.showRound(ctx, err)
	f.sweep(ctx)
	f.poller.again() // replies and pushes have changed the pull request
	return nil
}

// showRound completes the check run of a round: on what it has pushed, or on the commit that it began with.
func (f *follower) showRound(ctx workflow.Context, err error) {
	head := cmp.Or(f.pushed, f.checkRuns.at)
	void := func(format string, args ...any) {
		detail := fmt.Sprintf("Round %d ", f.status.Rounds) + fmt.Sprintf(format, args...)
		f.checkRuns.end(ctx, head, forge.Standing{State: forge.Void, Detail: detail})
	}
	switch {
	case f.going.Parked != nil:
		f.checkRuns.ask(ctx, head)
	case f.pushed != "":
		f.checkRuns.end(ctx, head, f.publisher.standing())
	case err != nil:
		void("came to nothing: %s", firstLine(message(err)))
	default:
		void("changed nothing")
	}
}

// round assigns a host, restores the workspace at the branch's head, resolves a conflict, works, checks, reviews, pushes and replies.
func (f *follower) round(ctx workflow.Context, items []forge.Item) error {
	f.status.Commits, f.status.Review, f.status.Check = nil, nil, nil
	f.deliverables.begin()
	f.commits.found(nil)
	f.status.BaseCommit = "" // the round begins at the branch's head
	f.journal.enter(ctx, task.Preparing)
	if err := f.parking.insist(ctx, func() error { return f.runner.assign(ctx) }); err != nil {
		return err
	}
	f.status.Others = f.status.Others || f.status.Head != f.status.Pushed
	start, conflict, base, merged := f.status.Head, f.worklist.merges(), f.poller.snapshot.BaseHead, ""
	f.merger.onto = ""
	if conflict {
		var err error
		if merged, err = f.merger.merge(ctx); err != nil {
			return err
		}
	}
	feedback := map[string]prompt.Feedback{}
	p := f.agenda("round %d", f.worklist.rounds)
	for n, i := range items {
		d := task.Deliverable{ID: itemID(i, n), Description: wish(i), Status: task.Pending}
		p.Deliverables = append(p.Deliverables, d)
		feedback[d.ID] = feedbackOf(i)
	}
	f.deliverables.answers(feedback)
	f.status.Plan = &p
	if err := f.carry(ctx, start); isRejected(err) {
		f.unpushed(ctx, start, err)
	} else if err != nil {
		return err
	}
	if conflict {
		f.worklist.triedMerge(ctx, base, merged)
	}
	f.worklist.triedItems(items)
	return f.reply(ctx, items)
}

// agenda returns an empty plan of the next revision.
func (f facts) agenda(format string, args ...any) task.Plan {
	summary := fmt.Sprintf("Pull request #%d, ", f.status.PullRequest.Number) + fmt.Sprintf(format, args...)
	p := task.Plan{Revision: 1, Verdict: task.VerdictWork, Summary: summary}
	if f.status.Plan != nil {
		p.Revision = f.status.Plan.Revision + 1
	}
	return p
}

// itemID is the id of the deliverable that an item becomes.
func itemID(i forge.Item, n int) string {
	kind := "REVIEW"
	if i.Kind == forge.CheckItem {
		kind = "CHECK"
	}
	return fmt.Sprintf("%s-%03d", kind, n+1)
}

// wish is the deliverable of an item. The prompt shows what others wrote below it, as data.
func wish(i forge.Item) string {
	if i.Kind == forge.CheckItem {
		return "Make the failed check below pass"
	}
	return "Work on this: " + kindOfItem(i) + ", below"
}

// feedbackOf returns what a session is told of an item.
func feedbackOf(i forge.Item) prompt.Feedback {
	fb := prompt.Feedback{What: kindOfItem(i), Text: i.Text, Hunk: i.Hunk, Log: i.Log}
	switch i.Kind {
	case forge.CheckItem:
		fb.Name = strings.TrimPrefix(i.Key, "check:")
	case forge.ThreadItem:
		fb.Name = fmt.Sprintf("%s:%d", i.Path, i.Line)
	}
	if i.By != "" {
		fb.By = &task.Person{Name: i.By, Via: "write access"}
	}
	return fb
}

// carry runs the stages of a task on the round's plan until the reviewer approves, and pushes the result.
func (f *follower) carry(ctx workflow.Context, start string) error {
	for n := 1; ; n++ {
		if err := f.deliverables.executeRound(ctx); err != nil {
			return err
		}
		if f.status.Head == start && f.commits.last.failed == "" && !f.takenOver(ctx) {
			return nil
		}
		if err := f.review(ctx); err != nil {
			return err
		}
		if f.status.Review.Approved {
			break
		}
		if n%mostReviews == 0 {
			if err := f.parking.suspend(ctx, signals.ReasonReview, "our reviewer asks for changes for the %dth time: %s", n,
				f.status.Review.Text); err != nil {
				return err
			}
		}
		p := *f.status.Plan
		p.Deliverables = append(slices.Clone(p.Deliverables), task.Deliverable{ID: fmt.Sprintf("FIX-%03d", n), Status: task.Pending,
			Description: "Do what the review above asks for: " + excerpt.Line(f.status.Review.Text, 200)})
		f.status.Plan = &p
	}
	f.journal.enter(ctx, task.Publish)
	if err := f.commits.commitRest(ctx, true); err != nil {
		return err
	}
	head, err := f.pushRound(ctx)
	if err != nil {
		return err
	}
	f.status.Head, f.status.Pushed, f.pushed = head, head, head
	f.journal.say(ctx, "push", "%s on %s", short(head), f.status.Branch)
	return nil
}

// pushRound pushes the branch. When somebody else has pushed, the caller decides.
func (f *follower) pushRound(ctx workflow.Context) (head string, err error) {
	var changed error
	in := activities.PushInput{Reviewed: f.status.Head, Paths: f.settings.Paths, Planned: f.status.Plan.Opened()}
	err = f.publisher.cleared(ctx, func(allowed []string) error {
		in.Allowed = allowed
		return f.parking.insist(ctx, func() error {
			err := f.poller.stillOpen(ctx, f.merger.onto)
			if err == nil {
				err = f.publisher.pushBranch(ctx, &in, &head)
			}
			if kindOf(err) == fault.Changed {
				changed = err
				return nil
			}
			return err
		})
	})
	if changed != nil {
		return "", changed
	}
	return head, err
}

// sweep removes the round's workspace; the branch holds everything.
func (f *follower) sweep(ctx workflow.Context) {
	if f.assignment.Host == "" {
		return
	}
	err := f.runner.remove(ctx)
	if f.going.Unswept = err != nil; f.going.Unswept {
		f.status.Warnings = append(f.status.Warnings[max(0, len(f.status.Warnings)-10):], "the workspace could not be removed: "+message(err))
	}
	f.assignment.Assignment, f.runner.unsaved = activities.Assignment{}, ""
}

// pushTakenOver is the change since which what a round takes over of an earlier one is pushed.
const pushTakenOver = "push-taken-over"

// takenOver tells whether the workspace began with commits of an earlier round, which nobody has pushed: that round's workspace could not be removed.
func (f *follower) takenOver(ctx workflow.Context) bool {
	return f.going.Unswept && f.status.Head != f.poller.snapshot.Head && workflow.GetVersion(ctx, pushTakenOver, workflow.DefaultVersion, 1) >= 1
}
