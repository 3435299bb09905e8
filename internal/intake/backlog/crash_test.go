package backlog

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/task"
)

const asideFolder = ".longshift-aside"

// mark writes a mark as Report does before it removes a file.
func (p *place) mark(key, sum string, removing bool) {
	p.t.Helper()
	d, err := p.open(p.t.Context(), p.q)
	if err != nil {
		p.t.Fatal(err)
	}
	defer d.Close()
	m := workfile.Mark{ID: d.id(key, sum), Key: key, Sum: sum, TaskID: "t1", Outcome: task.PullRequest, Ended: p.now(), Removing: removing}
	if err := d.Marks.Put(m); err != nil {
		p.t.Fatal(err)
	}
}

// aside moves a file where Report does before it compares.
func (p *place) aside(name string) string {
	p.t.Helper()
	to := filepath.Join(p.repo, "backlog", asideFolder, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(p.path(name), to); err != nil {
		p.t.Fatal(err)
	}
	return to
}

// next lists the calls that may be the first after a crash.
var next = map[string]func(p *place, n intake.Note) error{
	"List": func(p *place, n intake.Note) error {
		return p.List(p.t.Context(), p.q, func(intake.Item) bool { return true })
	},
	"Read":   func(p *place, n intake.Note) error { _, err := p.Read(p.t.Context(), p.q, "other.md"); return err },
	"Queue":  func(p *place, n intake.Note) error { return p.Queue(p.t.Context(), p.q, "other.md", n) },
	"Kept":   func(p *place, n intake.Note) error { _, err := p.Kept(p.t.Context(), p.q); return err },
	"Report": func(p *place, n intake.Note) error { return p.Report(p.t.Context(), p.q, "1.md", n) },
	"Claim": func(p *place, n intake.Note) error {
		n.TaskID, n.Sum = "t2", p.sum("other")
		return p.Claim(p.t.Context(), p.q, "other.md", n)
	},
}

func (p *place) sum(text string) string { return workfile.Sum([]byte(text)) }

// TestCrash builds by hand what a crash leaves between the steps of a Report that removes.
func TestCrash(t *testing.T) {
	for name, c := range map[string]struct {
		leave     func(p *place, n intake.Note)
		want      string            // of the file after the next call
		reported  string            // and after Report has been made again
		otherwise map[string]string // files beside it
	}{
		"before the mark":    {func(p *place, n intake.Note) {}, order, "", nil},
		"after the mark":     {func(p *place, n intake.Note) { p.mark("1.md", n.Sum, true) }, order, "", nil},
		"moved":              {func(p *place, n intake.Note) { p.mark("1.md", n.Sum, true); p.aside("1.md") }, "", "", nil},
		"moved, fresh aside": {func(p *place, n intake.Note) { p.mark("1.md", n.Sum, true); p.fresh(p.aside("1.md")) }, "", "", nil},
		"removed": {func(p *place, n intake.Note) {
			p.mark("1.md", n.Sum, true)
			remove(p.t, p.aside("1.md"))
		}, "", "", nil},
		"all but the last mark": {func(p *place, n intake.Note) { p.mark("1.md", n.Sum, true); remove(p.t, p.path("1.md")) }, "", "", nil},
		"moved after an edit": {func(p *place, n intake.Note) {
			p.mark("1.md", n.Sum, true)
			p.write("1.md", "edited")
			p.aside("1.md")
		}, "edited", "edited", nil},
		"moved without a mark": {func(p *place, n intake.Note) { p.aside("1.md") }, order, "", nil},
		"moved, and a new file": {func(p *place, n intake.Note) {
			p.mark("1.md", n.Sum, true)
			p.aside("1.md")
			p.write("1.md", "new")
		}, "new", "new", nil},
		"moved after an edit, and a new file": {func(p *place, n intake.Note) {
			p.mark("1.md", n.Sum, true)
			p.write("1.md", "edited")
			p.aside("1.md")
			p.write("1.md", "new")
		}, "new", "new", map[string]string{"1-kept-1.md": "edited"}},
		"put back by half": {func(p *place, n intake.Note) {
			p.mark("1.md", n.Sum, true)
			p.write("1.md", "edited")
			if err := os.Link(p.aside("1.md"), p.path("1.md")); err != nil {
				p.t.Fatal(err)
			}
		}, "edited", "edited", nil},
	} {
		for call, do := range next {
			t.Run(name+", then "+call, func(t *testing.T) {
				p := newPlace(t, map[string]string{"1.md": order, "other.md": "other"})
				n := p.claim("1.md", "t1")
				n.Outcome = task.PullRequest
				c.leave(p, n)
				p.restart()
				if err := do(p, n); err != nil {
					t.Fatalf("%s: %v", call, err)
				}
				want := c.want
				if call == "Report" {
					want = c.reported
				}
				p.says("1.md", want)
				p.report("1.md", n, task.PullRequest)
				p.says("1.md", c.reported)
				p.says("other.md", "other")
				for file, text := range c.otherwise {
					p.says(file, text)
				}
				p.clean()
				if entries, _ := os.ReadDir(filepath.Join(p.repo, "backlog")); c.reported == "" && len(entries) != 1 {
					t.Errorf("%d files are left", len(entries))
				}
			})
		}
	}
}

// fresh leaves a file of ours beside one that lies aside.
func (p *place) fresh(beside string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(filepath.Dir(beside), ".new-ABC"), []byte("half"), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// TestDamagedMark: a mark that can't be read might be a claim, so no work begins.
func TestDamagedMark(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	p.claim("1.md", "t1")
	marks, err := filepath.Glob(filepath.Join(p.state, "*", "*.json"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("marks %q, %v", marks, err)
	}
	if err := os.WriteFile(marks[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = p.List(t.Context(), p.q, func(intake.Item) bool { return true })
	kindOf(t, err, fault.Changed)
	kindOf(t, p.Claim(t.Context(), p.q, "1.md", intake.Note{TaskID: "t2", Sum: p.sum(order)}), fault.Changed)
	remove(t, marks[0])
	p.listed("1.md")
}

// TestEditorsAndReports: editors of both kinds write while tasks end. No text that was written last is lost.
func TestEditorsAndReports(t *testing.T) {
	for round := range 20 {
		p := newPlace(t, map[string]string{"1.md": order})
		n := p.claim("1.md", "t1")
		n.Outcome = task.PullRequest
		var all sync.WaitGroup
		all.Go(func() {
			if err := p.Report(t.Context(), p.q, "1.md", n); err != nil {
				t.Errorf("Report: %v", err)
			}
		})
		all.Go(func() { // an editor that puts a new file in the old one's place
			tmp := p.path("1.md~")
			if err := os.WriteFile(tmp, []byte("saved"), 0o644); err != nil {
				t.Error(err)
			}
			if err := os.Rename(tmp, p.path("1.md")); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		p.says("1.md", "saved")
		p.clean()
		p.listed("1.md")
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}
