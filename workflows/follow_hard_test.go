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
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// handed gives what a workflow handed to its next run.
func handed[T any](t *testing.T, w *world) (next T) {
	t.Helper()
	var anew *workflow.ContinueAsNewError
	if err := w.env.GetWorkflowError(); !errors.As(err, &anew) {
		t.Fatalf("it did not go on in a new run: %v", err)
	}
	if err := converter.GetDefaultDataConverter().FromPayloads(anew.Input, &next); err != nil {
		t.Fatal(err)
	}
	return next
}

// handedOver is what a task hands to the workflow that follows its pull request, once it has.
func (w *world) handedOver() *signals.PullRequestInput {
	in := &signals.PullRequestInput{}
	w.env.RegisterWorkflowWithOptions(func(_ workflow.Context, got signals.PullRequestInput) (signals.Status, error) {
		*in = got
		return signals.Status{}, nil
	}, workflow.RegisterOptions{Name: signals.PullRequestFlow})
	return in
}

func (w *world) handover() signals.PullRequestInput {
	return signals.PullRequestInput{Input: task.Input{Repository: "acme/calc", Task: "x"}, Settings: w.settings, Task: "task-1", Run: "run-1", TaskID: "task-1",
		PullRequest: signals.PullRequest{Number: 7}, Branch: "longshift/x", Base: "main",
		Budget: signals.Budget{BudgetUSD: 20, BudgetTime: 3 * time.Hour}}
}

// inOneTask has a signal, and the server's wish for a new run, come to the workflow in one and the same task.
func (w *world) inOneTask(after time.Duration, signal func()) {
	w.env.RegisterDelayedCallback(signal, after)
	w.env.RegisterDelayedCallback(func() { w.env.SetContinueAsNewSuggested(true) }, after+time.Millisecond)
}

// A signal that comes in the very moment in which a run ends is in the next one, and is there once however many runs follow.
func TestSignalWhileGoingOn(t *testing.T) {
	var in signals.PullRequestInput
	for run := range 4 {
		w := newWorld(t)
		if run == 0 {
			in = w.handover()
		}
		w.look = func(int) (forge.Snapshot, error) { return open(), nil }
		w.inOneTask(2*time.Minute, func() {
			if run == 0 {
				w.env.SignalWorkflowSkippingWorkflowTask(signals.Tell, signals.TellRequest{Text: "use tabs"})
			} else {
				w.env.SignalWorkflowSkippingWorkflowTask(signals.Changed, nil)
			}
		})
		w.env.RegisterWorkflow(workflows.PullRequest)
		w.env.ExecuteWorkflow(workflows.PullRequest, in)
		if in = handed[signals.PullRequestInput](t, w); len(in.State.Tells) != 1 {
			t.Fatalf("run %d hands on %d messages, one was sent", run, len(in.State.Tells))
		}
	}
	w := newWorld(t)
	w.inOneTask(time.Minute, func() {
		w.env.SignalWorkflowSkippingWorkflowTask(signals.Notify, signals.Notice{From: "task-1", Run: "run-1", N: 1, Kind: "plan",
			Subject: signals.SubjectPlan, Revision: 1, At: w.env.Now()})
	})
	w.env.RegisterWorkflow(workflows.Conversation)
	w.env.ExecuteWorkflow(workflows.Conversation, signals.ConversationInput{Task: "task-1", Run: "run-1", Rooms: []task.Room{slackRoom}})
	handed[signals.ConversationInput](t, w)
	if got := w.posted("slack"); !strings.Contains(got, "+plan") {
		t.Errorf("a plan that came in the last moment was not shown: %q", got)
	}
}

// Who abandons the pull request in the very moment in which a run ends is heard.
func TestAbandonedWhileGoingOn(t *testing.T) {
	w := newWorld(t)
	w.look = func(int) (forge.Snapshot, error) { return open(), nil }
	w.inOneTask(2*time.Minute, func() {
		w.env.SignalWorkflowSkippingWorkflowTask(signals.Abandon, signals.AbandonRequest{Reason: "not needed"})
	})
	w.env.RegisterWorkflow(workflows.PullRequest)
	w.env.ExecuteWorkflow(workflows.PullRequest, w.handover())
	var s signals.Status
	if err := w.env.GetWorkflowResult(&s); err != nil || s.Outcome != task.Abandoned {
		t.Errorf("outcome %q, %v", s.Outcome, err)
	}
}

// A run that could not read the pull request has the next one read all of it: what is unchanged is news then.
func TestUnreadWhenItGoesOn(t *testing.T) {
	w := newWorld(t)
	w.look = func(n int) (forge.Snapshot, error) {
		if n == 1 {
			return open(), nil
		}
		return forge.Snapshot{}, temporal.NewNonRetryableApplicationError("no access", string(fault.Denied), nil)
	}
	w.env.RegisterDelayedCallback(func() { w.env.SetContinueAsNewSuggested(true) }, 10*time.Hour)
	w.env.RegisterWorkflow(workflows.PullRequest)
	w.env.ExecuteWorkflow(workflows.PullRequest, w.handover())
	if next := handed[signals.PullRequestInput](t, w); next.State.Parked == nil || next.State.Stamp != "" {
		t.Errorf("the next run goes on with %+v", next.State)
	}
}

// Who says that the whole plan is done has answered everybody.
func TestDoneAnswersEverybody(t *testing.T) {
	w := newWorld(t)
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := well(in)
		if in.Role == task.Implementer {
			res.Report = task.Report{Kind: task.ReportDone, Text: "did everything"}
		}
		return res, nil
	}
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		if at > 5*time.Hour {
			return merged()
		}
		if len(w.replies) > 0 {
			return open()
		}
		return open(thread(11, "rename it"), thread(12, "why?"))
	})
	if len(w.replies) != 1 || len(w.replies[0].Replies) != 2 {
		t.Errorf("answers %+v", w.replies)
	}
}

// What a round could not mend is not worked on again at the same head: a person is asked, until it is mended or merged.
func TestCheckThatNobodyCanMend(t *testing.T) {
	w := newWorld(t)
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		res := well(in)
		if in.Role == task.Implementer {
			res.Report = task.Report{Kind: task.ReportBlocked, Text: "it is the build machine's own fault"}
		}
		return res, nil
	}
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		return activities.Committed{Commit: "base"}, nil
	}
	var asked, mended signals.Status
	w.env.RegisterDelayedCallback(func() { asked = w.status(t) }, 8*time.Hour)
	w.env.RegisterDelayedCallback(func() { mended = w.status(t) }, 20*time.Hour)
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 24*time.Hour:
			return merged()
		case at > 10*time.Hour: // a person has mended it
			l := open()
			l.Head = "fixed"
			return l
		}
		return open(failing("test", "sign1"))
	})
	if len(w.asked) != 1 || asked.Phase != task.Suspended || asked.Reason != signals.ReasonBlocker || !asked.NeedsHuman {
		t.Errorf("%d sessions, then %s for %s", len(w.asked), asked.Phase, asked.Reason)
	}
	if mended.Phase != task.Following || mended.Reason != "" || mended.NeedsHuman {
		t.Errorf("mended by a person, and still %s for %s", mended.Phase, mended.Reason)
	}
}

// What a round could not mend keeps nobody else waiting: a person who says something is answered, and the check and the conflict are left
// alone.
func TestNobodyWaitsForWhatCannotBeMended(t *testing.T) {
	for name, stuck := range map[string]forge.Snapshot{"check": open(failing("test", "sign1")), "conflict": conflicting()} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			before, merges := 0, 0
			w.commit = func(activities.CommitInput) (c activities.Committed, err error) {
				if c.Commit = "base"; name == "conflict" && before == 0 {
					c.Failed = "conflict markers are left in calc.go"
				}
				return c, nil
			}
			var asked signals.Status
			w.env.RegisterDelayedCallback(func() { before, merges = len(w.asked), w.merges }, 7*time.Hour)
			w.env.RegisterDelayedCallback(func() { asked = w.status(t) }, 20*time.Hour)
			w.lookAfter(t, func(at time.Duration) forge.Snapshot {
				l := stuck
				switch {
				case at > 24*time.Hour:
					return merged()
				case at > 8*time.Hour:
					l.Items = append(l.Items, thread(11, "say why"))
				}
				return l
			})
			if before == 0 || len(w.asked) == before || w.merges != merges {
				t.Fatalf("%d sessions, %d once somebody had said something; %d merges, then %d", before, len(w.asked), merges, w.merges)
			}
			for _, in := range w.asked[before:] {
				if d := in.Prompt.Deliverable; in.Role == task.Implementer && (d == nil || !strings.HasPrefix(d.ID, "REVIEW")) {
					t.Errorf("a session about %+v", d)
				}
			}
			if asked.Phase != task.Suspended || asked.Reason != signals.ReasonBlocker {
				t.Errorf("afterwards %s for %s", asked.Phase, asked.Reason)
			}
			if log := logText(asked); !strings.Contains(log, "round 2: ") || strings.Contains(log, "round 2: it conflicts") {
				t.Errorf("what the round is about:\n%s", log)
			}
		})
	}
}

// While a person is asked, the workflow goes on in new runs, and still knows what it has asked.
func TestParkedGoesOn(t *testing.T) {
	w := newWorld(t)
	w.settings.PullRequest.Rounds = 0
	w.look = func(int) (forge.Snapshot, error) { return open(thread(11, "x")), nil }
	w.env.RegisterDelayedCallback(func() { w.env.SetContinueAsNewSuggested(true) }, time.Hour)
	w.env.RegisterWorkflow(workflows.PullRequest)
	w.env.ExecuteWorkflow(workflows.PullRequest, w.handover())
	if next := handed[signals.PullRequestInput](t, w); next.State.Parked == nil || next.State.Parked.Reason != signals.ReasonRounds {
		t.Errorf("handed on: %+v", next.State)
	}
}

// A conflict whose resolution somebody else's push overtook is worked on again.
func TestConflictOvertaken(t *testing.T) {
	w := newWorld(t)
	w.push = func() (string, error) {
		if w.pushes == 1 {
			return "", temporal.NewNonRetryableApplicationError("somebody has pushed", string(fault.Changed), nil)
		}
		return "pushed", nil
	}
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		l := conflicting()
		switch {
		case at > 5*time.Hour:
			return merged()
		case w.pushes >= 2:
			return open()
		case w.pushes == 1:
			l.Head = "theirs"
		}
		return l
	})
	if w.pushes != 2 || w.merges != 2 {
		t.Errorf("%d pushes, %d merges", w.pushes, w.merges)
	}
}

// A base that is changed while a round waits is not what the round has merged: nothing of that is pushed, and the round begins anew.
func TestBaseChangedAfterTheMerge(t *testing.T) {
	w := newWorld(t)
	var bases []string
	w.prepare = func(in activities.PrepareInput) error {
		bases = append(bases, in.Base)
		return nil
	}
	changed := false
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		l := conflicting()
		switch {
		case at > 5*time.Hour:
			return merged()
		case w.pushes > 0:
			l = open()
		}
		if changed = changed || len(w.asked) > 0; changed {
			l.Base, l.Stamp = "release", "s2"
		}
		return l
	})
	if w.pushes != 1 || w.merges != 2 || !slices.Equal(bases, []string{"main", "release"}) {
		t.Errorf("%d pushes, %d merges, of %q\n%s", w.pushes, w.merges, bases, logText(s))
	}
}

// A conflict that sessions can't resolve is given up, and a person is asked.
func TestConflictStays(t *testing.T) {
	w := newWorld(t)
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		return activities.Committed{Commit: "base", Failed: "conflict markers are left in calc.go"}, nil
	}
	var asked signals.Status
	w.env.RegisterDelayedCallback(func() { asked = w.status(t) }, 4*time.Hour)
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		l := conflicting()
		if at > 5*time.Hour {
			return merged()
		}
		return l
	})
	if w.roles() != "ii" || w.aborted != 1 || w.pushes != 0 || asked.Reason != signals.ReasonBlocker || !strings.Contains(asked.Detail, "conflict") {
		t.Errorf("sessions %s, %d given up, %d pushes, asked for %s: %s", w.roles(), w.aborted, w.pushes, asked.Reason, asked.Detail)
	}
}

// A base that moves while a conflict with it is resolved has been tried by nobody: a new conflict is worked on.
func TestBaseMovesDuringARound(t *testing.T) {
	w := newWorld(t)
	w.merge = func(activities.MergeInput) (activities.Merged, error) {
		return activities.Merged{Base: fmt.Sprint("main", w.merges), Conflicts: []string{"calc.go"}}, nil
	}
	waited := false
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if waited {
			return well(in), nil
		}
		waited = true // the pull request is read meanwhile
		return activities.SessionResult{Kind: agent.Quota, Error: "used up", Reset: w.env.Now().Add(time.Hour)}, nil
	}
	w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		l := conflicting()
		l.BaseHead = fmt.Sprint("main", w.merges+1)
		switch {
		case at > 5*time.Hour:
			return merged()
		case w.pushes >= 2:
			return open()
		}
		return l
	})
	if w.pushes != 2 || w.merges != 2 {
		t.Errorf("%d pushes, %d merges", w.pushes, w.merges)
	}
}

// A pull request that can be read again is looked after again, also when nothing has changed there.
func TestAccessComesBack(t *testing.T) {
	w := newWorld(t)
	var away, back signals.Status
	w.env.RegisterDelayedCallback(func() { away = w.status(t) }, 9*time.Hour)
	w.env.RegisterDelayedCallback(func() { back = w.status(t) }, 19*time.Hour)
	start := w.env.Now()
	w.look = func(n int) (forge.Snapshot, error) {
		switch at := w.env.Now().Sub(start); {
		case at > 20*time.Hour:
			return merged(), nil
		case at > time.Hour && at < 10*time.Hour:
			return forge.Snapshot{}, temporal.NewNonRetryableApplicationError("the token has expired", string(fault.Denied), nil)
		case w.looks[n-1].Stamp == open().Stamp:
			return forge.Snapshot{Unchanged: true}, nil
		}
		return open(), nil
	}
	w.env.RegisterWorkflow(workflows.PullRequest)
	w.env.ExecuteWorkflow(workflows.PullRequest, w.handover())
	if away.Phase != task.Suspended || !strings.Contains(away.Detail, "the token has expired") {
		t.Errorf("while it is away: %s, %s", away.Phase, away.Detail)
	}
	if back.Phase != task.Following || back.NeedsHuman {
		t.Errorf("when it is back: %s, %s", back.Phase, back.Detail)
	}
}

// What is really missing is named, and hosts are not blamed for it; a repository that is gone is a person's to see to.
func TestGone(t *testing.T) {
	w := newWorld(t)
	w.merge = func(activities.MergeInput) (activities.Merged, error) {
		return activities.Merged{}, temporal.NewNonRetryableApplicationError(`the base branch "main" is not there any more`, string(fault.NotFound), nil)
	}
	var asked signals.Status
	w.env.RegisterDelayedCallback(func() { asked = w.status(t) }, 4*time.Hour)
	w.lookAfter(t, until(5*time.Hour, conflicting(), merged()))
	if !strings.Contains(asked.Detail, `"main" is not there`) || w.takes > 2 {
		t.Errorf("asked for %s: %s, after %d takes", asked.Reason, asked.Detail, w.takes)
	}
	w = newWorld(t)
	w.env.RegisterDelayedCallback(func() { asked = w.status(t) }, 10*time.Hour)
	start := w.env.Now()
	w.look = func(int) (forge.Snapshot, error) {
		if w.env.Now().Sub(start) > 20*time.Hour {
			return merged(), nil
		}
		return forge.Snapshot{}, temporal.NewNonRetryableApplicationError("the repository is not there", string(fault.NotFound), nil)
	}
	w.env.RegisterWorkflow(workflows.PullRequest)
	w.env.ExecuteWorkflow(workflows.PullRequest, w.handover())
	if !asked.NeedsHuman || !strings.Contains(asked.Detail, "the repository is not there") {
		t.Errorf("nobody is asked: %s %s", asked.Phase, asked.Detail)
	}
}

// unapproved is a commit that needs an approval which nobody has given.
func unapproved(activities.CommitInput) (activities.Committed, error) {
	return activities.Committed{}, temporal.NewNonRetryableApplicationError("nobody has approved it", string(fault.Unapproved), nil)
}

// A round that ends otherwise is no end of looking after the pull request.
func TestRoundThatEndsBadly(t *testing.T) {
	w := newWorld(t)
	w.commit = unapproved
	asked := map[time.Duration]signals.Status{}
	for _, at := range []time.Duration{4 * time.Hour, 8 * time.Hour, 12 * time.Hour} {
		w.env.RegisterDelayedCallback(func() { asked[at] = w.status(t) }, at)
	}
	w.env.RegisterDelayedCallback(func() { w.update(signals.Resume, nil) }, 6*time.Hour)
	s := w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		l := open(thread(11, "x"))
		l.Stamp = at.String() // something else has changed each time
		switch {
		case at > 13*time.Hour:
			return merged()
		case at > 10*time.Hour:
			l.Items = append(l.Items, thread(12, "and y"))
		}
		return l
	})
	for at, status := range asked {
		if !status.NeedsHuman || !strings.Contains(status.Detail, "nobody has approved it") {
			t.Errorf("after %s: round %d, asked for %s: %s", at, status.Rounds, status.Reason, status.Detail)
		}
	}
	if s.Outcome != task.PullMerged || len(w.asked) != 3 { // one for each round: the first, after the resume, and with another thread
		t.Errorf("outcome %s after %d sessions%s", s.Outcome, len(w.asked), logText(s))
	}
}

// Each message has a name of its own in its room, and none is named as the task's one message is.
func TestKeysOfMessages(t *testing.T) {
	w := newWorld(t)
	w.notify(time.Minute, signals.Notice{N: 2, Kind: "plan", Subject: signals.SubjectPlan, Revision: 1})
	w.env.RegisterDelayedCallback(func() {
		w.env.SignalWorkflow(signals.Notify, signals.Notice{From: "pull:x:7", N: 2, Kind: "suspended", Subject: signals.SubjectStop, At: w.env.Now()})
	}, 3*time.Minute)
	w.notify(30*time.Minute, signals.Notice{N: 21, Kind: "ended", Subject: signals.SubjectEnd, Final: true})
	converse(t, w, slackRoom)
	seen := map[string]bool{}
	for _, in := range w.shown {
		if in.At == nil {
			if seen[in.Key] || len(in.Key) > 64 {
				t.Errorf("key %q twice, or too long", in.Key)
			}
			seen[in.Key] = true
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d messages: %v", len(seen), seen)
	}
}
