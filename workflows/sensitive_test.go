package workflows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

var (
	aWorkflow = task.Finding{ID: "id-ci", Kind: "ci", Path: ".github/workflows/x.yml", What: "new", Action: task.AskFinding}
	aHook     = task.Finding{ID: "id-hook", Kind: "hooks", Path: ".husky/x", What: "new", Action: task.RefuseFinding}
	aLock     = task.Finding{ID: "id-lock", Kind: "locks", Path: "go.sum", What: "changed", Action: task.NameFinding}
)

// finds has every commit hold these.
func finds(w *world, found ...task.Finding) {
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		return activities.Committed{Commit: fmt.Sprintf("commit%d", len(w.commits)), Created: true, Files: 1, Sensitive: found}, nil
	}
}

// holds is a host that pushes nothing before these are allowed.
func holds(found ...task.Finding) error {
	return temporal.NewApplicationErrorWithOptions("not pushed", string(fault.Unapproved),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{"", found}})
}

func TestPushWaitsForAPersonDurably(t *testing.T) {
	w := newWorld(t)
	finds(w, aWorkflow, aLock)
	var resume, allow *answer
	w.env.RegisterDelayedCallback(func() {
		s := w.status(t)
		if s.Phase != task.Suspended || s.Reason != signals.ReasonPush || !s.NeedsHuman || !strings.Contains(s.NextAction, "`allow` or `deny`") ||
			len(s.Questions) != 1 {
			t.Fatalf("in two weeks: %s, %s, %+v", s.Phase, s.Reason, s.Questions)
		}
		q := s.Questions[0]
		if !q.Push() || q.Command != "ci .github/workflows/x.yml: new" || !q.Expires.IsZero() || q.Rule != "sensitive.ci" ||
			!strings.Contains(q.Reason, "refs/longshift/") {
			t.Errorf("asked %+v", q)
		}
		if w.pushes != 0 || len(w.requests) != 0 {
			t.Error("pushed before anybody has answered")
		}
		resume = w.update(signals.Resume, signals.ResumeRequest{})
		allow = w.update(signals.Allow, signals.AllowRequest{Question: "push", Message: signals.Message{By: "maria"}})
	}, 14*24*time.Hour)
	s := w.start(t)
	if resume.refused == nil || !strings.Contains(resume.refused.Error(), "`resume` is none") {
		t.Errorf("resume: %+v", resume)
	}
	if allow.refused != nil || !strings.HasPrefix(allow.ack.Text, "the push is allowed: ci") {
		t.Errorf("allow: %+v", allow)
	}
	if s.Outcome != task.PullRequest || s.NeedsHuman || len(s.Questions) != 0 || s.Reason != "" {
		t.Errorf("outcome %s, %s, questions %+v", s.Outcome, s.Reason, s.Questions)
	}
	if len(w.pushed) != 1 || !slices.Equal(w.pushed[0].Allowed, []string{"id-ci"}) {
		t.Errorf("pushed %+v", w.pushed)
	}
	if named := w.request(t).Summary.Sensitive; !slices.Equal(named, []task.Finding{aWorkflow, aLock}) {
		t.Errorf("the pull request names %+v", named)
	}
}

// Whoever says no, and where nobody is asked: the branch stays where it is, with its work.
func TestPushIsDenied(t *testing.T) {
	for name, c := range map[string]struct {
		found []task.Finding
		set   func(w *world)
		why   string
		asked int
	}{
		"by a person": {[]task.Finding{aWorkflow}, func(w *world) {
			w.env.RegisterDelayedCallback(func() {
				w.update(signals.Deny, signals.DenyRequest{Reason: "no CI here", Message: signals.Message{By: "maria"}})
			}, time.Hour)
		}, "maria has denied it: no CI here:\nci .github/workflows/x.yml: new\n", 1},
		"by the settings": {[]task.Finding{aWorkflow}, func(w *world) { w.settings.Commands.Questions = task.QuestionsDeny },
			"nobody is asked (commands.questions)", 0},
		"by the operator": {[]task.Finding{aHook}, func(w *world) { w.settings.FixAttempts = 0 }, "the operator refuses it:\nhooks .husky/x: new\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			finds(w, c.found...)
			c.set(w)
			s := w.start(t)
			if s.Outcome != task.Rejected || !strings.Contains(s.Detail, c.why) || !strings.Contains(s.Detail, "kept in refs/longshift/"+s.TaskID) {
				t.Errorf("outcome %s: %s", s.Outcome, s.Detail)
			}
			if w.pushes != 0 || len(w.requests) != 0 || w.cleaned != 0 {
				t.Errorf("%d pushes, %d pull requests, cleaned %d times", w.pushes, len(w.requests), w.cleaned)
			}
			if asked := strings.Count(logText(s), "question:"); asked != c.asked {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}

// A change without anything to ask about is pushed as ever.
func TestPushWithoutAQuestion(t *testing.T) {
	w := newWorld(t)
	finds(w, aLock)
	if s := w.start(t); s.Outcome != task.PullRequest || strings.Contains(logText(s), "question") || w.pushed[0].Allowed != nil {
		t.Errorf("outcome %s, pushed %+v", s.Outcome, w.pushed)
	}
}

func TestRefusedWorkGoesBack(t *testing.T) {
	w := newWorld(t)
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		out := activities.Committed{Commit: fmt.Sprint("c", len(w.commits)), Created: true, Files: 1}
		if len(w.commits) == 1 {
			out.Sensitive = []task.Finding{aHook}
		}
		return out, nil
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.roles() != "piiir" || w.pushes != 1 {
		t.Errorf("outcome %s, sessions %s, %d pushes", s.Outcome, w.roles(), w.pushes)
	}
	if p := w.asked[2].Prompt; p.Fixing != 1 || !strings.Contains(p.Refused, "take them back:\nhooks .husky/x: new") || p.Deliverable.ID != "FIX-001" {
		t.Errorf("the second session was told %d, %q", p.Fixing, p.Refused)
	}
}

// What is refused for good does not go back for ever.
func TestRefusedWorkIsBounded(t *testing.T) {
	w := newWorld(t)
	w.settings.FixAttempts = 2
	finds(w, aHook)
	if s := w.start(t); s.Outcome != task.Rejected || w.roles() != "piiiiiir" || w.pushes != 0 {
		t.Errorf("outcome %s, sessions %s, %d pushes", s.Outcome, w.roles(), w.pushes)
	}
}

// The host that pushes may know better than the one that made the commit. What it finds is asked, once.
func TestPushIsHeldByTheHost(t *testing.T) {
	w := newWorld(t)
	w.push = func() (string, error) {
		if len(w.pushed) == 1 {
			return "", holds(aWorkflow)
		}
		return "pushed", nil
	}
	w.env.RegisterDelayedCallback(func() { w.update(signals.Allow, signals.AllowRequest{}) }, time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest || len(w.pushed) != 2 || !slices.Equal(w.pushed[1].Allowed, []string{"id-ci"}) {
		t.Errorf("outcome %s, pushed %+v", s.Outcome, w.pushed)
	}
	w = newWorld(t)
	finds(w, aWorkflow)
	w.push = func() (string, error) { return "", holds(aWorkflow) }
	w.env.RegisterDelayedCallback(func() { w.update(signals.Allow, signals.AllowRequest{}) }, time.Hour)
	w.env.ExecuteWorkflow(signals.CodingTask, map[string]string{"repository": "acme/calc", "task": "x"})
	if err := w.env.GetWorkflowError(); err == nil || len(w.pushed) != 1 {
		t.Errorf("a host that holds what was allowed: %v after %d pushes", err, len(w.pushed))
	}
}

// Nobody may allow what they could not read: what does not fit into one question is the next one.
func TestPushIsAskedAboutInParts(t *testing.T) {
	w := newWorld(t)
	var all []task.Finding
	for n := range 30 {
		all = append(all, task.Finding{ID: fmt.Sprint(n), Kind: "ci", Path: strings.Repeat("x", 160), What: strings.Repeat("y", 100), Action: task.AskFinding})
	}
	finds(w, all...)
	shown := 0
	for n := range 5 {
		w.env.RegisterDelayedCallback(func() {
			q := w.status(t).Questions[0]
			shown += len(strings.Split(q.Command, "\n"))
			if strings.Contains(q.Command, "…") {
				t.Errorf("cut: %s", q.Command)
			}
			w.update(signals.Allow, signals.AllowRequest{})
		}, time.Duration(n+1)*time.Hour)
	}
	if s := w.start(t); s.Outcome != task.PullRequest || shown != 30 || len(w.pushed[0].Allowed) != 30 {
		t.Errorf("outcome %s, shown %d, allowed %d", s.Outcome, shown, len(w.pushed[0].Allowed))
	}
}

// roundWith plays a round on a comment, which ends with somebody's answer about the push, and what comes up later.
func (w *world) roundWith(t *testing.T, answer func(), later ...forge.Item) signals.Status {
	t.Helper()
	finds(w, aWorkflow, aLock)
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Reason != signals.ReasonPush || w.pushes != 0 {
			t.Errorf("reason %s after %d pushes", s.Reason, w.pushes)
		}
		answer()
	}, 10*time.Hour)
	return w.lookAfter(t, func(at time.Duration) forge.Snapshot {
		switch {
		case at > 24*time.Hour:
			return merged()
		case at > 16*time.Hour:
			return open(later...)
		}
		return open(thread(11, "rename it"))
	})
}

func TestRoundWaitsForAPerson(t *testing.T) {
	w := newWorld(t)
	s := w.roundWith(t, func() { w.update(signals.Allow, signals.AllowRequest{}) })
	if s.Outcome != task.PullMerged || s.Rounds != 1 || len(w.pushed) != 1 || !slices.Equal(w.pushed[0].Allowed, []string{"id-ci"}) || len(w.replies) != 1 {
		t.Fatalf("outcome %s after %d rounds, pushed %+v:\n%s", s.Outcome, s.Rounds, w.pushed, logText(s))
	}
	if text := w.replies[0].Replies[0].Text; !strings.HasPrefix(text, "Done in commit1") ||
		!strings.Contains(text, "first:\n\n- ci .github/workflows/x.yml: new\n- locks go.sum: changed") {
		t.Errorf("answered %q", text)
	}
}

// A round that must not be pushed is answered, and does not begin again by itself. The next one has nothing to do with it.
func TestRoundIsDenied(t *testing.T) {
	w := newWorld(t)
	s := w.roundWith(t, func() {
		w.update(signals.Deny, signals.DenyRequest{})
		finds(w)
		w.env.RegisterDelayedCallback(func() {
			if s := w.status(t); w.pushes != 0 || len(w.replies) != 1 || s.Head != "base" {
				t.Errorf("%d pushes and %d answers after the denial, head %s", w.pushes, len(w.replies), s.Head)
			}
		}, 5*time.Hour)
	}, thread(12, "and this"))
	if s.Outcome != task.PullMerged || s.Rounds != 2 || w.pushes != 1 || w.pushed[0].Allowed != nil || len(w.replies) != 2 || w.cleaned != 2 {
		t.Fatalf("outcome %s after %d rounds, pushed %+v, %d answers:\n%s", s.Outcome, s.Rounds, w.pushed, len(w.replies), logText(s))
	}
	if tells := w.asked[2].Prompt.Messages; len(tells) != 0 {
		t.Errorf("the next round's session was told %+v", tells)
	}
	text := w.replies[0].Replies[0].Text
	if !strings.HasPrefix(text, "Not done: it was not pushed") || !strings.Contains(text, "- ci .github/workflows/x.yml: new") ||
		strings.Contains(text, "go.sum") {
		t.Errorf("answered %q", text)
	}
}
