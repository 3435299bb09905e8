package heartbeat

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/intaketest"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// place is a repository with a heartbeat file, and a source on it.
type place struct {
	*Source
	t     *testing.T
	repo  string
	state string
	q     intake.Query
	clock time.Time
	mu    sync.Mutex
}

func newPlace(t *testing.T, text string) *place {
	t.Helper()
	p := &place{t: t, repo: gittest.NewCheckout(t, map[string]string{"README.md": "# Hello\n"}), state: filepath.Join(t.TempDir(), "state"),
		clock: time.Date(2026, 11, 20, 18, 44, 0, 0, time.UTC)}
	p.q = intake.Query{Repository: task.Repository{Text: p.repo, Path: p.repo, Name: "repo"}}
	if text != "" {
		p.write(text)
	}
	p.restart()
	return p
}

// restart makes a new source, as after a crash.
func (p *place) restart() { p.Source = New(workfile.Config{State: p.state, Now: p.now}) }

func (p *place) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clock
}

func (p *place) later(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock = p.clock.Add(d)
}

func (p *place) path() string { return filepath.Join(p.repo, File) }

func (p *place) write(text string) {
	p.t.Helper()
	gittest.Write(p.t, p.repo, map[string]string{File: text})
}

func (p *place) content() string {
	p.t.Helper()
	data, err := os.ReadFile(p.path())
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

// pushed makes a branch of a task, which has this version of the file.
func (p *place) pushed(branch, text string) {
	p.t.Helper()
	gittest.Commit(p.t, filepath.Join(p.repo, ".git"), branch, "Process heartbeat", map[string]string{File: text})
}

// waits reports whether the file is listed.
func (p *place) waits() bool {
	p.t.Helper()
	n := 0
	if err := p.List(p.t.Context(), p.q, func(intake.Item) bool { n++; return true }); err != nil {
		p.t.Fatalf("List: %v", err)
	}
	if n > 1 {
		p.t.Fatalf("%d items", n)
	}
	return n == 1
}

// listed returns the id of the file's work.
func (p *place) listed() (id string) {
	p.t.Helper()
	if err := p.List(p.t.Context(), p.q, func(i intake.Item) bool { id = i.ID; return true }); err != nil || id == "" {
		p.t.Fatalf("listed %q (%v)", id, err)
	}
	return id
}

func (p *place) read() intake.Work {
	p.t.Helper()
	w, err := p.Read(p.t.Context(), p.q, File)
	if err != nil {
		p.t.Fatalf("Read: %v", err)
	}
	return w
}

// claim claims the file for a task and returns the task's note.
func (p *place) claim(taskID string) intake.Note {
	p.t.Helper()
	n := intake.Note{TaskID: taskID, Sum: p.read().Sum}
	if err := p.Claim(p.t.Context(), p.q, File, n); err != nil {
		p.t.Fatalf("Claim: %v", err)
	}
	return n
}

func (p *place) report(n intake.Note, o task.Outcome, text string) {
	p.t.Helper()
	n.Outcome, n.Text = o, text
	if err := p.Report(p.t.Context(), p.q, File, n); err != nil {
		p.t.Fatalf("Report: %v", err)
	}
}

func kindOf(t *testing.T, err error, want fault.Kind) {
	t.Helper()
	if fault.KindOf(err) != want {
		t.Errorf("got %v (%s), want %s", err, fault.KindOf(err), want)
	}
}

func TestSuite(t *testing.T) {
	intaketest.Run(t, func(t *testing.T) intaketest.Harness {
		p := newPlace(t, "")
		title := ""
		return intaketest.Harness{
			Source: p, Reporter: p, Query: p.q, Unknown: "OTHER.md", Quiet: true, Single: true,
			Add: func(t *testing.T, name, body string) string {
				title = name
				p.write("# " + name + "\n\n" + body)
				return File
			},
			Edit:   func(t *testing.T, key, body string) { p.write("# " + title + "\n\n" + body) },
			Remove: func(t *testing.T, key string) { os.Remove(p.path()) },
			Shown: func(t *testing.T, key string) []string {
				data, _ := os.ReadFile(p.path())
				return split(data).lines
			},
		}
	})
}
