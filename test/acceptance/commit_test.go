package acceptance

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// commit is one of somebody's repository, and what a task has to bring about.
type commit struct {
	t     testing.TB
	repo  string // folder of the repository, with or without a work tree
	id    string
	files []changed
}

// changed is a file that differs between a commit and the one before it.
type changed struct {
	path          string
	before, after string // modes as git writes them; "000000" where there is none
	old, now      string // contents; of a link its target
}

// openCommit reads what a commit changes.
func openCommit(t testing.TB, repo, id string) commit {
	t.Helper()
	c := commit{t: t, repo: repo}
	c.id = strings.TrimSpace(c.git("rev-parse", "--verify", id+"^{commit}"))
	fields := strings.Split(c.git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", c.id+"^", c.id), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		about := strings.Fields(strings.TrimPrefix(fields[i], ":")) // mode, mode, object, object, status
		f := changed{path: fields[i+1], before: about[0], after: about[1]}
		f.old, f.now = c.content(f.before, about[2]), c.content(f.after, about[3])
		c.files = append(c.files, f)
	}
	if len(c.files) == 0 {
		t.Fatalf("%s changes nothing", id)
	}
	return c
}

func (c commit) git(args ...string) string {
	c.t.Helper()
	var errs bytes.Buffer
	cmd := exec.Command("git", append([]string{"-c", "safe.directory=*", "-C", c.repo}, args...)...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatalf("git %q in %s: %v\n%s", args, c.repo, err, errs.String())
	}
	return string(out)
}

func (c commit) content(mode, object string) string {
	if mode == "000000" {
		return ""
	}
	return c.git("cat-file", "blob", object)
}

// story has a task bring about what the commit did, as somebody who writes the test first: then it fails, then it passes. settings are
// the repository's .longshift.yaml, "" for what longshift init proposes.
func (c commit) story(name, settings, check string) story {
	ask := strings.TrimSpace(c.git("log", "-1", "--format=%s", c.id)) + " (" + name + ")"
	y := story{
		name: name, archive: archive{name: name, base: map[string]string{}}, ask: ask, settings: settings, place: c.place, meant: c.meant,
		look: []step{bash("git status --short && git log --oneline -5 && git diff --stat HEAD && ls"), bash("git ls-files | wc -l && git log -3 --format='%h %an %s' -- " + quote(c.files[0].path))},
	}
	steps := []step{bash("git status --short && git log --oneline -3 && git branch --show-current", "longshift/")}
	tests, rest := c.split()
	for _, f := range tests {
		steps = append(steps, f.steps()...)
	}
	if len(tests) > 0 && check != "" {
		steps = append(steps, either(check))
	}
	for _, f := range rest {
		steps = append(steps, f.steps()...)
	}
	if check != "" {
		steps = append(steps, bash(check))
	}
	steps = append(steps, bash("echo draft > notes.tmp && rm notes.tmp && git diff --stat && git status --short"))
	y.work = []work{{id: "FIX-001", message: "fix: do as " + name + " did", steps: steps}}
	return y
}

var aboutTests = regexp.MustCompile(`(?i)test|spec|fixture`)

// split parts the files into those of tests, which come first, and the rest.
func (c commit) split() (tests, rest []changed) {
	for _, f := range c.files {
		if aboutTests.MatchString(f.path) {
			tests = append(tests, f)
		} else {
			rest = append(rest, f)
		}
	}
	return tests, rest
}

// place clones the repository as it was before the commit. The clone has no remote: the pull request is to be in the folder.
func (c commit) place(t testing.TB, p *person, dir string, files map[string]string) string {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(dir), 0o755))
	c.git("clone", "--quiet", "--no-checkout", "--no-hardlinks", c.repo, dir)
	p.owns(dir)
	p.git(t, dir, "remote", "remove", "origin")
	p.git(t, dir, "checkout", "--quiet", "-B", "main", c.id+"^")
	if len(files) > 0 {
		write(t, dir, files)
		p.owns(dir)
		p.git(t, dir, "add", "--force", "--all")
		p.git(t, dir, "commit", "--quiet", "--message=Say how Longshift checks the work")
	}
	return dir
}

// meant fails the test unless the pull request changes the same files from and to the same modes and contents.
func (c commit) meant(t testing.TB, p *person, repo, base, head string) {
	t.Helper()
	raw := []string{"diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev"}
	want, got := strings.TrimSpace(c.git(append(raw, c.id+"^", c.id)...)), p.git(t, repo, append(raw, base, head)...)
	if want != got {
		t.Errorf("the pull request is another change than %s:\n%s\nmeant:\n%s\ngot:\n%s", c.id, p.git(t, repo, "diff", "--stat", base, head), want, got)
	}
}

// steps bring the file to what it is in the commit.
func (f changed) steps() []step {
	name := quote(f.path)
	plainText := utf8.ValidString(f.old+f.now) && !strings.Contains(f.old+f.now, "\x00")
	was, is := kind(f.before), kind(f.after)
	var steps []step
	if was != "" && was != is {
		steps = append(steps, bash("rm "+name))
		f.old = ""
	}
	switch {
	case is == "":
	case is == "link":
		steps = append(steps, bash("mkdir -p "+quote(path.Dir(f.path))+" && ln -sfn "+quote(f.now)+" "+name))
	case !plainText:
		steps = append(steps, bash("mkdir -p "+quote(path.Dir(f.path))+" && base64 -d > "+name+" <<'END'\n"+base64.StdEncoding.EncodeToString([]byte(f.now))+"\nEND"))
	case f.old == "":
		steps = append(steps, bring(f.path, "", f.now, false))
	case f.old != f.now:
		old, now := lineFeeds(f.old), lineFeeds(f.now) // the tools show and take line ends like these, and write the file's own
		from, _ := hunk(old, now)
		at := strings.Count(old[:strings.Index(old, from)], "\n") + 1
		steps = append(steps, use("Read", nil, map[string]any{"file_path": f.path, "offset": at, "limit": 40}), bring(f.path, old, now, true))
	}
	if is == "file" && (f.after == "100755") != (f.before == "100755") {
		how := map[bool]string{true: "+x", false: "-x"}[f.after == "100755"]
		steps = append(steps, bash("chmod "+how+" "+name))
	}
	return steps
}

func lineFeeds(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// kind is what a mode of git means: "file", "link", "" for none.
func kind(mode string) string {
	switch {
	case strings.HasPrefix(mode, "100"):
		return "file"
	case mode == "120000":
		return "link"
	case mode == "000000":
		return ""
	}
	panic("a mode that no story can bring about: " + mode)
}

// quote writes a word as the shell reads it.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
