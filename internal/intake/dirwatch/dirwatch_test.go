package dirwatch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// place is a watched folder, with the edits that people and their editors make.
type place struct {
	t   *testing.T
	top string
	dir string
	w   *Watcher
}

func watch(t *testing.T, path string, before ...string) *place {
	t.Helper()
	p := &place{t: t, top: t.TempDir()}
	p.dir = filepath.Join(p.top, path)
	for _, dir := range before {
		p.mkdir(dir)
	}
	var err error
	if p.w, err = New(p.top, path, func(name string) bool { return strings.HasSuffix(name, ".md") }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.w.Close)
	return p
}

func (p *place) at(path string) string { return filepath.Join(p.top, path) }

func (p *place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) mkdir(path string) { p.t.Helper(); p.must(os.MkdirAll(p.at(path), 0o755)) }
func (p *place) write(path string) {
	p.t.Helper()
	p.must(os.WriteFile(p.at(path), []byte("x"), 0o644))
}
func (p *place) rename(from, to string)   { p.t.Helper(); p.must(os.Rename(p.at(from), p.at(to))) }
func (p *place) remove(path string)       { p.t.Helper(); p.must(os.RemoveAll(p.at(path))) }
func (p *place) link(from, to string)     { p.t.Helper(); p.must(os.Link(p.at(from), p.at(to))) }
func (p *place) mode(path string, m uint) { p.t.Helper(); p.must(os.Chmod(p.at(path), os.FileMode(m))) }

// until receives changes until one fits.
func (p *place) until(what string, ok func(Change) bool) {
	p.t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case c, open := <-p.w.Changes():
			if !open {
				p.t.Fatalf("%s: watching has ended", what)
			}
			if c.At.IsZero() {
				p.t.Errorf("%s: no time", what)
			}
			if ok(c) {
				return
			}
		case <-late:
			p.t.Fatalf("%s is not told", what)
		}
	}
}

func wrote(c Change) bool { return c.Wrote }
func gone(c Change) bool  { return c.Gone }

func TestFiles(t *testing.T) {
	t.Parallel()
	p := watch(t, "backlog", "backlog")
	p.write("backlog/a.md")
	p.until("a new file", wrote)
	p.write("backlog/a.md")
	p.until("a file written again", wrote)
	p.write("backlog/.a.swp")
	p.rename("backlog/.a.swp", "backlog/a.md")
	p.until("a save that replaces the file", wrote)
	p.write("elsewhere")
	p.link("elsewhere", "backlog/b.md")
	p.until("a link", wrote)
	p.rename("backlog/b.md", "backlog/b.txt")
	p.until("a file renamed", gone)
	p.remove("backlog/a.md")
	p.until("a file removed", gone)
}

// Other files, and events that change no file, are not reported.
func TestSilence(t *testing.T) {
	t.Parallel()
	p := watch(t, "backlog", "backlog")
	p.write("elsewhere")
	p.link("elsewhere", "backlog/a.md") // one notice
	p.until("a new file", wrote)
	seen := make(chan Change, 100)
	for _, do := range []func(){
		func() { p.write("backlog/a.txt") },
		func() { p.write("backlog/.a.md.swp"); p.remove("backlog/.a.md.swp") },
		func() { p.mode("backlog/a.md", 0o600) },
		func() { p.mode("backlog", 0o700) },
		func() { p.write("beside.md") },
		func() { p.mkdir("backlog/sub"); p.write("backlog/sub/c.md") },
	} {
		do()
	}
	p.remove("backlog/a.md") // Gone, and nothing before it that says Wrote
	p.until("the last one", func(c Change) bool { seen <- c; return c.Gone })
	close(seen)
	for c := range seen {
		if c.Wrote {
			t.Errorf("told: %+v", c)
		}
	}
}

func TestFolderComesAndGoes(t *testing.T) {
	t.Parallel()
	p := watch(t, "work/backlog")
	p.mkdir("work")
	p.until("the folder above", wrote)
	p.mkdir("work/backlog")
	p.until("the folder", wrote)
	p.write("work/backlog/a.md")
	p.until("a file in the new folder", wrote)
	p.remove("work/backlog")
	p.until("the folder removed", gone)
	p.mkdir("work/backlog")
	p.until("the folder made again", wrote)
	p.write("work/backlog/a.md")
	p.until("a file in the folder made again", wrote)
	p.rename("work/backlog", "work/old")
	p.until("the folder moved away", gone)
	p.mkdir("work/backlog")
	p.until("another folder in its place", wrote)
	p.write("work/backlog/b.md")
	p.until("a file in the other folder", wrote)
	p.rename("work", "old")
	p.until("the folder above moved away", gone)
	p.rename("old", "work")
	p.until("it is back", wrote)
	p.write("work/backlog/c.md")
	p.until("a file after all that", wrote)
	p.remove("work")
	p.until("all gone", gone)
	p.write("work")
	p.until("a file in the way", wrote)
	p.remove("work")
	p.mkdir("work/backlog")
	p.until("made in one go", wrote)
	p.write("work/backlog/d.md")
	p.until("a file in what was made in one go", wrote)
}

// Many notices that nobody receives are one change, of the time of the last.
func TestTogether(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 18, 44, 0, 0, time.UTC)
	w := &Watcher{chain: []string{"/r", "/r/backlog"}, counts: func(string) bool { return true }, now: func() time.Time { at = at.Add(time.Second); return at }}
	var pending Change
	for range 50 {
		for _, op := range []fsnotify.Op{fsnotify.Create, fsnotify.Write, fsnotify.Chmod, fsnotify.Rename} {
			if !w.take(fsnotify.Event{Name: "/r/backlog/a.md", Op: op}, &pending) {
				t.Fatal("it has ended")
			}
		}
	}
	if want := (Change{Wrote: true, Gone: true, At: at}); pending != want || at.Second() != 30 {
		t.Errorf("%+v, want %+v", pending, want)
	}
}

func TestEnd(t *testing.T) {
	t.Parallel()
	p := watch(t, ".")
	p.write("a.md")
	p.until("a file at the top", wrote)
	p.remove(".")
	for range p.w.Changes() { // closed: there is nothing left to watch
	}
	if _, err := New(p.top, "backlog", nil); err == nil || !strings.Contains(err.Error(), p.top) {
		t.Errorf("a top that is not there: %v", err)
	}
}
