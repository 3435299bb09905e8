package workflows_test

import (
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// holding is the question about "sh deploy.sh" with what the script holds.
func holding(sum string) signals.Question {
	return signals.Question{ID: "file" + sum, TextID: "text0000", Session: 2, Role: task.Implementer, Tool: "Bash", Command: "sh deploy.sh",
		Files: []signals.File{{Path: "deploy.sh", Sum: sum}, {Path: "conf.yml", Sum: "cccc"}}, Rule: "x", Reason: "not known"}
}

// An approval of a script as it was is none of what it has become, and people are told what has changed.
func TestAnApprovalIsForTheFilesAsTheyWere(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	var changed, back *asked
	w.env.RegisterDelayedCallback(func() { w.ask(holding("1111")) }, time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); len(s.Questions) != 1 || len(s.Questions[0].Changed) != 0 {
			t.Errorf("questions %+v", s.Questions)
		}
		w.update(signals.Allow, nil) // nobody waits for it just now
	}, 10*time.Minute)
	w.env.RegisterDelayedCallback(func() { changed = w.ask(holding("2222")) }, 11*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if changed.answer.Verdict != signals.Later {
			t.Errorf("an approval was used for another script: %+v", changed)
		}
		s := w.status(t)
		if len(s.Questions) != 1 || strings.Join(s.Questions[0].Changed, " ") != "deploy.sh" ||
			!strings.Contains(s.Questions[0].Bound(), "Changed since it was last asked: deploy.sh.") {
			t.Errorf("questions %+v", s.Questions)
		}
		back = w.ask(holding("1111"))
	}, 20*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if back.answer.Verdict != signals.Yes {
			t.Errorf("the approval of the script as it is again was not used: %+v", back)
		}
		w.update(signals.Approve, nil)
	}, 30*time.Minute)
	w.start(t)
}

// While nobody has answered, one question is open about one text: the one with the files as they are.
func TestAQuestionIsSupersededWhenItsFilesChange(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	var stale *answer
	w.env.RegisterDelayedCallback(func() { w.ask(holding("1111")) }, time.Minute)
	w.env.RegisterDelayedCallback(func() { w.ask(holding("2222")) }, 10*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		s := w.status(t)
		if len(s.Questions) != 1 || s.Questions[0].ID != "file2222" || len(s.Questions[0].Changed) != 1 {
			t.Errorf("questions %+v", s.Questions)
		}
		stale = w.update(signals.Allow, signals.AllowRequest{Question: "file1111"})
		w.update(signals.Approve, nil)
	}, 20*time.Minute)
	w.start(t)
	if stale.refused == nil || !strings.Contains(stale.refused.Error(), "no command \"file1111\" waits") {
		t.Errorf("what nobody asks any more: %v", stale.refused)
	}
}

// What is allowed for the task is allowed as often as the text comes, whatever the files hold, and at any time.
func TestAnApprovalForTheTask(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	var put []*asked
	var ack *answer
	w.env.RegisterDelayedCallback(func() { w.ask(holding("1111")) }, time.Minute)
	w.env.RegisterDelayedCallback(func() {
		ack = w.update(signals.Allow, signals.AllowRequest{ForTask: true})
		put = append(put, w.ask(holding("1111")), w.ask(holding("2222")))
	}, 10*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		put = append(put, w.ask(holding("3333")))
		w.update(signals.Approve, nil)
	}, 40*time.Hour)
	w.start(t)
	for i, a := range put {
		if a.answer.Verdict != signals.Yes || !a.answer.ForTask || !a.answer.Expires.IsZero() {
			t.Errorf("question %d: %+v", i, a)
		}
	}
	if ack.refused != nil || len(put) != 3 {
		t.Errorf("%v, %d answers", ack.refused, len(put))
	}
}

// What holds for the task holds for its pull request, and in each of its runs: nobody is asked again.
func TestLastingAnswersAreHandedOn(t *testing.T) {
	w := newWorld(t)
	w.follow = true
	w.settings.Approval.Mode = "required"
	w.env.RegisterDelayedCallback(func() { w.ask(holding("1111")) }, time.Minute)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Deny, signals.DenyRequest{Reason: "never"}) }, 10*time.Minute)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Approve, nil) }, time.Hour)
	handover := w.handedOver()
	w.start(t)
	in := *handover
	for range 2 { // runs of the follower
		w = newWorld(t)
		w.look = func(int) (forge.Snapshot, error) { return open(), nil }
		var a *asked
		w.env.RegisterDelayedCallback(func() { a = w.ask(holding("2222")) }, time.Hour)
		w.env.RegisterDelayedCallback(func() { w.env.SetContinueAsNewSuggested(true) }, 2*time.Hour)
		w.env.RegisterWorkflow(workflows.PullRequest)
		w.env.ExecuteWorkflow(workflows.PullRequest, in)
		if a == nil || a.answer.Verdict != signals.No || a.answer.Note != "never" {
			t.Fatalf("the follower got %+v, handed on were %+v", a, in.Answers)
		}
		in = handed[signals.PullRequestInput](t, w)
	}
}

// The files of a push are looked at one by one: none is allowed for the task.
func TestAPushIsNotAllowedForTheTask(t *testing.T) {
	w := newWorld(t)
	finds(w, aWorkflow)
	var wide *answer
	w.env.RegisterDelayedCallback(func() {
		wide = w.update(signals.Allow, signals.AllowRequest{Question: signals.PushID, ForTask: true})
	}, time.Hour)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Allow, nil) }, 2*time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest {
		t.Errorf("outcome %s", s.Outcome)
	}
	if wide.refused == nil || !strings.Contains(wide.refused.Error(), "as they are, and not for the task") {
		t.Errorf("got %v", wide.refused)
	}
}
