package workflows

import (
	"fmt"
	"slices"
	"strings"

	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/prompt"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

// mostOvertaken is how many rounds in a row somebody else's push may overtake without their being counted.
const mostOvertaken = 2

// mostReviews is how often our own reviewer may send a round's work back.
const mostReviews = 3

// attempt does a round. What comes of it is no end of the workflow, unless the pull request, or a person, ends it.
func (f *follower) attempt(ctx workflow.Context, items []forge.Item) error {
	f.going.Rounds++
	f.status.Rounds = f.going.Rounds
	f.say(ctx, "round", "round %d: %s", f.going.Rounds, f.aim(items))
	f.show(ctx, signals.Notice{})
	err := f.round(ctx, items)
	f.leaveAll(ctx, signals.LeaveRequest{}, nil)
	var e *ending
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		f.overtaken = 0
	case kindOf(err) == fault.Changed: // somebody has pushed meanwhile: look at what they did, then see what is left
		f.say(ctx, "host", "the branch was changed by somebody else: %s", firstLine(message(err)))
		if f.overtaken++; f.overtaken <= mostOvertaken { // after that it counts: whoever pushes all the time must not keep us at work
			f.going.Rounds--
		}
	case isLost(err): // what there is to do still stands at the pull request
		f.say(ctx, "host", "commits of this round were lost with their host; doing it again")
	case asError(err, &e):
		f.park(ctx, signals.ReasonErrors, e.Error())
	default:
		f.park(ctx, signals.ReasonInfra, message(err))
	}
	f.sweep(ctx)
	f.lookAgain() // what we have written and pushed changes what there is to see
	return nil
}

// blocked says why no round may begin: what a round has worked on stands as it stood, or there were enough of them.
func (f *follower) blocked(items []forge.Item) (signals.Reason, string) {
	for _, i := range items {
		if head, tried := f.going.Tried[i.Key+":"+i.Sign]; tried && i.Kind == forge.CheckItem {
			return signals.ReasonBlocker, fmt.Sprintf("%s in the same way on %s as it did on %s, after a round of work on it", what(i), short(f.look.Head), short(head))
		}
	}
	if _, tried := f.going.Tried[conflictKey(f.look.BaseHead)]; tried && f.conflict() {
		return signals.ReasonBlocker, fmt.Sprintf("the conflict with %s at %s stands after a round of work on it", f.look.Base, short(f.look.BaseHead))
	}
	if most := f.settings.PullRequest.Rounds; f.going.Rounds >= most {
		return signals.ReasonRounds, fmt.Sprintf("%d rounds are used up; %s", most, f.aim(items))
	}
	return "", ""
}

func (f *follower) aim(items []forge.Item) string {
	var parts []string
	if f.conflict() {
		parts = append(parts, "a conflict with "+f.look.Base)
	}
	for _, i := range items {
		parts = append(parts, what(i))
	}
	return strings.Join(parts, ", ")
}

// round takes a host, restores the workspace at the branch's head, resolves a conflict, works, checks, reviews, pushes and answers.
func (f *follower) round(ctx workflow.Context, items []forge.Item) error {
	f.status.Commits, f.status.Review, f.status.Check, f.came, f.merging, f.findings = nil, nil, nil, map[string]came{}, false, nil
	f.status.BaseCommit = "" // it begins where people have left the branch
	f.enter(ctx, task.Preparing)
	if err := f.insist(ctx, func() error { return f.take(ctx) }); err != nil {
		return err
	}
	start, conflict := f.status.Head, f.conflict()
	if conflict {
		if err := f.merge(ctx); err != nil {
			return err
		}
	}
	f.feedback = map[string]prompt.Feedback{}
	p := f.agenda("round %d", f.going.Rounds)
	for n, i := range items {
		d := task.Deliverable{ID: itemID(i, n), Description: wish(i), Status: task.Pending}
		p.Deliverables = append(p.Deliverables, d)
		f.feedback[d.ID] = feedbackOf(i)
	}
	f.status.Plan = &p
	if err := f.carry(ctx, start); isRejected(err) {
		f.unpushed(ctx, start, err)
	} else if err != nil {
		return err
	}
	if conflict {
		f.going.Tried[conflictKey(f.look.BaseHead)] = f.look.Head
	}
	for _, i := range items {
		if i.Kind == forge.CheckItem {
			f.going.Tried[i.Key+":"+i.Sign] = f.look.Head
		}
	}
	return f.reply(ctx, items)
}

// agenda is an empty plan of the next revision.
func (f *follower) agenda(format string, args ...any) task.Plan {
	p := task.Plan{Revision: 1, Verdict: task.VerdictWork, Summary: fmt.Sprintf("Pull request #%d, ", f.in.Number) + fmt.Sprintf(format, args...)}
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

// wish is the deliverable of an item. What others wrote stands below it in the prompt, as data.
func wish(i forge.Item) string {
	if i.Kind == forge.CheckItem {
		return "Make the failed check pass that stands below"
	}
	return "See to " + kindOfItem(i) + " that stands below"
}

// carry runs the stages of a task on the round's plan, until our own reviewer lets it pass, and pushes what came of it.
func (f *follower) carry(ctx workflow.Context, start string) error {
	for n := 1; ; n++ {
		if err := f.perform(ctx); err != nil {
			return err
		}
		if f.status.Head == start && f.uncommitted == "" {
			return nil
		}
		if err := f.review(ctx); err != nil {
			return err
		}
		if f.status.Review.Approved {
			break
		}
		if n%mostReviews == 0 {
			if err := f.suspend(ctx, signals.ReasonReview, "our reviewer asks for changes for the %dth time: %s", n, f.status.Review.Text); err != nil {
				return err
			}
		}
		p := *f.status.Plan
		p.Deliverables = append(slices.Clone(p.Deliverables), task.Deliverable{ID: fmt.Sprintf("FIX-%03d", n), Status: task.Pending,
			Description: "Do what the review asks for: " + clip(f.status.Review.Text, 2000)})
		f.status.Plan = &p
	}
	f.enter(ctx, task.Publish)
	if err := f.commitRest(ctx); err != nil {
		return err
	}
	head, err := f.pushRound(ctx)
	if err != nil {
		return err
	}
	f.status.Head = head
	f.say(ctx, "push", "%s on %s", short(head), f.status.Branch)
	return nil
}

// perform carries out the plan. When everything is blocked, people get to hear why: it is no end of the work.
func (f *follower) perform(ctx workflow.Context) error {
	err := f.execute(ctx)
	if e, ok := err.(*ending); ok && e.outcome == task.AllBlocked {
		return nil
	}
	return err
}

// pushRound pushes the branch. That somebody else has pushed is the caller's to decide.
func (f *follower) pushRound(ctx workflow.Context) (head string, err error) {
	var changed error
	in := activities.PushInput{Reviewed: f.status.Head}
	err = f.cleared(ctx, func(allowed []string) error {
		in.Allowed = allowed
		return f.insist(ctx, func() error {
			err := f.pushBranch(ctx, &in, &head)
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

// reply answers everybody, where they have spoken.
func (f *follower) reply(ctx workflow.Context, items []forge.Item) error {
	var replies []forge.Reply
	for n, i := range items {
		c, ok := f.came[itemID(i, n)]
		if !ok { // left pending: it comes up again
			continue
		}
		if i.Kind != forge.CheckItem {
			f.going.Done[i.Key] = answers(i)
		}
		text := answer(c)
		if c.commit != "" && !f.sound() {
			text += "\n\nNot settled: " + f.red() + "."
		}
		if c.commit != "" && len(f.findings) > 0 {
			text += "\n\nLook at these files of this round first:\n\n" + bullets(f.findings)
		}
		replies = append(replies, forge.Reply{Item: forge.Item{Key: i.Key, Kind: i.Kind, By: i.By, Last: i.Last, URL: i.URL, Text: firstLine(i.Text)},
			Text: text, Key: fmt.Sprintf("%s/%s/%s", f.status.TaskID, i.Key, answers(i))})
	}
	in := activities.AnswerInput{Repository: f.repo, Number: f.in.Number, Replies: replies}
	err := f.insist(ctx, func() error {
		return workflow.ExecuteActivity(f.control(ctx, "answer at the pull request"), desk.AnswerPullRequest, in).Get(ctx, nil)
	})
	if err != nil {
		return err
	}
	f.prune()
	f.say(ctx, "answered", "%d answered", len(replies))
	f.show(ctx, signals.Notice{})
	return nil
}

// prune keeps what is remembered of long pull requests small: what the forge does not show any more needs no memory.
func (f *follower) prune() {
	const most = 300
	for _, m := range []map[string]string{f.going.Done, f.going.Tried} {
		keys := workflow.DeterministicKeys(m)
		for _, k := range keys[:max(0, len(keys)-most)] {
			delete(m, k)
		}
	}
}

// answer is what people read: what was done, and in which commit.
func answer(c came) string {
	subject, rest, _ := strings.Cut(strings.TrimSpace(c.text), "\n")
	switch {
	case !c.done:
		return "Not done: " + strings.TrimSpace(c.text)
	case c.commit == "":
		return strings.TrimSpace(c.text)
	}
	return strings.TrimSpace(fmt.Sprintf("Done in %s: %s\n\n%s", c.commit, subject, strings.TrimSpace(rest)))
}

// sweep removes the round's workspace; the branch holds everything.
func (f *follower) sweep(ctx workflow.Context) {
	if f.taken.Host == "" {
		return
	}
	err := workflow.ExecuteActivity(f.short(ctx, "remove the workspace"), host.CleanUp, activities.CleanInput{Ref: f.ref()}).Get(ctx, nil)
	if err != nil {
		f.status.Warnings = append(f.status.Warnings[max(0, len(f.status.Warnings)-10):], "the workspace could not be removed: "+message(err))
	}
	f.taken = activities.Taken{}
}
