package heartbeat

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/task"
)

// TestClaims: the claim of a task that was ended from outside can be found, and a report for it frees the file.
func TestClaims(t *testing.T) {
	p := newPlace(t, "- [ ] greet\n")
	id := p.listed()
	n := p.claim("t1")
	p.restart()
	claims, err := p.Claims(t.Context(), p.q)
	if want := (intake.Claimed{ID: id, Key: File, Sum: n.Sum, TaskID: "t1"}); err != nil || len(claims) != 1 || claims[0] != want {
		t.Errorf("claims %+v (%v), want %+v", claims, err, want)
	}
	p.report(n, task.Failed, "")
	if claims, err := p.Claims(t.Context(), p.q); err != nil || len(claims) != 0 {
		t.Errorf("claims %+v (%v)", claims, err)
	}
	kept, err := p.Kept(t.Context(), p.q)
	if want := (intake.Kept{Key: File, TaskID: "t1", Outcome: task.Failed, Ended: p.now()}); err != nil || len(kept) != 1 || kept[0] != want {
		t.Errorf("kept %+v (%v), want %+v", kept, err, want)
	}
	p.write("- [x] greet\n")
	if kept, err := p.Kept(t.Context(), p.q); err != nil || len(kept) != 0 {
		t.Errorf("kept %+v (%v) although nothing is left to do", kept, err)
	}
}

// TestTickedWorkComesBack: an item whose tick is removed is new work with an id of its own each time, also long after.
func TestTickedWorkComesBack(t *testing.T) {
	const open, ticked = "- [ ] update\n", "- [x] update\n"
	p := newPlace(t, open)
	ids := map[string]bool{}
	for i := range 4 {
		taskID := fmt.Sprint("t", i)
		id := p.listed()
		if ids[id] {
			t.Fatalf("task %d has the id %s of an earlier one", i, id)
		}
		ids[id] = true
		n := p.claim(taskID)
		p.restart()
		if claims, err := p.Claims(t.Context(), p.q); err != nil || len(claims) != 1 || claims[0].ID != id {
			t.Fatalf("claims %+v (%v), want %s", claims, err, id)
		}
		n.Branch = "longshift/" + taskID
		p.pushed(n.Branch, ticked)
		for range 2 { // a report may be repeated
			p.report(n, task.PullRequest, "Done.")
		}
		if p.waits() {
			t.Fatal("listed although all is ticked")
		}
		if n := p.marks(); n != 1 {
			t.Errorf("%d marks after task %d: one counts the tasks", n, i)
		}
		p.write(strings.Replace(p.content(), "[x]", "[ ]", 1))
		p.later(workfile.Keep + time.Hour)
	}
}

// marks returns how many marks there are.
func (p *place) marks() int {
	p.t.Helper()
	d, err := p.open(p.t.Context(), p.q)
	if err != nil {
		p.t.Fatal(err)
	}
	defer d.Close()
	all, err := d.Marks.All()
	if err != nil {
		p.t.Fatal(err)
	}
	return len(all)
}

// TestFailedTextDoesNotComeBack: a text whose task has failed waits for another text, whatever the file said in between.
func TestFailedTextDoesNotComeBack(t *testing.T) {
	p := newPlace(t, "- [ ] one\n")
	p.report(p.claim("t1"), task.Failed, "")
	p.write("- [ ] two\n")
	p.report(p.claim("t2"), task.PullRequest, "Done.")
	p.write("- [ ] one\n")
	if p.waits() {
		t.Error("listed again")
	}
}

// TestSettles: the file is not listed while somebody writes, and it is known when it will be.
func TestSettles(t *testing.T) {
	p := newPlace(t, "- [ ] one\n")
	p.clock = time.Now()
	p.Source = New(workfile.Config{State: p.state, Now: p.now, Quiet: 30 * time.Second})
	if err := os.Chtimes(p.path(), time.Time{}, p.now().Add(-20*time.Second)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []time.Duration{10 * time.Second, 0} {
		if left, err := p.Settles(t.Context(), p.q); err != nil || (left-want).Abs() > time.Second {
			t.Errorf("settles in %s (%v), want %s", left, err, want)
		}
		if p.waits() != (want == 0) {
			t.Errorf("listed %v when it settles in %s", want != 0, want)
		}
		p.later(10 * time.Second)
	}
}
