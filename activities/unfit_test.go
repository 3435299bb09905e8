package activities

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// When git refuses to commit files because of what they are, the result says so to the next session, and the task goes on.
func TestWorkThatGitRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		says  string
	}{
		"not in its encoding":      {map[string]string{".gitattributes": "*.txt working-tree-encoding=UTF-16\n", "a.txt": "abc\n"}, "a.txt"},
		"an unknown encoding":      {map[string]string{".gitattributes": "*.txt working-tree-encoding=none-such\n", "a.txt": "abc\n"}, "none-such"},
		"a byte order mark":        {map[string]string{".gitattributes": "*.txt working-tree-encoding=UTF-16LE\n", "a.txt": "\xff\xfea\x00"}, "a.txt"},
		"an encoding without name": {map[string]string{".gitattributes": "*.txt working-tree-encoding\n", "a.txt": "abc\n"}, "working-tree-encoding"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			b.prepare()
			gittest.Write(t, b.work(), map[string]string{"sum.go": "package calc\n"})
			before := b.commit(1, nil)
			gittest.Write(t, b.work(), c.files)
			out := b.commit(2, nil)
			if !strings.Contains(out.Failed, c.says) || !strings.Contains(out.Failed, ".gitattributes") || out.Created || out.Leak {
				t.Errorf("told %q, want %q and the place to look at: %+v", out.Failed, c.says, out)
			}
			if got := b.checkpoint(); got != before.Commit {
				t.Errorf("the checkpoint is %s, want %s", got, before.Commit)
			}
			for file := range c.files { // the agent removes it, and the commit succeeds
				must(t, os.RemoveAll(filepath.Join(b.work(), file)))
			}
			gittest.Write(t, b.work(), map[string]string{"b.go": "package calc\n"})
			if out := b.commit(3, nil); out.Failed != "" || !out.Created {
				t.Errorf("after it was mended: %+v", out)
			}
		})
	}
}
