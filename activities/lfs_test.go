package activities

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// In the box files of Git LFS have their content, count as unchanged, and can be restored, also for roles that only read. This holds with
// the filters that a workspace configures, and with a git-lfs that is installed for all users.
func TestLFSInTheBox(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{".gitattributes": "*.psd filter=lfs diff=lfs merge=lfs -text\n",
		"cover.psd": gittest.Pointer("a cover\n"), "lost.psd": gittest.Pointer("lost\n")})
	gittest.PutObject(t, bare, "a cover\n")
	filters := map[string]string{"ours": "export GIT_CONFIG_NOSYSTEM=1; ",
		"git-lfs": "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=filter.lfs.process GIT_CONFIG_VALUE_0='git-lfs filter-process'; "}
	if _, err := exec.LookPath("git-lfs"); err != nil && testing.Short() && os.Getenv("CI") != "true" {
		delete(filters, "git-lfs")
	}
	for name, filter := range filters {
		b := confined(t, bare)
		if w := b.made.Warnings; len(w) != 1 || !strings.Contains(w[0], "lost.psd") {
			t.Errorf("warnings %q do not name what could not be had", w)
		}
		b.Confine.Hidden = append(b.Confine.Hidden, b.Data) // as the worker has it
		b.start()
		try := func(what, script string) {
			t.Helper()
			if c := b.check("set -e; "+filter+script, nil); !c.Passed() {
				t.Errorf("%s, %s: exit %d: %s", name, what, c.ExitCode, c.Tail)
			}
		}
		look := `grep -q "a cover" cover.psd; git diff --exit-code; test -z "$(git status --porcelain cover.psd lost.psd)"`
		try("a fresh work tree", "echo broken >cover.psd; git restore cover.psd; "+look)
		try("work", `touch cover.psd lost.psd; git diff --exit-code; echo broken >cover.psd; git restore cover.psd; `+look+
			`; echo new >new.psd; git add new.psd; git show :new.psd | grep -q oid; git stash -q; git stash pop -q; grep -q new new.psd; touch cover.psd`)
		b.Policy.WriteOff = true
		b.start()
		try("of who only reads", look)
		if name == "ours" {
			must(t, os.RemoveAll(filepath.Join(b.work(), ".git", "lfs")))
			try("of who only reads, and nothing is kept", look)
		}
	}
}
