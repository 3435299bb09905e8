package workspace

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

const (
	tracked = "*.psd filter=lfs diff=lfs merge=lfs -text\n"
	cover   = "cover, the first\n"
)

// inLFS are the files of a project that keeps some of them in Git LFS.
func inLFS() map[string]string {
	return map[string]string{".gitattributes": tracked, "README.md": "hello\n", "cover.psd": gittest.Pointer(cover),
		"data/.gitattributes": "*.bin filter=lfs -text\n", "data/raw.psd": "raw before it was tracked\n"}
}

// bareLFS makes a bare repository of such a project with its object.
func bareLFS(t *testing.T) string {
	t.Helper()
	bare := gittest.NewBare(t, inLFS())
	gittest.PutObject(t, bare, cover)
	return bare
}

// realLFS are the settings that `git lfs install` makes.
var realLFS = []string{"-c", "filter.lfs.clean=git-lfs clean -- %f", "-c", "filter.lfs.smudge=git-lfs smudge -- %f",
	"-c", "filter.lfs.process=git-lfs filter-process", "-c", "filter.lfs.required=true"}

// needLFS skips a test in a quick run if git-lfs is missing, but never if CI is set.
func needLFS(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git-lfs"); err != nil {
		if testing.Short() && os.Getenv("CI") != "true" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
}

// lfsClone clones a branch as people with git-lfs do.
func lfsClone(t *testing.T, url, branch string) string {
	t.Helper()
	needLFS(t)
	dir := filepath.Join(t.TempDir(), "clone")
	gittest.Git(t, t.TempDir(), append(realLFS, "clone", "-q", "--branch", branch, url, dir)...)
	return dir
}

// wantObjects fails unless a bare repository has the object of every pointer that any of its refs holds.
func wantObjects(t *testing.T, bare, when string) {
	t.Helper()
	text := gittest.Sh(t, bare, `git rev-list --objects --no-object-names --all | git cat-file --batch-check='%(objecttype) %(objectsize) %(objectname)' |
		while read -r type size id; do if [ $type = blob ] && [ $size -lt 1024 ]; then git cat-file blob $id | sed -n 's/^oid sha256://p'; fi; done`)
	n := 0
	for _, id := range lines(text) {
		n++
		if !exists(gittest.ObjectFile(bare, id)) {
			t.Errorf("%s: a ref holds a pointer to %s, which is not there", when, id)
		}
	}
	if n == 0 {
		t.Errorf("%s: no pointer was found", when)
	}
}

// touch makes git read a file again.
func touch(t *testing.T, tree *Tree, path string) {
	t.Helper()
	at := time.Unix(1_600_000_000, 0)
	must(t, os.Chtimes(filepath.Join(tree.Dir(), path), at, at))
}

// The work tree has the content, git has pointers, and the server has the objects before a ref names them: people with git-lfs get all of it.
func TestLFSLands(t *testing.T) {
	t.Parallel()
	for name, remote := range map[string]func(t *testing.T) (b *bench, bare, url string){
		"path": func(t *testing.T) (*bench, string, string) {
			bare := bareLFS(t)
			return newBench(t, bare), bare, "file://" + bare
		},
		"http": func(t *testing.T) (*bench, string, string) {
			h := gittest.NewHTTP(t, inLFS())
			h.Login("x-access-token", "secret-token")
			gittest.PutObject(t, h.Bare, cover)
			h.Before(func(service, step string) gittest.Action {
				if service == "receive-pack" && step == "serve" && gittest.Ref(t, h.Bare, "refs/longshift-fence/t-1") != "" &&
					!exists(gittest.ObjectFile(h.Bare, gittest.Object("new\n"))) {
					t.Error("a ref is pushed ahead of its objects")
				}
				return gittest.Action{}
			})
			b := newBench(t, h.URL)
			b.auth = Auth{Token: "secret-token"}
			return b, h.Bare, strings.Replace(h.URL, "http://", "http://x-access-token:secret-token@", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, bare, url := remote(t)
			ws, tree := b.prepare("t-1", 1)
			if got := readFile(t, tree.Dir(), "cover.psd"); got != cover || ws.Unfilled != "" {
				t.Fatalf("the work tree has %q; unfilled: %q", got, ws.Unfilled)
			}
			touch(t, tree, "cover.psd")
			if got := agent(t, tree, "status", "--porcelain") + agent(t, tree, "diff"); got != "" {
				t.Errorf("the agent's git shows a change: %s", got)
			}
			touch(t, tree, "cover.psd")
			if dirty, _, err := tree.Status(t.Context()); err != nil || dirty {
				t.Errorf("a file that was only read counts as changed: %v, %v", dirty, err)
			}
			big := strings.Repeat("0123456789abcdef", 4<<20) // 64 MiB, which git alone is not given
			c := b.commit(tree, "1", map[string]string{"cover.psd": "new\n", "data/big.bin": big, "empty.psd": "", "it's 100%.psd": "odd\n"})
			if c.Files != 4 || len(c.Large) > 0 {
				t.Errorf("got %+v", c)
			}
			for path, content := range map[string]string{"cover.psd": "new\n", "data/big.bin": big, "it's 100%.psd": "odd\n"} {
				if got := gittest.Show(t, tree.at.place.git(), c.ID, path) + "\n"; got != gittest.Pointer(content) {
					t.Errorf("%s was committed as %.200q", path, got)
				}
			}
			if got := gittest.Git(t, tree.at.place.git(), "cat-file", "-s", c.ID+":empty.psd"); got != "0" {
				t.Errorf("an empty file has %s bytes", got)
			}
			if got := agent(t, tree, "status", "--porcelain"); got != "" {
				t.Errorf("the agent's git shows a change after the commit: %s", got)
			}
			must(t, tree.Checkpoint(t.Context()))
			wantObjects(t, bare, "checkpoint")
			_, err := tree.Push(t.Context())
			must(t, err)
			clone := lfsClone(t, url, "longshift/t-1")
			if readFile(t, clone, "cover.psd") != "new\n" || readFile(t, clone, "data/big.bin") != big {
				t.Error("git-lfs does not get what was committed")
			}
			if got := gittest.Git(t, clone, append(realLFS, "status", "--porcelain", "--", "*.psd", "*.bin", ":!data/raw.psd")...); got != "" {
				t.Errorf("git-lfs finds files that should be pointers: %s", got)
			}
			gittest.Write(t, clone, map[string]string{"cover.psd": "theirs\n"}) // and the server is one that git-lfs can push to
			gittest.Git(t, clone, append(realLFS, "commit", "-q", "-m", "theirs", "cover.psd")...)
			gittest.Git(t, clone, append(realLFS, "lfs", "push", "origin", "longshift/t-1")...)
			if !exists(gittest.ObjectFile(bare, gittest.Object("theirs\n"))) {
				t.Error("git-lfs could not bring an object there")
			}
			_, other := b.prepareOn(b.manager(t.TempDir()), b.spec("t-1", 2))
			if readFile(t, other.Dir(), "data/big.bin") != big {
				t.Error("another host does not get the content")
			}
			if found := inFiles(t, b.m.config.Dir, "secret-token"); found != "" {
				t.Errorf("the token is in %s", found)
			}
		})
	}
}

// A file is cleaned once, and whatever is brought back comes back with its content.
func TestLFSComesBack(t *testing.T) {
	t.Parallel()
	b := newBench(t, bareLFS(t))
	_, tree := b.prepare("t-1", 1)
	gittest.Write(t, tree.Dir(), map[string]string{"cover.psd": "tried\n", "more.psd": "more\n"})
	print, err := tree.Fingerprint(t.Context())
	must(t, err)
	must(t, tree.CheckOut(t.Context()))
	if got := readFile(t, tree.Dir(), "cover.psd"); got != cover || exists(filepath.Join(tree.Dir(), "more.psd")) {
		t.Errorf("checked out: %q", got)
	}
	must(t, tree.Restore(t.Context(), print))
	if readFile(t, tree.Dir(), "cover.psd") != "tried\n" || readFile(t, tree.Dir(), "more.psd") != "more\n" {
		t.Error("restore did not bring the content back")
	}
	if now, err := tree.Fingerprint(t.Context()); err != nil || now != print {
		t.Errorf("fingerprint %s, want %s: %v", now, print, err)
	}
	agent(t, tree, "stash", "-q", "-u")
	agent(t, tree, "stash", "pop", "-q")
	agent(t, tree, "checkout", "-q", "--", "cover.psd")
	if readFile(t, tree.Dir(), "cover.psd") != cover || readFile(t, tree.Dir(), "more.psd") != "more\n" {
		t.Error("the agent's git does not bring the content back")
	}
}

// Where git-lfs is installed for all users, the agent's git prefers it. It finds and leaves objects in the same places.
func TestLFSBesideGitLFS(t *testing.T) {
	t.Parallel()
	needLFS(t)
	bare := bareLFS(t)
	gittest.Commit(t, bare, "main", "A pointer to nothing", map[string]string{"lost.psd": gittest.Pointer("lost\n")})
	b := newBench(t, bare)
	ws, tree := b.prepare("t-1", 1)
	if ws.Unfilled != "lost.psd" || readFile(t, tree.Dir(), "lost.psd") != gittest.Pointer("lost\n") {
		t.Errorf("unfilled %q", ws.Unfilled)
	}
	system := filepath.Join(t.TempDir(), "gitconfig")
	must(t, os.WriteFile(system, []byte("[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\tprocess = git-lfs filter-process\n\trequired = true\n"), 0o600))
	script := `set -e; unset GIT_CONFIG_NOSYSTEM; export GIT_CONFIG_SYSTEM="$1"; git config filter.lfs.process >/dev/null
		touch cover.psd lost.psd; test -z "$(git status --porcelain cover.psd lost.psd)"
		echo broken >cover.psd; rm lost.psd; git checkout -q -- cover.psd lost.psd; cat cover.psd; head -c 7 lost.psd; echo
		echo agent >theirs.psd; git add theirs.psd; git commit -qm "feat: theirs"; echo later >theirs.psd; git add theirs.psd; git commit -qm "feat: later"`
	script = "export GIT_AUTHOR_EMAIL=" + author.Email + " GIT_COMMITTER_EMAIL=" + author.Email + "; " + script
	if got := gittest.Sh(t, tree.Dir(), "exec 2>/dev/null; "+script, system); got != cover+"version" {
		t.Errorf("git-lfs brought back %q", got)
	}
	_, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"})
	must(t, err)
	if got := subjects(t, tree); !strings.HasPrefix(got, "feat: later|feat: theirs|") {
		t.Errorf("commits are %s; %s", got, b.log.String())
	}
	must(t, tree.Checkpoint(t.Context()))
	for _, content := range []string{"agent\n", "later\n"} {
		if !exists(gittest.ObjectFile(bare, gittest.Object(content))) {
			t.Errorf("the object of %q was not brought there", content)
		}
	}
}

// Files over the limit are named and stay pointers, and do not count as changes.
func TestLFSIsBounded(t *testing.T) {
	t.Parallel()
	bare := bareLFS(t)
	film := strings.Repeat("film", 1000)
	gittest.Commit(t, bare, "main", "A film", map[string]string{"film.psd": gittest.Pointer(film), "same.psd": gittest.Pointer(film)})
	gittest.PutObject(t, bare, film)
	b := newBench(t, bare)
	b.m.mostFilled = 100
	ws, tree := b.prepare("t-1", 1)
	if ws.Unfilled != "film.psd" || readFile(t, tree.Dir(), "film.psd") != gittest.Pointer(film) || readFile(t, tree.Dir(), "cover.psd") != cover {
		t.Errorf("unfilled %q", ws.Unfilled)
	}
	if again, err := b.m.Prepare(t.Context(), b.spec("t-1", 1)); err != nil || again.Unfilled != ws.Unfilled {
		t.Errorf("again: %+v, %v", again, err)
	}
	touch(t, tree, "film.psd")
	if dirty, _, err := tree.Status(t.Context()); err != nil || dirty {
		t.Errorf("a pointer counts as changed: %v, %v", dirty, err)
	}
}

// Whenever a host dies, every pointer that is on the remote has its object there, and the next host brings the task to its end.
func TestLFSKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	for n := 3; ; n += 3 {
		bare := bareLFS(t)
		b := newBench(t, bare)
		spec := b.spec("t-1", 1)
		gittest.Commit(t, bare, "main", "Text in Git LFS", map[string]string{".gitattributes": tracked + "*.txt filter=lfs\n"})
		broken := breakAt(t, b.m, n, true)
		err := wholeTask(t.Context(), b.m, spec)
		wantObjects(t, bare, fmt.Sprintf("after call %d", n))
		if !broken() {
			if err != nil || n < 20 {
				t.Fatalf("only %d calls; the test breaks nothing: %v", n, err)
			}
			return
		}
		spec.Fence = 2
		if err := wholeTask(t.Context(), b.manager(t.TempDir()), spec); err != nil {
			t.Fatalf("after a crash at call %d (%v): %v", n, err, err)
		}
		wantObjects(t, bare, fmt.Sprintf("on the next host after call %d", n))
		clone := lfsClone(t, "file://"+bare, "longshift/t-1")
		if readFile(t, clone, "1.txt") != "1\n" || readFile(t, clone, "2.txt") != "2\n" {
			t.Errorf("after a crash at call %d the content is not there", n)
		}
	}
}

// An uploaded object is not sent again, and a push whose upload fails moves no ref.
func TestLFSServerFails(t *testing.T) {
	t.Parallel()
	h := gittest.NewHTTP(t, inLFS())
	gittest.PutObject(t, h.Bare, cover)
	b := newBench(t, h.URL)
	_, tree := b.prepare("t-1", 1)
	b.commit(tree, "1", map[string]string{"a.psd": "a\n", "b.psd": "b\n"})
	sent, failing := map[string]int{}, true
	h.Before(func(service, step string) gittest.Action {
		if service != "lfs" {
			return gittest.Action{}
		}
		if sent[step]++; failing && len(sent) == 4 { // a batch, an object, its verification, and the second object
			return gittest.Action{Status: 503}
		}
		return gittest.Action{}
	})
	err := tree.Checkpoint(t.Context())
	wantFault(t, err, fault.Infra, "owner/repo", "503")
	if ref := gittest.Ref(t, h.Bare, "refs/longshift/t-1"); ref != "" {
		t.Errorf("the checkpoint was pushed: %s", ref)
	}
	failing = false
	must(t, tree.Checkpoint(t.Context()))
	wantObjects(t, h.Bare, "after the second try")
	if a, b := sent[gittest.Object("a\n")], sent[gittest.Object("b\n")]; a+b != 3 || sent["verify"] != 2 {
		t.Errorf("requests %v", sent)
	}
}
