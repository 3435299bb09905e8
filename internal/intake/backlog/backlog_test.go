package backlog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// place is a repository with a backlog, and a source that reads it.
type place struct {
	*Source
	t     *testing.T
	repo  string
	state string
	q     intake.Query
	clock time.Time
	mu    sync.Mutex
}

func newPlace(t *testing.T, files map[string]string) *place {
	t.Helper()
	p := &place{t: t, repo: gittest.NewCheckout(t, map[string]string{"README.md": "# Hello\n"}), state: filepath.Join(t.TempDir(), "state"),
		clock: time.Date(2026, 11, 20, 18, 44, 0, 0, time.UTC)}
	p.q = intake.Query{Repository: task.Repository{Text: p.repo, Path: p.repo, Name: "repo"}}
	for name, text := range files {
		p.write(name, text)
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

func (p *place) path(name string) string { return filepath.Join(p.repo, "backlog", name) }

func (p *place) write(name, text string) {
	p.t.Helper()
	gittest.Write(p.t, p.repo, map[string]string{"backlog/" + name: text})
}

// says checks the text of a file; "" means that the file is gone.
func (p *place) says(name, want string) {
	p.t.Helper()
	data, err := os.ReadFile(p.path(name))
	if want == "" {
		if !os.IsNotExist(err) {
			p.t.Errorf("%s is still there: %q, %v", name, data, err)
		}
		return
	}
	if string(data) != want {
		p.t.Errorf("%s says %q (%v), want %q", name, data, err, want)
	}
}

// clean checks that no file of ours is left in the folder.
func (p *place) clean() {
	p.t.Helper()
	entries, _ := os.ReadDir(filepath.Join(p.repo, "backlog"))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".longshift") {
			p.t.Errorf("%s lies in the folder", e.Name())
		}
	}
}

func (p *place) listed(want ...string) []intake.Item {
	p.t.Helper()
	var items []intake.Item
	var got []string
	if err := p.List(p.t.Context(), p.q, func(i intake.Item) bool { items, got = append(items, i), append(got, i.Key); return true }); err != nil {
		p.t.Fatalf("List: %v", err)
	}
	if !slices.Equal(got, want) {
		p.t.Fatalf("listed %q, want %q", got, want)
	}
	return items
}

func (p *place) read(key string) intake.Work {
	p.t.Helper()
	w, err := p.Read(p.t.Context(), p.q, key)
	if err != nil {
		p.t.Fatalf("Read %q: %v", key, err)
	}
	return w
}

// claim claims a file for a task and returns the task's note.
func (p *place) claim(key, taskID string) intake.Note {
	p.t.Helper()
	n := intake.Note{TaskID: taskID, Sum: p.read(key).Sum}
	if err := p.Claim(p.t.Context(), p.q, key, n); err != nil {
		p.t.Fatalf("Claim: %v", err)
	}
	return n
}

func (p *place) report(key string, n intake.Note, o task.Outcome) {
	p.t.Helper()
	n.Outcome = o
	if err := p.Report(p.t.Context(), p.q, key, n); err != nil {
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
		p := newPlace(t, nil)
		n := 0
		text := map[string]string{}
		return intaketest.Harness{
			Source: p, Reporter: p, Query: p.q, Unknown: "nothing.md", Quiet: true,
			Add: func(t *testing.T, title, body string) string {
				n++
				key := fmt.Sprintf("%03d-piece.md", n)
				text[key] = title
				p.write(key, "# "+title+"\n\n"+body)
				return key
			},
			Edit:   func(t *testing.T, key, body string) { p.write(key, "# "+text[key]+"\n\n"+body) },
			Remove: func(t *testing.T, key string) { os.Remove(p.path(key)) },
		}
	})
}

// While somebody writes, no work is taken: neither the file, which may be incomplete, nor one after it.
func TestListWaitsUntilNobodyWrites(t *testing.T) {
	t.Parallel()
	repo, now := t.TempDir(), time.Now()
	folder := filepath.Join(repo, Folder)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	gittest.Git(t, repo, "init", "-q")
	for name, age := range map[string]time.Duration{"010-old.md": time.Hour, "020-new.md": 20 * time.Second, "notes.txt": 0} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("# "+name), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	s := New(workfile.Config{State: t.TempDir(), Quiet: 30 * time.Second, Now: func() time.Time { return now }})
	q := intake.Query{Repository: task.Repository{Text: repo, Path: repo, Name: "r"}}
	settles := func(want time.Duration) {
		t.Helper()
		if left, err := s.Settles(t.Context(), q); err != nil || (left-want).Abs() > time.Second {
			t.Errorf("settles in %s (%v), want %s", left, err, want)
		}
	}
	count := func() (n int) {
		if err := s.List(context.Background(), q, func(intake.Item) bool { n++; return true }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != 0 {
		t.Errorf("%d files are taken while one is written", n)
	}
	settles(10 * time.Second)
	now = now.Add(10 * time.Second)
	if n := count(); n != 2 {
		t.Errorf("%d files are taken when all are at rest, want 2", n)
	}
	settles(0)
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	settles(0)
}
