package workflows_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

func open(items ...forge.Item) forge.Snapshot {
	yes := true
	return forge.Snapshot{State: forge.Open, Head: "head1", Base: "main", BaseHead: "base1", Mergeable: &yes, Stamp: "s", Items: items}
}

// conflicting is an open pull request that can't be merged.
func conflicting(items ...forge.Item) forge.Snapshot {
	l, no := open(items...), false
	l.Mergeable = &no
	return l
}

func thread(id int64, text string) forge.Item {
	return forge.Item{Key: fmt.Sprintf("thread:%d", id), Kind: forge.ThreadItem, By: "ada", Path: "calc.go", Line: 3, Text: text, Last: id}
}

func failing(name, sign string) forge.Item {
	return forge.Item{Key: "check:" + name, Kind: forge.CheckItem, Text: "it failed", Log: "FAIL", Sign: sign}
}

// lookAfter runs a PullRequest workflow to its end. now gives the pull request as it stands at a time from the start.
func (w *world) lookAfter(t *testing.T, now func(at time.Duration) forge.Snapshot, change ...func(*signals.PullRequestInput)) signals.Status {
	t.Helper()
	start := w.env.Now()
	w.look = func(int) (forge.Snapshot, error) { return now(w.env.Now().Sub(start)), nil }
	in := signals.PullRequestInput{
		Input: task.Input{Repository: "acme/calc", Task: "fix the failing test"}, Settings: w.settings, Task: "task-1", Run: "run-1", TaskID: "task-1",
		Fence: 2, PullRequest: signals.PullRequest{Number: 7, URL: "https://forge.example/acme/calc/pull/7"},
		Branch: "longshift/x", Base: "main", Head: "head1", Plan: aPlan("FIX-001"),
		Budget: signals.Budget{Usage: task.Usage{CostUSD: 1, Calls: 3}, BudgetUSD: 20, Worked: time.Hour, BudgetTime: 3 * time.Hour},
	}
	for _, f := range change {
		f(&in)
	}
	w.env.RegisterWorkflow(workflows.PullRequest)
	w.env.ExecuteWorkflow(workflows.PullRequest, in)
	if !w.env.IsWorkflowCompleted() {
		t.Fatal("the workflow did not end")
	}
	var s signals.Status
	if err := w.env.GetWorkflowError(); err != nil {
		t.Fatalf("the workflow failed: %v", err)
	}
	if err := w.env.GetWorkflowResult(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// until gives one look before a time and another after it.
func until(at time.Duration, before, after forge.Snapshot) func(time.Duration) forge.Snapshot {
	return func(now time.Duration) forge.Snapshot {
		if now < at {
			return before
		}
		return after
	}
}

func merged() forge.Snapshot {
	return forge.Snapshot{State: forge.Merged, MergedBy: "ada", Base: "main"}
}

func TestMergeEndsIt(t *testing.T) {
	w := newWorld(t)
	s := w.lookAfter(t, until(time.Hour, open(), merged()))
	if s.Outcome != task.PullMerged || len(w.asked) != 0 || w.takes != 0 {
		t.Errorf("outcome %s after %d sessions on %d hosts", s.Outcome, len(w.asked), w.takes)
	}
	w = newWorld(t)
	if s := w.lookAfter(t, until(time.Hour, open(), forge.Snapshot{State: forge.Closed})); s.Outcome != task.PullClosed {
		t.Errorf("outcome %s", s.Outcome)
	}
}

// A failed check, two comments and a conflict become one round: each its own deliverable, each answered.
func TestRound(t *testing.T) {
	w := newWorld(t)
	first := conflicting(failing("test", "sign1"), thread(11, "rename it"), thread(12, "why?"))
	round := false
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 3*time.Hour:
			return merged()
		case round || len(w.replies) > 0:
			round = true
			l := open()
			l.Head, l.Passed = "head2", 1
			return l
		}
		return first
	})
	if s.Outcome != task.PullMerged || s.Rounds != 1 {
		t.Fatalf("outcome %s after %d rounds:\n%s", s.Outcome, s.Rounds, logText(s))
	}
	if w.merges != 1 || w.pushes != 1 || w.cleaned != 1 || len(w.replies) != 1 {
		t.Errorf("%d merges, %d pushes, %d cleaned, %d answers", w.merges, w.pushes, w.cleaned, len(w.replies))
	}
	if got := w.roles(); got != "iiiir" {
		t.Errorf("sessions %s", got)
	}
	var done []string
	for _, in := range w.asked[:4] {
		done = append(done, in.Prompt.Deliverable.ID)
	}
	if got := strings.Join(done, " "); got != "MERGE-001 CHECK-001 REVIEW-002 REVIEW-003" {
		t.Errorf("deliverables %s", got)
	}
	if f := w.asked[1].Prompt.Feedback; f == nil || f.Log != "FAIL" || f.By != nil {
		t.Errorf("the session on the check is told %+v", f)
	}
	if f := w.asked[2].Prompt.Feedback; f == nil || f.Text != "rename it" || f.By == nil || f.By.Name != "ada" {
		t.Errorf("the session on the comment is told %+v", f)
	}
	replies := w.replies[0].Replies
	if len(replies) != 3 || replies[1].Item.Key != "thread:11" || !strings.HasPrefix(replies[1].Text, "Done in commit") ||
		replies[1].Key != "task-1/thread:11/11" {
		t.Errorf("answers %+v", replies)
	}
	if s.Usage.Calls != 3+5 || s.Usage.CostUSD < 1.04 || s.Worked < time.Hour {
		t.Errorf("what the task has used before does not count: %+v, %s", s.Usage, s.Worked)
	}
	if w.asked[0].Ref.Fence != 3 {
		t.Errorf("fence %d", w.asked[0].Ref.Fence)
	}
}

func logText(s signals.Status) string {
	var b strings.Builder
	for _, l := range s.Log {
		fmt.Fprintf(&b, "%s %s: %s\n", l.Time.Format(time.TimeOnly), l.Kind, l.Text)
	}
	return b.String()
}

// Each round has a work tree of its own, without what setup has made in others.
func TestSetupRunsInEachRound(t *testing.T) {
	w := newWorld(t)
	w.settings.Setup = "make deps"
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 3*time.Hour:
			return merged()
		case at > time.Hour:
			return open(failing("test", "sign2"))
		}
		return open(failing("test", "sign1"))
	})
	if want := []string{"make deps", "go test ./...", "make deps", "go test ./..."}; !slices.Equal(w.commands, want) {
		t.Errorf("two rounds ran %q, wanted %q", w.commands, want)
	}
}

// The same failure on a new head stops the work with a reason; a person's resume lets it try again.
func TestBlockerReturns(t *testing.T) {
	w := newWorld(t)
	heads := 1
	w.push = func() (string, error) { heads++; return fmt.Sprint("head", heads), nil }
	resumed := false
	w.env.RegisterDelayedCallback(func() {
		s := w.status(t)
		if s.Phase != task.Suspended || s.Reason != signals.ReasonBlocker || !s.NeedsHuman || !strings.Contains(s.Detail, "test") || len(w.asked) != 2 {
			t.Errorf("phase %s, reason %s: %s, %d sessions\n%s", s.Phase, s.Reason, s.Detail, len(w.asked), logText(s))
		}
		resumed = true
		w.update(signals.Resume, signals.ResumeRequest{Note: "try the other way"})
	}, 24*time.Hour)
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		if at > 48*time.Hour {
			return merged()
		}
		if resumed && heads > 2 {
			return open()
		}
		l := open(failing("test", "same"))
		l.Head = fmt.Sprint("head", heads)
		return l
	})
	if s.Outcome != task.PullMerged || len(w.asked) != 4 {
		t.Errorf("outcome %s after %d sessions:\n%s", s.Outcome, len(w.asked), logText(s))
	}
	if len(w.replies) != 2 || w.replies[0].Replies[0].Key == w.replies[1].Replies[0].Key {
		t.Errorf("answers %+v: each round answers the check", w.replies)
	}
	if tells := w.asked[2].Prompt.Messages; len(tells) != 1 || tells[0].Text != "try the other way" {
		t.Errorf("the session after the resume is told %+v", tells)
	}
}

// Another failure of the same check is progress, until the rounds are used up.
func TestRoundsAreBounded(t *testing.T) {
	w := newWorld(t)
	w.settings.PullRequest.Rounds = 2
	heads := 1
	w.push = func() (string, error) { heads++; return fmt.Sprint("head", heads), nil }
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Reason != signals.ReasonRounds || s.Rounds != 2 {
			t.Errorf("reason %s after %d rounds", s.Reason, s.Rounds)
		}
	}, 24*time.Hour)
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		if at > 30*time.Hour {
			return merged()
		}
		l := open(failing("test", fmt.Sprint("sign", heads)))
		l.Head = fmt.Sprint("head", heads)
		return l
	})
	if s.Outcome != task.PullMerged || w.pushes != 2 {
		t.Errorf("outcome %s after %d pushes", s.Outcome, w.pushes)
	}
}

// A merge in the middle of a round ends it: nothing is pushed any more.
func TestMergedMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.settings.PullRequest.Poll = task.Duration(10 * time.Second)
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer {
			return activities.SessionResult{}, temporal.NewNonRetryableApplicationError("no", string(fault.Infra), nil)
		}
		return activities.SessionResult{}, nil
	}
	s := w.lookAfter(t, until(time.Hour, open(thread(1, "x")), merged()))
	if s.Outcome != task.PullMerged || w.pushes != 0 {
		t.Errorf("outcome %s, %d pushes", s.Outcome, w.pushes)
	}
}

// Work that blocks is answered with why; a question that changes nothing is answered without a push.
func TestAnswersWithoutWork(t *testing.T) {
	w := newWorld(t)
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		return activities.Committed{Commit: "base"}, nil
	}
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := well(in)
		if in.Prompt.Deliverable != nil && in.Prompt.Deliverable.ID == "REVIEW-001" {
			res.Report = task.Report{Kind: task.ReportBlocked, Text: "there is no such file"}
		}
		return res, nil
	}
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 2*time.Hour:
			return merged()
		case len(w.replies) > 0:
			return open()
		}
		return open(thread(1, "change x.go"), thread(2, "why this way?"))
	})
	if s.Outcome != task.PullMerged || w.pushes != 0 || w.roles() != "ii" {
		t.Fatalf("outcome %s, %d pushes, sessions %s", s.Outcome, w.pushes, w.roles())
	}
	if r := w.replies[0].Replies; r[0].Text != "Not done: there is no such file" || r[1].Text != "did REVIEW-002" {
		t.Errorf("answers %+v", r)
	}
}

// A follower that is told so looks without waiting for what else comes up: the pull request was closed by undo, say.
func TestAFollowerLooksAtOnce(t *testing.T) {
	for _, earlier := range []bool{false, true} { // another wake-up came a minute before, and is still waited for
		w := newWorld(t)
		w.settings.PullRequest.Poll, w.settings.PullRequest.Batch = task.Duration(6*time.Hour), task.Duration(time.Hour)
		began := w.env.Now()
		if earlier {
			w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Changed, nil) }, time.Hour-time.Minute)
		}
		w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Changed, signals.ChangedRequest{Now: true}) }, time.Hour)
		s := w.lookAfter(t, until(time.Hour, open(), forge.Snapshot{State: forge.Closed}))
		if took := w.env.Now().Sub(began); s.Outcome != task.PullClosed || took > time.Hour+time.Minute {
			t.Errorf("earlier wake-up %t: outcome %s after %s", earlier, s.Outcome, took)
		}
	}
}

// What comes up within the batching window is one round; what webhooks tell many times is looked at once.
func TestBatch(t *testing.T) {
	w := newWorld(t)
	w.settings.PullRequest.Poll = task.Duration(6 * time.Hour)
	said := 0
	for i := range 5 {
		w.env.RegisterDelayedCallback(func() {
			said = i + 1
			w.env.SignalWorkflow(signals.Changed, signals.ChangedRequest{What: "review_comment"})
		}, time.Hour+time.Duration(i)*20*time.Second)
	}
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 20*time.Hour:
			return merged()
		case len(w.replies) > 0:
			return open()
		}
		l := open()
		for i := range said {
			l.Items = append(l.Items, thread(int64(i+1), "x"))
		}
		return l
	})
	if s.Outcome != task.PullMerged || len(w.replies) != 1 || len(w.replies[0].Replies) != 5 {
		t.Errorf("outcome %s, answers %+v", s.Outcome, w.replies)
	}
}

// Checks that still run are waited for, unless people have spoken.
func TestPendingChecks(t *testing.T) {
	w := newWorld(t)
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 9*time.Hour:
			return merged()
		case len(w.replies) > 0:
			return open()
		}
		l := open(failing("lint", "a"))
		l.Pending = 1
		if at > 2*time.Hour {
			l.Pending, l.Items = 0, append(l.Items, failing("test", "b"))
		}
		return l
	})
	if len(w.replies) != 1 || len(w.replies[0].Replies) != 2 {
		t.Errorf("answers %+v\n%s", w.replies, logText(s))
	}
}

// Somebody who pushes in the middle of a round is not overwritten: the round starts over on what they did.
func TestPushedMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.push = func() (string, error) {
		if w.pushes == 1 {
			return "", temporal.NewNonRetryableApplicationError("commits that are not the task's", string(fault.Changed), nil)
		}
		return "head2", nil
	}
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 9*time.Hour:
			return merged()
		case len(w.replies) > 0:
			return open()
		}
		return open(thread(1, "x"))
	}, func(in *signals.PullRequestInput) { in.Tells = []signals.TellRequest{{Text: "keep the old API"}} })
	if s.Outcome != task.PullMerged || w.pushes != 2 || len(w.replies) != 1 || s.Rounds != 1 {
		t.Errorf("outcome %s, %d pushes, %d answers, %d rounds\n%s", s.Outcome, w.pushes, len(w.replies), s.Rounds, logText(s))
	}
	for _, in := range w.asked {
		told := slices.ContainsFunc(in.Prompt.Messages, func(m prompt.Message) bool { return m.Text == "keep the old API" })
		if told != (in.Role == task.Implementer) {
			t.Errorf("session %d, %s, was told %v", in.N, in.Role, in.Prompt.Messages)
		}
	}
}

// The workspace of a round that could not push is left, and the next round finds the work done: it is pushed before anybody is told.
func TestWorkOfAnUnsweptRoundIsPushed(t *testing.T) {
	w := newWorld(t)
	w.ahead = "commit1"
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		if len(w.commits) == 1 {
			return activities.Committed{Commit: "commit1", Created: true, Files: 1}, nil
		}
		return activities.Committed{Commit: "commit1", Files: 1, Earlier: []signals.Commit{{ID: "commit1"}}}, nil
	}
	w.push = func() (string, error) {
		if w.pushes == 1 {
			return "", temporal.NewNonRetryableApplicationError("commits that are not the task's", string(fault.Changed), nil)
		}
		return "head2", nil
	}
	w.clean = func(activities.CleanInput) error {
		if w.cleaned == 1 {
			return temporal.NewNonRetryableApplicationError("the remote is away", string(fault.Infra), nil)
		}
		return nil
	}
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 9*time.Hour:
			return merged()
		case len(w.replies) > 0:
			return open()
		}
		return open(thread(1, "x"))
	})
	if w.pushes != 2 || len(w.replies) != 1 || w.cleaned < 2 {
		t.Errorf("%d pushes, %d answers, %d cleaned\n%s", w.pushes, len(w.replies), w.cleaned, logText(s))
	}
}

// Our own reviewer sends a round's work back.
func TestReviewOfARound(t *testing.T) {
	w := newWorld(t)
	reviews := 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := well(in)
		if in.Role == task.Reviewer {
			if reviews++; reviews == 1 {
				res.Review = &task.Review{Text: "a test is missing"}
			}
		}
		return res, nil
	}
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 9*time.Hour:
			return merged()
		case len(w.replies) > 0:
			return open()
		}
		return open(thread(1, "x"))
	})
	if w.roles() != "irir" || w.pushes != 1 || !strings.Contains(w.asked[2].Prompt.Deliverable.Description, "a test is missing") {
		t.Errorf("sessions %s, %d pushes", w.roles(), w.pushes)
	}
}

// A forge that does not answer is asked again, for ever, and nothing else happens.

// Orders to the workflow itself are no wishes about the work.
func TestCommandsAreNoItems(t *testing.T) {
	w := newWorld(t)
	comment := func(id int64, text string) forge.Item {
		return forge.Item{Key: fmt.Sprintf("comment:%d", id), Kind: forge.CommentItem, By: "ada", Text: text, Last: id}
	}
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 9*time.Hour:
			return merged()
		case len(w.replies) > 0:
			return open()
		}
		return open(comment(1, "/longshift resume"), comment(2, "/longshift use a map here"), comment(3, "/longshift"))
	})
	if len(w.replies) != 1 || len(w.replies[0].Replies) != 1 || w.replies[0].Replies[0].Item.Key != "comment:2" {
		t.Errorf("answers %+v", w.replies)
	}
}

// The last commit that is ours is known beside the head of the branch, which may be somebody else's.
func TestOurLastCommitOfThePullRequest(t *testing.T) {
	for name, c := range map[string]struct {
		report task.ReportKind
		want   string
	}{"pushed": {task.ReportProgress, "pushed"}, "nothing to push": {task.ReportBlocked, "head1"}} {
		w := newWorld(t)
		w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
			res := well(in)
			if in.Role == task.Implementer {
				res.Report = task.Report{Kind: c.report, Text: "said"}
			}
			return res, nil
		}
		w.commit = func(activities.CommitInput) (activities.Committed, error) {
			if c.report == task.ReportBlocked {
				return activities.Committed{Commit: "base"}, nil
			}
			return activities.Committed{Commit: "commit1", Created: true, Files: 1}, nil
		}
		w.push = func() (string, error) { return "pushed", nil }
		s := w.lookAfter(t, until(5*time.Hour, open(thread(11, "rename it")), merged()))
		if s.Pushed != c.want || s.Rounds == 0 || !s.Others { // the workspace began at "base", which is not ours
			t.Errorf("%s: ours is %q, the head %q after %d rounds, others %t", name, s.Pushed, s.Head, s.Rounds, s.Others)
		}
	}
}

// What the reviewer asks for in a round is read by whoever does it, all of it.
func TestReviewOfARoundIsReadWhole(t *testing.T) {
	w := newWorld(t)
	long := strings.Repeat("1. calc.go:3: name it Sum.\n", 200) + "200. README.md: say so."
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := well(in)
		if in.Role == task.Reviewer && in.Prompt.Review == "" {
			res.Review = &task.Review{Text: long}
		}
		return res, nil
	}
	w.lookAfter(t, until(5*time.Hour, open(thread(11, "rename it")), merged()))
	if w.roles()[:4] != "irir" || w.asked[2].Prompt.Review != long || w.asked[3].Prompt.Review != long || w.asked[0].Prompt.Review != "" ||
		len(w.asked[2].Prompt.Deliverable.Description) > 300 {
		t.Errorf("sessions %s; the second implementer does %q by a review of %d bytes", w.roles(), w.asked[2].Prompt.Deliverable.Description, len(w.asked[2].Prompt.Review))
	}
}

// When its history has grown, the workflow goes on in a new run, and knows what it has tried, answered and spent.
func TestPullRequestGoesOn(t *testing.T) {
	w := newWorld(t)
	w.env.RegisterDelayedCallback(func() { w.env.SetContinueAsNewSuggested(true) }, 5*time.Hour)
	w.env.RegisterDelayedCallback(func() {
		w.update(signals.Tell, signals.TellRequest{Text: "use a map", Message: signals.Message{ID: "d1", By: "ada"}})
	}, 4*time.Hour)
	start := w.env.Now()
	w.look = func(int) (forge.Snapshot, error) {
		if w.env.Now().Sub(start) > time.Minute {
			l := open()
			l.Warnings = []string{"checks can't be read"}
			return l, nil
		}
		return open(thread(1, "x")), nil
	}
	w.env.RegisterWorkflow(workflows.PullRequest)
	w.env.ExecuteWorkflow(workflows.PullRequest, signals.PullRequestInput{Input: task.Input{Repository: "acme/calc", Task: "x"}, Settings: w.settings,
		TaskID: "task-1", PullRequest: signals.PullRequest{Number: 7}, Branch: "longshift/x", Base: "main",
		Budget: signals.Budget{BudgetUSD: 20, BudgetTime: 3 * time.Hour}})
	var anew *workflow.ContinueAsNewError
	if err := w.env.GetWorkflowError(); !errors.As(err, &anew) {
		t.Fatalf("it did not go on in a new run: %v", err)
	}
	var next signals.PullRequestInput
	if err := fromPayloads(anew, &next); err != nil {
		t.Fatal(err)
	}
	g := next.State
	if g == nil || g.Rounds != 1 || g.Done["thread:1"] != "1" || g.Sessions != 2 || !slices.Contains(g.Seen, "d1") || len(g.Tells) != 1 ||
		len(g.Warnings) != 1 || next.Usage.Calls != 2 || next.Fence != 1 {
		t.Errorf("handed on: %+v, %+v", next, g)
	}
}

func fromPayloads(anew *workflow.ContinueAsNewError, into any) error {
	return converter.GetDefaultDataConverter().FromPayloads(anew.Input, into)
}
