package workspace

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// onMain rewrites main of a bare repository by a script that runs in a checkout, and returns the new tip.
func onMain(t *testing.T, bare, script string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "work")
	gittest.Git(t, "/", "clone", "-q", "--branch", "main", bare, dir)
	gittest.Sh(t, dir, "set -e\n"+script+"\ngit add -A\ngit commit -qm 'On main'\ngit push -q -f origin HEAD:main")
	return gittest.Ref(t, bare, "refs/heads/main")
}

func (b *bench) merge(tree *Tree, key string) Merge {
	b.t.Helper()
	m, err := tree.MergeBase(b.t.Context(), key)
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

func outgoing(t *testing.T, tree *Tree) string {
	t.Helper()
	var out strings.Builder
	must(t, tree.Diffs.Outgoing(t.Context(), &out))
	return out.String()
}

func TestMergeClean(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"a.txt": "a\n"})
	ws, tree := b.prepareOn(b.m, b.round("t-1", 2))
	if m := b.merge(tree, "m0"); !m.UpToDate || m.Base != gittest.Ref(t, bare, "refs/heads/main") || m.Commit != "" {
		t.Errorf("nothing to merge: %+v", m)
	}
	one := b.commit(tree, "1", map[string]string{"b.txt": "b\n"})
	base := onMain(t, bare, "mkdir new; echo n > new/n.txt; echo changed > specs/a.md; git mv src/main.go src/moved.go; rm README.md")
	m := b.merge(tree, "m")
	if m.Base != base || m.UpToDate || m.Commit == "" || len(m.Conflicts)+len(m.GaveWay) > 0 {
		t.Fatalf("got %+v", m)
	}
	git := tree.at.place.git()
	if got := gittest.Git(t, git, "log", "-1", "--format=%P|%an|%B", m.Commit); got !=
		one.ID+" "+base+"|Longshift Bot|Merge branch 'main' into longshift/t-1\n\nLongshift-Task: t-1/m\n" {
		t.Errorf("commit is %q", got)
	}
	if got := agent(t, tree, "ls-files"); got != "a.txt\nb.txt\nnew/n.txt\nspecs/a.md\nsrc/moved.go" {
		t.Errorf("files %q", got)
	}
	if got := agent(t, tree, "status", "--porcelain"); got != "" || agent(t, tree, "rev-parse", "HEAD") != m.Commit ||
		agent(t, tree, "rev-parse", "origin/main") != base || readFile(t, tree.Dir(), "specs/a.md") != "changed\n" {
		t.Errorf("the agent sees %q", got)
	}
	if again := b.merge(tree, "m"); again.Commit != m.Commit || again.Base != base {
		t.Errorf("again: %+v", again)
	}
	if again := b.merge(tree, "m2"); !again.UpToDate || again.Base != base {
		t.Errorf("with another key: %+v", again)
	}
	b.commit(tree, "2", map[string]string{"c.txt": "c\n"})
	if again := b.merge(tree, "m"); again.Commit != m.Commit || agent(t, tree, "status", "--porcelain") != "" {
		t.Errorf("again, later: %+v", again)
	}
	// The changes from main are not the task's.
	if d, err := tree.Diffs.Since(t.Context(), ws.BaseCommit); err != nil || d.Files != 2 || d.Added != 2 || d.Deleted != 0 {
		t.Errorf("diff %+v, %v", d, err)
	}
	if got := outgoing(t, tree); strings.Contains(got, "n.txt") || !strings.Contains(got, "+c\n") || !strings.Contains(got, "+b\n") {
		t.Errorf("goes out:\n%s", got)
	}
	messages, err := tree.Diffs.Messages(t.Context())
	if err != nil || len(messages) != 3 {
		t.Errorf("messages %q, %v", messages, err)
	}
	log, err := tree.Log(t.Context(), ws.BaseCommit)
	if err != nil || len(log) != 3 {
		t.Errorf("log %+v, %v", log, err)
	}
	// The same on another host.
	if _, err := tree.Push(t.Context()); err != nil {
		t.Fatal(err)
	}
	other := b.manager(t.TempDir())
	_, there := b.prepareOn(other, b.round("t-1", 3))
	if again := b.merge(there, "m"); again.Commit != m.Commit {
		t.Errorf("on another host: %+v", again)
	}
	second := onMain(t, bare, "echo more > new/more.txt")
	if m := b.merge(there, "n"); m.Base != second || m.Commit == "" {
		t.Errorf("second merge: %+v", m)
	}
	if got := outgoing(t, there); strings.Contains(got, "n.txt") || strings.Contains(got, "more.txt") || strings.Count(got, "diff --git") != 2 {
		t.Errorf("goes out:\n%s", got)
	}
	if d, err := there.Diffs.Since(t.Context(), ws.BaseCommit); err != nil || d.Files != 2 {
		t.Errorf("diff %+v, %v", d, err)
	}
	if _, err := there.Squash(t.Context(), "", "x"); fault.KindOf(err) != fault.Conflict {
		t.Errorf("squash: %v", err)
	}
	gittest.Git(t, there.at.place.git(), "fsck", "--strict")
}

func TestMergeConflict(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{"f.txt": "1\n2\n3\n", "specs/a.md": "spec\n", "x.txt": "x\n"})
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"f.txt": "1\nours\n3\n"})
	ws, tree := b.prepareOn(b.m, b.round("t-1", 2))
	base := onMain(t, bare, "printf '1\\ntheirs\\n3\\n' > f.txt; echo changed > specs/a.md; echo new > new.txt; rm x.txt")
	m := b.merge(tree, "m")
	if m.Base != base || m.Commit != "" || m.UpToDate || strings.Join(m.Conflicts, " ") != "f.txt" {
		t.Fatalf("got %+v", m)
	}
	text := readFile(t, tree.Dir(), "f.txt")
	for _, want := range []string{"1\n<<<<<<< ours\nours\n||||||| ", "\n2\n=======\ntheirs\n>>>>>>> remotes/origin/main\n3\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if got := agent(t, tree, "status", "--porcelain"); got != "UU f.txt\nA  new.txt\nM  specs/a.md\nD  x.txt" {
		t.Errorf("the agent sees\n%s", got)
	}
	if got := agent(t, tree, "diff", "--name-only"); got != "f.txt" && got != "f.txt\nf.txt" {
		t.Errorf("the agent's diff is of %q", got)
	}
	if again := b.merge(tree, "m"); again.Base != base || strings.Join(again.Conflicts, " ") != "f.txt" || again.Commit != "" {
		t.Errorf("again: %+v", again)
	}
	if dirty, head, err := tree.Status(t.Context(), "f.txt", "specs", "new.txt", "x.txt"); !dirty || head != ws.Head || err != nil {
		t.Errorf("status %v %s %v", dirty, head, err)
	}
	for text, left := range map[string]bool{
		readFile(t, tree.Dir(), "f.txt"):          true,
		"1\n=======\n3\n":                         true,
		"1\r\n>>>>>>> remotes/origin/main\r\n3\n": true,
		"<<<<<<< ours":                            true,
		"1\n||||||| 1234567\n":                    true,
		"1\n<<<<<<<<< Temporary merge branch 1\n": true,
	} {
		gittest.Write(t, tree.Dir(), map[string]string{"f.txt": text})
		_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "Both", Exclude: []string{"specs"}})
		wantFault(t, err, fault.Work, "f.txt")
		if dirty, head, err := tree.Status(t.Context()); !left || !dirty || head != ws.Head || err != nil {
			t.Errorf("%q: status %v %s %v", text, dirty, head, err)
		}
	}
	gittest.Write(t, tree.Dir(), map[string]string{"f.txt": "1\nboth\n3\n", "more.txt": "========\nx <<<<<<< ours\n", "specs/b.md": "stays out\n"})
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "Both", Exclude: []string{"specs"}})
	if err != nil || !c.Created || c.Files != 2 || c.Added != 3 || c.Deleted != 7 {
		t.Fatalf("got %+v, %v", c, err)
	}
	git := tree.at.place.git()
	if got := gittest.Git(t, git, "log", "-1", "--format=%P|%B", c.ID); got != ws.Head+" "+base+"|Both\n\nLongshift-Task: t-1/1\n" {
		t.Errorf("commit is %q", got)
	}
	// Excluded paths come from the merge, not from the work tree.
	if got := gittest.Git(t, git, "ls-tree", "-r", "--name-only", c.ID); got != "f.txt\nmore.txt\nnew.txt\nspecs/a.md" ||
		gittest.Show(t, git, c.ID, "specs/a.md") != "changed" {
		t.Errorf("files %q", got)
	}
	if got := agent(t, tree, "status", "--porcelain"); got != "?? specs/b.md" {
		t.Errorf("the agent sees %q", got)
	}
	if again, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "Both"}); err != nil || again.ID != c.ID || again.Files != 2 || again.Added != 3 {
		t.Errorf("again: %+v, %v", again, err)
	}
	if again := b.merge(tree, "m"); !again.UpToDate {
		t.Errorf("merged again: %+v", again)
	}
	got := outgoing(t, tree)
	if !strings.Contains(got, "+both\n") || !strings.Contains(got, "+========\n") || strings.Contains(got, "+new") || strings.Contains(got, "+theirs") {
		t.Errorf("goes out:\n%s", got)
	}
	if d, err := tree.Diffs.Since(t.Context(), ws.BaseCommit); err != nil || d.Files != 2 || !strings.Contains(d.Text, "+both\n") {
		t.Errorf("diff %+v, %v", d, err)
	}
	if head, err := tree.Push(t.Context()); err != nil || head != c.ID {
		t.Error(head, err)
	}
	mirror := b.m.mirrors.at(mirrorName(b.repository(), bare)).dir
	if kept := gittest.Git(t, mirror, "for-each-ref", "refs/longshift-kept/t-1/"); !strings.Contains(kept, base) {
		t.Errorf("what was merged is not kept in the mirror: %q", kept)
	}
	must(t, b.m.Remove(t.Context(), "t-1", false))
	for name := range gittest.Refs(t, mirror) {
		if strings.Contains(name, "t-1") {
			t.Errorf("%s is left in the mirror", name)
		}
	}
}

// TestMergeInAnExcludedFolder: the content of the work tree settles a conflict there too.
func TestMergeInAnExcludedFolder(t *testing.T) {
	t.Parallel()
	for name, exclude := range map[string]string{"folder": "specs", "pattern": "spec*"} {
		t.Run(name, func(t *testing.T) {
			bare := gittest.NewBare(t, start)
			b := newBench(t, bare)
			b.ended("t-1", map[string]string{"specs/a.md": "ours\n"})
			_, tree := b.prepareOn(b.m, b.round("t-1", 2))
			onMain(t, bare, "echo theirs > specs/a.md; echo new > specs/new.md")
			if m := b.merge(tree, "m"); strings.Join(m.Conflicts, " ") != "specs/a.md" {
				t.Fatalf("got %+v", m)
			}
			s := CommitSpec{Key: "1", Message: "x", Exclude: []string{exclude}}
			_, err := tree.Commit(t.Context(), s)
			wantFault(t, err, fault.Work, "specs/a.md")
			gittest.Write(t, tree.Dir(), map[string]string{"specs/a.md": "both\n", "specs/own.md": "x\n"})
			c, err := tree.Commit(t.Context(), s)
			must(t, err)
			git := tree.at.place.git()
			if got := gittest.Git(t, git, "ls-tree", "-r", "--name-only", c.ID, "specs/"); got != "specs/a.md\nspecs/new.md" ||
				gittest.Show(t, git, c.ID, "specs/a.md") != "both" {
				t.Errorf("files %q", got)
			}
		})
	}
}

func TestMergeAborted(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"README.md": "ours\n"})
	ws, tree := b.prepareOn(b.m, b.round("t-1", 2))
	must(t, tree.AbortMerge(t.Context())) // nothing to give up
	gittest.Write(t, tree.Dir(), map[string]string{"open.txt": "not committed\n"})
	before, err := tree.Fingerprint(t.Context())
	must(t, err)
	onMain(t, bare, "echo theirs > README.md; echo new > new.txt; rm src/main.go")
	b.merge(tree, "m")
	gittest.Write(t, tree.Dir(), map[string]string{"README.md": "half settled\n", "stray.txt": "x\n"})
	for range 2 {
		must(t, tree.AbortMerge(t.Context()))
	}
	if after, err := tree.Fingerprint(t.Context()); err != nil || after != before {
		t.Errorf("%s, then %s, %v", before, after, err)
	}
	if got := agent(t, tree, "status", "--porcelain"); got != "?? open.txt" || agent(t, tree, "rev-parse", "HEAD") != ws.Head {
		t.Errorf("the agent sees %q", got)
	}
	if m := b.merge(tree, "m"); len(m.Conflicts) != 1 {
		t.Errorf("once more: %+v", m)
	}
}

func TestMergeNeedsABase(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"a.txt": "a\n"})
	_, tree := b.prepareOn(b.m, b.round("t-1", 2))
	old := gittest.Ref(t, bare, "refs/heads/main")
	gittest.Git(t, bare, "update-ref", "-d", "refs/heads/main")
	_, err := tree.MergeBase(t.Context(), "m")
	wantFault(t, err, fault.NotFound, `"main"`, "owner/repo")
	// Rewritten: an older commit, and another on top of it.
	gittest.Git(t, bare, "update-ref", "refs/heads/main", old)
	base := onMain(t, bare, "git checkout -q --orphan x; git rm -rfq .; echo other > other.txt")
	_, err = tree.MergeBase(t.Context(), "m")
	wantFault(t, err, fault.Changed, "no commit in common")
	gittest.Git(t, bare, "update-ref", "refs/heads/main", old)
	first := b.merge(tree, "m0")
	if !first.UpToDate || base == old {
		t.Errorf("got %+v", first)
	}
	one := onMain(t, bare, "echo one > one.txt")
	if m := b.merge(tree, "m1"); m.Base != one || m.Commit == "" {
		t.Errorf("got %+v", m)
	}
	two := onMain(t, bare, "git reset -q --hard HEAD^; echo two > two.txt")
	m := b.merge(tree, "m2")
	if m.Base != two || m.Commit == "" || !exists(filepath.Join(tree.Dir(), "two.txt")) {
		t.Errorf("got %+v", m)
	}
	if got := outgoing(t, tree); strings.Contains(got, "diff --") {
		t.Errorf("goes out:\n%s", got)
	}
	if d, err := tree.Diffs.Since(t.Context(), gittest.Ref(t, bare, "refs/heads/longshift/t-1")); err != nil || d.Files != 0 {
		t.Errorf("diff %+v, %v", d, err)
	}
	for _, key := range []string{"", "a,b"} {
		if _, err := tree.MergeBase(t.Context(), key); err == nil {
			t.Errorf("key %q is taken", key)
		}
	}
}

// TestMergeOverOpenWork: uncommitted changes stay if the merge does not change the same files.
func TestMergeOverOpenWork(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	b.ended("t-1", map[string]string{"a.txt": "a\n", "d.txt": "d\n", "e.txt": "e\n"})
	_, tree := b.prepareOn(b.m, b.round("t-1", 2))
	must(t, os.Remove(filepath.Join(tree.Dir(), "d.txt")))
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "open a\n", "specs/a.md": "open spec\n", "dir": "a file\n", "same.txt": "same\n",
		"new/deep.txt": "x\n", "folder/mine.txt": "x\n"})
	onMain(t, bare, "echo theirs > specs/a.md; mkdir dir; echo x > dir/x.txt; echo same > same.txt; echo f > folder; echo n > n.txt")
	m := b.merge(tree, "m")
	if m.Commit == "" || strings.Join(m.GaveWay, " ") != "dir folder/mine.txt specs/a.md" {
		t.Fatalf("got %+v", m)
	}
	if got := agent(t, tree, "status", "--porcelain"); got != " M a.txt\n D d.txt\n?? new/" {
		t.Errorf("the agent sees\n%s", got)
	}
	left := gittest.Git(t, tree.at.place.git(), "for-each-ref", "--format=%(objectname)", "refs/longshift/left")
	if gittest.Show(t, tree.at.place.git(), left, "specs/a.md") != "open spec" || readFile(t, tree.Dir(), "specs/a.md") != "theirs\n" {
		t.Error("what gave way is not kept")
	}
	if readFile(t, tree.Dir(), "dir/x.txt") != "x\n" || readFile(t, tree.Dir(), "a.txt") != "open a\n" || readFile(t, tree.Dir(), "folder") != "f\n" {
		t.Error("the work tree is off")
	}
}

// TestMergeInTheFirstRound: the task started from the base branch, and thousands of commits came in.
func TestMergeInTheFirstRound(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	gittest.Commit(t, bare, "dev/next", "On dev", map[string]string{"dev.txt": "x\n"})
	b := newBench(t, bare)
	s := b.spec("t-1", 1)
	s.Base = "dev/next"
	ws, tree := b.prepareOn(b.m, s)
	const odd = "ü \"x\"\n\xff"
	one := b.commit(tree, "1", map[string]string{odd: "ours\n", "mine.txt": "m\n"})
	gittest.Commit(t, bare, "dev/next", "Odd", map[string]string{odd: "theirs\n"})
	gittest.Sh(t, bare, `i=0; { while [ $i -lt 3000 ]; do i=$((i+1)); echo "commit refs/heads/dev/next"
		echo "committer Jane <jane@example.com> $i +0000"; echo "data 2"; echo c; [ $i = 1 ] && echo "from refs/heads/dev/next^0"
		echo "M 644 inline n.txt"; echo "data 6"; printf '%05d\n' $i; done; } | git fast-import --quiet`)
	m := b.merge(tree, "m")
	if len(m.Conflicts) != 1 || m.Conflicts[0] != odd || m.Base != gittest.Ref(t, bare, "refs/heads/dev/next") {
		t.Fatalf("got %+v", m)
	}
	if got := agent(t, tree, "rev-parse", "origin/dev/next"); got != m.Base ||
		!strings.Contains(readFile(t, tree.Dir(), odd), ">>>>>>> remotes/origin/dev/next\n") {
		t.Errorf("origin/dev/next is %s", got)
	}
	_, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x"})
	wantFault(t, err, fault.Work, strconv.Quote(odd))
	two := b.commit(tree, "2", map[string]string{odd: "both\n"})
	if two.Files != 1 || two.Added != 1 {
		t.Errorf("got %+v", two)
	}
	messages, err := tree.Diffs.Messages(t.Context())
	if err != nil || len(messages) != 2 || messages[one.ID] == "" || messages[two.ID] == "" {
		t.Errorf("%d messages, %v", len(messages), err)
	}
	if got := outgoing(t, tree); strings.Contains(got, "n.txt") || !strings.Contains(got, "+both\n") {
		t.Errorf("goes out:\n%s", got)
	}
	// From where the task started, against the base branch as it is now: what a pull request shows.
	if d, err := tree.Diffs.Since(t.Context(), ws.BaseCommit); err != nil || d.Files != 2 || d.Added != 2 || d.Deleted != 1 {
		t.Errorf("diff %+v, %v", d, err)
	}
	if found, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x"}); err != nil || found.ID != two.ID || found.Added != 1 {
		t.Errorf("again: %+v, %v", found, err)
	}
}
