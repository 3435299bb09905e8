package activities

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// A task that can't begin leaves neither a workspace nor a ref on the remote.
func TestTaskThatCanNotBeginLeavesNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	bad, empty := gittest.NewBare(t, map[string]string{".longshift.yaml": "chekc: make\n"}), gittest.NewBare(t, nil)
	for _, c := range []struct {
		name, remote, base string
		kind               fault.Kind
		says               string
	}{
		{"settings that can't be read", bad, "", fault.Input, "chekc"},
		{"a repository without a commit", empty, "", fault.Input, "has no commit"},
		{"a base that isn't there", b.remote, "nope", fault.Input, "nope"},
		{"a repository that isn't there", b.remote + "-gone", "", fault.NotFound, "is not there"},
	} {
		b.remote = c.remote
		in := PrepareInput{Ref: b.ref, Repository: task.Repository{Text: "ann/calc", Path: c.remote}, Base: c.base, Title: "x"}
		err := b.attempt().run(b.PrepareWorkspace, in, nil)
		app := applicationError(t, err)
		if app.Type() != string(c.kind) || !app.NonRetryable() || !strings.Contains(app.Message(), c.says) {
			t.Errorf("%s: %s: %s", c.name, app.Type(), app.Message())
		}
		b.leaks(c.name, err)
		if left, err := b.Workspaces.List(t.Context()); err != nil || len(left) != 0 {
			t.Errorf("%s: workspaces %q, %v", c.name, left, err)
		}
		if c.kind == fault.Input {
			if refs := gittest.Refs(t, c.remote); len(refs) > 1 || c.remote != empty && len(refs) == 0 {
				t.Errorf("%s: the remote has %v", c.name, refs)
			}
		}
	}
}
