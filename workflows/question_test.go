package workflows_test

import (
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// askFor puts a question to the task as a host does, and gives what comes of it.
func (w *world) askFor(id, command string) *asked {
	return w.ask(signals.Question{ID: id, Session: 2, Role: task.Implementer, Tool: "Bash", Command: command, Dir: "web", Rule: "program.unknown",
		Reason: "not known"})
}

func (w *world) ask(q signals.Question) *asked {
	a := &asked{}
	w.env.UpdateWorkflow(signals.Ask, "", &testsuite.TestUpdateCallback{
		OnAccept: func() {},
		OnReject: func(err error) { a.refused = err },
		OnComplete: func(v any, err error) {
			a.answer, _ = v.(signals.Answer)
			a.err = err
			a.at = w.env.Now()
		},
	}, q)
	return a
}

type asked struct {
	answer  signals.Answer
	refused error
	err     error
	at      time.Time
}

// needs has the first implementing session end because it waits for a person.
func needs(w *world) {
	n := 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer {
			if n++; n == 1 {
				return activities.SessionResult{Kind: agent.NeedsApproval, Error: "a person has been asked"}, nil
			}
		}
		return activities.SessionResult{}, nil
	}
}

func TestCommandWaitsForAPersonDurably(t *testing.T) {
	w := newWorld(t)
	needs(w)
	var q *asked
	w.env.RegisterDelayedCallback(func() { q = w.askFor("aaaa1111", "terraform plan") }, 5*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if q.err != nil || q.answer.Verdict != signals.Later {
			t.Errorf("after the wait: %+v", q)
		}
		if s := w.status(t); len(s.Questions) != 1 || s.Questions[0].Command != "terraform plan" || s.Questions[0].Expires.Sub(s.Questions[0].Asked) != 12*time.Hour {
			t.Errorf("questions %+v", s.Questions)
		}
	}, 8*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Suspended || s.Reason != signals.ReasonCommand || !s.NeedsHuman || s.WaitingUntil.IsZero() {
			t.Errorf("three hours in: %s, %s, needs human %v, until %s", s.Phase, s.Reason, s.NeedsHuman, s.WaitingUntil)
		}
		if a := w.update(signals.Allow, signals.AllowRequest{Question: "aaaa", Comment: "only once", Message: signals.Message{By: "maria"}}); a.refused != nil {
			t.Errorf("refused: %v", a.refused)
		}
	}, 3*time.Hour)
	s := w.start(t)
	if s.Outcome != task.PullRequest || len(s.Questions) != 0 {
		t.Errorf("outcome %s, questions %+v", s.Outcome, s.Questions)
	}
	if first, again := w.asked[1], w.asked[2]; first.ID != again.ID || again.Ask != 2 {
		t.Errorf("the session was not gone on with: %s, then %s", first.ID, again.ID)
	}
	wantTold(t, w.asked[2], "may run now, exactly as written and in the folder web: terraform plan", "only once")
}

func wantTold(t *testing.T, in activities.SessionInput, words ...string) {
	t.Helper()
	text := ""
	for _, tell := range in.Prompt.Messages {
		text += tell.Text + "\n"
	}
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("the session was not told %q but %q", word, text)
		}
	}
}

// No answer is a no for now: the session does without, and what it asks for again can still be allowed.
func TestNoAnswerIsANo(t *testing.T) {
	for name, lift := range map[string]func(w *world){
		"in time":    func(*world) {},
		"but resume": func(w *world) { w.update(signals.Resume, signals.ResumeRequest{}) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			needsThenAsks(w)
			var again *asked
			w.env.RegisterDelayedCallback(func() { w.askFor("aaaa1111", "terraform plan") }, 5*time.Minute)
			w.env.RegisterDelayedCallback(func() { lift(w) }, 2*time.Hour)
			w.env.RegisterDelayedCallback(func() { w.askFor("aaaa1111", "terraform plan") }, 14*time.Hour)
			w.env.RegisterDelayedCallback(func() {
				if a := w.update(signals.Allow, signals.AllowRequest{Question: "aaaa"}); a.refused != nil {
					t.Errorf("it can't be allowed any more: %v", a.refused)
				}
				again = w.askFor("aaaa1111", "terraform plan")
				w.update(signals.Resume, signals.ResumeRequest{})
			}, 15*time.Hour)
			if s := w.start(t); s.Outcome != task.PullRequest || len(s.Questions) != 0 {
				t.Errorf("outcome %s, questions %+v", s.Outcome, s.Questions)
			}
			wantTold(t, w.asked[2], "may not run: terraform plan")
			if again.answer.Verdict != signals.Yes {
				t.Errorf("asked again, it was told %+v", again.answer)
			}
		})
	}
}

// needsThenAsks is like needs; the second implementing session ends with a question.
func needsThenAsks(w *world) {
	kinds := []agent.OutcomeKind{agent.NeedsApproval, agent.NeedsAnswer}
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role != task.Implementer || len(kinds) == 0 {
			return activities.SessionResult{}, nil
		}
		kind := kinds[0]
		kinds = kinds[1:]
		return activities.SessionResult{Kind: kind, Error: "a person has been asked"}, nil
	}
}

// A session that asks at once gets the answer when it asks again: once, when nobody has given it.
func TestNoAnswerIsToldOnce(t *testing.T) {
	w := newWorld(t)
	needsThenAsks(w)
	q := signals.Question{ID: "aaaa1111", Role: task.Implementer, Tool: "Bash", Command: "terraform plan", AtOnce: true}
	var told, again *asked
	w.env.RegisterDelayedCallback(func() { w.ask(q) }, 5*time.Minute)
	w.env.RegisterDelayedCallback(func() { told = w.ask(q) }, 14*time.Hour)
	w.env.RegisterDelayedCallback(func() { again = w.ask(q) }, 14*time.Hour+time.Minute)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Resume, signals.ResumeRequest{}) }, 15*time.Hour)
	w.start(t)
	if told.answer.Verdict != signals.No || !told.answer.Unanswered || again.answer.Verdict != signals.Later {
		t.Errorf("told %+v, then %+v", told.answer, again.answer)
	}
}

// Who adds money or time says nothing about the commands that wait.
func TestResumeLeavesWaitingCommandsOpen(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	var q *asked
	w.env.RegisterDelayedCallback(func() { q = w.askFor("aaaa1111", "terraform plan") }, 5*time.Minute)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Resume, signals.ResumeRequest{AddCost: 5}) }, 6*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if a := w.update(signals.Allow, signals.AllowRequest{}); a.refused != nil {
			t.Errorf("it can't be allowed any more: %v", a.refused)
		}
		w.update(signals.Approve, nil)
	}, 6*time.Minute+30*time.Second)
	w.start(t)
	if q.answer.Verdict != signals.Yes {
		t.Errorf("the session was told %+v", q.answer)
	}
}

func TestAnswerWhileTheSessionWaits(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	var first, second, third, expired, refused, again *asked
	w.env.RegisterDelayedCallback(func() { first = w.askFor("aaaa1111", "x") }, 5*time.Minute)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Allow, signals.AllowRequest{}) }, 6*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if first.answer.Verdict != signals.Yes || first.answer.By != "someone" {
			t.Errorf("first: %+v", first)
		}
		if s := w.status(t); s.NextAction == "`allow` or `deny` the command, or `abandon`" || len(s.Questions) != 0 {
			t.Errorf("an answered question still stands: %+v", s)
		}
		second = w.askFor("aaaa1111", "x")
	}, 7*time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if second.answer.Verdict != signals.Later {
			t.Errorf("an approval was used twice: %+v", second)
		}
		w.update(signals.Allow, signals.AllowRequest{}) // nobody waits for it just now
	}, 10*time.Minute)
	w.env.RegisterDelayedCallback(func() { third = w.askFor("aaaa1111", "x") }, 12*time.Hour)
	w.env.RegisterDelayedCallback(func() {
		if third.answer.Verdict != signals.Yes {
			t.Errorf("an approval that holds was not used: %+v", third)
		}
		w.askFor("aaaa1111", "x")
	}, 12*time.Hour+time.Minute)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Allow, signals.AllowRequest{}) }, 12*time.Hour+5*time.Minute)
	w.env.RegisterDelayedCallback(func() { expired = w.askFor("aaaa1111", "x") }, 25*time.Hour)
	w.env.RegisterDelayedCallback(func() {
		if expired.answer.Verdict != signals.Later {
			t.Errorf("an approval was used after it had expired: %+v", expired)
		}
		refused = w.askFor("bbbb2222", "y")
	}, 26*time.Hour)
	w.env.RegisterDelayedCallback(func() {
		w.update(signals.Deny, signals.DenyRequest{Question: "bbbb", Reason: "never"})
		again = w.askFor("bbbb2222", "y")
		w.update(signals.Approve, nil)
	}, 26*time.Hour+time.Minute)
	if s := w.start(t); s.Outcome != task.PullRequest {
		t.Errorf("outcome %s", s.Outcome)
	}
	for name, a := range map[string]*asked{"refused": refused, "again": again} {
		if a.answer.Verdict != signals.No || a.answer.Note != "never" {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestAnswersThatNameNothing(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	got, put := map[string]*answer{}, map[string]*asked{}
	w.env.RegisterDelayedCallback(func() {
		got["no command waits for an answer: the task is approving"] = w.update(signals.Allow, signals.AllowRequest{})
		w.askFor("aaaa1111", "x")
		w.askFor("aabb2222", "y")
	}, time.Minute)
	w.env.RegisterDelayedCallback(func() {
		got["2 commands wait for an answer: aaaa1111, aabb2222"] = w.update(signals.Deny, signals.DenyRequest{})
		got[`no command "cc" waits for an answer`] = w.update(signals.Allow, signals.AllowRequest{Question: "cc"})
		put["a question needs an id and a command"] = w.askFor("", "x")
		put["the command of a question has 5000 bytes, 4096 are allowed"] = w.askFor("dd", strings.Repeat("x", 5000))
	}, 2*time.Minute)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Approve, nil) }, time.Hour)
	w.start(t)
	refused := map[string]error{}
	for want, a := range got {
		refused[want] = a.refused
	}
	for want, a := range put {
		refused[want] = a.refused
	}
	for want, err := range refused {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestQuestionsEndWithTheTask(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	var q *asked
	w.env.RegisterDelayedCallback(func() { q = w.askFor("aaaa1111", "x") }, time.Minute)
	w.env.RegisterDelayedCallback(func() { w.update(signals.Abandon, nil) }, 90*time.Second)
	began := w.env.Now()
	if s := w.start(t); s.Outcome != task.Abandoned || len(s.Questions) != 0 {
		t.Errorf("outcome %s, questions %+v", s.Outcome, s.Questions)
	}
	if q.answer.Verdict != signals.Later || q.at.Sub(began) > 100*time.Second {
		t.Errorf("answered %+v after %s", q.answer, q.at.Sub(began))
	}
}

func TestLoops(t *testing.T) {
	w := newWorld(t)
	n := 0
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer {
			if n++; n <= 2 {
				return activities.SessionResult{Kind: agent.Looped, Error: "it ran `ls` five times"}, nil
			}
		}
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Suspended || s.Reason != signals.ReasonLoop || !strings.Contains(s.Detail, "five times") {
			t.Errorf("%s, %s: %s", s.Phase, s.Reason, s.Detail)
		}
		w.update(signals.Resume, nil)
	}, 2*time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || w.roles() != "piiiir" {
		t.Errorf("outcome %s, sessions %s", s.Outcome, w.roles())
	}
	if w.asked[1].ID == w.asked[2].ID {
		t.Error("a session that went round in circles was gone on with")
	}
}

func TestSecretInTheWork(t *testing.T) {
	w := newWorld(t)
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		if n := len(w.commits); n > 2 { // the first two tries hold it
			return activities.Committed{Commit: "c", Created: true, Files: 1}, nil
		}
		return activities.Committed{Failed: "calc.go, line 3, holds a secret", Leak: true}, nil
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.roles() != "piiiir" {
		t.Errorf("outcome %s, sessions %s: the deliverable must be done again", s.Outcome, w.roles())
	}
	if a, b := w.asked[1].Prompt.Deliverable.ID, w.asked[2].Prompt.Deliverable.ID; a != b {
		t.Errorf("after the secret the next session is for %s, not %s", b, a)
	}
	last := w.asked[2].Prompt.Progress
	if len(last) == 0 || !strings.Contains(last[len(last)-1].Text, "holds a secret") {
		t.Errorf("the next session was not told: %+v", last)
	}
}

func TestSecretThatStays(t *testing.T) {
	w := newWorld(t)
	w.settings.Errors = 1
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		return activities.Committed{Failed: "calc.go, line 3, holds a secret", Leak: true}, nil
	}
	var told *answer
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Suspended || s.Reason != signals.ReasonSecret || len(w.asked) != 3 ||
			!strings.Contains(s.Detail, "on host alpha") || !strings.Contains(s.Detail, "a note to `resume`") {
			t.Errorf("%s, %s after %d sessions: %s; %s", s.Phase, s.Reason, len(w.asked), s.Detail, s.NextAction)
		}
		told = w.update(signals.Tell, signals.TellRequest{Text: "read it from a variable"})
		w.update(signals.Abandon, nil)
	}, 5*time.Hour)
	w.start(t)
	if !strings.Contains(told.ack.Text, "the task is stopped: take the secret out") {
		t.Errorf("who tells it something is answered %q", told.ack.Text)
	}
}

// Hosts that are killed while they wait leave their questions behind. Those must not take the room that answers need.
func TestQuestionsLeaveRoomForAnswers(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	var put []*asked
	w.env.RegisterDelayedCallback(func() {
		for range 8 {
			put = append(put, w.askFor("aaaa1111", "x"))
		}
	}, time.Minute)
	w.env.RegisterDelayedCallback(func() {
		if a := w.update(signals.Allow, nil); a.refused != nil {
			t.Errorf("refused: %v", a.refused)
		}
	}, 80*time.Second)
	w.env.RegisterDelayedCallback(func() {
		again := w.askFor("aaaa1111", "x")
		w.update(signals.Approve, nil)
		put = append(put, again)
	}, 100*time.Second)
	w.start(t)
	for i, a := range put {
		want := signals.Yes
		if i == 8 {
			want = signals.Later // it came when the approval was used up
		}
		if full := i == 6 || i == 7; full != (a.refused != nil) || !full && a.answer.Verdict != want {
			t.Errorf("question %d: refused %v, %+v", i, a.refused, a.answer)
		}
	}
}

// A question that a session left behind expires for itself: one that came later keeps its time.
func TestAnOldQuestionTakesNoTimeFromANewOne(t *testing.T) {
	w := newWorld(t)
	w.settings.Approval.Mode = "required"
	needs(w)
	w.env.RegisterDelayedCallback(func() { w.askFor("aaaa1111", "old") }, time.Minute) // of the planner, which ended without an answer
	w.env.RegisterDelayedCallback(func() {
		w.askFor("bbbb2222", "new")
		w.update(signals.Approve, nil)
	}, 13*time.Hour)
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Phase != task.Suspended || len(s.Questions) != 1 || s.Questions[0].Command != "new" || !s.WaitingUntil.Equal(s.Questions[0].Expires) {
			t.Errorf("two hours after the new question: %s until %s, %+v", s.Phase, s.WaitingUntil, s.Questions)
		}
		if a := w.update(signals.Allow, nil); a.refused != nil {
			t.Errorf("refused: %v", a.refused)
		}
	}, 15*time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest {
		t.Errorf("outcome %s", s.Outcome)
	}
	wantTold(t, w.asked[2], "may not run: old", "may run now", "new")
}
