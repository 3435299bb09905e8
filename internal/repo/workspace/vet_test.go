package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// everBrought returns the names of all files that the task's own commits have ever contained.
func everBrought(t *testing.T, tree *Tree, base string) string {
	t.Helper()
	return gittest.Git(t, tree.at.place.git(), "log", "--format=", "--name-only", base+"..refs/heads/longshift/"+tree.at.id)
}

// The agent's own commits are not adopted if one of them has a file that ours would leave out; the work goes into a commit of ours.
func TestCommitsOfTheAgentAreWeeded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string // in the agent's shell
		lands  string // files of the commits
		left   string
		log    string
	}{
		"junk": {`mkdir -p node_modules/dep web; echo 1 >node_modules/dep/i.js; echo 1 >web/a.js; git add -A; git commit -qm one; echo 2 >web/b.js; git add -A; git commit -qm two`,
			"web/a.js\nweb/b.js", "node_modules", "what no project commits: node_modules"},
		"junk that is gone": {`mkdir __pycache__; echo 1 >__pycache__/a.pyc; echo 1 >a.py; git add -A; git commit -qm one; git rm -qr __pycache__; git commit -qm two`,
			"a.py", "", "what no project commits: __pycache__"},
		"weight that is gone": {`truncate -s 60M big.bin; echo 1 >a; git add -A; git commit -qm one; git rm -q big.bin; git commit -qm two`,
			"a", "", "too large: big.bin (60 MB)"},
		"junk on a side branch": {`git checkout -qb side; echo 1 >.DS_Store; git add -A; git commit -qm side; git checkout -q -; echo 1 >a; git add -A; git commit -qm one; git merge -q --no-edit side`,
			"a", ".DS_Store", "what no project commits: .DS_Store"},
		"nothing of it": {`echo 1 >a; mkdir -p vendor/node_modules; echo 2 >vendor/node_modules/x; git add -A; git commit -qm one`,
			"a\nvendor/node_modules/x", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"README.md": "r\n"}
			if name == "nothing of it" {
				files["action/node_modules/dep/index.js"] = "1\n"
			}
			b := newBench(t, gittest.NewBare(t, files))
			ws, tree := b.prepare("t-1", 1)
			byAgent(t, tree, c.script)
			got, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"})
			must(t, err)
			if lands := everBrought(t, tree, ws.BaseCommit); lands != c.lands {
				t.Errorf("the commits hold %q, want %q", lands, c.lands)
			}
			if left := strings.Join(got.LeftOut, " "); left != c.left {
				t.Errorf("left out: %q, want %q", left, c.left)
			}
			if taken := strings.HasPrefix(subjects(t, tree), "ours|"); taken != (c.log != "") || !strings.Contains(b.log.String(), c.log) {
				t.Errorf("commits are %s; the log says %s", subjects(t, tree), b.log.String())
			}
			if status := agent(t, tree, "status", "--porcelain", "--untracked-files=no"); status != "" {
				t.Errorf("the agent's git shows %q", status)
			}
		})
	}
}

// byAgent runs a script in the work tree with the agent's git and the name that Longshift gives it.
func byAgent(t *testing.T, tree *Tree, script string) string {
	t.Helper()
	who := "set -e; export GIT_AUTHOR_EMAIL=" + author.Email + " GIT_COMMITTER_EMAIL=" + author.Email + "; "
	return gittest.Sh(t, tree.Dir(), who+script)
}

// Files over the limit are refused by name also if the agent has committed them; large files are named.
func TestCommitsOfTheAgentAreWeighed(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	ws, tree := b.prepare("t-1", 1)
	byAgent(t, tree, "truncate -s 60M big.bin; truncate -s 6M model.bin; git add -A; git commit -qm one")
	_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"})
	wantFault(t, err, fault.Work, "big.bin (60 MB)", "at most 50 MB")
	byAgent(t, tree, "git rm -q big.bin; git commit -q --amend --no-edit")
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"})
	if err != nil || strings.Join(c.Large, " ") != "model.bin (6 MB)" || subjects(t, tree) != "one|First commit" {
		t.Errorf("got %+v, %v: %s", c, err, subjects(t, tree))
	}
	if got := everBrought(t, tree, ws.BaseCommit); got != "model.bin" {
		t.Errorf("the commits hold %q", got)
	}
}

// The same holds for merge commits.
func TestMergeCommitsAreVetted(t *testing.T) {
	t.Parallel()
	bare := bareLFS(t)
	gittest.Commit(t, bare, "main", "A text", map[string]string{"a.txt": "a\n"})
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.txt": "ours\n"})
	gittest.Commit(t, bare, "main", "In the way", map[string]string{"a.txt": "theirs\n"})
	if m := b.merge(tree, "m"); len(m.Conflicts) != 1 {
		t.Fatalf("got %+v", m)
	}
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "both\n", "node_modules/x.js": "1\n", "new.psd": "new\n"})
	must(t, os.WriteFile(filepath.Join(tree.Dir(), "model.bin"), make([]byte, 6<<20), 0o600))
	big := filepath.Join(tree.Dir(), "a.txt") // in conflict, and so staged apart from the rest
	must(t, os.Truncate(big, 60<<20))
	_, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "merge"})
	wantFault(t, err, fault.Work, "a.txt (60 MB)")
	gittest.Write(t, tree.Dir(), map[string]string{"a.txt": "both\n"})
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "merge"})
	must(t, err)
	if strings.Join(c.Large, " ") != "model.bin (6 MB)" || strings.Join(c.LeftOut, " ") != "node_modules" {
		t.Errorf("got %+v", c)
	}
	if got := gittest.Show(t, tree.at.place.git(), c.ID, "new.psd") + "\n"; got != gittest.Pointer("new\n") {
		t.Errorf("a file of Git LFS was committed as %q", got)
	}
	must(t, tree.Checkpoint(t.Context()))
	wantObjects(t, bare, "merge")
}

// Two pointers in conflict are settled like any other file, whichever form the conflict takes.
func TestPointersInConflict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, theirs string }{
		"changed by both": {"cover.psd", gittest.Pointer("theirs\n")}, "added by both": {"added.psd", gittest.Pointer("theirs\n")},
		"theirs is raw": {"data/raw.psd", "theirs\n"}, // and the file with both begins like no pointer
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := bareLFS(t)
			b := newBench(t, bare)
			_, tree := b.prepare("t-1", 1)
			file := c.file
			b.commit(tree, "1", map[string]string{file: "ours\n"})
			gittest.PutObject(t, bare, "theirs\n")
			gittest.Commit(t, bare, "main", "In the way", map[string]string{file: c.theirs})
			if m := b.merge(tree, "m"); strings.Join(m.Conflicts, " ") != file {
				t.Fatalf("got %+v", m)
			}
			_, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "merge"})
			wantFault(t, err, fault.Work, "conflict markers are left in "+file)
			gittest.Write(t, tree.Dir(), map[string]string{file: readFile(t, tree.Dir(), file) + "more\n"})
			_, err = tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "merge"})
			wantFault(t, err, fault.Work, "conflict markers are left in "+file)
			agent(t, tree, "checkout", "-q", "--theirs", "--", file)
			if got := readFile(t, tree.Dir(), file); got != "theirs\n" {
				t.Errorf("their side is %q", got)
			}
			gittest.Write(t, tree.Dir(), map[string]string{file: "both\n"})
			done, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "merge"})
			must(t, err)
			if got := gittest.Show(t, tree.at.place.git(), done.ID, file) + "\n"; got != gittest.Pointer("both\n") {
				t.Errorf("the merge holds %q", got)
			}
		})
	}
}

// Pointers in the agent's commits come with their objects; files that should be pointers become pointers.
func TestCommitsOfTheAgentInLFS(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, subjects string }{
		"pointers":           {`echo 1 >a.psd; git mv cover.psd moved.psd; git add -A; git commit -qm one; echo 2 >a.psd; git commit -qam two`, "two|one|First commit"},
		"raw":                {`echo 2 >a.psd; git mv cover.psd moved.psd; git -c filter.lfs.clean=cat add -A; git commit -qm one`, "ours|First commit"},
		"raw and long":       {`echo 2 >a.psd; head -c 2000 /dev/zero >b.psd; git mv cover.psd moved.psd; git -c filter.lfs.clean=cat add b.psd; git add -A; git commit -qm one`, "ours|First commit"},
		"object gone":        {`echo 1 >a.psd; git mv cover.psd moved.psd; git add -A; git commit -qm one; echo 2 >a.psd; git commit -qam two; rm -r .git/lfs`, "ours|First commit"},
		"object is a link":   {`echo 1 >a.psd; git mv cover.psd moved.psd; git add -A; git commit -qm one; echo 2 >a.psd; git commit -qam two; cd .git/lfs/objects; for f in */*/*; do rm $f; ln -s /etc/passwd $f; done`, "ours|First commit"},
		"object is a pipe":   {`echo 1 >a.psd; git mv cover.psd moved.psd; git add -A; git commit -qm one; echo 2 >a.psd; git commit -qam two; cd .git/lfs/objects; for f in */*/*; do rm $f; mkfifo $f; done`, "ours|First commit"},
		"object is another":  {`echo 1 >a.psd; git mv cover.psd moved.psd; git add -A; git commit -qm one; echo 2 >a.psd; git commit -qam two; for f in .git/lfs/objects/*/*/*; do echo x >$f; done`, "ours|First commit"},
		"tracked later on":   {`echo 2 >a.psd; echo '*.iso filter=lfs' >>.gitattributes; echo 3 >x.iso; git mv cover.psd moved.psd; git add -A; git commit -qm one`, "one|First commit"},
		"tracked and unused": {`echo 2 >a.psd; git mv cover.psd moved.psd; echo '*.psd -filter' >none.txt; git add -A; git commit -qm one`, "one|First commit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := bareLFS(t)
			b := newBench(t, bare)
			_, tree := b.prepare("t-1", 1)
			byAgent(t, tree, c.script)
			_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"})
			must(t, err)
			if got := subjects(t, tree); got != c.subjects {
				t.Errorf("commits are %s: %s", got, b.log.String())
			}
			if got := gittest.Show(t, tree.at.place.git(), "longshift/t-1", "a.psd") + "\n"; got != gittest.Pointer("2\n") {
				t.Errorf("the file is %q", got)
			}
			_, err = tree.Push(t.Context())
			must(t, err)
			wantObjects(t, bare, "push")
			clone := lfsClone(t, "file://"+bare, "longshift/t-1")
			if readFile(t, clone, "a.psd") != "2\n" || readFile(t, clone, "moved.psd") != cover {
				t.Error("git-lfs does not get what was committed")
			}
		})
	}
}

// Objects of Git LFS are published by a push, so they are shown like the commits.
func TestOutgoingObjects(t *testing.T) {
	t.Parallel()
	b := newBench(t, bareLFS(t))
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"notes.psd": "first line\nsecret-one" + strings.Repeat(" ", 70_000) + "end"})
	b.commit(tree, "2", map[string]string{"notes.psd": "clean\n"})
	out := outgoing(t, tree)
	for _, want := range []string{`+++ "b/notes.psd"` + "\n@@ -0,0 +1 @@\n+first line\n+secret-one ", " end\n", "\n+clean\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in what goes out", want)
		}
	}
}
