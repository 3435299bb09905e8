package tasks

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func TestRowState(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		row  Row
		want string
	}{
		{Row{}, "starting"},
		{Row{Phase: task.Executing}, "executing"},
		{Row{Phase: task.Approving, NeedsHuman: true, WaitingUntil: now.Add(90 * time.Second)}, "approving (1m 30s left) — needs you"},
		{Row{Phase: task.Waiting, WaitingUntil: now.Add(3 * time.Hour)}, "waiting (3h left)"},
		{Row{Phase: task.Waiting, WaitingUntil: now.Add(-time.Hour)}, "waiting"},
		{Row{Phase: task.Queued, WaitsFor: signals.WaitPull}, "queued (open pull request)"},
		{Row{Phase: task.Queued, WaitsFor: signals.WaitCost, WaitingUntil: now.Add(3 * time.Hour)}, "queued (daily cost, 3h left)"},
		{Row{Phase: task.Suspended, NeedsHuman: true}, "suspended — needs you"},
		{Row{Phase: task.Ended, Outcome: task.PullRequest, NeedsHuman: true}, "pull_request"},
	} {
		if got := c.row.State(now); got != c.want {
			t.Errorf("%+v: %q, want %q", c.row, got, c.want)
		}
	}
}

// TestStatusOfRow: without a worker, the pull request is the one at the address that the server has.
func TestStatusOfRow(t *testing.T) {
	for address, want := range map[string]*signals.PullRequest{
		"": nil, "/srv/web.git refs/longshift/pr/1/record": nil, "https://h/acme/web/pull/12": {Number: 12, URL: "https://h/acme/web/pull/12"},
	} {
		if got := statusOf(Row{PullRequest: address}).PullRequest; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", address, got)
		}
	}
}

// The whole status of a task in mid-session, as people see it.
func TestStatusText(t *testing.T) {
	c := clitest.NewTerminal(t)
	server := fakeViewer(c).server
	server.At(client.Options{Namespace: "default"})
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := Snapshot{
		Status: &signals.Status{WorkflowID: "web-1", RunID: "run", Repository: "acme/web", Task: "Fix the login", RequestedBy: "ann", Phase: task.Executing,
			Started: now.Add(-10 * time.Minute), Branch: "longshift/fix", Host: "box", Iteration: 1, Iterations: 10, BudgetUSD: 5, Usage: task.Usage{CostUSD: 1.5},
			Worked: 4 * time.Minute, BudgetTime: time.Hour, Sessions: []signals.Session{{N: 1}, {N: 2, Resumed: 2}},
			Plan:    &task.Plan{Deliverables: []task.Deliverable{{ID: "A", Status: task.Passed}, {ID: "B"}}},
			Commits: []signals.Commit{{ID: "abc"}}, Files: 1, Added: 10, Deleted: 2, Check: &signals.Check{Command: "make test", ExitCode: 2}},
		Beat: &signals.Heartbeat{Session: "s", N: 2, Role: task.Implementer, Activity: "Running Bash", Tools: 1, Started: now.Add(-75 * time.Second)},
	}
	want := `web-1
  Phase         Executing
  Session       2, implementer, for 1m 15s: Running Bash (1 tool)
  Request       Fix the login
  By            ann
  Repository    acme/web
  Branch        longshift/fix
  Host          box
  Round         1 of at most 10
  Deliverables  1/2
  Sessions      2 (resumed after an interruption: 2)
  Commits       1 (1 file, +10 -2)
  Check         failed with exit code 2 (make test)
  Cost          $1.50 of $5.00
  Worked        4m of 1h
  Started       10m ago
  Web           http://localhost:8233/namespaces/default/workflows/web-1/run/user-metadata
`
	if got := StatusText(s, now, server.Page("web-1", "run")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A status says why nothing moves: behind whom and by which limit, until when, and for want of which worker; and that there is no check.
func TestStatusSaysWhatIsWaitedFor(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	planned := &task.Plan{Deliverables: []task.Deliverable{{ID: "A"}}}
	noneSet := "  Check         none: the settings name no check command (see `longshift init`)\n"
	for name, c := range map[string]struct {
		snapshot  Snapshot
		want, not string
	}{
		"behind others": {Snapshot{Status: &signals.Status{Phase: task.Queued, Reason: signals.Reason(signals.WaitSessions), Detail: "1 of 1 at work: web-2",
			NextAction: "nothing; it starts automatically"}}, "Queued: as many as LONGSHIFT_REPOSITORY_SESSIONS or the intake allows are at work\n  " +
			"Detail    1 of 1 at work: web-2\n  Next      nothing; it starts automatically\n", "Check"},
		"for money": {Snapshot{Status: &signals.Status{Phase: task.Queued, Reason: signals.Reason(signals.WaitCost), WaitingUntil: now.Add(2 * time.Hour)}},
			"LONGSHIFT_DAILY_COST, LONGSHIFT_REPOSITORY_DAILY_COST or the intake's) (2h left)\n", "Check"},
		"for a host":     {Snapshot{Status: &signals.Status{Phase: task.Preparing}, waits: "for a host"}, "waits for a host", "Check"},
		"without check":  {Snapshot{Status: &signals.Status{Phase: task.Executing, Plan: planned}}, noneSet, "Detail"},
		"check is to be": {Snapshot{Status: &signals.Status{Phase: task.Executing, Plan: planned, BaseCheck: &signals.Check{}}}, "Executing", "init"},
		"a follower": {Snapshot{Status: &signals.Status{Phase: task.Following, Plan: planned, PullRequest: &signals.PullRequest{}}},
			"Looking after the pull request", "init"},
	} {
		if got := StatusText(c.snapshot, now, ""); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

// TestWaitingText says what a task waits for that goes on by itself.
func TestWaitingText(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	s := signals.Status{Reason: signals.ReasonInfra, WaitingUntil: now.Add(4 * time.Minute), Detail: "the model does not answer:\n\x1b[31mEOF"}
	if got := waitingText(&s, now); got != "⏳ Trying again in 4m: the model does not answer: [31mEOF" {
		t.Error(got)
	}
	s.Reason = signals.ReasonQuota
	if got := waitingText(&s, now); got != "⏳ Waiting... 4m remaining (resets at 12:04 PM UTC)" {
		t.Error(got)
	}
}

func TestOutcomesHaveWords(t *testing.T) {
	for _, name := range Outcomes() {
		if text := OutcomeText(&signals.Status{Outcome: task.Outcome(name)}); text == "Ended" {
			t.Errorf("no words for %s", name)
		}
	}
	for _, r := range signals.Reasons() {
		if text := reasonText(r); text == strings.ReplaceAll(string(r), "_", " ") {
			t.Errorf("no words for %s", r)
		}
	}
}
