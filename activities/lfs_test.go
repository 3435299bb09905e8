package activities

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/workspace/gittest"
)

// In the box files of Git LFS have their content, count as unchanged, and come back; whoever may not write sees the same.
func TestLFSInTheBox(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, map[string]string{".gitattributes": "*.psd filter=lfs diff=lfs merge=lfs -text\n",
		"cover.psd": gittest.Pointer("a cover\n"), "lost.psd": gittest.Pointer("lost\n")})
	gittest.PutObject(t, bare, "a cover\n")
	b := confined(t, bare)
	if want := "lost.psd"; len(b.made.Warnings) != 1 || !strings.Contains(b.made.Warnings[0], want) {
		t.Errorf("warnings %q do not name %s", b.made.Warnings, want)
	}
	for _, writeOff := range []bool{false, true} {
		b.Policy.WriteOff = writeOff
		script := `set -e; grep -q "a cover" cover.psd; git diff --exit-code; test -z "$(git status --porcelain cover.psd)"`
		if !writeOff {
			script += `; touch cover.psd; git diff --exit-code; echo broken >cover.psd; git restore cover.psd; grep -q "a cover" cover.psd
				echo new >new.psd; git add new.psd; git show :new.psd | grep -q oid; git stash -q; git stash pop -q; grep -q new new.psd; touch cover.psd`
		}
		if c := b.check(script, nil); !c.Passed() {
			t.Errorf("write off: %v, exit %d: %s", writeOff, c.ExitCode, c.Tail)
		}
	}
}
