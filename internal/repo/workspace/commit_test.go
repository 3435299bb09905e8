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

func TestCommit(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	ws, tree := b.prepare("t-1", 1)
	gittest.Write(t, tree.Dir(), map[string]string{"README.md": "hello\nworld\n", "dir/new file\n.txt": "x\ny\n", ".gitignore": "*.o\n", "a.o": "bin"})
	must(t, os.Remove(filepath.Join(tree.Dir(), "src/main.go")))
	must(t, os.Symlink("/etc/passwd", filepath.Join(tree.Dir(), "link")))
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "s-1", Message: "Add things\n\nWith a body."})
	must(t, err)
	if !c.Created || c.Files != 5 || c.Added != 5 || c.Deleted != 1 {
		t.Errorf("got %+v", c)
	}
	git := b.m.place("t-1").git()
	if got := gittest.Git(t, git, "log", "-1", "--format=%an <%ae>|%cn|%at|%B|%P", c.ID); got !=
		"Longshift Bot <bot@example.com>|Longshift Bot|1700000000|Add things\n\nWith a body.\n\nLongshift-Task: t-1/s-1\n|"+ws.BaseCommit {
		t.Errorf("commit is %q", got)
	}
	if got := gittest.Git(t, git, "ls-tree", "-r", "--name-only", "-z", c.ID); got != ".gitignore\x00README.md\x00dir/new file\n.txt\x00link\x00specs/a.md\x00" {
		t.Errorf("files %q", got)
	}
	if got := agent(t, tree, "status", "--porcelain"); got != "" || agent(t, tree, "rev-parse", "HEAD") != c.ID {
		t.Errorf("the agent sees %q", got)
	}
	if dirty, head, err := tree.Status(t.Context()); dirty || head != c.ID || err != nil {
		t.Errorf("status %v %s %v", dirty, head, err)
	}
	none, err := tree.Commit(t.Context(), CommitSpec{Key: "s-2", Message: "nothing"})
	if err != nil || none.Created || none.ID != c.ID {
		t.Errorf("nothing to commit: %+v, %v", none, err)
	}
	must(t, os.Chtimes(filepath.Join(tree.Dir(), "README.md"), b.m.config.Now(), b.m.config.Now()))
	if none, err := tree.Commit(t.Context(), CommitSpec{Key: "s-2", Message: "touched"}); err != nil || none.Created {
		t.Errorf("touched file: %+v, %v", none, err)
	}
}

func TestCommitOncePerKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	first := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	second := b.commit(tree, "11", map[string]string{"b.txt": "b\n"})
	gittest.Write(t, tree.Dir(), map[string]string{"c.txt": "later work\n"})
	for key, want := range map[string]Commit{"1": first, "11": second} {
		if got, err := tree.Commit(t.Context(), CommitSpec{Key: key, Message: "again"}); err != nil || got.ID != want.ID || !got.Created || got.Added != 1 {
			t.Errorf("key %s: got %+v, %v; want %+v", key, got, err, want)
		}
	}
	if dirty, head, err := tree.Status(t.Context()); !dirty || head != second.ID || err != nil {
		t.Errorf("later work is not left alone: %v %s %v", dirty, head, err)
	}
	for _, key := range []string{"", "a\nb", "a,b"} {
		if _, err := tree.Commit(t.Context(), CommitSpec{Key: key}); err == nil {
			t.Errorf("key %q is taken", key)
		}
	}
}

func TestCommitExclude(t *testing.T) {
	t.Parallel()
	for name, exclude := range map[string][]string{"folder": {"specs"}, "slash": {"specs/"}, "dot": {"./specs"}, "pattern": {"spec*"}} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, gittest.NewBare(t, start))
			_, tree := b.prepare("t-1", 1)
			gittest.Write(t, tree.Dir(), map[string]string{"specs/a.md": "changed\n", "specs/b.md": "new\n", "x.txt": "x\n"})
			agent(t, tree, "add", "-A")
			if _, err := tree.Fingerprint(t.Context()); err != nil { // looks at all of it
				t.Fatal(err)
			}
			c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x", Exclude: exclude})
			if err != nil || c.Files != 1 {
				t.Fatalf("got %+v, %v", c, err)
			}
			if got := agent(t, tree, "status", "--porcelain"); got != " M specs/a.md\n?? specs/b.md" {
				t.Errorf("left: %q", got)
			}
			if dirty, _, err := tree.Status(t.Context(), exclude...); dirty || err != nil {
				t.Errorf("dirty %v, %v", dirty, err)
			}
			if c, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x", Exclude: exclude}); err != nil || c.Created {
				t.Errorf("got %+v, %v", c, err)
			}
		})
	}
}

func TestCommitIgnoresWhatABrokenOffCallHasStaged(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	gittest.Write(t, tree.Dir(), map[string]string{"specs/a.md": "changed\n", "x.txt": "x\n"})
	must(t, tree.at.locked(t.Context(), func(o *opened) error {
		head, _ := o.branch.head(t.Context())
		_, err := o.work.stage(t.Context(), head, head, nil, nil)
		return err
	}))
	gittest.Write(t, tree.Dir(), map[string]string{"specs/a.md": "changed once more\n", "x.txt": "x and y\n"})
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x", Exclude: []string{"specs"}})
	if err != nil || c.Files != 1 {
		t.Errorf("got %+v, %v", c, err)
	}
}

// Git ends with the same exit code when there is nothing to commit and when it can't make the tree.
func TestCommitThatFailsIsNotTakenForNone(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	one := b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	blob := gittest.Git(t, tree.at.place.git(), "rev-parse", one.ID+":a.txt")
	must(t, os.Remove(filepath.Join(tree.at.place.git(), "objects", blob[:2], blob[2:])))
	gittest.Write(t, tree.Dir(), map[string]string{"b.txt": "b\n"})
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "Work"})
	if err == nil || !strings.Contains(err.Error(), blob) {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestCommitReplacesFilesByFoldersAndBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, map[string]string{"a": "file\n", "d/x": "x\n"}))
	_, tree := b.prepare("t-1", 1)
	must(t, os.Remove(filepath.Join(tree.Dir(), "a")))
	must(t, os.RemoveAll(filepath.Join(tree.Dir(), "d")))
	b.commit(tree, "1", map[string]string{"a/b": "b\n", "d": "file\n"})
	if got := agent(t, tree, "ls-files"); got != "a/b\nd" {
		t.Errorf("files %q", got)
	}
}

func TestCommitLeavesEmbeddedRepositoriesOut(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	gittest.Write(t, tree.Dir(), map[string]string{"sub/dep/file": "x", "x.txt": "x\n"})
	gittest.Git(t, filepath.Join(tree.Dir(), "sub/dep"), "init", "-q")
	gittest.Git(t, filepath.Join(tree.Dir(), "sub/dep"), "commit", "-q", "--allow-empty", "-m", "x")
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "x"})
	if err != nil || c.Files != 1 || strings.Join(c.LeftOut, ", ") != "sub/dep (a git repository of its own)" {
		t.Errorf("got %+v, %v", c, err)
	}
}

func TestWithTrailer(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                   "Work on the task\n\nLongshift-Task: t/1\n",
		"Subject":                            "Subject\n\nLongshift-Task: t/1\n",
		"fix: subject":                       "fix: subject\n\nLongshift-Task: t/1\n",
		"S\n\nBody\n\nCo-authored-by: A <a>": "S\n\nBody\n\nCo-authored- by: A <a>\n\nLongshift-Task: t/1\n",
		"S\n\nNote: x\nand more":             "S\n\nNote: x\nand more\n\nLongshift-Task: t/1\n",
		"S\n\nLongshift-Task: t/9\n":         "S\n\nLongshift- Task: t/9\n\nLongshift-Task: t/1\n",
		" longshift-task: t/9 \nS\x00":       "longshift- task: t/9\nS\n\nLongshift-Task: t/1\n",
	} {
		if got := withTrailer(in, "t/1"); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
	}
}

func TestSquash(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	ws, tree := b.prepare("t-1", 1)
	if c, err := tree.Squash(t.Context(), "", "x"); err != nil || c.Created || c.ID != ws.Head {
		t.Errorf("nothing to squash: %+v, %v", c, err)
	}
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	two := b.commit(tree, "2", map[string]string{"b.txt": "b\n"})
	if head, err := tree.Push(t.Context()); err != nil || head != two.ID {
		t.Fatal(head, err)
	}
	c, err := tree.Squash(t.Context(), ws.BaseCommit, "Everything")
	if err != nil || !c.Created || c.Files != 2 || c.Added != 2 {
		t.Fatalf("got %+v, %v", c, err)
	}
	log, err := tree.Log(t.Context(), ws.BaseCommit)
	if err != nil || len(log) != 1 || log[0].Subject != "Everything" || log[0].ID != c.ID || log[0].Body != "Longshift-Task: t-1/squash" {
		t.Errorf("log %+v, %v", log, err)
	}
	if again, err := tree.Squash(t.Context(), ws.BaseCommit, "Everything"); err != nil || again.ID != c.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	must(t, tree.Checkpoint(t.Context()))
	if head, err := tree.Push(t.Context()); err != nil || head != c.ID || gittest.Ref(t, bare, "refs/heads/longshift/t-1") != c.ID {
		t.Errorf("push after squash: %s, %v", head, err)
	}
	if _, err := tree.Squash(t.Context(), two.ID, "x"); err == nil {
		t.Error("a base that is not before the head is taken")
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{"a.yaml": "base\n", "*": "star\n", "big": strings.Repeat("x", mostFile+1), "d/f": "f\n"})
	work := gittest.NewCheckout(t, map[string]string{"x": "x"})
	must(t, os.Symlink("/etc/passwd", filepath.Join(work, "link")))
	gittest.Git(t, work, "fetch", "-q", bare, "main")
	gittest.Git(t, work, "reset", "-q", "--soft", "FETCH_HEAD")
	gittest.Git(t, work, "read-tree", "FETCH_HEAD")
	gittest.Git(t, work, "add", "link")
	gittest.Git(t, work, "commit", "-q", "-m", "link")
	gittest.Git(t, work, "push", "-q", bare, "HEAD:refs/heads/main")
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.yaml": "changed by the agent\n", "new.yaml": "x", "new/f": "x"})
	files, err := tree.Base.Files(t.Context())
	must(t, err)
	for how, read := range map[string]func(string) ([]byte, bool, error){
		"one":  func(name string) ([]byte, bool, error) { return tree.Base.File(t.Context(), name) },
		"many": files,
	} {
		t.Run(how, func(t *testing.T) { readsBase(t, read) })
	}
	for name, want := range map[string]bool{"d": true, "d/": true, "d/f": false, "new": false, "link": false, "?": false} {
		if had, err := tree.Base.HadFolder(t.Context(), name); had != want || err != nil {
			t.Errorf("%s is a folder: %v, %v", name, had, err)
		}
	}
}

// readsBase reads what TestFile has prepared.
func readsBase(t *testing.T, read func(name string) ([]byte, bool, error)) {
	for name, want := range map[string]string{"a.yaml": "base\n", "./a.yaml": "base\n", "*": "star\n", "d/f": "f\n"} {
		if got, found, err := read(name); err != nil || !found || string(got) != want {
			t.Errorf("%s: %q, %v, %v", name, got, found, err)
		}
	}
	for _, name := range []string{"new.yaml", "none", "d", "a.yaml/x", "?.yaml"} {
		if got, found, err := read(name); err != nil || found || got != nil {
			t.Errorf("%s: %q, %v, %v", name, got, found, err)
		}
	}
	for name, word := range map[string]string{"link": "symbolic link", "big": "at most", "/etc/passwd": "not a path", "../x": "not a path", "": "not a path"} {
		_, found, err := read(name)
		wantFault(t, err, fault.Input, word)
		if found {
			t.Errorf("%s is found", name)
		}
	}
}

func TestDiffAndLog(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	ws, tree := b.prepare("t-1", 1)
	if d, err := tree.Diffs.Since(t.Context(), ws.BaseCommit); err != nil || d != (Diff{}) {
		t.Errorf("no change: %+v, %v", d, err)
	}
	b.commit(tree, "1", map[string]string{".gitattributes": "* -diff\n*.go binary\n", "src/main.go": "package main\n\nfunc hidden() {}\n"})
	two := b.commit(tree, "2", map[string]string{"big.txt": strings.Repeat("a line of text\n", 50_000)})
	d, err := tree.Diffs.Since(t.Context(), ws.BaseCommit)
	must(t, err)
	if d.Files != 3 || d.Added != 50_004 || d.Deleted != 0 {
		t.Errorf("got %d files +%d -%d", d.Files, d.Added, d.Deleted)
	}
	sizes, err := tree.Diffs.Sizes(t.Context(), ws.BaseCommit)
	if want := []FileSize{{".gitattributes", 2, 0}, {"big.txt", 50_000, 0}, {"src/main.go", 2, 0}}; err != nil || !slices.Equal(sizes, want) {
		t.Errorf("sizes %+v, %v", sizes, err)
	}
	if len(d.Text) > mostDiff+100 || !strings.Contains(d.Text, "bytes left out]\n") || !strings.HasPrefix(d.Text, "diff --git") {
		t.Errorf("%d bytes, ends with %q", len(d.Text), d.Text[len(d.Text)-60:])
	}
	all, err := tree.Diffs.Since(t.Context(), "")
	if err != nil || all.Files != 5 {
		t.Errorf("from nothing: %d files, %v", all.Files, err)
	}
	log, err := tree.Log(t.Context(), ws.BaseCommit)
	if err != nil || len(log) != 2 || log[0].ID != two.ID || log[1].Subject != "Work 1" || log[0].Author != author.Name || log[0].Time.Unix() != 1_700_000_000 {
		t.Errorf("log %+v, %v", log, err)
	}
	only, err := tree.Diffs.Since(t.Context(), log[1].ID)
	if err != nil || only.Files != 1 || strings.Contains(only.Text, "hidden") {
		t.Errorf("from the first: %d files, %v", only.Files, err)
	}
}

// Names come as they are, a renamed file under its new one, and content that is no text has no lines.
func TestParseSizes(t *testing.T) {
	got := parseSizes("1\t2\ta\tb\nc\x003\t0\t\x00old\x00new\x00-\t-\tx.png\x00")
	if want := []FileSize{{"a\tb\nc", 1, 2}, {"new", 3, 0}, {"x.png", 0, 0}}; !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestChangesCanNotHideFromTheDiff(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	ws, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{".gitattributes": "* -diff\n", "src/main.go": "package main\n\nfunc hidden() {}\n"})
	if d, err := tree.Diffs.Since(t.Context(), ws.BaseCommit); err != nil || !strings.Contains(d.Text, "+func hidden") {
		t.Errorf("%q, %v", d.Text, err)
	}
}

func TestFingerprintRestore(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "a\n"})
	gittest.Write(t, tree.Dir(), map[string]string{"specs/a.md": "open work\n", "open.txt": "open\n", ".gitignore": "*.o\n"})
	print := func() string {
		t.Helper()
		p, err := tree.Fingerprint(t.Context())
		must(t, err)
		return p
	}
	before := print()
	gittest.Write(t, tree.Dir(), map[string]string{"x.o": "ignored"})
	if print() != before {
		t.Error("an ignored file changes the fingerprint")
	}
	status := agent(t, tree, "status", "--porcelain")
	for name, change := range map[string]func(){
		"changed":   func() { gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "b\n"}) },
		"same size": func() { gittest.Write(t, tree.Dir(), map[string]string{"specs/a.md": "OPEN work\n"}) },
		"new":       func() { gittest.Write(t, tree.Dir(), map[string]string{"d/new.txt": "x"}) },
		"removed":   func() { must(t, os.Remove(filepath.Join(tree.Dir(), "open.txt"))) },
		"mode":      func() { must(t, os.Chmod(filepath.Join(tree.Dir(), "a.txt"), 0o755)) },
		"commit":    func() { agent(t, tree, "commit", "-q", "--allow-empty", "-m", "sneaky") },
		"folder":    func() { must(t, os.RemoveAll(filepath.Join(tree.Dir(), "specs"))) },
	} {
		change()
		if print() == before {
			t.Errorf("%s: same fingerprint", name)
		}
		must(t, tree.Restore(t.Context(), before))
		if print() != before || agent(t, tree, "status", "--porcelain") != status {
			t.Errorf("%s: not restored: %q", name, agent(t, tree, "status", "--porcelain"))
		}
	}
	if readFile(t, tree.Dir(), "specs/a.md") != "open work\n" || !exists(filepath.Join(tree.Dir(), "x.o")) {
		t.Error("open work was lost")
	}
	gittest.Write(t, tree.Dir(), map[string]string{"nested/f": "x"})
	gittest.Git(t, filepath.Join(tree.Dir(), "nested"), "init", "-q")
	must(t, tree.CheckOut(t.Context()))
	if got := agent(t, tree, "status", "--porcelain", "--ignored"); got != "" || exists(filepath.Join(tree.Dir(), "nested")) {
		t.Errorf("checked out: %q", got)
	}
	if err := tree.Restore(t.Context(), "nonsense"); err == nil {
		t.Error("nonsense is restored")
	}
}
