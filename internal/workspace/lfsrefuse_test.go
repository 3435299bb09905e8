package workspace

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/workspace/gittest"
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
			for path, content := range c.files {
				files[path] = content
			}
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
