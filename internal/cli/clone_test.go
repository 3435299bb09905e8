package cli

import (
	"os"
	"testing"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// The base is the branch that is checked out when the task is started, and not when a worker comes to it; with none checked out the
// worker chooses.
func TestBaseIsSettledAtTheStart(t *testing.T) {
	dir := gittest.NewCheckout(t, map[string]string{"README.md": "r\n"})
	gittest.Git(t, dir, "checkout", "--quiet", "-b", "feature")
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
	if got := base(""); got != "" {
		t.Errorf("on none: %q", got)
	}
	elsewhere := task.Input{Repository: "acme/web"}
	if _, err := check.settle(t.Context(), &elsewhere); err != nil || elsewhere.Base != "" {
		t.Errorf("a repository elsewhere: %q, %v", elsewhere.Base, err)
	}
}
