package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// withSubmodule adds a commit to a branch of a repository that names a submodule's main, and returns the submodule's commit.
func withSubmodule(t *testing.T, bare, name, address, part string) string {
	t.Helper()
	id := gittest.Ref(t, part, "refs/heads/main")
	linkTo(t, bare, id, name, "[submodule \""+name+"\"]\n\tpath = "+name+"\n\turl = "+address+"\n")
	return id
}

// linkTo adds a commit to main that names the commit of another repository at a path, and adds to .gitmodules.
func linkTo(t *testing.T, bare, id, name, modules string) {
	t.Helper()
	gittest.Sh(t, bare, `set -e; export GIT_INDEX_FILE=$PWD/x; git read-tree main
		{ git cat-file -p main:.gitmodules 2>/dev/null || :; printf '%s' "$3"; } > y
		git update-index --add --cacheinfo 100644,$(git hash-object -w y),.gitmodules --cacheinfo 160000,$1,"$2"
		git update-ref refs/heads/main $(git commit-tree -p main -m "Add $2" $(git write-tree)); rm x y`, id, name, modules)
}

// submodules returns the recorded submodules.
func (b *bench) submodules(tree *Tree) Submodules {
	b.t.Helper()
	out, err := tree.Submodules(b.t.Context())
	must(b.t, err)
	return out
}

// serve adds a bare repository to a server.
func serve(t *testing.T, h *gittest.HTTP, name string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(h.Dir, name)
	must(t, os.Rename(gittest.NewBare(t, files), dir))
	return dir
}

// Submodules are filled over http, at any depth, by absolute and relative addresses, and git in them works for the agent.
func TestSubmodulesAreFilled(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, start)
	part := serve(t, h, "part.git", map[string]string{"part.txt": "part\n"})
	inner := serve(t, h, "inner.git", map[string]string{"inner.txt": "inner\n"})
	innerID := withSubmodule(t, part, "deep/inner", "./../inner.git", inner)
	partID := withSubmodule(t, h.Bare, "lib/part", "../part.git", part)
	withSubmodule(t, h.Bare, "other", strings.TrimSuffix(h.URL, "repo.git")+"inner.git", inner)
	gittest.Commit(t, part, "main", "Go on", map[string]string{"part.txt": "newer\n"})
	b := newBench(t, h.URL)
	_, tree := b.prepare("t-1", 1)
	for name, want := range map[string]string{"lib/part/part.txt": "part\n", "lib/part/deep/inner/inner.txt": "inner\n", "other/inner.txt": "inner\n"} {
		if got := readFile(t, tree.Dir(), name); got != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if s := b.submodules(tree); len(s.Empty) > 0 || len(s.GitFiles) != 3 {
		t.Errorf("got %+v", s)
	}
	for _, path := range []string{"lib/part", "lib/part/deep/inner", "other"} {
		key := submodule{Path: path}.key()
		got, want := writtenAt(t, tree.Dir(), ".git/modules", key, "index"), writtenAt(t, tree.at.place.git(), "submodules", key+".index")
		if !got.Equal(want) {
			t.Errorf("%s: the agent's index is of %s, ours of %s", path, got, want)
		}
	}
	if got := agent(t, tree, "status", "--porcelain"); got != "" {
		t.Errorf("the agent sees %s", got)
	}
	status := agent(t, tree, "submodule", "status", "--recursive")
	for _, want := range []string{" " + partID + " lib/part", " " + innerID + " lib/part/deep/inner", " " + innerID + " other"} {
		if !strings.Contains("\n"+status, "\n"+want) {
			t.Errorf("git submodule status says\n%s", status)
		}
	}
	agent(t, tree, "submodule", "update", "--init", "--recursive")
	if got := agent(t, tree, "-C", "lib/part", "log", "-1", "--format=%H"); got != partID {
		t.Errorf("the submodule is at %s", got)
	}
}

// No commit of ours names a commit of another repository that its own does not have, however the agent goes about it; and what it has
// done in a submodule is said and undone.
func TestNoPointerOfTheAgents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, leftOut string }{
		"a change":            {"echo x >> part/part.txt", "part (changes in a submodule, which were undone)"},
		"removed":             {"rm -rf part", "part (changes in a submodule, which were undone)"},
		"a link in its place": {"rm -rf part; ln -s /tmp part", "part (changes in a submodule, which were undone)"},
		"a file in its place": {"rm -rf part; echo x > part", "part (changes in a submodule, which were undone)"},
		"a commit, staged":    {"echo x >> part/part.txt; git -C part commit -qam x; git add part", "part (changes in a submodule, which were undone)"},
		"a commit of it":      {"echo x >> part/part.txt; git -C part commit -qam x; git add part; " + asBot + " git commit -qm x", "part (changes in a submodule, which were undone)"},
		"another repository":  {"rm -rf part; git init -q part; cd part; echo x > y; git add y; git commit -qm x; cd ..; git add part; " + asBot + " git commit -qm x", "part (changes in a submodule, which were undone)"},
		"closed":              {"echo x >> part/part.txt; chmod 500 part; rm .git/modules/*/refs -r", "part (changes in a submodule, which were undone)"},
		"new files":           {"mkdir part/out; echo x > part/out/x", "part (new files in a submodule)"},
		"taken back later":    {"echo x >> part/part.txt; git -C part commit -qam x; git add part; " + asBot + " git commit -qm x; " + asBot + " git revert --no-edit HEAD; git -C part checkout -q HEAD~1", ""},
		"in place of a file":  {"rm README.md; git init -q README.md; cd README.md; echo x > y; git add y; git commit -qm x", ""},
		"a new one":           {"git init -q more; cd more; echo x > y; git add y; git commit -qm x; cd ..; git add more 2>/dev/null; " + asBot + " git commit -qm x", "more (a git repository of its own)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare, part := gittest.NewBare(t, start), gittest.NewBare(t, map[string]string{"part.txt": "part\n"})
			id := withSubmodule(t, bare, "part", part, part)
			b := newBench(t, bare)
			_, tree := b.prepare("t-1", 1)
			gittest.Sh(t, tree.Dir(), "set -e; "+c.script)
			gittest.Write(t, tree.Dir(), map[string]string{"new.txt": "new\n"})
			got, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "Work"})
			must(t, err)
			if strings.Join(got.LeftOut, ", ") != c.leftOut {
				t.Errorf("left out %q", got.LeftOut)
			}
			git := tree.at.place.git()
			if links := gittest.Sh(t, git, `for c in $(git rev-list main 2>/dev/null || git rev-list HEAD); do git ls-tree -r $c | grep ^160000; done | sort -u`); links != "160000 commit "+id+"\tpart" {
				t.Errorf("the commits name\n%s", links)
			}
			if text := readFile(t, tree.Dir(), "part", "part.txt"); text != "part\n" {
				t.Errorf("the submodule holds %q", text)
			}
			if head := agent(t, tree, "-C", "part", "rev-parse", "HEAD"); head != id {
				t.Errorf("the submodule is at %s", head)
			}
			if _, err := tree.Push(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

const asBot = "GIT_AUTHOR_EMAIL=bot@example.com GIT_COMMITTER_EMAIL=bot@example.com"
