package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

func TestRowState(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		row  row
		want string
	}{
		{row{}, "starting"},
		{row{Phase: task.Executing}, "executing"},
		{row{Phase: task.Approving, NeedsHuman: true, WaitingUntil: now.Add(90 * time.Second)}, "approving (1m 30s left) — needs you"},
		{row{Phase: task.Waiting, WaitingUntil: now.Add(3 * time.Hour)}, "waiting (3h 0m left)"},
		{row{Phase: task.Waiting, WaitingUntil: now.Add(-time.Hour)}, "waiting"},
		{row{Phase: task.Suspended, NeedsHuman: true}, "suspended — needs you"},
		{row{Phase: task.Ended, Outcome: task.PullRequest, NeedsHuman: true}, "pull_request"},
	} {
		if got := c.row.state(now); got != c.want {
			t.Errorf("%+v: %q, want %q", c.row, got, c.want)
		}
	}
}

func TestRowsFitTheTerminal(t *testing.T) {
	c := newConsole(t)
	p := c.program()
	p.streams.OutTTY = true
	rows := []row{{ID: strings.Repeat("long-", 30), Repository: "acme/web", Phase: task.Planning, Started: time.Now()}}
	if err := p.printRows(rows, ""); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(c.out.String()) {
		if n := cells(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// The whole status of a task in mid-session, as people see it.
func TestStatusText(t *testing.T) {
	c := newConsole(t)
	p := c.program()
	p.namespace = "default"
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	p.clock.now = func() time.Time { return now }
	s := snapshot{
		status: &signals.Status{WorkflowID: "web-1", RunID: "run", Repository: "acme/web", Task: "Fix the login", RequestedBy: "ann", Phase: task.Executing,
			Started: now.Add(-10 * time.Minute), Branch: "longshift/fix", Host: "box", Iteration: 1, Iterations: 10, BudgetUSD: 5, Usage: task.Usage{CostUSD: 1.5},
			Worked: 4 * time.Minute, BudgetTime: time.Hour, Sessions: []signals.Session{{N: 1}, {N: 2, Resumed: 2}},
			Plan:    &task.Plan{Deliverables: []task.Deliverable{{ID: "A", Status: task.Passed}, {ID: "B"}}},
			Commits: []signals.Commit{{ID: "abc"}}, Files: 1, Added: 10, Deleted: 2, Check: &signals.Check{Command: "make test", ExitCode: 2}},
		beat: &signals.Beat{Session: "s", N: 2, Role: task.Implementer, Activity: "Running Bash", Tools: 1, Started: now.Add(-75 * time.Second)},
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
  Worked        4m 0s of 1h 0m 0s
  Started       10m ago
  Web           http://localhost:8233/namespaces/default/workflows/web-1/run
`
	if got := p.statusText(s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestOutcomesHaveWords(t *testing.T) {
	for _, name := range outcomes() {
		if text := outcomeText(&signals.Status{Outcome: task.Outcome(name)}); text == "Ended" {
			t.Errorf("no words for %s", name)
		}
	}
	for _, r := range []signals.Reason{signals.ReasonApproval, signals.ReasonBudget, signals.ReasonTime, signals.ReasonQuota, signals.ReasonSpecIssue,
		signals.ReasonErrors, signals.ReasonInfra, signals.ReasonAccess, signals.ReasonChanged, signals.ReasonBlocker, signals.ReasonRounds, signals.ReasonReview} {
		if text := reasonText(r); text == strings.ReplaceAll(string(r), "_", " ") {
			t.Errorf("no words for %s", r)
		}
	}
}

// BenchmarkOf1000 is the budget "longshift status on 1 000 tasks: at most 1 s", and the same for list.
func BenchmarkOf1000(b *testing.B) {
	address, data := useServer(b)
	vars := []string{"TEMPORAL_ADDRESS=" + address, "TEMPORAL_NAMESPACE=" + namespaceIdle, "LONGSHIFT_DATA=" + data, "HOME=/", "USER=ann"}
	p := newProgram(Streams{}, Environ{Vars: vars}, testWiring())
	defer p.close()
	c, err := p.client(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	startMany(b, p, c, 1000)
	for _, args := range [][]string{{"status"}, {"list", "--all"}} {
		b.Run(args[0], func(b *testing.B) {
			for b.Loop() {
				var out, errs synced
				if code := Main(b.Context(), args, Streams{Out: &out, Err: &errs}, Environ{Vars: vars}, testWiring()); code != fault.ExitOK {
					b.Fatal(errs.String())
				}
				if n := strings.Count(out.String(), "many-"); n != 1000 {
					b.Fatalf("%d tasks", n)
				}
			}
		})
	}
	b.Run("raw", func(b *testing.B) { // what the server itself takes for the same question
		for b.Loop() {
			n := 0
			if err := p.eachTask(b.Context(), c, allTasks, 1000, func(row) bool { n++; return true }); err != nil || n != 1000 {
				b.Fatalf("%d tasks: %v", n, err)
			}
		}
	})
}

// startMany starts tasks that nobody works on, unless they are there.
func startMany(b *testing.B, p *program, c client.Client, n int) {
	found := 0
	count := func() {
		found = 0
		if err := p.eachTask(b.Context(), c, runningTasks, 1000, func(r row) bool { found++; return true }); err != nil {
			b.Fatal(err)
		}
	}
	if count(); found >= n {
		return
	}
	ids := make(chan int)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for i := range ids {
				if _, err := p.start(context.Background(), c, fmt.Sprintf("many-%04d", i), task.Input{Repository: "acme/web", Task: "wait"}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range n {
		ids <- i
	}
	close(ids)
	group.Wait()
	for count(); found < n; count() {
		<-time.After(100 * time.Millisecond)
	}
}
