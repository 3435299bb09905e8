package activities

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/sensitive"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// unapproved tries to push, and returns the findings that a person has to allow.
func (b *bench) unapproved(in PushInput) []task.Finding {
	b.t.Helper()
	in.Ref = b.ref
	app := applicationError(b.t, b.attempt().run(b.PushBranch, in, nil))
	var hint string
	var found []task.Finding
	if app.Type() != string(fault.Unapproved) || !app.NonRetryable() || app.Details(&hint, &found) != nil || len(found) == 0 {
		b.t.Fatalf("the push ended with %s: %s, %+v", app.Type(), app.Message(), found)
	}
	return found
}

func ids(found []task.Finding) (list []string) {
	for _, f := range found {
		list = append(list, f.ID)
	}
	return list
}

// A branch with sensitive files is pushed only after a person has allowed it, and only as they have seen it. Its checkpoint is pushed
// before.
func TestPushWaitsForAPerson(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	branch := "refs/heads/" + b.made.Branch
	gittest.Write(t, b.work(), map[string]string{".github/workflows/x.yml": "on: pull_request_target\n", "package-lock.json": "{}\n"})
	must(t, os.Symlink("/etc/passwd", filepath.Join(b.work(), "keys")))
	want := []string{"ask ci .github/workflows/x.yml: new; runs on pull_request_target", "name locks package-lock.json: new",
		"name links keys: leads to /etc/passwd, which is an absolute path"}
	commit := b.commit(1, nil)
	found := commit.Sensitive
	read := []task.ChangedFile{{Path: ".github/workflows/x.yml", Added: 1}, {Path: "keys", Added: 1},
		{Path: "package-lock.json", Added: 1, Why: "lock file", Routine: true}}
	if !slices.Equal(commit.ToRead, read) || commit.Routine != 1 || commit.Files != 3 || commit.Added != 3 || commit.Deleted != 0 {
		t.Errorf("to read: %+v of %d files, +%d -%d", commit.ToRead, commit.Files, commit.Added, commit.Deleted)
	}
	var got []string
	for _, f := range found {
		got = append(got, string(f.Action)+" "+f.String())
	}
	if !slices.Equal(got, want) {
		t.Fatalf("found %q\nwant %q", got, want)
	}
	for _, allowed := range [][]string{nil, {found[1].ID, found[2].ID}, {"other"}} {
		if again := b.unapproved(PushInput{Allowed: allowed}); !slices.Equal(again, found) {
			t.Errorf("the push finds %+v", again)
		}
	}
	if gittest.Ref(t, b.remote, branch) != "" || b.checkpoint() == "" {
		t.Errorf("on the remote are %v", gittest.Refs(t, b.remote))
	}
	gittest.Write(t, b.work(), map[string]string{".github/workflows/x.yml": "on: push\n"})
	b.commit(2, nil)
	b.unapproved(PushInput{Allowed: ids(found)})
	found = b.commit(2, nil).Sensitive
	if head := b.push(PushInput{Allowed: ids(found), Squash: "feat: all", BaseRef: b.made.BaseCommit}); gittest.Ref(t, b.remote, branch) != head {
		t.Errorf("not pushed: %v", gittest.Refs(t, b.remote))
	}
}

// A new file is read last only in a vendored folder that the base has.
func TestNamesOfNewFiles(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.remote = gittest.NewBare(t, map[string]string{"vendor/lib/a.go": "package lib\n"})
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"vendor/lib/b.go": "x\n", "auth/vendor/a.go": "x\n", "auth/token.pb.go": "x\n"})
	want := []task.ChangedFile{{Path: "auth/token.pb.go", Added: 1}, {Path: "auth/vendor/a.go", Added: 1},
		{Path: "vendor/lib/b.go", Added: 1, Why: "vendored", Routine: true}}
	if c := b.commit(1, nil); !slices.Equal(c.ToRead, want) || c.Routine != 1 {
		t.Errorf("to read: %+v, with %d lines of programs", c.ToRead, c.Routine)
	}
}

func TestPushIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	b.Sensitive = sensitive.Rules{sensitive.Hooks: task.RefuseFinding, sensitive.Executables: task.AllowFinding}
	b.start()
	gittest.Write(t, b.work(), map[string]string{".husky/pre-commit": "x\n"})
	must(t, os.Chmod(filepath.Join(b.work(), ".husky/pre-commit"), 0o755))
	found := b.commit(1, nil).Sensitive
	if len(found) != 1 || found[0].Action != task.RefuseFinding {
		t.Fatalf("found %+v", found)
	}
	b.unapproved(PushInput{Allowed: ids(found)}) // nobody can allow it
}

// What policy and mounts can't see, a program of the task's own that writes where it may not, is undone and named, and the rest is pushed.
func TestClosedPathsAreUndone(t *testing.T) {
	t.Parallel()
	paths := task.PathSettings{Write: []string{"src/**", "package.json"}}
	b := newBench(t, nil)
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"package.json": "{}\n", "package-lock.json": "{}\n", "calc.go": "x\n"})
	var c Committed
	must(t, b.attempt().run(b.CommitWork, CommitInput{Ref: b.ref, Session: 1, Message: "feat: x", Paths: paths}, &c))
	want := "left out of the commit: calc.go (closed by the settings; the change was undone), " +
		"package-lock.json (closed by the settings; the change was undone)"
	if got := strings.Join(c.Notes, "\n"); got != want || len(c.Sensitive) != 0 {
		t.Fatalf("notes %q, want %q; found %+v", got, want, c.Sensitive)
	}
	head := b.push(PushInput{Paths: paths})
	if got := gittest.Git(t, b.remote, "show", "--name-only", "--format=", head); got != "package.json" {
		t.Errorf("pushed %q", got)
	}
}

// A branch that has changes of closed files all the same, committed before the settings closed them, is not pushed until they are taken
// back.
func TestClosedPathsAreNotPushed(t *testing.T) {
	t.Parallel()
	paths := task.PathSettings{ReadOnly: []string{"db/*.sql"}, TaskWritable: []string{"CHANGELOG.md", "docs/**"}, HideFromImplementer: []string{"hidden/**"}}
	planned := []string{"docs/a.md"}
	b := newBench(t, nil)
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"db/1.sql": "x\n", "CHANGELOG.md": "x\n", "docs/a.md": "x\n", "hidden/t.sh": "x\n", "free.txt": "x\n"})
	var c Committed
	must(t, b.attempt().run(b.CommitWork, CommitInput{Ref: b.ref, Session: 1, Message: "feat: x"}, &c)) // before the settings close them
	in := CommitInput{Ref: b.ref, Session: 2, Message: "feat: y", Paths: paths, Planned: planned}
	c = Committed{}
	must(t, b.attempt().run(b.CommitWork, in, &c))
	var got []string
	for _, f := range c.Sensitive {
		got = append(got, string(f.Action)+" "+f.String())
	}
	want := []string{"refuse paths: CHANGELOG.md may be changed only where the plan names it, and it does not; leave it as it is",
		"refuse paths: db/1.sql may only be read by implementers; leave it as it is",
		"refuse paths: hidden/t.sh may not be read by implementers in this project; do without it"}
	if !slices.Equal(got, want) {
		t.Fatalf("found %q\nwant %q", got, want)
	}
	b.unapproved(PushInput{Allowed: ids(c.Sensitive), Paths: paths, Planned: planned}) // nobody can allow it
	for _, name := range []string{"db/1.sql", "CHANGELOG.md", "hidden/t.sh"} {
		must(t, os.Remove(filepath.Join(b.work(), name)))
	}
	in.Session = 3
	c = Committed{}
	must(t, b.attempt().run(b.CommitWork, in, &c))
	if len(c.Sensitive) != 0 {
		t.Errorf("found %+v", c.Sensitive)
	}
	b.push(PushInput{Paths: paths, Planned: planned})
}

// The paths of a box are those of its role.
func TestBoxOfARole(t *testing.T) {
	t.Parallel()
	paths := task.PathSettings{ReadOnly: []string{"db/**"}, TaskWritable: []string{"CHANGELOG.md", "docs/**", "*.md"}, Ignore: []string{"secret"},
		HideFromImplementer: []string{"held/**"}, HideFromReviewer: []string{"drafts"}}
	b := newBench(t, nil)
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"db/1.sql": "x\n", "CHANGELOG.md": "x\n", "docs/a.md": "x\n", "secret": "x\n",
		"held/a": "x\n", "drafts": "x\n"})
	tree, err := b.Workspaces.Open(t.Context(), b.ref.TaskID, b.ref.Fence)
	must(t, err)
	defer tree.Close()
	where, err := layoutOf(t.Context(), tree)
	must(t, err)
	for role, want := range map[task.Role][2]string{
		task.Implementer: {"db CHANGELOG.md", "secret held"}, task.Reviewer: {"db CHANGELOG.md", "secret drafts"}, task.Planner: {"db CHANGELOG.md", "secret"}, "": {"db", "secret"},
	} {
		spec, err := b.boxes.spec(t.Context(), where, b.boxes.dirs(where, b.ref.TaskID), false, pathScope{paths, role, []string{"docs/a.md"}})
		must(t, err)
		if got := [2]string{below(where.dir, spec.Protected), below(where.dir, spec.Hidden)}; got != want {
			t.Errorf("%s: protected and hidden are %q, want %q", role, got, want)
		}
	}
	for _, key := range []string{"key", "new-key"} { // key files are looked up for each box
		b.boxes.confine.Keys = func() []string { return []string{filepath.Join(where.dir, key)} }
		spec, err := b.boxes.spec(t.Context(), where, b.boxes.dirs(where, b.ref.TaskID), false, pathScope{})
		if must(t, err); below(where.dir, spec.Hidden) != key {
			t.Errorf("hidden are %q, want %s", spec.Hidden, key)
		}
	}
}

// below lists what of paths lies in the work tree and not in its .git.
func below(dir string, paths []string) string {
	var names []string
	for _, p := range paths {
		if rel, ok := strings.CutPrefix(p, dir+"/"); ok && !strings.HasPrefix(rel, ".git/") {
			names = append(names, rel)
		}
	}
	return strings.Join(names, " ")
}

func TestReviewerIsToldWhatToLookAt(t *testing.T) {
	t.Parallel()
	told := ""
	b := newBench(t, map[string]agent.Agent{"script": &player{play: func(_ context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
		told = s.Prompt
		emit(agent.Event{Kind: agent.Text, Text: "<APPROVED>ok</APPROVED>"})
		return agent.Outcome{Kind: agent.Completed}, nil
	}}})
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{".mcp.json": "{}\n"})
	b.commit(1, nil)
	_, err := b.attempt().session(b.Sessions, b.session(task.Reviewer, "script"))
	must(t, err)
	if !strings.Contains(told, "deserve a second look") || !strings.Contains(told, "agents .mcp.json: new") {
		t.Errorf("the reviewer was told\n%s", told)
	}
}
