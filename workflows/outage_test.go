package workflows_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// away is what a step fails with while something outside of the task is away.
func away(what string) error {
	return temporal.NewNonRetryableApplicationError(what+" does not answer", string(fault.Infra), nil)
}

// modelAway has the model fail the first n asks of implementers, and notes when they were made, since the first.
func (w *world) modelAway(n int) *[]time.Duration {
	w.settings.Approval.Mode = task.ApprovalNone
	var asks []time.Duration
	var first time.Time
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role != task.Implementer || len(asks) == n {
			return activities.SessionResult{}, nil
		}
		if first.IsZero() {
			first = w.env.Now()
		}
		asks = append(asks, w.env.Now().Sub(first))
		return activities.SessionResult{}, away("the model")
	}
	return &asks
}

// A task waits for a model that is away, longer each time, has a person asked after an hour, and goes on by itself when it is back.
func TestOutageIsOutlasted(t *testing.T) {
	w := newWorld(t)
	asks := w.modelAway(9)
	looked := 0
	look := func(at time.Duration, phase task.Phase, needsHuman bool) {
		w.env.RegisterDelayedCallback(func() {
			s := w.status(t)
			if looked++; s.Phase != phase || s.Reason != signals.ReasonInfra || s.NeedsHuman != needsHuman ||
				!s.WaitingUntil.After(w.env.Now()) || s.Detail != "the model does not answer" {
				t.Errorf("after %s: %+v", at, s)
			}
		}, at)
	}
	look(5*time.Minute, task.Waiting, false)
	look(30*time.Minute, task.Waiting, false)
	look(50*time.Minute, task.Suspended, true)
	look(90*time.Minute, task.Suspended, true)
	w.rooms = []task.Room{slackRoom}
	w.record()
	s := w.start(t)
	asked := slices.DeleteFunc(w.notices, func(n signals.Notice) bool { return n.Subject != signals.SubjectStop })
	if len(asked) < 2 || asked[len(asked)-1].Settled == asked[len(asked)-2].Settled ||
		len(slices.DeleteFunc(asked, func(n signals.Notice) bool { return n.Settled })) != 1 {
		t.Errorf("a person was asked %+v", asked)
	}
	if s.Outcome != task.PullRequest || s.NeedsHuman || !s.WaitingUntil.IsZero() || looked != 4 || w.asked[1].N != w.asked[9].N {
		t.Errorf("%+v", s)
	}
	if got := fmt.Sprint(*asks); got != "[0s 1m0s 3m0s 7m0s 15m0s 31m0s 1h3m0s 2h3m0s 3h3m0s]" {
		t.Errorf("asked after %s", got)
	}
}

// What does not pass in a day is left to a person, who can end it at any time. A resume tries at once.
func TestOutageWithoutEnd(t *testing.T) {
	w := newWorld(t)
	asks := w.modelAway(1000)
	w.env.RegisterDelayedCallback(func() { w.env.SignalWorkflow(signals.Resume, nil) }, 40*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Suspended || !s.NeedsHuman || !s.WaitingUntil.IsZero() || len(*asks) != 31 {
			t.Errorf("%s until %s after %d asks", s.Phase, s.WaitingUntil, len(*asks))
		}
		w.update(signals.Abandon, signals.AbandonRequest{Reason: "enough"})
	}, 100*time.Hour)
	if s := w.start(t); s.Outcome != task.Abandoned || (*asks)[6] != 40*time.Minute { // the sixth pause was cut short
		t.Errorf("%s, asked after %v", s.Outcome, *asks)
	}
}

// What a person can do something about is asked at once, and tried again all the same.
func TestOutageThatSaysWhatToDo(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = task.ApprovalNone
	n := 0
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		if n++; n == 1 {
			return activities.Committed{}, temporal.NewNonRetryableApplicationError("the disk is full", string(fault.Infra), nil, "make room there")
		}
		return activities.Committed{Commit: "c", Created: true, Files: 1}, nil
	}
	asked := false
	w.env.RegisterDelayedCallback(func() {
		s := w.status(t)
		asked = s.Phase == task.Suspended && s.NeedsHuman && strings.Contains(s.Detail, "make room")
	}, 30*time.Second)
	if s := w.start(t); s.Outcome != task.PullRequest || !asked {
		t.Errorf("%s, a person was asked: %v", s.Outcome, asked)
	}
}

// A try may take hours: a person is asked all the same, and what fails for a day is left to them.
func TestOutageOfLongTries(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = task.ApprovalNone
	w.env.OnActivity("CommitWork", mock.Anything, mock.Anything).After(150*time.Minute).Return(activities.Committed{}, away("the disk"))
	looked := 0
	for at, untilTime := range map[time.Duration]bool{6 * time.Hour: true, 100 * time.Hour: false} {
		w.env.RegisterDelayedCallback(func() {
			looked++
			if s := w.status(t); s.Phase == task.Suspended && (!s.NeedsHuman || s.WaitingUntil.IsZero() == untilTime) {
				t.Errorf("after %s: %s until %s", at, s.Phase, s.WaitingUntil)
			}
			if !untilTime {
				w.update(signals.Abandon, signals.AbandonRequest{Reason: "enough"})
			}
		}, at)
	}
	w.rooms = []task.Room{slackRoom}
	w.record()
	s := w.start(t)
	asked := slices.DeleteFunc(w.notices, func(n signals.Notice) bool { return n.Subject != signals.SubjectStop || n.Settled })
	if s.Outcome != task.Abandoned || looked != 2 || len(asked) != 1 {
		t.Errorf("%s, looked %d times, asked %+v", s.Outcome, looked, asked)
	}
}

// Who resumes during a try has used the button that they were shown: they get another one when the try fails.
func TestOutageAsksAnewAfterAResume(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = task.ApprovalNone
	w.env.OnActivity("CommitWork", mock.Anything, mock.Anything).After(150*time.Minute).Return(activities.Committed{}, away("the disk"))
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase == task.Suspended || len(w.notices) == 0 {
			t.Errorf("no try runs: %s", s.Phase)
		}
		w.update(signals.Resume, nil)
	}, 6*time.Hour)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Abandon, nil) }, 100*time.Hour)
	w.rooms = []task.Room{slackRoom}
	w.record()
	w.start(t)
	var settled []bool
	for _, n := range w.notices {
		if n.Subject == signals.SubjectStop {
			settled = append(settled, n.Settled)
		}
	}
	if want := []bool{true, false, true, false}; !slices.Equal(settled, want) { // the first is the end of the silent wait
		t.Errorf("a person was asked, %v that it is settled, want %v", settled, want)
	}
}

// Another outage begins with a short pause again.
func TestOutageAfterACalm(t *testing.T) {
	w := newWorld(t)
	n := 0
	var commits []time.Time
	w.commit = func(in activities.CommitInput) (activities.Committed, error) {
		commits = append(commits, w.env.Now())
		if n++; n <= 3 || n == 5 {
			return activities.Committed{}, away("the disk")
		}
		return activities.Committed{Commit: fmt.Sprintf("c%d", n), Created: true, Files: 1}, nil
	}
	full := false
	w.agent = func(activities.SessionInput) (activities.SessionResult, error) {
		if n < 4 || full {
			return activities.SessionResult{}, nil
		}
		full = true
		return activities.SessionResult{Kind: agent.Quota, Reset: w.env.Now().Add(3 * time.Hour)}, nil
	}
	if s := w.start(t); s.Outcome != task.PullRequest {
		t.Fatalf("%+v", s)
	}
	if got := commits[5].Sub(commits[4]); got != time.Minute {
		t.Errorf("after a calm the first pause is %s", got)
	}
}

// Who has just started a task is told of a failure at once. Nobody waits for what an intake starts. Both go on by themselves.
func TestOutageBeforeThereIsAWorkspace(t *testing.T) {
	for name, c := range map[string]struct {
		input string
		phase task.Phase
	}{
		"typed":          {`{"repository":"acme/calc","task":"x"}`, task.Suspended},
		"from an intake": {issue7, task.Waiting},
	} {
		w := newArriving(t, letIn)
		n := 0
		w.prepare = func(activities.PrepareInput) error {
			if n++; n == 1 {
				return away("the network")
			}
			return nil
		}
		w.env.RegisterDelayedCallback(func() {
			if s := w.status(t); s.Phase != c.phase || !strings.Contains(s.Detail, "the network") || !s.WaitingUntil.After(w.env.Now()) {
				t.Errorf("%s: %+v", name, s)
			}
		}, 30*time.Second)
		w.env.ExecuteWorkflow(workflows.CodingTask, json.RawMessage(c.input))
		if err := w.env.GetWorkflowError(); err != nil || n < 2 {
			t.Errorf("%s: %v after %d tries", name, err, n)
		}
	}
}

// A step that could not run is done again with the time that a person has added meanwhile.
func TestStepGoesOnWithAddedTime(t *testing.T) {
	w := newWorld(t)
	w.settings.Budget.Time = task.Duration(10 * time.Minute)
	w.cut = func(string, int) error {
		if len(w.walls) == 1 {
			return temporal.NewNonRetryableApplicationError("may not be read", string(fault.Denied), nil)
		}
		return nil
	}
	w.env.RegisterDelayedCallback(func() { w.update(signals.Resume, signals.ResumeRequest{AddTime: "2h"}) }, time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || w.walls[0] != 10*time.Minute || w.walls[1] != 130*time.Minute {
		t.Errorf("outcome %s, the check may take %v", s.Outcome, w.walls)
	}
}
