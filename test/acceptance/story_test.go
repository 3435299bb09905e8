package acceptance

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/test/lab"
)

// story is a task that a person gives, how the model works on it, and what is meant to come out.
type story struct {
	name     string
	archive  archive
	ask      string   // in words that no other story of the same dev uses
	flags    []string // of longshift run
	settings string   // .longshift.yaml; "" has longshift init write it
	look     []step   // of the planner, who only reads
	work     []work
	typed    bool          // by a person at a terminal, who lets the plan pass with a key
	within   time.Duration // 0 for what a story may take
	redBase  bool          // the check fails before the work
	red      bool          // it fails after it, too, so that a draft comes out

	// place makes the repository in the folder, with a commit that holds the files, and gives the path that the person works in.
	// nil makes a plain one.
	place func(t testing.TB, p *person, dir string, files map[string]string) string

	// meant fails the test unless the pull request, from base to head, changes what it should. nil looks for what the archive means.
	meant func(t testing.TB, p *person, repo, base, head string)

	// then is what the person does with the branch; nil for nothing.
	then func(t testing.TB, p *person, repo, branch string)
}

// work is one deliverable: a session that takes the steps and reports with the message.
type work struct {
	id, message string
	steps       []step
}

// within is how long a story may take on a machine that has other things to do as well.
const within = 8 * time.Minute

// play does what the README says, in a repository of its own, and looks at everything that a person would.
func (y story) play(t testing.TB, d *dev) {
	t.Helper()
	begun := time.Now()
	repo := y.repository(t, d.person)
	before := d.git(t, repo, "rev-parse", "HEAD")
	end := y.run(t, d, repo)
	y.results(t, d)
	if t.Failed() || end.Outcome != y.outcome() {
		t.Fatalf("outcome %s: %s%s", end.Outcome, end.Detail, lab.Log(end))
	}
	if len(end.Questions) > 0 || end.NeedsHuman || len(end.Warnings) > 0 {
		t.Errorf("asked %+v, needs a person: %t, warned: %q", end.Questions, end.NeedsHuman, end.Warnings)
	}
	if n := len(end.Findings); n != 1 || end.Findings[0].Text != "README.md: "+found {
		t.Errorf("found %+v", end.Findings)
	}
	y.checks(t, end)
	if y.red {
		draft(t, d.person, repo, end)
	}
	y.compare(t, d.person, repo, end)
	untouched(t, d.person, repo, before, end)
	if y.then != nil {
		y.then(t, d.person, repo, end.Branch)
	}
	if y.typed {
		takesOver(t, d, repo, end)
	}
	for _, s := range end.Sessions {
		if left := lab.Marked(t, "LONGSHIFT_SESSION="+s.ID); len(left) > 0 {
			t.Errorf("processes left behind by session %d: %q", s.N, left)
		}
	}
	t.Logf("story %-24s %5.1fs, %d sessions, checks %s", y.name, time.Since(begun).Seconds(), len(end.Sessions), end.Check.Duration.Round(100*time.Millisecond))
}

// repository makes the repository, with settings that longshift init proposes or that the story has.
func (y story) repository(t testing.TB, p *person) string {
	t.Helper()
	files := y.archive.base
	if y.settings != "" {
		files = merged(files, map[string]string{".longshift.yaml": y.settings})
	}
	place := y.place
	if place == nil {
		place = plain
	}
	repo := place(t, p, filepath.Join(p.home, "src", y.name), files)
	if y.settings == "" {
		if r := p.longshift(t, time.Minute, repo, nil, "init"); r.code != 0 {
			t.Fatalf("longshift init: %+v", r)
		}
		p.git(t, repo, "add", "--force", ".longshift.yaml")
		p.git(t, repo, "commit", "--quiet", "--message=Say how Longshift checks the work")
	}
	return repo
}

// run starts the task and gives its last status, when the command has ended well.
func (y story) run(t testing.TB, d *dev, repo string) signals.Status {
	t.Helper()
	args := append([]string{"run", y.ask}, y.flags...)
	var text string
	if y.typed {
		cmd := d.command(t.Context(), repo, filepath.Join(d.home, "longshift", "longshift"), args...)
		cmd.Env = append(cmd.Env, d.address...)
		w := openTerminal(t, cmd)
		w.waits("[a]pprove", "a")
		if code := w.code(within); code != y.code() {
			t.Fatalf("longshift run ended with %d:\n%s", code, w.shown())
		}
		if !strings.Contains(w.shown(), "README.md: "+found) {
			t.Errorf("it does not say what was found:\n%s", w.shown())
		}
		id := regexp.MustCompile(`task (\S+)`).FindStringSubmatch(w.shown())
		if id == nil {
			t.Fatalf("no id is shown:\n%s", w.shown())
		}
		text = d.longshift(t, time.Minute, repo, d.address, "status", id[1], "-o", "json").out
	} else {
		r := d.longshift(t, cmp.Or(y.within, within), repo, d.address, append(args, "--approval", "none", "-o", "json")...)
		if text = r.out; r.code != y.code() {
			y.results(t, d)
			t.Fatalf("longshift run ended with %d:\n%s\n%s", r.code, r.err, r.out)
		}
	}
	var end signals.Status
	if err := json.Unmarshal([]byte(text), &end); err != nil {
		t.Fatalf("read the last status: %v\n%s", err, text)
	}
	return end
}
