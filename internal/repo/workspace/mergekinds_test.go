package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// onBranch adds a commit to a branch of a bare repository by a script that runs in a checkout of it.
func onBranch(t *testing.T, bare, branch, script string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	gittest.Git(t, "/", "clone", "-q", "--branch", branch, bare, dir)
	gittest.Sh(t, dir, "set -e\n"+script+"\ngit add -A\ngit commit -qm 'On "+branch+"'\ngit push -q origin HEAD:"+branch)
	return gittest.Ref(t, bare, "refs/heads/"+branch)
}

// TestMergeKinds: every kind of conflict is listed, and settled by plain work on files. Before anything is settled a commit
// is refused only for markers.
func TestMergeKinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ours, theirs string // scripts
		conflicts    string
		status       string // that the agent sees
		settle       string // script in the work tree
		files        string // of the merge commit
		show         [2]string
		marked       bool
	}{
		"we changed, they deleted, it stays": {"echo ours > f", "rm f", "f", "UD f", ":", "d/x f g", [2]string{"f", "ours"}, false},
		"we changed, they deleted, it goes":  {"echo ours > f", "rm f", "f", "UD f", "rm f", "d/x g", [2]string{"g", "1\n2\n3\n4\n5"}, false},
		"we deleted, they changed, it stays": {"rm f", "echo theirs > f", "f", "DU f", ":", "d/x f g", [2]string{"f", "theirs"}, false},
		"we deleted, they changed, it goes":  {"rm f", "echo theirs > f", "f", "DU f", "rm f", "d/x g", [2]string{"g", "1\n2\n3\n4\n5"}, false},
		"both added":                         {"echo ours > n", "echo theirs > n", "n", "AA n", "echo both > n", "d/x f g n", [2]string{"n", "both"}, true},
		"renamed and changed": {"git mv g moved; sed -i s/2/ours/ moved", "sed -i s/2/theirs/ g", "moved", "UU moved",
			"printf '1\\nboth\\n' > moved", "d/x f moved", [2]string{"moved", "1\nboth"}, true},
		"renamed to two names": {"git mv g one", "git mv g two", "g one two", "DD g\nAU one\nUA two",
			"rm two", "d/x f one", [2]string{"one", "1\n2\n3\n4\n5"}, false},
		"binary": {`printf 'a\0ours' > f`, `printf 'a\0theirs' > f`, "f", "UU f", `printf 'a\0both' > f`, "d/x f g", [2]string{"f", "a\x00both"}, false},
		"file and folder": {"rm -r d; echo ours > d", "echo more > d/y", "d~ours", "D  d\nA  d/y\nAU d~ours",
			"mv d~ours e", "d/y e f g", [2]string{"e", "ours"}, false},
		"link and file": {"ln -sf target f", "echo theirs > f", "f f~remotes_origin_main", "AU f\nDU f~remotes_origin_main",
			"mv f~remotes_origin_main f", "d/x f g", [2]string{"f", "theirs"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := gittest.NewBare(t, map[string]string{"f": "base\n", "g": "1\n2\n3\n4\n5\n", "d/x": "x\n"})
			b := newBench(t, bare)
			gittest.Git(t, bare, "branch", "longshift/t-1", "main")
			onBranch(t, bare, "longshift/t-1", c.ours)
			onBranch(t, bare, "main", c.theirs)
			ws, tree := b.prepareOn(b.m, b.round("t-1", 1))
			m := b.merge(tree, "m")
			if got := strings.Join(m.Conflicts, " "); got != c.conflicts || m.Commit != "" {
				t.Errorf("conflicts %q, want %q", got, c.conflicts)
			}
			if got := agent(t, tree, "status", "--porcelain"); got != c.status {
				t.Errorf("the agent sees\n%s\nwant\n%s", got, c.status)
			}
			print, err := tree.Fingerprint(t.Context())
			must(t, err)
			if c.marked {
				_, err = tree.Commit(t.Context(), CommitSpec{Key: "0", Message: "x"})
				wantFault(t, err, fault.Work, "conflict markers")
			}
			gittest.Sh(t, tree.Dir(), c.settle)
			must(t, tree.Restore(t.Context(), print)) // and once more
			if got := agent(t, tree, "status", "--porcelain"); got != c.status {
				t.Errorf("restored, the agent sees\n%s\nwant\n%s", got, c.status)
			}
			gittest.Sh(t, tree.Dir(), c.settle)
			got, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "Settled"})
			must(t, err)
			git := tree.at.place.git()
			if files := strings.ReplaceAll(gittest.Git(t, git, "ls-tree", "-r", "--name-only", got.ID), "\n", " "); files != c.files {
				t.Errorf("files %q, want %q", files, c.files)
			}
			if text := gittest.Show(t, git, got.ID, c.show[0]); text != c.show[1] {
				t.Errorf("%s holds %q", c.show[0], text)
			}
			if parents := gittest.Git(t, git, "log", "-1", "--format=%P", got.ID); parents != ws.Head+" "+m.Base {
				t.Errorf("parents %s", parents)
			}
			if status := agent(t, tree, "status", "--porcelain"); status != "" {
				t.Errorf("left: %s", status)
			}
			if _, err := tree.Push(t.Context()); err != nil {
				t.Error(err)
			}
			gittest.Git(t, git, "fsck", "--strict")
		})
	}
}

// TestMergeSubmodule: the one that the branch has is kept; one that only the base has moved moves.
func TestMergeSubmodule(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	link := func(branch string, ids ...string) {
		t.Helper()
		script := "export GIT_INDEX_FILE=$PWD/x; git read-tree $1; git update-index --add --cacheinfo 160000,$2,sub --cacheinfo 160000,$3,other\n" +
			"git update-ref refs/heads/$1 $(git commit-tree -p $1 -m submodules $(git write-tree)); rm x"
		gittest.Sh(t, bare, script, append([]string{branch}, ids...)...)
	}
	id := func(digit string) string { return strings.Repeat(digit, 40) }
	link("main", id("1"), id("1"))
	gittest.Git(t, bare, "branch", "longshift/t-1", "main")
	link("longshift/t-1", id("2"), id("1"))
	link("main", id("3"), id("4"))
	_, tree := b.prepareOn(b.m, b.round("t-1", 1))
	if m := b.merge(tree, "m"); strings.Join(m.Conflicts, " ") != "sub" {
		t.Fatalf("got %+v", m)
	}
	print, err := tree.Fingerprint(t.Context())
	must(t, err)
	must(t, tree.Restore(t.Context(), print))
	gittest.Write(t, tree.Dir(), map[string]string{"x.txt": "x\n"})
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	must(t, err)
	got := gittest.Git(t, tree.at.place.git(), "ls-tree", c.ID, "sub", "other")
	if !strings.Contains(got, id("2")+"\tsub") || !strings.Contains(got, id("4")+"\tother") {
		t.Errorf("submodules\n%s", got)
	}
}

// TestMergeOfMerges: the sides have merged each other's work crosswise, so what both started from is in conflict itself.
func TestMergeOfMerges(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{"f": "1\n2\n3\n"})
	dir := filepath.Join(t.TempDir(), "work")
	gittest.Git(t, "/", "clone", "-q", bare, dir)
	gittest.Sh(t, dir, `set -e
		say() { printf "1\n$1\n3\n" > f; git add f; git commit -qm "$1"; }
		git checkout -qb a; say a; git checkout -qb b origin/main; say b
		git checkout -qB longshift/t-1 a; git merge -q b || say ours
		git checkout -qB main b; git merge -q a || say theirs
		git push -q origin main longshift/t-1`)
	b := newBench(t, bare)
	_, tree := b.prepareOn(b.m, b.round("t-1", 1))
	b.merge(tree, "m")
	text := readFile(t, tree.Dir(), "f")
	if !strings.Contains(text, "<<<<<<<<< Temporary merge branch") {
		t.Fatalf("no inner markers in\n%s", text)
	}
	kept := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool {
		return strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") || strings.HasPrefix(line, "||||||| ") || line == "=======\n"
	})
	gittest.Write(t, tree.Dir(), map[string]string{"f": strings.Join(kept, "")})
	_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	wantFault(t, err, fault.Work, "markers are left in f")
	gittest.Write(t, tree.Dir(), map[string]string{"f": "1\nboth\n3\n"})
	if c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"}); err != nil || !c.Created {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestMarkersThatBelongThere: a text about conflicts has such lines on both sides.
func TestMarkersThatBelongThere(t *testing.T) {
	t.Parallel()
	about := "Title\n=======\n\n<<<<<<< yours:sample.txt\n=======\n>>>>>>> theirs:sample.txt\n"
	bare := gittest.NewBare(t, map[string]string{"f.txt": "x\n" + about})
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"f.txt": "ours\n" + about})
	_, tree := b.prepareOn(b.m, b.round("t-1", 2))
	onMain(t, bare, "sed -i 1s/x/theirs/ f.txt")
	b.merge(tree, "m")
	_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	wantFault(t, err, fault.Work, "f.txt")
	b.commit(tree, "1", map[string]string{"f.txt": "both\n" + about})
	if got := outgoing(t, tree); !strings.Contains(got, "+both") {
		t.Errorf("goes out:\n%s", got)
	}
}

func TestMarkerLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*longestMarker)
	text := "<<<<<<< a\r\n=======\n>>>>>>> b" + long + "\n========\n" + long + "\n=======\n<<<<<<<\n|||||||\n||||||| c\nx\n======="
	w := &markerLines{found: map[string]int{}}
	for _, r := range []byte(text) {
		if n, err := w.Write([]byte{r}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	w.end()
	whole := &markerLines{found: map[string]int{}}
	whole.Write([]byte(text))
	whole.end()
	want := map[string]int{"<<<<<<< a": 1, "=======": 3, (">>>>>>> b" + long)[:longestMarker]: 1, "|||||||": 1, "||||||| c": 1}
	for line, n := range want {
		if w.found[line] != n || whole.found[line] != n {
			t.Errorf("%.20q: %d and %d, want %d", line, w.found[line], whole.found[line], n)
		}
	}
	if len(w.found) != len(want) || len(whole.found) != len(want) {
		t.Errorf("found %d and %d", len(w.found), len(whole.found))
	}
}

// TestAttributesHaveNoSayInAMerge: attributes of neither side choose how lines are merged.
func TestAttributesHaveNoSayInAMerge(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{"f.txt": "1\n", ".gitattributes": "*.txt merge=union conflict-marker-size=3\n"})
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"f.txt": "ours\n"})
	_, tree := b.prepareOn(b.m, b.round("t-1", 2))
	onMain(t, bare, "echo theirs > f.txt")
	gittest.Write(t, tree.Dir(), map[string]string{".git/info/attributes": "*.txt merge=union\n"})
	if m := b.merge(tree, "m"); len(m.Conflicts) != 1 || !strings.HasPrefix(readFile(t, tree.Dir(), "f.txt"), "<<<<<<< ours\n") {
		t.Errorf("%+v: %s", m, readFile(t, tree.Dir(), "f.txt"))
	}
	must(t, os.Remove(filepath.Join(tree.Dir(), "f.txt")))
	b.commit(tree, "1", nil)
}
