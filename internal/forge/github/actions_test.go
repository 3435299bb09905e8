package github

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

// aJob is one of GitHub Actions on the first commit.
func aJob(name, status, conclusion string, more ...func(c *forgetest.Check)) forgetest.Check {
	c := forgetest.Check{Name: name, Head: commit("work 1"), Status: status, Conclusion: conclusion, Job: true}
	for _, change := range more {
		change(&c)
	}
	return c
}

func inRun(id int64) func(c *forgetest.Check) { return func(c *forgetest.Check) { c.Run = id } }

// fineGrained is a bench whose token is a fine-grained personal one.
func fineGrained(t *testing.T, lacks ...string) (*bench, int) {
	t.Helper()
	b, n := opened(t)
	b.server.Withhold(append([]string{"checks"}, lacks...)...)
	return b, n
}

func TestJobsAsChecks(t *testing.T) {
	for _, c := range []struct {
		status, conclusion      string
		pending, passed, failed int
	}{
		{"queued", "", 1, 0, 0}, {"in_progress", "", 1, 0, 0}, {"waiting", "", 0, 0, 0}, {"requested", "", 1, 0, 0}, {"pending", "", 1, 0, 0},
		{"completed", "success", 0, 1, 0}, {"completed", "failure", 0, 0, 1}, {"completed", "timed_out", 0, 0, 1},
		{"completed", "skipped", 0, 0, 0}, {"completed", "neutral", 0, 0, 0}, {"completed", "cancelled", 0, 0, 0},
		{"completed", "action_required", 0, 0, 0},
	} {
		b, n := fineGrained(t)
		b.server.SetCheck(repo, aJob("test", c.status, c.conclusion))
		b.server.SetCheck(repo, forgetest.Check{Name: "of another commit", Head: "abc", Conclusion: "failure", Job: true})
		b.server.SetCheck(repo, forgetest.Check{Name: "of another app", Head: commit("work 1"), Conclusion: "failure"})
		l := b.look(n, "")
		if l.Pending != c.pending || l.Passed != c.passed || len(l.Items) != c.failed {
			t.Errorf("%s %s: %+v", c.status, c.conclusion, l)
		}
		if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], `"Checks: read"`) {
			t.Errorf("warnings %q", l.Warnings)
		}
		if again := b.look(n, l.Stamp); !again.Unchanged || again.Warnings != nil {
			t.Errorf("%s %s: the second look gives %+v", c.status, c.conclusion, again)
		}
	}
}

// TestJobSaysTheSame: a failure has the same key, log and sign whether it is read as a check or as a job.
func TestJobSaysTheSame(t *testing.T) {
	b, n := opened(t)
	id := b.server.SetCheck(repo, aJob("test (1.26)", "", "failure", func(c *forgetest.Check) { c.Step, c.Log = "go test", failed("2026-01-02", 30) }))
	asCheck := b.look(n, "").Items[0]
	b.server.Withhold("checks")
	asJob := b.look(n, "").Items[0]
	if asJob.Key != "check:test (1.26)" || asJob.Key != asCheck.Key || asJob.Log == "" || asJob.Log != asCheck.Log || asJob.Sign != asCheck.Sign ||
		asJob.URL != asCheck.URL || asJob.Last != id || !asJob.At.Equal(asCheck.At) || asJob.Text != `failure: in the step "go test"` {
		t.Errorf("job %+v\ncheck %+v", asJob, asCheck)
	}
}

// TestRunAgain: only the newest attempt of a run counts, and only the newest run of a workflow for the same event.
func TestRunAgain(t *testing.T) {
	b, n := fineGrained(t)
	b.server.SetCheck(repo, aJob("test", "", "failure"))
	first := b.look(n, "")
	expect(t, first, "check:test")
	b.server.SetCheck(repo, aJob("test", "queued", ""))
	again := b.look(n, first.Stamp)
	if again.Unchanged || again.Pending != 1 || len(again.Items) != 0 {
		t.Errorf("a second attempt: %+v", again)
	}
	old := aJob("lint", "", "failure", inRun(10))
	b.server.SetCheck(repo, old)
	b.server.SetRun(repo, forgetest.Run{ID: 10, Head: old.Head, Workflow: 2})
	expect(t, b.look(n, again.Stamp), "check:lint")
	b.server.SetCheck(repo, aJob("lint", "", "success", inRun(11)))
	b.server.SetRun(repo, forgetest.Run{ID: 11, Head: old.Head, Workflow: 2})
	if l := b.look(n, ""); len(l.Items) != 0 || l.Passed != 1 {
		t.Errorf("a newer run: %+v", l)
	}
	b.server.SetRun(repo, forgetest.Run{ID: 10, Head: old.Head, Workflow: 2, Event: "push"})
	expect(t, b.look(n, ""), "check:lint")
}

// TestRunWithoutJobs: a run that has not ended is pending, although jobs that wait for others do not exist yet.
func TestRunWithoutJobs(t *testing.T) {
	for _, status := range []string{"queued", "pending", "in_progress"} {
		b, n := fineGrained(t)
		b.server.SetCheck(repo, aJob("build", "", "success", inRun(10)))
		b.server.SetRun(repo, forgetest.Run{ID: 10, Head: commit("work 1"), Status: status})
		b.server.SetRun(repo, forgetest.Run{ID: 11, Head: commit("work 1"), Status: status, Workflow: 2})
		l := b.look(n, "")
		if l.Pending != 2 || l.Passed != 1 {
			t.Errorf("%s: %+v", status, l)
		}
		b.server.SetCheck(repo, aJob("deploy", "", "failure", inRun(10)))
		b.server.SetRun(repo, forgetest.Run{ID: 10, Head: commit("work 1")})
		if l := b.look(n, l.Stamp); l.Pending != 1 || l.Passed != 1 || len(l.Items) != 1 {
			t.Errorf("%s, then: %+v", status, l)
		}
	}
}

// TestEveryChangeOfJobsIsSeen changes one thing at a time; polling without a change costs nothing.
func TestEveryChangeOfJobsIsSeen(t *testing.T) {
	head := commit("work 1")
	for name, change := range map[string]func(b *bench, id int64){
		"job ends": func(b *bench, id int64) {
			b.server.SetCheck(repo, aJob("test", "", "success", func(c *forgetest.Check) { c.ID = id }))
		},
		"job begins": func(b *bench, id int64) {
			b.server.SetCheck(repo, aJob("test", "in_progress", "", func(c *forgetest.Check) { c.ID = id }))
		},
		"job is added to a run that goes on": func(b *bench, _ int64) { b.server.SetCheck(repo, aJob("more", "", "failure", inRun(10))) },
		"job is added to a run whose jobs have all ended": func(b *bench, _ int64) {
			b.server.SetCheck(repo, aJob("more", "", "failure", inRun(15)))
		},
		"job of a run that has ended runs again": func(b *bench, _ int64) {
			b.server.SetCheck(repo, aJob("done", "queued", "", inRun(20)))
		},
		"run is added": func(b *bench, _ int64) {
			b.server.SetRun(repo, forgetest.Run{ID: 30, Head: head, Workflow: 3, Status: "queued"})
		},
		"head": func(b *bench, _ int64) { b.server.SetBranch(repo, "work", commit("work 2")) },
		"status": func(b *bench, _ int64) {
			b.server.SetStatus(repo, forgetest.Status{Context: "ci", Head: head, State: "pending"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, n := fineGrained(t)
			id := b.server.SetCheck(repo, aJob("test", "queued", "", inRun(10)))
			b.server.SetRun(repo, forgetest.Run{ID: 10, Head: head, Status: "in_progress"}) // whatever its jobs do
			b.server.SetCheck(repo, aJob("first", "", "success", inRun(15)))
			b.server.SetRun(repo, forgetest.Run{ID: 15, Head: head, Workflow: 4, Status: "in_progress"})
			b.server.SetCheck(repo, aJob("done", "", "success", inRun(20)))
			b.server.SetRun(repo, forgetest.Run{ID: 20, Head: head, Workflow: 2})
			l := b.look(n, "")
			before := len(b.server.Calls())
			if again := b.look(n, l.Stamp); !again.Unchanged {
				t.Fatalf("got %+v", again)
			}
			for _, c := range b.server.Calls()[before:] {
				if c.Status != http.StatusNotModified || strings.Contains(c.Path, "/runs/20/") || strings.Contains(c.Path, "check-runs") {
					t.Errorf("%s: %d", c.Path, c.Status)
				}
			}
			change(b, id)
			after := b.look(n, l.Stamp)
			if after.Unchanged || !b.look(n, after.Stamp).Unchanged {
				t.Errorf("got %+v", after)
			}
		})
	}
}

// TestManyRuns: runs that have ended take no room in the stamp.
func TestManyRuns(t *testing.T) {
	b, n := fineGrained(t)
	for i := range int64(60) {
		b.server.SetCheck(repo, aJob(fmt.Sprint("job ", i), "", "success", inRun(100+i)))
		b.server.SetRun(repo, forgetest.Run{ID: 100 + i, Head: commit("work 1"), Workflow: i + 1})
		if i != 39 && i != 59 {
			continue
		}
		l := b.look(n, "")
		if most := min(int(i)+1, maxRuns); l.Passed != most || (l.Stamp == "") != (i == 59) || len(l.Warnings) != 1+int(i)/59 {
			t.Errorf("%d runs: %d passed, stamp %q, warnings %q", i+1, l.Passed, l.Stamp, l.Warnings)
		}
	}
}

// TestActionsSteps lets each step fail for a while, and for good.
func TestActionsSteps(t *testing.T) {
	for _, path := range []string{"/actions/runs", "/jobs", "/logs"} {
		b, n := fineGrained(t)
		b.server.SetCheck(repo, aJob("test", "", "failure", func(c *forgetest.Check) { c.Log = "##[error]x" }))
		b.server.Inject(forgetest.ServerError(502).On("GET", path).Repeated(2))
		if l := b.look(n, ""); len(l.Items) != 1 || l.Items[0].Log != "##[error]x" {
			t.Errorf("%s: %+v", path, l)
		}
		b.server.Inject(forgetest.SecondaryLimit(403, 90*time.Second).On("GET", path))
		_, err := b.forge.Snapshot(t.Context(), shop(), n, "")
		if got := retryAfterOf(t, err); got != 90*time.Second {
			t.Errorf("%s: wait %s", path, got)
		}
		b.clock.advance(90 * time.Second)
		b.server.Inject(forgetest.ServerError(502).On("GET", path).Repeated(forgetest.Forever))
		if _, err := b.forge.Snapshot(t.Context(), shop(), n, ""); fault.KindOf(err) != fault.Infra {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestRunIsDeleted: the snapshot is taken without the run, and the next one is taken anew.
func TestRunIsDeleted(t *testing.T) {
	b, n := fineGrained(t)
	b.server.SetCheck(repo, aJob("test", "", "failure"))
	b.server.Inject(forgetest.Fault{Status: 404, Path: "/jobs"})
	if l := b.look(n, ""); len(l.Items) != 0 || l.Stamp != "" || l.State != forge.Open {
		t.Errorf("got %+v", l)
	}
	expectOne(t, b.look(n, ""))
}
