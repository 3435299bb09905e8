package heartbeat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

func TestSomethingToDo(t *testing.T) {
	section := "\n" + opens + "\n- 2026-11-20 18:44:00 UTC, failed: [ ] x <!-- 0123456789ab -->\n" + closes + "\n"
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"open item", "# Do\n\n- [x] one\n- [ ] two\n", true},
		{"all ticked", "# Do\n\nWords.\n\n- [x] one\n- [X] two\n", false},
		{"item deep inside", "1. a\n   - b\n     - [ ] c\n", true},
		{"item in a quote", "> - [ ] c\n", true},
		{"other bullets", "* [x] a\n+ [ ] b\n", true},
		{"open item in a fence", "- [x] one\n\n```md\n- [ ] two\n```\n", false},
		{"open item in a longer fence", "- [x] one\n\n~~~~\n~~~\n- [ ] two\n~~~~\n", false},
		{"open item in a comment", "- [x] one\n\n<!--\n- [ ] two\n-->\n", false},
		{"open item in our section", "- [x] one\n" + section, false},
		{"words", "Look after the tests.\n", true},
		{"a list without boxes", "- look\n- do\n", true},
		{"code", "```\nmake\n```\n", true},
		{"blank", " \n\n\t\n", false},
		{"byte order mark", "\ufeff", false},
		{"headings", "# Heartbeat\n\nTasks\n=====\n\n---\n", false},
		{"comment", "# Heartbeat\n\n<!-- write here -->\n", false},
		{"front matter", "---\ntitle: x\n---\n# Heartbeat\n", false},
		{"only front matter", "---\ntitle: x\n---", false},
		{"words after front matter", "---\r\ntitle: x\r\n---\r\nLook.\r\n", true},
		{"only our section", section, false},
		{"CRLF", "# Do\r\n\r\n- [ ] one\r\n", true},
		{"CRLF ticked", "# Do\r\n\r\n- [x] one\r\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t, c.text)
			if got := p.waits(); got != c.want {
				t.Errorf("listed %v, want %v", got, c.want)
			}
			if w := p.read(); (w.No == "") != c.want {
				t.Errorf("no: %q", w.No)
			}
		})
	}
	if newPlace(t, "").waits() {
		t.Error("a file that is not there is listed")
	}
}

func TestOrder(t *testing.T) {
	p := newPlace(t, "# Do\r\n\r\n- [ ] greet\r\n")
	w := p.read()
	for _, want := range []string{"Process heartbeat\n", "HEARTBEAT.md", "- [x]", "- [ ] greet"} {
		if !strings.Contains(w.Task, want) {
			t.Errorf("%q is not in %q", want, w.Task)
		}
	}
	if w.Issue != nil || w.No != "" || len(w.Task) > task.MaxTask {
		t.Errorf("%+v", w)
	}
	p.write(strings.Repeat("x", task.MaxTask))
	if w := p.read(); !strings.Contains(w.No, "at most") || w.Task != "" {
		t.Errorf("long: no %q, task of %d bytes", w.No, len(w.Task))
	}
	p.write("a\xff")
	if w := p.read(); !strings.Contains(w.No, "UTF-8") || w.Task != "" {
		t.Errorf("no text: %+v", w)
	}
}

// TestNotTwice: a task that has changed nothing is not begun at the next beat, also after a restart.
func TestNotTwice(t *testing.T) {
	for _, o := range []task.Outcome{task.PullRequest, task.AlreadyDone, task.Failed, task.MaxIterations, task.Cancelled, "unheard"} {
		p := newPlace(t, "- [ ] greet\n")
		n := p.claim("t1")
		if p.waits() {
			t.Fatal("listed while its task runs")
		}
		p.report(n, o, "Done.")
		p.restart()
		if p.waits() {
			t.Errorf("%s: listed again with the same text", o)
		}
		kindOf(t, p.Claim(t.Context(), p.q, File, intake.Note{TaskID: "t2", Sum: p.read().Sum}), fault.Conflict)
		if w := p.read(); !strings.Contains(w.No, "edit the file") {
			t.Errorf("no: %q", w.No)
		}
		p.write(p.content() + "\n- [ ] greet in French\n")
		if !p.waits() {
			t.Errorf("%s: not listed after an edit", o)
		}
	}
}

func TestProgress(t *testing.T) {
	p := newPlace(t, "# Do\n\n- [ ] one\n- [ ] two\n")
	n := p.claim("t1")
	n.Branch = "longshift/t1"
	p.pushed(n.Branch, "# Do\n\n- [x] one\n- [ ] two\n\nOne is done.\n")
	want := "# Do\n\n- [x] one\n- [ ] two\n\nOne is done.\n\n" + opens + "\n- 2026-11-20 18:44:00 UTC, pull_request: Opened #1. <!-- 628e71b7b95a -->\n" + closes + "\n"
	want = strings.Replace(want, "628e71b7b95a", lineID("t1"), 1)
	for range 2 {
		p.report(n, task.PullRequest, "\n  Opened #1.\nMore.")
		if got := p.content(); got != want {
			t.Fatalf("got\n%s\nwant\n%s", got, want)
		}
		p.later(time.Minute)
	}
	if !p.waits() {
		t.Error("what is left to do is not listed")
	}
	n = p.claim("t2")
	n.Branch = "longshift/t2"
	p.pushed(n.Branch, strings.Replace(want, "[ ] two", "[x] two", 1))
	p.report(n, task.AlreadyDone, "All done.")
	if got := split([]byte(p.content())); len(got.lines) != 2 || !strings.Contains(string(got.person()), "[x] two") {
		t.Errorf("after the second task:\n%s", p.content())
	}
	if p.waits() {
		t.Error("listed although all is ticked")
	}
}

func lineID(taskID string) string {
	return ours.FindStringSubmatch(page{}.add(intake.Note{TaskID: taskID}, time.Time{}).lines[0])[1]
}

// TestComesToAnEnd: an agent that writes into the file but leaves no less to do is not called every five minutes.
func TestComesToAnEnd(t *testing.T) {
	for name, c := range map[string][2]string{
		"only words":           {"- [ ] one\n", "- [ ] one\n\nI looked.\n"},
		"a new item":           {"- [ ] one\n", "- [x] one\n- [ ] two\n"},
		"another item":         {"- [ ] one\n- [ ] two\n", "- [ ] three\n"},
		"one item twice":       {"- [ ] one\n- [ ] two\n", "- [ ] one\n- [ ] one\n"},
		"prose":                {"Look after the tests.\n", "Look after the tests.\n\nI did.\n"},
		"prose turned to list": {"Look after the tests.\n", "- [ ] look\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, c[0])
			n := p.claim("t1")
			n.Branch = "b"
			p.pushed("b", c[1])
			p.report(n, task.PullRequest, "Done.")
			if !strings.HasPrefix(p.content(), c[1]) {
				t.Errorf("not taken over:\n%s", p.content())
			}
			if p.waits() {
				t.Error("begun again")
			}
			p.write(p.content() + "\n- [ ] a person's wish\n")
			if !p.waits() {
				t.Error("a person's edit is no new work")
			}
		})
	}
}

// TestNotTaken: the file keeps its text and gets only a line about the task.
func TestNotTaken(t *testing.T) {
	const text = "- [ ] one\n"
	for name, prepare := range map[string]func(p *place, n *intake.Note){
		"failed":    func(p *place, n *intake.Note) { p.pushed("b", "- [x] one\n"); n.Outcome = task.Failed },
		"no branch": func(p *place, n *intake.Note) { n.Branch = "" },
		"gone":      func(p *place, n *intake.Note) { n.Branch = "never-pushed" },
		"odd name":  func(p *place, n *intake.Note) { p.pushed("b", "- [x] one\n"); n.Branch = "--output=x" },
		"other ref": func(p *place, n *intake.Note) { p.pushed("b", "- [x] one\n"); n.Branch = "../heads/b~0:" },
		"binary":    func(p *place, n *intake.Note) { p.pushed("b", "\x00\xff") },
		"huge":      func(p *place, n *intake.Note) { p.pushed("b", strings.Repeat("x\n", 1<<20)) },
		"not in it": func(p *place, n *intake.Note) { gittest.Git(p.t, p.repo, "branch", "b") },
		"a link": func(p *place, n *intake.Note) {
			gittest.Sh(p.t, p.repo, `mv HEARTBEAT.md aside; ln -s README.md HEARTBEAT.md; git checkout -q -b b; git add HEARTBEAT.md; git commit -qm x; git checkout -q main; mv aside HEARTBEAT.md`)
		},
		"edited": func(p *place, n *intake.Note) { p.pushed("b", "- [x] one\n"); p.write(text + "- [ ] more\n") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, text)
			n := p.claim("t1")
			n.Branch, n.Outcome = "b", task.PullRequest
			prepare(p, &n)
			before := p.content()
			p.report(n, n.Outcome, "It is over.")
			got := p.content()
			if !strings.HasPrefix(got, before+"\n"+opens) || strings.Count(got, "It is over.") != 1 {
				t.Errorf("got\n%.300s\nwant first\n%s", got, before)
			}
			if p.waits() != (name == "edited") {
				t.Errorf("listed: %v", p.waits())
			}
		})
	}
}

// TestUncommittedStays: a task's branch begins with the file that is committed. What a person has added since, and what an earlier task has ticked,
// stays in the file; what the branch has ticked is ticked.
func TestUncommittedStays(t *testing.T) {
	const committed = "# Do\n\n- [ ] one\n- [ ] two\n"
	for name, c := range map[string]struct{ now, branch, want string }{
		"added":          {committed + "- [ ] three\n", "# Do\n\n- [x] one\n- [ ] two\n\nOne is done.\n", "# Do\n\n- [x] one\n- [ ] two\n- [ ] three\n"},
		"ticked before":  {"# Do\n\n- [x] one\n- [ ] two\n", "# Do\n\n- [ ] one\n- [x] two\n", "# Do\n\n- [x] one\n- [x] two\n"},
		"in Windows":     {"# Do\r\n\r\n- [ ] one\r\n- [ ] new\r\n", "# Do\n\n- [x] one\n- [ ] two\n", "# Do\r\n\r\n- [x] one\r\n- [ ] new\r\n"},
		"open too":       {committed + "* [ ] one\n", "- [x] one\n- [ ] one\n", committed + "* [ ] one\n"},
		"not touched":    {committed + "more\n", committed, committed + "more\n"},
		"as it was read": {committed, "# Do\n\nNothing.\n", "# Do\n\nNothing.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, committed)
			gittest.Sh(t, p.repo, "git add HEARTBEAT.md; git commit -qm 'Add the list'")
			p.write(c.now)
			n := p.claim("t1")
			n.Branch = "b"
			p.pushed("b", c.branch)
			gittest.Sh(t, p.repo, "git commit -q --allow-empty -m later")
			p.report(n, task.PullRequest, "Done.")
			if got := string(split([]byte(p.content())).person()); strings.TrimRight(got, "\r\n") != strings.TrimRight(c.want, "\r\n") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestLineEndsAreNoEdit: git may write the line ends of a work tree by its settings. A file that differs from the committed one in nothing else holds
// nothing uncommitted, and what the task has rewritten, moved or removed is taken.
func TestLineEndsAreNoEdit(t *testing.T) {
	const lf, branch = "# Do\n\n- [ ] one\n- [ ] two\n", "# Do\n\n- [ ] one, in French\n"
	crlf := strings.ReplaceAll(lf, "\n", "\r\n")
	for name, c := range map[string]struct{ committed, now, want string }{
		"CRLF on disk":      {lf, crlf, strings.ReplaceAll(branch, "\n", "\r\n")},
		"CRLF in git":       {crlf, lf, branch},
		"both kinds in one": {"# Do\n\r\n- [ ] one\n- [ ] two\n", "# Do\n\r\n- [ ] one\n- [ ] two\n", branch},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t, c.committed)
			gittest.Sh(t, p.repo, "git add HEARTBEAT.md; git commit -qm 'Add the list'")
			p.write(c.now)
			n := p.claim("t1")
			n.Branch = "b"
			p.pushed("b", branch)
			p.report(n, task.PullRequest, "Done.")
			if got := string(split([]byte(p.content())).person()); strings.TrimRight(got, "\r\n") != strings.TrimRight(c.want, "\r\n") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestHostileConfig: git reads the repository's own configuration, which may name programs. None of them runs.
func TestHostileConfig(t *testing.T) {
	p := newPlace(t, "- [ ] one\n")
	p.pushed("b", "- [x] one\n")
	ran := filepath.Join(t.TempDir(), "ran")
	for _, key := range []string{"core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "filter.x.smudge", "filter.x.clean",
		"diff.x.textconv", "alias.cat-file", "core.editor"} {
		gittest.Git(t, p.repo, "config", key, "touch "+ran)
	}
	gittest.Write(t, p.repo, map[string]string{".gitattributes": "*.md filter=x diff=x\n"})
	n := p.claim("t1")
	n.Branch = "b"
	p.report(n, task.PullRequest, "Done.")
	if !strings.HasPrefix(p.content(), "- [x] one\n") {
		t.Errorf("not taken over: %s", p.content())
	}
	if _, err := os.Stat(ran); !os.IsNotExist(err) {
		t.Error("a program of the repository's configuration has run")
	}
}
