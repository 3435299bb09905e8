package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// history makes a checkout with four commits.
func historyOf(t *testing.T) string {
	t.Helper()
	dir := gittest.NewCheckout(t, start)
	for _, n := range []string{"1", "2", "3"} {
		gittest.Write(t, dir, map[string]string{"n.txt": n + "\n"})
		gittest.Git(t, dir, "add", "--all")
		gittest.Git(t, dir, "commit", "--quiet", "--message=Write "+n)
	}
	return dir
}

// A shallow clone on this machine is worked on as it is: git of ours and of the agent, checkpoint, another host, push.
func TestShallowClone(t *testing.T) {
	t.Parallel()
	full := historyOf(t)
	shallow := filepath.Join(t.TempDir(), "shallow")
	gittest.Git(t, "/", "clone", "--quiet", "--depth=2", "file://"+full, shallow)
	b := newBench(t, shallow)
	ws, tree := b.prepare("t-1", 1)
	if ws.BaseCommit != gittest.Ref(t, full, "refs/heads/main") {
		t.Errorf("got %+v", ws)
	}
	if got := agent(t, tree, "log", "--format=%s"); got != "Write 3\nWrite 2" {
		t.Errorf("the agent sees %q", got)
	}
	c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	must(t, tree.Checkpoint(t.Context()))
	ws, tree = b.prepareOn(b.manager(t.TempDir()), b.spec("t-1", 2))
	if !ws.Restored || ws.Head != c.ID {
		t.Errorf("on another host: %+v", ws)
	}
	if d, err := tree.Diffs.Since(t.Context(), ws.BaseCommit); err != nil || d.Files != 1 {
		t.Errorf("diff: %+v, %v", d, err)
	}
	if head, err := tree.Push(t.Context()); err != nil || head != c.ID {
		t.Errorf("push: %s, %v", head, err)
	}
	if got := gittest.Git(t, shallow, "log", "--format=%s", "longshift/t-1"); !strings.HasSuffix(got, "Write 3\nWrite 2") {
		t.Errorf("the clone has %q", got)
	}
}

// A clone that lacks objects is an error at once, and the error names the clone.
func TestDamagedClone(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]string{"a file": "HEAD:n.txt", "a commit": "HEAD~1"} {
		dir := historyOf(t)
		id := gittest.Git(t, dir, "rev-parse", lost)
		must(t, os.Remove(filepath.Join(dir, ".git", "objects", id[:2], id[2:])))
		b := newBench(t, dir)
		_, err := b.m.Prepare(t.Context(), b.spec("t-1", 1))
		if err == nil {
			t.Fatalf("%s is lost, and nobody noticed", name)
		}
		wantFault(t, err, fault.Input, "not all of it is there")
		if hint := fault.HintOf(err); !strings.Contains(hint, "git fsck") {
			t.Errorf("%s: the hint is %q", name, hint)
		}
	}
}

// With a commit checked out and no branch, the base is a branch at that commit, main before others, or main.
func TestDetachedHead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ at, want string }{
		"at a branch": {"feature", "feature"}, "below main": {"main~1", "main"}, "at main and others": {"main", "main"},
	} {
		dir := historyOf(t)
		gittest.Git(t, dir, "branch", "feature", "main~2")
		gittest.Git(t, dir, "branch", "another", "main")
		gittest.Git(t, dir, "checkout", "--quiet", "--detach", c.at)
		b := newBench(t, dir)
		if ws, _ := b.prepare("t-1", 1); ws.BaseBranch != c.want || ws.BaseCommit != gittest.Ref(t, dir, "refs/heads/"+c.want) {
			t.Errorf("%s: got %+v", name, ws)
		}
	}
	dir := historyOf(t)
	gittest.Git(t, dir, "checkout", "--quiet", "--detach", "main~1")
	gittest.Git(t, dir, "branch", "--move", "main", "trunk")
	b := newBench(t, dir)
	_, err := b.m.Prepare(t.Context(), b.spec("t-1", 1))
	if err == nil {
		t.Fatal("no branch is at the commit, and one was chosen")
	}
	wantFault(t, err, fault.Input, "no default branch", "trunk")
}

// Paths have the forms that people use.
func TestPathsOfClones(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"with a space", "größe ✓", "-dash", "a'quote\"s", "per%20cent", "#hash"} {
		dir := filepath.Join(t.TempDir(), name)
		must(t, os.Rename(historyOf(t), dir))
		b := newBench(t, dir)
		_, tree := b.prepare("t-1", 1)
		c := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
		must(t, tree.Checkpoint(t.Context()))
		if head, err := tree.Push(t.Context()); err != nil || head != c.ID {
			t.Errorf("%s: %s, %v", name, head, err)
		}
	}
}

// Links are followed within the commit: AGENTS.md and CLAUDE.md are one file in many repositories.
func TestFileBehindLinks(t *testing.T) {
	t.Parallel()
	dir := gittest.NewCheckout(t, map[string]string{"AGENTS.md": "Be brief.\n", "docs/style.md": "Short.\n", "docs/sub/x": "x\n"})
	for name, target := range map[string]string{"CLAUDE.md": "AGENTS.md", "STYLE.md": "docs/../docs/style.md", "docs/agents.md": "../CLAUDE.md",
		"guide": "docs", "docs/more": "../guide", "root": ".", "deep": "docs/sub", "above.md": "deep/../style.md", "lost.md": "nowhere/../x",
		"out.md": "../secret", "abs.md": "/etc/passwd", "loop.md": "loop.md", "gone.md": "nowhere.md", "dir.md": "docs"} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	gittest.Git(t, dir, "add", "--all")
	gittest.Git(t, dir, "commit", "--quiet", "--message=Link")
	b := newBench(t, dir)
	_, tree := b.prepare("t-1", 1)
	for name, want := range map[string]string{"CLAUDE.md": "Be brief.\n", "STYLE.md": "Short.\n", "docs/agents.md": "Be brief.\n",
		"guide/style.md": "Short.\n", "above.md": "Short.\n"} {
		if got, found, err := tree.Base.File(t.Context(), name); err != nil || !found || string(got) != want {
			t.Errorf("%s: %q, %v, %v", name, got, found, err)
		}
	}
	for _, name := range []string{"gone.md", "dir.md"} {
		if got, found, err := tree.Base.File(t.Context(), name); err != nil || found {
			t.Errorf("%s: %q, %v, %v", name, got, found, err)
		}
	}
	for name, want := range map[string]string{"CLAUDE.md": "AGENTS.md", "docs/agents.md": "AGENTS.md", "gone.md": "nowhere.md", "above.md": "docs/style.md",
		"guide/more/new/x": "docs/new/x", "./docs/style.md": "docs/style.md", "new/x": "new/x", "docs": "docs", "root/docs": "docs"} {
		if got, err := tree.Base.Target(t.Context(), name); err != nil || got != want {
			t.Errorf("%s leads to %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"out.md", "abs.md", "loop.md", "root", "lost.md"} {
		_, found, err := tree.Base.File(t.Context(), name)
		if err == nil || found {
			t.Fatalf("%s was read", name)
		}
		if _, err := tree.Base.Target(t.Context(), name); fault.KindOf(err) != fault.Input {
			t.Errorf("%s leads somewhere: %v", name, err)
		}
		wantFault(t, err, fault.Input, name+" is a symbolic link")
	}
}
