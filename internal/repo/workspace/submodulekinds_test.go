package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// In a repository on this machine addresses may be paths, and submodules are taken from the person's checkout.
func TestSubmodulesOfAFolder(t *testing.T) {
	t.Parallel()
	part := gittest.NewCheckout(t, map[string]string{"part.txt": "part\n"})
	folder := gittest.NewCheckout(t, start)
	beside := filepath.Join(filepath.Dir(folder), "beside.git")
	must(t, os.Rename(gittest.NewBare(t, map[string]string{"beside.txt": "beside\n"}), beside))
	gittest.Sh(t, folder, `set -e
		for name in path file away; do git -c protocol.file.allow=always submodule --quiet add "$1" $name; done
		git -c protocol.file.allow=always submodule --quiet add "$2" relative
		git config -f .gitmodules submodule.file.url "file://$1"
		git config -f .gitmodules submodule.relative.url ../beside.git
		git config -f .gitmodules submodule.away.url https://127.0.0.1:1/away.git
		cd away; echo away > away.txt; git add away.txt; git commit --quiet --message 'Nowhere else'; cd ..
		git commit --quiet --all --message Parts
		git submodule --quiet deinit --force path file relative; rm -r .git/modules/path .git/modules/file .git/modules/relative`, part, beside)
	b := newBench(t, folder)
	_, tree := b.prepare("t-1", 1)
	if got := b.submodules(tree).Empty; len(got) > 0 {
		t.Errorf("empty: %q", got)
	}
	for name, want := range map[string]string{"path/part.txt": "part\n", "file/part.txt": "part\n", "relative/beside.txt": "beside\n", "away/away.txt": "away\n"} {
		if got := readFile(t, tree.Dir(), name); got != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if dirty := gittest.Git(t, folder, "status", "--porcelain"); dirty != "" {
		t.Errorf("the folder was changed: %s", dirty)
	}
}

// A submodule that can't be fetched is named and stops nothing. It is filled as soon as it can be fetched.
func TestSubmodulesThatCantBeHad(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, start)
	part := serve(t, h, "part.git", map[string]string{"part.txt": "part\n"})
	withSubmodule(t, h.Bare, "there", "../part.git", part)
	withSubmodule(t, h.Bare, "later", "../later.git", part)
	withSubmodule(t, h.Bare, "nobody", "https://127.0.0.1:1/x.git", part)
	linkTo(t, h.Bare, strings.Repeat("1", 40), "gone", "[submodule \"gone\"]\n\tpath = gone\n\turl = ../part.git\n")
	linkTo(t, h.Bare, strings.Repeat("2", 40), "nowhere", "")
	b := newBench(t, h.URL)
	_, tree := b.prepare("t-1", 1)
	empty := b.submodules(tree).Empty
	want := fmt.Sprintf("gone (%[1]s/part.git does not have its commit 1111111111), later (%[1]s/later.git is not there), nobody (127.0.0.1:1 can't be reached)", strings.TrimSuffix(h.URL, "/repo.git"))
	if got := strings.Join(empty, ", "); got != want {
		t.Errorf("empty: %s\nwant   %s", got, want)
	}
	if readFile(t, tree.Dir(), "there", "part.txt") != "part\n" {
		t.Error("the one that is there is not filled")
	}
	c := b.commit(tree, "1", map[string]string{"new.txt": "new\n"})
	if len(c.LeftOut) > 0 {
		t.Errorf("left out %q", c.LeftOut)
	}
	must(t, os.CopyFS(filepath.Join(h.Dir, "later.git"), os.DirFS(part)))
	_, tree = b.prepare("t-1", 1)
	if empty := b.submodules(tree).Empty; len(empty) != 2 || readFile(t, tree.Dir(), "later", "part.txt") != "part\n" {
		t.Errorf("empty: %q", empty)
	}
}

// From a server that serves no commit by id, the branches are fetched.
func TestSubmoduleFromAServerWithoutIds(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, start)
	part := serve(t, h, "part.git", map[string]string{"part.txt": "part\n"})
	withSubmodule(t, h.Bare, "part", "../part.git", part)
	gittest.Commit(t, part, "main", "Go on", map[string]string{"part.txt": "newer\n"})
	b := newBench(t, h.URL)
	h.OldProtocol()
	_, tree := b.prepare("t-1", 1)
	if got := readFile(t, tree.Dir(), "part", "part.txt"); got != "part\n" {
		t.Errorf("got %q", got)
	}
}

// Submodules follow the base branch: moved, added, removed, replaced by files, and files replaced by one.
func TestSubmodulesFollowTheBase(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, map[string]string{"README.md": "x\n", "turns/file.txt": "file\n"})
	part := serve(t, h, "part.git", map[string]string{"part.txt": "part\n"})
	for _, name := range []string{"moves", "goes", "becomes", "stays"} {
		withSubmodule(t, h.Bare, name, "../part.git", part)
	}
	b := newBench(t, h.URL)
	gittest.Git(t, h.Bare, "branch", "longshift/t-1", "main")
	gittest.Commit(t, h.Bare, "longshift/t-1", "Ours", map[string]string{"ours.txt": "ours\n"})
	newer := gittest.Commit(t, part, "main", "Go on", map[string]string{"part.txt": "newer\n"})
	gittest.Sh(t, h.Bare, `set -e; export GIT_INDEX_FILE=$PWD/x; git read-tree main
		git cat-file -p main:.gitmodules > m; git config -f m --remove-section submodule.goes; git config -f m --remove-section submodule.becomes
		git config -f m submodule.new.path new; git config -f m submodule.new.url ../part.git
		git config -f m submodule.turns.path turns; git config -f m submodule.turns.url ../part.git
		b=$(echo becomes | git hash-object -w --stdin)
		for gone in goes becomes turns/file.txt; do printf '0 %040d\t%s\n' 0 $gone; done | git update-index --index-info
		git update-index --add --cacheinfo 100644,$(git hash-object -w m),.gitmodules --cacheinfo 160000,$1,moves --cacheinfo 160000,$1,new \
			--cacheinfo 160000,$1,turns --cacheinfo 100644,$b,becomes/file.txt
		git update-ref refs/heads/main $(git commit-tree -p main -m Move $(git write-tree)); rm x m`, newer)
	_, tree := b.prepareOn(b.m, b.round("t-1", 1))
	print, err := tree.Fingerprint(t.Context())
	must(t, err)
	was := map[string]string{"moves/part.txt": "part\n", "goes/part.txt": "part\n", "becomes/part.txt": "part\n", "stays/part.txt": "part\n",
		"turns/file.txt": "file\n"}
	is := map[string]string{"moves/part.txt": "newer\n", "new/part.txt": "newer\n", "becomes/file.txt": "becomes\n",
		"stays/part.txt": "part\n", "turns/part.txt": "newer\n"}
	look := func(when string, want map[string]string) {
		t.Helper()
		got := gittest.Sh(t, tree.Dir(), "find moves goes new becomes stays turns -type f 2>/dev/null | grep -v '/\\.git$' | sort || :")
		if n := len(strings.Fields(got)); n != len(want) {
			t.Errorf("%s there are\n%s", when, got)
		}
		for name, text := range want {
			if got := readFile(t, tree.Dir(), name); got != text {
				t.Errorf("%s %s holds %q", when, name, got)
			}
		}
		if dirty := agent(t, tree, "status", "--porcelain"); dirty != "" {
			t.Errorf("%s the agent sees\n%s", when, dirty)
		}
	}
	look("before", was)
	b.merge(tree, "m")
	look("merged", is)
	merged, err := tree.Fingerprint(t.Context())
	must(t, err)
	must(t, tree.Restore(t.Context(), print))
	look("restored", was)
	must(t, tree.Restore(t.Context(), merged))
	look("merged again", is)

	// Another host has only the checkpoint.
	must(t, tree.Checkpoint(t.Context()))
	_, tree = b.prepareOn(b.manager(t.TempDir()), b.round("t-1", 2))
	look("on another host", is)
}

// TestCrashWhileSubmodulesAreFilled kills git at each of its calls in turn, up to the first commit.
func TestCrashWhileSubmodulesAreFilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	part, inner := gittest.NewBare(t, map[string]string{"part.txt": "part\n"}), gittest.NewBare(t, map[string]string{"inner.txt": "inner\n"})
	bare := gittest.NewBare(t, start)
	withSubmodule(t, part, "inner", inner, inner)
	withSubmodule(t, bare, "part", part, part)
	begin := func(m *Manager, spec Spec) (empty []string, err error) {
		if _, err := m.Prepare(t.Context(), spec); err != nil {
			return nil, err
		}
		tree, err := m.Open(t.Context(), spec.TaskID, spec.Fence)
		if err != nil {
			return nil, err
		}
		defer tree.Close()
		must(t, os.RemoveAll(filepath.Join(tree.Dir(), "part"))) // as an agent may
		if _, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "Work"}); err != nil {
			return nil, err
		}
		s, err := tree.Submodules(t.Context())
		return s.Empty, err
	}
	for n := 1; ; n++ {
		b := newBench(t, filepath.Join(dir, fmt.Sprint(n)))
		must(t, os.CopyFS(b.remote, os.DirFS(bare)))
		data, spec := b.m.config.Dir, b.spec("t-1", 1)
		broken := breakAt(t, b.m, n, n%2 == 0)
		empty, err := begin(b.m, spec)
		if len(empty) > 0 {
			t.Fatalf("the git that was killed at call %d counts as an answer: %q", n, empty)
		}
		if !broken() {
			if err != nil || n < 25 {
				t.Fatalf("only %d calls: %v", n, err)
			}
			return
		}
		m := b.manager(data)
		if empty, err = begin(m, spec); err != nil || len(empty) > 0 {
			t.Fatalf("after a crash at call %d: %v, empty %q", n, err, empty)
		}
		work := m.place("t-1").work()
		if readFile(t, work, "part/inner/inner.txt") != "inner\n" || readFile(t, work, "part/part.txt") != "part\n" {
			t.Fatalf("after a crash at call %d the submodules hold something else", n)
		}
		if status := gittest.Git(t, work, "submodule", "status", "--recursive"); strings.Contains("\n"+status, "\n-") || strings.Contains("\n"+status, "\n+") {
			t.Fatalf("after a crash at call %d: %s", n, status)
		}
	}
}

// The depth of nested submodules is limited.
func TestSubmodulesWithinEachOther(t *testing.T) {
	t.Parallel()
	below := gittest.NewBare(t, map[string]string{"file": "x\n"})
	for range deepestSubmodule + 2 {
		bare := gittest.NewBare(t, map[string]string{"file": "x\n"})
		withSubmodule(t, bare, "in", below, below)
		below = bare
	}
	b := newBench(t, below)
	_, tree := b.prepare("t-1", 1)
	deepest := strings.TrimSuffix(strings.Repeat("in/", deepestSubmodule+1), "/")
	if got := b.submodules(tree); len(got.GitFiles) != deepestSubmodule || len(got.Empty) != 1 || !strings.HasPrefix(got.Empty[0], deepest+" (there are more") {
		t.Errorf("%d filled, empty %q", len(got.GitFiles), got.Empty)
	}
}

// TestCrashWhileTheBaseMovesASubmodule kills git at its calls in a merge that moves a submodule.
func TestCrashWhileTheBaseMovesASubmodule(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	part, bare := gittest.NewBare(t, map[string]string{"part.txt": "part\n"}), gittest.NewBare(t, start)
	withSubmodule(t, bare, "part", part, part)
	gittest.Git(t, bare, "branch", "longshift/t-1", "main")
	gittest.Commit(t, bare, "longshift/t-1", "Ours", map[string]string{"ours.txt": "ours\n"})
	for n := 1; ; n++ {
		b := newBench(t, filepath.Join(dir, fmt.Sprint(n)))
		must(t, os.CopyFS(b.remote, os.DirFS(bare)))
		_, tree := b.prepareOn(b.m, b.round("t-1", 1))
		gittest.Commit(t, part, "main", "Go on", map[string]string{"part.txt": fmt.Sprintln("newer", n)})
		gittest.Sh(t, b.remote, `set -e; export GIT_INDEX_FILE=$PWD/x; git read-tree main; git update-index --add --cacheinfo 160000,$1,part
			git update-ref refs/heads/main $(git commit-tree -p main -m Move $(git write-tree)); rm x`, gittest.Ref(t, part, "refs/heads/main"))
		broken := breakAt(t, b.m, n, n%2 == 0)
		_, err := tree.MergeBase(t.Context(), "m")
		if !broken() {
			if err != nil || n < 15 {
				t.Fatalf("only %d calls: %v", n, err)
			}
			return
		}
		m := b.manager(b.m.config.Dir)
		again, err := m.Open(t.Context(), "t-1", 1)
		must(t, err)
		if _, err := again.MergeBase(t.Context(), "m"); err != nil {
			t.Fatalf("after a crash at call %d: %v", n, err)
		}
		if got := readFile(t, again.Dir(), "part/part.txt"); got != fmt.Sprintln("newer", n) {
			t.Fatalf("after a crash at call %d the submodule holds %q", n, got)
		}
		must(t, again.Close())
	}
}
