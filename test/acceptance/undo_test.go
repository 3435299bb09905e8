package acceptance

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
)

// undone is what longshift undo -o json prints.
type undone struct {
	Closed  bool
	Deleted []string
	Moved   string
}

// TestUndo has a person take back what a task has brought into their repository.
func TestUndo(t *testing.T) {
	t.Parallel()
	eachEngineer(t, takeBack)
}

func takeBack(t *testing.T, e engineer) {
	y := notes("undo", nil)
	d := startDevFor(t, e, script([]story{y}))
	repo := y.repository(t, d.person)
	end := y.run(t, d, repo)
	before := d.git(t, repo, "rev-parse", "main")
	if end.PullRequest == nil || d.git(t, repo, "rev-parse", end.Branch) != end.Head {
		t.Fatalf("the task has left no branch and pull request: %+v", end)
	}
	d.git(t, repo, "update-ref", "refs/longshift/"+end.TaskID, end.Head) // as a task leaves it that did not end well

	d.git(t, repo, "switch", "--quiet", end.Branch)
	r := d.longshift(t, time.Minute, repo, d.address, "undo", end.WorkflowID, "--yes")
	if r.code != fault.ExitConflict || !strings.Contains(r.err, repo+" has branch "+end.Branch+" checked out; switch to another branch there") {
		t.Errorf("of a branch that is checked out: %+v", r)
	}
	d.git(t, repo, "switch", "--quiet", "main")
	if listed := d.longshift(t, time.Minute, repo, d.address, "list", "--repo", ".", "-o", "jsonl"); !strings.Contains(listed.out, end.WorkflowID) {
		t.Errorf("the task is not listed: %+v", listed)
	}

	u := undo(t, d, repo, end)
	want := []string{"refs/longshift/" + end.TaskID, "refs/heads/" + end.Branch}
	if !u.Closed || !slices.Equal(u.Deleted, want) || u.Moved != "" {
		t.Errorf("undo says %+v", u)
	}
	left := d.git(t, repo, "for-each-ref", "--format=%(refname)")
	if want := "refs/heads/main\nrefs/longshift/pulls/1/head\nrefs/longshift/pulls/1/record"; left != want {
		t.Errorf("refs left behind:\n%s", left)
	}
	if now := d.git(t, repo, "rev-parse", "main"); now != before {
		t.Errorf("main was at %s, now %s", before, now)
	}
	if changed := d.git(t, repo, "status", "--porcelain"); changed != "" {
		t.Errorf("the work tree has changed:\n%s", changed)
	}
	if record := d.git(t, repo, "show", "refs/longshift/pulls/1/record"); !strings.Contains(record, `"state": "`+string(forge.Closed)+`"`) {
		t.Errorf("the record:\n%s", record)
	}
	if again := undo(t, d, repo, end); again.Closed || len(again.Deleted) > 0 || again.Moved != "" {
		t.Errorf("the second undo says %+v", again)
	}
	if r := d.longshift(t, time.Minute, repo, d.address, "undo", end.WorkflowID, "--yes"); r.code != 0 || r.out != "nothing was left to do\n" {
		t.Errorf("the third: %+v", r)
	}
}

// TestUndoLeavesAMovedBranch: commits of a person on the task's branch stay.
func TestUndoLeavesAMovedBranch(t *testing.T) {
	t.Parallel()
	y := notes("undo-moved", nil)
	d := startDev(t, newPerson(t, nil), script([]story{y}))
	repo := y.repository(t, d.person)
	end := y.run(t, d, repo)
	d.git(t, repo, "switch", "--quiet", end.Branch)
	d.git(t, repo, "commit", "--quiet", "--allow-empty", "--message=Mine")
	mine := d.git(t, repo, "rev-parse", "HEAD")
	if u := undo(t, d, repo, end); !u.Closed || u.Moved != mine || len(u.Deleted) > 0 || d.git(t, repo, "rev-parse", end.Branch) != mine {
		t.Errorf("of a branch that was moved to %s: %+v", mine, u)
	}
}

// undo takes a task back without being asked.
func undo(t *testing.T, d *dev, repo string, end signals.Status) (u undone) {
	t.Helper()
	r := d.longshift(t, time.Minute, repo, d.address, "undo", end.WorkflowID, "--yes", "-o", "json")
	if err := json.Unmarshal([]byte(r.out), &u); err != nil || r.code != 0 {
		t.Fatalf("longshift undo: %v\n%+v", err, r)
	}
	return u
}

// TestFollowUp has a task go on from the branch of one that has ended. Merging its branch takes the work of both.
func TestFollowUp(t *testing.T) {
	t.Parallel()
	eachEngineer(t, followUp)
}

func followUp(t *testing.T, e engineer) {
	y := notes("follow-up", nil)
	more := story{name: "more", ask: "note that the fish is to be fed, too", work: []work{{id: "DOC-002", message: "docs: note the fish", steps: []step{
		bash("git log --oneline -2", "docs: note that the cat is to be fed"),
		bash("echo 'Feed the fish.' >> notes.txt && sh check.sh"),
	}}}}
	d := startDevFor(t, e, script([]story{more, y})) // the second prompt tells of the first task, too
	repo := y.repository(t, d.person)
	first := y.run(t, d, repo)
	r := d.longshift(t, within, repo, d.address, "follow-up", first.WorkflowID, more.ask, "-o", "json")
	var end signals.Status
	if err := json.Unmarshal([]byte(r.out), &end); err != nil || r.code != 0 {
		t.Fatalf("longshift follow-up: %v\n%+v", err, r)
	}
	more.results(t, d)
	if end.Base != first.Branch || end.Check == nil || !end.Check.Passed() {
		t.Errorf("base %s, want %s; check %+v", end.Base, first.Branch, end.Check)
	}
	d.git(t, repo, "merge", "--quiet", end.Branch)
	if got := d.git(t, repo, "log", "--format=%s", "-2"); got != more.work[0].message+"\n"+y.work[0].message {
		t.Errorf("merged were:\n%s", got)
	}
}
