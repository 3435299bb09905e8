package local

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/forge/forgetest"
)

func ensure(t *testing.T, f *Forge, r forge.Request) forge.PullRequest {
	t.Helper()
	p, err := f.EnsurePullRequest(t.Context(), r)
	if err != nil {
		t.Fatalf("EnsurePullRequest: %v", err)
	}
	return p
}

// TestRecord shows what a person finds with git alone.
func TestRecord(t *testing.T) {
	dir := forgetest.NewRepository(t)
	r := branchRequest(t, dir, dir)
	r.Draft, r.Labels, r.Reviewers = true, []string{"longshift"}, []string{"alice", "acme/web"}
	p := ensure(t, newForge(), r)
	main := forgetest.Git(t, dir, "", "rev-parse", "main")
	want := `{
  "number": 1,
  "title": "Greet in French",
  "state": "open",
  "task": "task-1",
  "fence": 1,
  "head": "longshift/task-1",
  "headCommit": "` + r.HeadCommit + `",
  "base": "main",
  "baseCommit": "` + main + `",
  "draft": true,
  "labels": [
    "longshift"
  ],
  "reviewers": [
    "alice",
    "acme/web"
  ],
  "created": "2026-03-01T10:00:00Z",
  "updated": "2026-03-01T10:00:00Z"
}

What was done.

<!-- longshift:task=task-1 fence=1 -->`
	if got := forgetest.Git(t, dir, "", "show", "refs/longshift/pulls/1/record"); got != want {
		t.Errorf("record:\n%s\nwant:\n%s", got, want)
	}
	if got := forgetest.Git(t, dir, "", "rev-parse", "refs/longshift/pulls/1/head"); got != r.HeadCommit {
		t.Errorf("head ref is at %s", got)
	}
	if want := dir + " refs/longshift/pulls/1/record"; p.URL != want || !p.Created.Equal(begin) {
		t.Errorf("got %+v", p)
	}
}

func TestNewCommits(t *testing.T) {
	dir, f := forgetest.NewRepository(t), newForge()
	r := branchRequest(t, dir, dir)
	ensure(t, f, r)
	r.HeadCommit = forgetest.AddBranch(t, dir, r.Head, r.Head)
	if p := ensure(t, f, r); !p.Found || len(p.Warnings) > 0 {
		t.Errorf("got %+v", p)
	}
	if got := forgetest.Git(t, dir, "", "rev-parse", "refs/longshift/pulls/1/head"); got != r.HeadCommit || read(t, dir, 1).HeadCommit != got {
		t.Errorf("head ref is at %s, record at %s, want %s", got, read(t, dir, 1).HeadCommit, r.HeadCommit)
	}
	old := r
	old.HeadCommit = forgetest.Git(t, dir, "", "rev-parse", r.Head+"^")
	if p := ensure(t, f, old); len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0], r.Head) {
		t.Errorf("a moved branch gives %+v", p)
	}
}

func TestPlaces(t *testing.T) {
	dir, _ := checkout(t)
	linked := filepath.Join(t.TempDir(), "linked")
	forgetest.Git(t, filepath.Join(dir, ".git"), "", "worktree", "add", "--quiet", "--detach", linked)
	r := branchRequest(t, dir, filepath.Join(dir, ".git"))
	first := ensure(t, newForge(), r)
	r.Repository = at(linked)
	if p := ensure(t, newForge(), r); !p.Found || p.Number != first.Number {
		t.Errorf("from a linked worktree: got %+v", p)
	}
	sub := filepath.Join(dir, "sub")
	writeFile(t, filepath.Join(sub, "file"), "")
	for _, path := range []string{sub, filepath.Join(dir, "greeting.txt"), t.TempDir()} {
		r.Repository = at(path)
		if _, err := newForge().EnsurePullRequest(t.Context(), r); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%s: got %v", path, err)
		}
	}
	r.Repository.Path = ""
	if _, err := newForge().EnsurePullRequest(t.Context(), r); fault.KindOf(err) != fault.Input {
		t.Errorf("no path: got %v", err)
	}
}

func TestSHA256(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new.git")
	forgetest.Git(t, dir, "", "init", "--quiet", "--bare", "--object-format=sha256", "--initial-branch=main", dir)
	tree := forgetest.Git(t, dir, "", "mktree")
	forgetest.Git(t, dir, "", "update-ref", "refs/heads/main", forgetest.Git(t, dir, "", "commit-tree", "-m", "Begin", tree))
	r := branchRequest(t, dir, dir)
	first := ensure(t, newForge(), r)
	r.Title = "Another"
	if p := ensure(t, newForge(), r); !p.Found || p.Number != first.Number || read(t, dir, 1).Title != "Another" {
		t.Errorf("got %+v", p)
	}
	blob := forgetest.Git(t, dir, "work\n", "hash-object", "-w", "--stdin")
	r.HeadCommit = onto(t, dir, r.Head, "100644 blob "+blob+"\tfile\n")
	ensure(t, newForge(), r)
	onto(t, dir, "main", "100644 blob "+blob+"\tfile\n")
	if s, err := newForge().State(t.Context(), at(dir), first.Number); s != forge.Merged || err != nil {
		t.Errorf("after a squash it is %s: %v", s, err)
	}
}

func TestCloseAndRead(t *testing.T) {
	dir, f := forgetest.NewRepository(t), newForge()
	ensure(t, f, branchRequest(t, dir, dir))
	if s, err := f.Close(t.Context(), at(dir), 1, "task-1"); err != nil || s != forge.Open {
		t.Fatalf("it was %s: %v", s, err)
	}
	blob := forgetest.Git(t, dir, "", "rev-parse", ref(1, "record"))
	if s, err := f.Close(t.Context(), at(dir), 1, "task-1"); err != nil || s != forge.Closed {
		t.Errorf("closed twice: it was %s: %v", s, err)
	}
	if now := forgetest.Git(t, dir, "", "rev-parse", ref(1, "record")); now != blob {
		t.Errorf("closed twice: the record was written again")
	}
	if s := read(t, dir, 1).State; s != forge.Closed {
		t.Errorf("it is %s", s)
	}
	if _, err := Read(t.Context(), dir, 2); fault.KindOf(err) != fault.NotFound {
		t.Errorf("read #2: %v", err)
	}
	if err := Diff(t.Context(), dir, 2, &bytes.Buffer{}); fault.KindOf(err) != fault.NotFound {
		t.Errorf("diff of #2: %v", err)
	}
	if _, err := Read(t.Context(), t.TempDir(), 1); fault.KindOf(err) != fault.NotFound {
		t.Errorf("read without a repository: %v", err)
	}
}
