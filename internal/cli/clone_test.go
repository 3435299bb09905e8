package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// The base is the branch that is checked out when the task is started, and not when a worker comes to it; with none checked out it is
// chosen as a worker does. A tag of the same name makes no difference.
func TestBaseIsSettledAtTheStart(t *testing.T) {
	dir := gittest.NewCheckout(t, map[string]string{"README.md": "r\n"})
	gittest.Git(t, dir, "checkout", "--quiet", "-b", "feature")
	gittest.Git(t, dir, "tag", "feature")
	check := newCloneCheck(newFactory(term.Streams{}, environ.Environ{Dir: dir, Vars: []string{"PATH=" + os.Getenv("PATH")}}, testWiring()))
	base := func(named string) string {
		in := task.Input{Repository: dir, Base: named}
		if _, err := check.settle(t.Context(), &in); err != nil {
			t.Fatal(err)
		}
		return in.Base
	}
	if got := base(""); got != "feature" {
		t.Errorf("on a branch: %q", got)
	}
	if got := base("main"); got != "main" {
		t.Errorf("where one is named: %q", got)
	}
	gittest.Git(t, dir, "checkout", "--quiet", "--detach")
	if got := base(""); got != "main" {
		t.Errorf("on none, at main and another: %q", got)
	}
	gittest.Git(t, dir, "branch", "--force", "feature", gittest.Git(t, dir, "commit-tree", "-p", "HEAD", "-m", "On", "HEAD^{tree}"))
	gittest.Git(t, dir, "checkout", "--quiet", "--detach", "refs/heads/feature")
	if got := base(""); got != "feature" {
		t.Errorf("on none, at a branch: %q", got)
	}
	gittest.Git(t, dir, "commit", "--quiet", "--allow-empty", "--message", "Alone")
	if got := base(""); got != "main" {
		t.Errorf("on none: %q", got)
	}
	gittest.Git(t, dir, "checkout", "--quiet", "main")
	tree := gittest.Git(t, dir, "rev-parse", "main^{tree}")
	if err := os.Remove(filepath.Join(dir, ".git/objects", tree[:2], tree[2:])); err != nil {
		t.Fatal(err)
	}
	if _, err := check.settle(t.Context(), &task.Input{Repository: dir}); fault.KindOf(err) != fault.Input || fault.HintOf(err) != "run `git fsck` there" {
		t.Errorf("settings that can't be read: %v", err)
	}
	elsewhere := task.Input{Repository: "acme/web"}
	if _, err := check.settle(t.Context(), &elsewhere); err != nil || elsewhere.Base != "" {
		t.Errorf("a repository elsewhere: %q, %v", elsewhere.Base, err)
	}
}
