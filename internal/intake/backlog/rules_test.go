package backlog

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/task"
)

const order = "# Greet in French\n\nSay bonjour.\n"

func TestOrderOfNames(t *testing.T) {
	p := newPlace(t, map[string]string{"10-b.md": "b", "2-c.md": "c", "1-a.md": "a", "Z.md": "z", "a.md": "a"})
	p.listed("1-a.md", "10-b.md", "2-c.md", "Z.md", "a.md")
}

// TestRemoved: the file goes when its task has ended approved or at max iterations, and its content did not change meanwhile.
func TestRemoved(t *testing.T) {
	for _, o := range []task.Outcome{task.PullRequest, task.AlreadyDone, task.MaxIterations} {
		for name, claimed := range map[string]bool{"claimed": true, "not claimed": false} {
			t.Run(string(o)+" "+name, func(t *testing.T) {
				p := newPlace(t, map[string]string{"1.md": order, "2.md": order})
				n := intake.Note{TaskID: "t1", Sum: p.read("1.md").Sum}
				if claimed {
					n = p.claim("1.md", "t1")
					p.listed("2.md")
				}
				for range 2 {
					p.report("1.md", n, o)
					p.says("1.md", "")
					p.says("2.md", order)
					p.listed("2.md")
					p.restart()
				}
				p.clean()
			})
		}
	}
}

// TestKept: with any other outcome the file stays, and is not begun again with the same text, also after a restart.
func TestKept(t *testing.T) {
	for _, o := range []task.Outcome{task.Declined, task.Rejected, task.AllBlocked, task.ChecksFailed, task.Abandoned, task.Cancelled,
		task.Failed, task.PullMerged, "", "spec_issue", "unheard"} {
		t.Run(string(o), func(t *testing.T) {
			p := newPlace(t, map[string]string{"1.md": order})
			n := p.claim("1.md", "t1")
			p.report("1.md", n, o)
			p.report("1.md", n, o)
			p.restart()
			p.says("1.md", order)
			p.listed()
			kept, err := p.Kept(t.Context(), p.q)
			if want := (intake.Kept{Key: "1.md", TaskID: "t1", Outcome: o, Ended: p.now()}); err != nil || len(kept) != 1 || kept[0] != want {
				t.Errorf("kept %+v (%v), want %+v", kept, err, want)
			}
			if w := p.read("1.md"); !strings.Contains(w.No, "edit the file") || w.Task != order {
				t.Errorf("read as %+v", w)
			}
			kindOf(t, p.Claim(t.Context(), p.q, "1.md", intake.Note{TaskID: "t2", Sum: n.Sum}), fault.Conflict)

			p.write("1.md", order+"And bonsoir.\n") // an edited file is other work
			if i := p.listed("1.md")[0]; i.Sum == n.Sum {
				t.Errorf("item %+v", i)
			}
			if kept, _ := p.Kept(t.Context(), p.q); len(kept) != 0 {
				t.Errorf("kept %+v", kept)
			}
			p.report("1.md", p.claim("1.md", "t2"), task.PullRequest)
			p.says("1.md", "")
		})
	}
}

// TestClaims: work has the workflow id of the task that claimed it, until the task has reported.
func TestClaims(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order, "2.md": order})
	id := p.listed("1.md", "2.md")[0].ID
	n := p.claim("1.md", "t1")
	p.restart()
	claims, err := p.Claims(t.Context(), p.q)
	if want := (intake.Claimed{ID: id, Key: "1.md", Sum: n.Sum, TaskID: "t1"}); err != nil || len(claims) != 1 || claims[0] != want {
		t.Errorf("claims %+v (%v), want %+v", claims, err, want)
	}
	p.report("1.md", n, task.Failed)
	if claims, err := p.Claims(t.Context(), p.q); err != nil || len(claims) != 0 {
		t.Errorf("claims %+v (%v)", claims, err)
	}
}

// TestEditedWhileTheTaskRuns: the file stays whatever the outcome, and is other work once the task has ended.
func TestEditedWhileTheTaskRuns(t *testing.T) {
	for _, o := range []task.Outcome{task.PullRequest, task.AlreadyDone, task.MaxIterations, task.Failed} {
		t.Run(string(o), func(t *testing.T) {
			p := newPlace(t, map[string]string{"1.md": order})
			before := p.listed("1.md")[0]
			n := p.claim("1.md", "t1")
			p.write("1.md", order+"And bonsoir.\n")
			p.listed() // its task still runs
			kindOf(t, p.Claim(t.Context(), p.q, "1.md", intake.Note{TaskID: "t2", Sum: p.read("1.md").Sum}), fault.Conflict)
			p.report("1.md", n, o)
			p.report("1.md", n, o)
			p.says("1.md", order+"And bonsoir.\n")
			if after := p.listed("1.md")[0]; after.ID == before.ID {
				t.Errorf("the same id %q for another text", after.ID)
			}
			p.write("1.md", order) // taken back: the task has had this text
			p.listed()
			p.clean()
		})
	}
}

// TestEditedAndBack: a file with the same text at the end as at the beginning has not changed.
func TestEditedAndBack(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	n := p.claim("1.md", "t1")
	p.write("1.md", "other")
	p.write("1.md", order)
	p.report("1.md", n, task.PullRequest)
	p.says("1.md", "")
}

// TestComesBack: a file that a checkout of an old commit restores is not new work until somebody edits it.
func TestComesBack(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	n := p.claim("1.md", "t1")
	p.report("1.md", n, task.PullRequest)
	p.write("1.md", order)
	p.listed()
	p.report("1.md", n, task.PullRequest) // a late second call of the same task
	p.says("1.md", order)
	if kept, err := p.Kept(t.Context(), p.q); err != nil || len(kept) != 1 || kept[0].Outcome != task.PullRequest {
		t.Errorf("kept %+v, %v", kept, err)
	}
}

// TestGoneWhileTheTaskRuns: a person has removed the file. There is nothing left to do, and no error.
func TestGoneWhileTheTaskRuns(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	n := p.claim("1.md", "t1")
	remove(t, p.path("1.md"))
	p.report("1.md", n, task.PullRequest)
	p.listed()
	kindOf(t, p.Report(t.Context(), p.q, "1.md", intake.Note{TaskID: "t2", Sum: "x"}), fault.NotFound)
}

// TestForeignReport: a report does not end the claim of another task.
func TestForeignReport(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	n := p.claim("1.md", "t1")
	other := n
	other.TaskID, other.Outcome = "t2", task.PullRequest
	kindOf(t, p.Report(t.Context(), p.q, "1.md", other), fault.Conflict)
	p.says("1.md", order)
	p.report("1.md", n, task.PullRequest)
	p.says("1.md", "")
}

// TestReportOfAnotherText: the claim of a task ends with the task, whatever text it reports.
func TestReportOfAnotherText(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	n := p.claim("1.md", "t1")
	p.write("1.md", "edited")
	n.Sum = p.read("1.md").Sum
	p.report("1.md", n, task.Failed)
	p.listed()
	p.write("1.md", "edited again")
	p.listed("1.md")
}

func TestNoteWithoutSum(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	kindOf(t, p.Report(t.Context(), p.q, "1.md", intake.Note{TaskID: "t1", Outcome: task.PullRequest}), fault.Input)
	kindOf(t, p.Claim(t.Context(), p.q, "1.md", intake.Note{TaskID: "t1"}), fault.Conflict)
	kindOf(t, p.Claim(t.Context(), p.q, "1.md", intake.Note{Sum: p.read("1.md").Sum}), fault.Input)
	n := p.claim("1.md", "t1")
	n.Sum = "" // the claim knows it
	p.report("1.md", n, task.PullRequest)
	p.says("1.md", "")
}

// TestStaleMarks: marks of removed files are removed when the file has not come back.
func TestStaleMarks(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order, "2.md": order, "3.md": order, "4.md": order})
	p.report("1.md", p.claim("1.md", "t1"), task.PullRequest) // removed
	p.report("2.md", p.claim("2.md", "t2"), task.Failed)      // kept
	p.claim("3.md", "t3")                                     // runs, and its file goes
	p.claim("4.md", "t4")                                     // runs
	remove(t, p.path("3.md"))
	marks := func() (keys string) {
		d, err := p.open(context.Background(), p.q)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		all, err := d.Marks.All()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range all {
			keys += m.Key[:1]
		}
		return keys
	}
	p.write("5.md", "x")
	p.later(6 * 24 * time.Hour)
	p.report("5.md", p.claim("5.md", "t5"), task.Failed)
	if got := marks(); got != "12345" {
		t.Errorf("marks of %s after six days", got)
	}
	p.later(2 * 24 * time.Hour)
	p.write("5.md", "y")
	p.report("5.md", p.claim("5.md", "t6"), task.Failed)
	if got := marks(); got != "2455" {
		t.Errorf("marks of %s after eight days", got)
	}
	p.listed() // 4 runs, 2 and 5 had this text
	p.later(8 * 24 * time.Hour)
	p.write("6.md", "x")
	p.report("6.md", p.claim("6.md", "t7"), task.Failed)
	if got := marks(); got != "2456" { // that of the old text of 5 is gone
		t.Errorf("marks of %s after sixteen days", got)
	}
	p.listed()
}
