package github

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// checkRun is one of the task on a commit.
func checkRun(head string, n int, c forge.Conclusion) forge.CheckRun {
	return forge.CheckRun{Commit: head, Key: forge.CheckRunKey("task-1", n), Conclusion: c,
		Title: "Round 1", Summary: "It works.", Text: "### Log"}
}

func (b *appBench) write(c forge.CheckRun) {
	b.t.Helper()
	if err := b.forge.WriteCheckRun(b.t.Context(), shop(), c); err != nil {
		b.t.Fatal(err)
	}
}

// states are the check runs of a commit: status and conclusion.
func (b *appBench) states(head string) string {
	var all []string
	for _, c := range b.server.CheckRuns(repo, head) {
		all = append(all, strings.TrimSpace(c.Status+" "+c.Conclusion))
	}
	return strings.Join(all, ", ")
}

// Each key has one check run on a commit, whatever comes twice or late, and what is completed is not opened again.
func TestCheckRun(t *testing.T) {
	b := newAppBench(t)
	head := b.request().HeadCommit
	for _, step := range []struct {
		write forge.CheckRun
		want  string
	}{
		{checkRun(head, 1, ""), "in_progress"},
		{checkRun(head, 1, ""), "in_progress"},
		{checkRun(head, 1, forge.ActionRequired), "completed action_required"},
		{checkRun(head, 1, forge.ActionRequired), "completed action_required"},
		{checkRun(head, 1, ""), "completed action_required"},
		{checkRun(head, 2, ""), "completed action_required, in_progress"},
		{checkRun(head, 2, forge.Success), "completed action_required, completed success"},
		{checkRun(head, 3, forge.Failure), "completed action_required, completed success, completed failure"},
	} {
		b.write(step.write)
		if got := b.states(head); got != step.want {
			t.Errorf("got %s, want %s", got, step.want)
		}
	}
	got := b.server.CheckRuns(repo, head)[0]
	if got.Name != "Longshift" || got.Key != "longshift/task-1/1" ||
		got.Title != "Round 1" || got.Summary != "It works." || got.Text != "### Log" {
		t.Errorf("%+v", got)
	}
}

// A worker that was stopped, and whose attempt has been given up, writes nothing when it goes on: another may have.
func TestCheckRunLate(t *testing.T) {
	b := newAppBench(t)
	head := b.request().HeadCommit
	ctx := clock.WithLimit(t.Context(), func() error { return fault.New(fault.Infra, "too late") })
	if err := b.forge.WriteCheckRun(ctx, shop(), checkRun(head, 1, "")); fault.KindOf(err) != fault.Infra || !strings.Contains(err.Error(), "too late") {
		t.Error(err)
	}
	if got := b.states(head); got != "" {
		t.Errorf("there is %s", got)
	}
}

// A death between the call and its answer leaves one check run.
func TestCheckRunDeath(t *testing.T) {
	b := newAppBench(t)
	head := b.request().HeadCommit
	for name, f := range map[string]forgetest.Fault{
		"answer lost": forgetest.Dropped().Late(), "not done": forgetest.ServerError(http.StatusBadGateway),
	} {
		b.server.Inject(f.On("POST", "/check-runs"))
		c := checkRun(head, len(name), forge.Success)
		if err := b.forge.WriteCheckRun(t.Context(), shop(), c); err != nil && fault.KindOf(err) != fault.Infra {
			t.Error(name, err)
		}
		b.write(c)
	}
	if got := b.states(head); got != "completed success, completed success" {
		t.Error(got)
	}
}

// With a token nothing is tried, and an app without the permission is refused once in an hour.
func TestCheckRunNotAllowed(t *testing.T) {
	b := newBench(t)
	if b.forge.WritesCheckRuns() {
		t.Error("a token is said to write check runs")
	}
	err := b.forge.WriteCheckRun(t.Context(), shop(), checkRun("x", 1, ""))
	if fault.KindOf(err) != fault.Denied || b.server.Count("GET", "")+b.server.Count("POST", "") != 0 {
		t.Errorf("%v", err)
	}
	a := newAppBench(t)
	a.server.Install(forgetest.Installation{ID: 7, Account: "acme", Permissions: map[string]string{"checks": "read"}})
	if !a.forge.WritesCheckRuns() {
		t.Error("an app is said not to write check runs")
	}
	head := a.request().HeadCommit
	for range 3 {
		err := a.forge.WriteCheckRun(t.Context(), shop(), checkRun(head, 1, ""))
		if fault.KindOf(err) != fault.Denied || !strings.Contains(fault.HintOf(err), `"Checks: write"`) {
			t.Errorf("%v; %s", err, fault.HintOf(err))
		}
	}
	if n := a.server.Count("POST", "/check-runs"); n != 1 {
		t.Errorf("it was tried %d times", n)
	}
	a.server.Install(forgetest.Installation{ID: 7, Account: "acme", Permissions: everything})
	a.clock.advance(61 * time.Minute)
	a.write(checkRun(head, 1, ""))
}

// Our own check runs are no CI: they fail no pull request and keep no round waiting. One that another has written is, whatever its name and
// key, and with a token every one is another's.
func TestOwnCheckRunIsNoCI(t *testing.T) {
	a := newAppBench(t)
	pull := a.request()
	n := a.ensure(pull).Number
	for i, c := range []forgetest.Check{
		{Status: "in_progress"}, {Conclusion: "failure"}, {Conclusion: "success"}, {Conclusion: "action_required"},
	} {
		c.Name, c.Head, c.Key, c.App = forge.CheckRunName, pull.HeadCommit, forge.CheckRunKey("task-1", i), "longshift-acme"
		a.server.SetCheck(repo, c)
		if l := a.look(n, ""); l.Pending+l.Passed+len(l.Items) != 0 {
			t.Errorf("%+v counts: %+v", c, l)
		}
	}
	a.server.SetCheck(repo, forgetest.Check{Name: forge.CheckRunName, Head: pull.HeadCommit, Conclusion: "failure", Key: forge.CheckRunKey("task-1", 9), App: "github-actions"})
	expect(t, a.look(n, ""), "check:Longshift")
	a.write(checkRun(pull.HeadCommit, 9, forge.Success))
	if got := a.states(pull.HeadCommit); !strings.HasSuffix(got, "completed failure, completed success") {
		t.Errorf("the other's is not left alone: %s", got)
	}
	b, n := opened(t)
	b.server.SetCheck(repo, forgetest.Check{Name: forge.CheckRunName, Head: commit("work 1"), Conclusion: "failure", Key: forge.CheckRunKey("task-1", 1), App: "longshift-acme"})
	expect(t, b.look(n, ""), "check:Longshift")
}

// Our own check runs and their suite wake nobody, those of another app do, whatever their name and key.
func TestWebhookOwnSuite(t *testing.T) {
	b, e := newAppBench(t), newEar(t, nil)
	var events []forge.Event
	e.handler = b.forge.Webhook(WebhookConfig{
		Secret: func(context.Context) (string, error) { return hookSecret, nil }, Repositories: []string{repo},
		Deliver: func(_ context.Context, ev forge.Event) error { events = append(events, ev); return nil }})
	for slug, want := range map[string]int{"longshift-acme": 0, "github-actions": 1} {
		events = nil
		pull := fields{"number": 8, "base": fields{"ref": "main", "sha": strings.Repeat("a", 40), "repo": fields{"id": 4711}}}
		body := forgetest.Hook(t, "check-suite-completed", fields{"repository": shopRepo, "sender": alice,
			"check_suite": fields{"status": "completed", "conclusion": "success", "app": fields{"slug": slug}, "pull_requests": []any{pull}}})
		if e.send(signed("check_suite", body)); len(events) != want {
			t.Errorf("suite of %s: %+v\n%s", slug, events, b.log)
		}
		events = nil
		body = forgetest.Hook(t, "check-run-completed", fields{"repository": shopRepo, "sender": alice,
			"check_run": fields{"status": "completed", "conclusion": "success", "name": forge.CheckRunName, "external_id": forge.CheckRunKey("task-1", 1),
				"app": fields{"slug": slug}, "pull_requests": []any{pull}}})
		if e.send(signed("check_run", body)); len(events) != want {
			t.Errorf("run of %s: %+v\n%s", slug, events, b.log)
		}
	}
}
