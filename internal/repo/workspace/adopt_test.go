package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// asAgent commits in the work tree with the agent's git and identity.
func asAgent(t *testing.T, tree *Tree, email, message string, files map[string]string, more ...string) {
	t.Helper()
	gittest.Write(t, tree.Dir(), files)
	agent(t, tree, "add", "-A")
	who := []string{"-c", "user.name=Agent", "-c", "user.email=" + email}
	cmd := append(append(who, "commit", "-q", "-m", message), more...)
	// The identity of the environment would win over the one that is given.
	script := "unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL; exec git \"$@\""
	gittest.Sh(t, tree.Dir(), script, cmd...)
}

func subjects(t *testing.T, tree *Tree) string {
	t.Helper()
	log, err := tree.Log(t.Context(), "")
	must(t, err)
	var out []string
	for _, e := range log {
		out = append(out, e.Subject)
	}
	return strings.Join(out, "|")
}

func TestCommitsOfTheAgentAreKept(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	asAgent(t, tree, author.Email, "feat: one", map[string]string{"one.txt": "1\n"})
	asAgent(t, tree, author.Email, "feat: two", map[string]string{"two.txt": "2\n"})
	if head, err := tree.Push(t.Context()); err != nil || head == agent(t, tree, "rev-parse", "HEAD") {
		t.Errorf("a commit nobody has looked at was pushed: %s, %v", head, err)
	}
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"})
	if err != nil || !c.Created || c.Files != 2 || c.Added != 2 {
		t.Fatalf("got %+v, %v", c, err)
	}
	if got := subjects(t, tree); got != "feat: two|feat: one|First commit" {
		t.Errorf("commits are %s", got)
	}
	if again, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"}); err != nil || again.ID != c.ID || !again.Created {
		t.Errorf("again: %+v, %v", again, err)
	}
	// More on top, and something that was not committed.
	asAgent(t, tree, author.Email, "feat: three", map[string]string{"three.txt": "3\n"})
	gittest.Write(t, tree.Dir(), map[string]string{"rest.txt": "rest\n"})
	c, err = tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "The rest"})
	if err != nil || c.Files != 2 || subjects(t, tree) != "The rest|feat: three|feat: two|feat: one|First commit" {
		t.Errorf("got %+v, %v: %s", c, err, subjects(t, tree))
	}
	must(t, os.RemoveAll(filepath.Join(tree.Dir(), ".git"))) // ours does not need the agent's objects
	if head, err := tree.Push(t.Context()); err != nil || head != c.ID {
		t.Errorf("push: %s, %v", head, err)
	}
	gittest.Git(t, bare, "fsck", "--strict")
}

func TestFirstCommitOfAnEmptyRepositoryIsKept(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, nil))
	_, tree := b.prepare("t-1", 1)
	asAgent(t, tree, author.Email, "feat: one", map[string]string{"one.txt": "1\n"})
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"})
	if err != nil || !c.Created || subjects(t, tree) != "feat: one" || c.Files != 1 {
		t.Errorf("got %+v, %v: %s", c, err, subjects(t, tree))
	}
}

func TestCommitsThatCanNotBeKeptBecomeOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do      func(t *testing.T, tree *Tree)
		exclude []string
		want    string
	}{
		"in another's name": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, "linus@example.com", "Trust me", map[string]string{"one.txt": "1\n"})
		}, nil, "ours|Work 0|First commit"},
		"with our mark": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "x\n\nLongshift-Task: t-1/2", map[string]string{"one.txt": "1\n"})
		}, nil, "ours|Work 0|First commit"},
		"with something excluded": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "x", map[string]string{"one.txt": "1\n", "specs/a.md": "changed\n"})
			asAgent(t, tree, author.Email, "and back", map[string]string{"specs/a.md": "spec\n"})
		}, []string{"specs"}, "ours|Work 0|First commit"},
		"rewritten": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "amended", map[string]string{"one.txt": "1\n"}, "--amend")
		}, nil, "ours|Work 0|First commit"},
		"without its objects": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "x", map[string]string{"one.txt": "1\n"})
			id := agent(t, tree, "rev-parse", "HEAD:one.txt")
			must(t, os.Remove(filepath.Join(tree.Dir(), ".git/objects", id[:2], id[2:])))
		}, nil, "ours|Work 0|First commit"},
		"a pipe behind the link of an object": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "x", map[string]string{"one.txt": "1\n"})
			id, pipe := agent(t, tree, "rev-parse", "HEAD:one.txt"), filepath.Join(t.TempDir(), "pipe")
			object := filepath.Join(tree.Dir(), ".git/objects", id[:2], id[2:])
			must(t, syscall.Mkfifo(pipe, 0o600))
			must(t, os.Remove(object))
			must(t, os.Symlink(pipe, object))
		}, nil, "ours|Work 0|First commit"},
		"objects of another repository": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "x", map[string]string{"one.txt": "1\n"})
			agent(t, tree, "repack", "-q", "-d", "-l")
			packs, other := filepath.Join(tree.Dir(), ".git/objects/pack"), filepath.Join(t.TempDir(), "pack")
			must(t, os.Rename(packs, other))
			must(t, os.Symlink(other, packs))
		}, nil, "ours|Work 0|First commit"},
		"an object under another's name": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "x", map[string]string{"one.txt": "1\n", "two.txt": "2\n"})
			one, two := agent(t, tree, "rev-parse", "HEAD:one.txt"), agent(t, tree, "rev-parse", "HEAD:two.txt")
			object := func(id string) string { return filepath.Join(tree.Dir(), ".git/objects", id[:2], id[2:]) }
			must(t, os.Remove(object(one)))
			must(t, os.Link(object(two), object(one)))
		}, nil, "ours|Work 0|First commit"},
		"with a git folder in a tree": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "x", map[string]string{"one.txt": "1\n"})
			gittest.Sh(t, tree.Dir(), `blob=$(echo evil | git hash-object -w --stdin)
				sub=$(printf "100644 blob $blob\tconfig\n" | git mktree)
				tree=$( (git ls-tree HEAD; printf "040000 tree $sub\t.git\n") | git mktree)
				export GIT_AUTHOR_EMAIL=$1 GIT_COMMITTER_EMAIL=$1
				git update-ref HEAD $(git commit-tree -p HEAD -m evil $tree)`, author.Email)
		}, nil, "ours|Work 0|First commit"},
		"another object folder": {func(t *testing.T, tree *Tree) {
			asAgent(t, tree, author.Email, "x", map[string]string{"one.txt": "1\n"})
			gittest.Write(t, tree.Dir(), map[string]string{".git/objects/info/alternates": "/elsewhere\n"})
		}, nil, "ours|Work 0|First commit"},
		"on a detached head": {func(t *testing.T, tree *Tree) {
			agent(t, tree, "checkout", "-q", "--detach")
			asAgent(t, tree, author.Email, "detached", map[string]string{"one.txt": "1\n"})
		}, nil, "detached|Work 0|First commit"},
		"on another branch, packed": {func(t *testing.T, tree *Tree) {
			agent(t, tree, "checkout", "-q", "-b", "mine")
			asAgent(t, tree, author.Email, "on mine", map[string]string{"one.txt": "1\n"})
			agent(t, tree, "gc", "-q")
		}, nil, "on mine|Work 0|First commit"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, gittest.NewBare(t, start))
			_, tree := b.prepare("t-1", 1)
			b.commit(tree, "0", map[string]string{"zero.txt": "0\n"})
			c.do(t, tree)
			got, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours", Exclude: c.exclude})
			if err != nil || !got.Created {
				t.Fatalf("got %+v, %v", got, err)
			}
			if s := subjects(t, tree); s != c.want {
				t.Errorf("commits are %s, want %s", s, c.want)
			}
			if readFile(t, tree.Dir(), "one.txt") != "1\n" || agent(t, tree, "rev-parse", "HEAD") != got.ID ||
				agent(t, tree, "branch", "--show-current") != "longshift/t-1" || agent(t, tree, "status", "--porcelain") != "" {
				t.Errorf("the agent's side is off: %s", agent(t, tree, "status"))
			}
			gittest.Git(t, b.m.place("t-1").git(), "fsck", "--strict")
		})
	}
}
