package workspace

import (
	"maps"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// What can't be brought to the project's server is refused by name before there is a commit, and the files stay pointers: a task that has
// nothing to do with them goes on.
func TestLFSWithoutServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files  map[string]string
		status int
		remote string // from the first commit on
		why    string
	}{
		"elsewhere": {files: map[string]string{".lfsconfig": "[lfs]\n\turl = https://lfs.example/x\n"}, why: "a server of its own"},
		"to another remote": {files: map[string]string{".lfsconfig": "[remote \"origin\"]\n\tlfspushurl = https://lfs.example/x\n"},
			why: "a server of its own"},
		"off":         {status: 404, why: "has no LFS server"},
		"not ours":    {status: 403, why: "does not let us in"},
		"behind ssh":  {remote: "ssh://git@127.0.0.1/o/r.git", why: "over ssh"},
		"only broken": {status: 503},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := inLFS()
			maps.Copy(files, c.files)
			h := gittest.NewHTTP(t, files)
			if c.remote == "" { // else the work tree has the content before there is a way to bring any
				gittest.PutObject(t, h.Bare, cover)
			}
			h.Before(func(service, step string) gittest.Action {
				if service == "lfs" {
					return gittest.Action{Status: c.status}
				}
				return gittest.Action{}
			})
			b := newBench(t, h.URL)
			ws, tree := b.prepare("t-1", 1)
			if ws.Unfilled != "cover.psd" || readFile(t, tree.Dir(), "cover.psd") != gittest.Pointer(cover) {
				t.Errorf("unfilled %q", ws.Unfilled)
			}
			if c.remote != "" {
				b.remote = c.remote
			}
			b.commit(tree, "1", map[string]string{"README.md": "changed\n"})
			gittest.Write(t, tree.Dir(), map[string]string{"new.psd": "new\n", "README.md": "again\n"})
			got, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x"})
			if c.why == "" { // the push asks again
				if err != nil || !got.Created {
					t.Errorf("got %+v, %v", got, err)
				}
				wantFault(t, tree.Checkpoint(t.Context()), fault.Infra, "503")
				return
			}
			wantFault(t, err, fault.Work, "new.psd", c.why)
			if strings.Contains(err.Error(), "README") {
				t.Errorf("more is refused than need be: %v", err)
			}
			byAgent(t, tree, "git add -A; git commit -qm theirs")
			_, err = tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x"})
			wantFault(t, err, fault.Work, "new.psd", c.why)
			byAgent(t, tree, "git rm -q new.psd; git commit -qm without")
			if got, err = tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "x"}); err != nil || !got.Created || got.Files != 1 {
				t.Errorf("without it: %+v, %v", got, err)
			}
			if got := everBrought(t, tree, ws.BaseCommit); got != "README.md\nREADME.md" {
				t.Errorf("the commits hold %q", got)
			}
		})
	}
}

// Of a task over a fork the objects go where its branch goes, and come from both.
func TestLFSOfAFork(t *testing.T) {
	t.Parallel()
	upstream, fork := gittest.NewHTTP(t, inLFS()), gittest.NewHTTP(t, inLFS())
	gittest.PutObject(t, upstream.Bare, cover)
	b := newBench(t, upstream.URL)
	b.fork = fork.URL
	spec := b.spec("t-1", 1)
	spec.Fork = &task.Repository{Text: "ann/repo", Owner: "ann", Name: "repo"}
	_, tree := b.prepareOn(b.m, spec)
	upstream.Before(func(service, _ string) gittest.Action { // it lets nobody write
		return gittest.Action{Status: map[string]int{"lfs": 403, "receive-pack": 403}[service]}
	})
	b.commit(tree, "1", map[string]string{"new.psd": "new\n"})
	must(t, tree.Checkpoint(t.Context()))
	upstream.Before(nil)
	id := gittest.Object("new\n")
	if !exists(gittest.ObjectFile(fork.Bare, id)) || exists(gittest.ObjectFile(upstream.Bare, id)) {
		t.Error("the object is not in the fork, or not there alone")
	}
	spec.Fence = 2
	ws, other := b.prepareOn(b.manager(t.TempDir()), spec)
	if readFile(t, other.Dir(), "new.psd") != "new\n" || readFile(t, other.Dir(), "cover.psd") != cover || ws.Unfilled != "" {
		t.Errorf("another host has not got all of it: %q", ws.Unfilled)
	}
}
