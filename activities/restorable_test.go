package activities

import (
	"testing"

	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// In the box an agent may remove what it has made and move what git knows, and nobody is asked. A person decides about files that git can't
// restore, and about everything without a box. Files in a submodule are restored.
func TestRemovalsNeedNoPersonInTheBox(t *testing.T) {
	t.Parallel()
	files := map[string]string{"calc.go": "package calc\n", "README.md": "Calc\n"}
	part := gittest.NewCheckout(t, files)
	parent := gittest.NewCheckout(t, files)
	gittest.Git(t, parent, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", part, "part")
	gittest.Git(t, parent, "commit", "--quiet", "--message=Add a part")
	for _, c := range []struct {
		remote, command string
		boxed, allowed  bool
	}{
		{"", "rm calc.go made.txt", true, true}, {"", "rm calc.go made.txt", false, false},
		{"", "mv calc.go sum.go", true, true}, {"", "mv calc.go sum.go", false, false},
		{"", "git clean -fd", true, true}, {"", "git clean -fd", false, false},
		{"", "git reset --hard HEAD", true, true}, {"", "rm -rf out && rmdir empty", true, true},
		{"", "find . -name '*.orig' -delete", true, true}, {"", "rm -rf .git", true, false}, {"", "rm -rf ..", true, false}, {"", "rm -rf .", true, false},
		{parent, "rm calc.go", true, true}, {parent, "rm -rf part", true, true}, {parent, "rm part/calc.go", true, true}, {parent, "git clean -fd", true, true}, {parent, "git reset --hard", true, true},
		{parent, "git stash", true, true}, {parent, "git restore .", true, true}, {parent, "rm -rf part", false, false}, {parent, "rm -rf part/.git", true, false},
	} {
		b := newBench(t, nil)
		if c.remote != "" {
			b.remote = c.remote
		}
		b.Policy = policy.Config{Registry: true, PrivateTmp: true, Loopback: true, Namespace: true, Boxed: c.boxed}
		b.start()
		b.prepare()
		tree, err := b.Workspaces.Open(t.Context(), b.ref.TaskID, b.ref.Fence)
		must(t, err)
		w, err := b.enforcers.of(b.session(task.Implementer, task.AgentClaude), tree.Dir(), "/home/agent")
		must(t, err)
		if d := w.judge(bash(w, c.command, "removes")); (d.Verdict == policy.Allow) != c.allowed {
			t.Errorf("%q, boxed %v, remote %q: %+v", c.command, c.boxed, c.remote, d)
		}
		must(t, tree.Close())
	}
}
