package heartbeat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

const asideFolder = ".longshift-aside"

// aside moves the file where Report does before it compares.
func (p *place) aside() string {
	p.t.Helper()
	to := filepath.Join(p.repo, asideFolder, File)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(p.path(), to); err != nil {
		p.t.Fatal(err)
	}
	return to
}

// clean checks that no file of ours is left in the repository's folder.
func (p *place) clean() {
	p.t.Helper()
	if got := gittest.Git(p.t, p.repo, "status", "--porcelain", "--untracked-files=all"); got != "?? "+File {
		p.t.Errorf("the work tree has %q", got)
	}
}

// TestCrash builds by hand what a crash leaves between the steps of a Report that takes the branch's version over.
func TestCrash(t *testing.T) {
	const before, after = "- [ ] one\n- [ ] two\n", "- [x] one\n- [ ] two\n"
	taken := after + "\n" + opens + "\n" + line("t1", "Done.") + "\n" + closes + "\n"
	taken = strings.Replace(taken, "failed:", "pull_request:", 1)
	edited := "- [ ] one\n- [ ] mine\n"
	for name, c := range map[string]struct {
		leave  func(p *place)
		person string // of the file in the end, ahead of our section
		kept   string // text of a second file, where both must be kept
	}{
		"nothing done": {func(p *place) {}, after, ""},
		"moved":        {func(p *place) { p.aside() }, after, ""},
		"new one written": {func(p *place) {
			if err := os.WriteFile(filepath.Join(filepath.Dir(p.aside()), ".new-ABC"), []byte(taken), 0o600); err != nil {
				p.t.Fatal(err)
			}
		}, after, ""},
		"new one in its place": {func(p *place) { p.aside(); p.write(taken) }, after, ""},
		"all but the end":      {func(p *place) { p.write(taken) }, after, ""},
		"moved after an edit":  {func(p *place) { p.write(edited); p.aside() }, edited, ""},
		"our section in its place after an edit": {func(p *place) {
			p.write(edited)
			p.aside()
			p.write(edited + strings.TrimPrefix(taken, after))
		}, edited, ""},
		"moved after an edit, and a new file": {func(p *place) {
			p.write(edited)
			p.aside()
			p.write("- [ ] new\n")
		}, "- [ ] new\n", edited},
	} {
		for _, first := range []string{"List", "Report"} {
			t.Run(name+", then "+first, func(t *testing.T) {
				p := newPlace(t, before)
				n := p.claim("t1")
				n.Branch = "b"
				p.pushed("b", after)
				d, err := p.open(t.Context(), p.q)
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				all, err := d.Marks.All()
				if err != nil {
					t.Fatal(err)
				}
				n.Outcome = task.PullRequest
				if err := p.end(d, n, all); err != nil {
					t.Fatal(err)
				}
				c.leave(p)
				p.restart()
				if first == "List" {
					p.waits()
					if _, err := os.Stat(p.path()); err != nil {
						t.Fatal(err)
					}
				}
				for range 2 {
					p.report(n, task.PullRequest, "Done.")
				}
				got := split([]byte(p.content()))
				if strings.TrimRight(string(got.person()), "\n") != strings.TrimRight(c.person, "\n") || len(got.lines) != 1 {
					t.Errorf("the file says\n%s", p.content())
				}
				if c.kept == "" {
					p.clean()
				} else if data, err := os.ReadFile(filepath.Join(p.repo, "HEARTBEAT-kept-1.md")); err != nil || string(data) != c.kept {
					t.Errorf("kept %q, %v", data, err)
				}
			})
		}
	}
}

// TestEditWhileTheTaskRuns: only our section is touched, and the edit is new work.
func TestEditWhileTheTaskRuns(t *testing.T) {
	p := newPlace(t, "- [ ] one\r\n")
	n := p.claim("t1")
	n.Branch = "b"
	p.pushed("b", "- [x] one\n")
	p.write("- [ ] one\r\n- [ ] two\r\n")
	if p.waits() {
		t.Error("listed while its task runs")
	}
	p.report(n, task.PullRequest, "Done.")
	want := "- [ ] one\r\n- [ ] two\r\n\r\n" + opens + "\r\n" + strings.Replace(line("t1", "Done."), "failed:", "pull_request:", 1) + "\r\n" + closes + "\r\n"
	if got := p.content(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !p.waits() {
		t.Error("the edited file is not listed")
	}
}

// TestLineEndsAndMode: what git has with plain line ends goes into the file with its own, and the file keeps its mode.
func TestLineEndsAndMode(t *testing.T) {
	p := newPlace(t, "- [ ] one\r\n- [ ] two\r\n")
	if err := os.Chmod(p.path(), 0o640); err != nil {
		t.Fatal(err)
	}
	n := p.claim("t1")
	n.Branch = "b"
	p.pushed("b", "- [x] one\n- [ ] two\n")
	p.report(n, task.PullRequest, "Done.")
	if got := p.content(); !strings.HasPrefix(got, "- [x] one\r\n- [ ] two\r\n\r\n"+opens+"\r\n") || strings.Count(got, "\n") != strings.Count(got, "\r\n") {
		t.Errorf("got %q", got)
	}
	if info, err := os.Stat(p.path()); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestNoLinks(t *testing.T) {
	p := newPlace(t, "")
	outside := filepath.Join(t.TempDir(), "outside.md")
	if err := os.WriteFile(outside, []byte("- [ ] one\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, p.path()); err != nil {
		t.Fatal(err)
	}
	if p.waits() {
		t.Error("a link is listed")
	}
	_, err := p.Read(t.Context(), p.q, File)
	kindOf(t, err, fault.NotFound)
	n := intake.Note{TaskID: "t1", Sum: "x", Outcome: task.PullRequest, Text: "Done."}
	kindOf(t, p.Claim(t.Context(), p.q, File, n), fault.NotFound)
	kindOf(t, p.Report(t.Context(), p.q, File, n), fault.NotFound)
	if data, err := os.ReadFile(outside); err != nil || string(data) != "- [ ] one\n" {
		t.Errorf("outside: %q, %v", data, err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(p.repo, "sub")); err != nil {
		t.Fatal(err)
	}
	p.q.Path = "sub/outside.md"
	kindOf(t, p.List(t.Context(), p.q, func(intake.Item) bool { return true }), fault.Denied)
}

func TestPlaces(t *testing.T) {
	p := newPlace(t, "- [ ] one\n")
	id := p.read().ID
	gittest.Write(t, p.repo, map[string]string{"docs/todo.md": "- [ ] one\n"})
	for path, want := range map[string]fault.Kind{"docs/todo.md": "", "./HEARTBEAT.md": "", "no/where.md": "", "..": fault.Input,
		"../x.md": fault.Input, "/x.md": fault.Input,
		".git/config": fault.Input, ".": fault.Input, ".git": fault.Input} {
		q := p.q
		q.Path = path
		var got intake.Item
		err := p.List(t.Context(), q, func(i intake.Item) bool { got = i; return true })
		if fault.KindOf(err) != want {
			t.Errorf("%q: %v (%s), want %s", path, err, fault.KindOf(err), want)
		}
		if path == "docs/todo.md" && (got.Key != "todo.md" || got.ID == id) || path == "./HEARTBEAT.md" && got.ID != id {
			t.Errorf("%q: %+v", path, got)
		}
	}
	bare := gittest.NewBare(t, map[string]string{File: "- [ ] one\n"})
	for _, r := range []task.Repository{{Text: bare, Path: bare}, {Text: "octo/hello", Owner: "octo", Name: "hello"}} {
		err := p.List(t.Context(), intake.Query{Repository: r}, func(intake.Item) bool { return true })
		kindOf(t, err, fault.Input)
		if fault.HintOf(err) == "" {
			t.Errorf("%s: no hint", r.Text)
		}
	}
}

// TestEditorsAndReports: an editor saves again and again while tasks report. What it saved last stands, and every save was whole.
func TestEditorsAndReports(t *testing.T) {
	p := newPlace(t, "- [ ] one\n")
	n := intake.Note{TaskID: "t1", Sum: p.read().Sum, Outcome: task.Failed}
	var all sync.WaitGroup
	begun, stop := make(chan struct{}), make(chan struct{})
	last := ""
	all.Go(func() {
		for i := 0; ; i++ {
			if i == 1 {
				close(begun)
			}
			select {
			case <-stop:
				return
			default:
			}
			last = fmt.Sprintf("- [ ] one\n- [ ] save %d\n", i)
			tmp := p.path() + "~"
			if err := errors.Join(os.WriteFile(tmp, []byte(last), 0o644), os.Rename(tmp, p.path())); err != nil {
				t.Error(err)
				if i == 0 {
					close(begun)
				}
				return
			}
		}
	})
	<-begun
	for i := range 15 {
		n.TaskID = fmt.Sprint("t", i)
		if err := p.Report(t.Context(), p.q, File, n); err != nil && fault.KindOf(err) != fault.Infra && fault.KindOf(err) != fault.NotFound {
			t.Errorf("Report: %v", err)
		}
	}
	close(stop)
	all.Wait()
	if got := split([]byte(p.content())); strings.TrimSpace(string(got.person())) != strings.TrimSpace(last) {
		t.Errorf("the editor saved %q, the file says %q", last, p.content())
	}
}
