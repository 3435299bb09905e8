package activities

import (
	"context"
	"testing"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/task"
)

// The refs go also when the task's workspace does not exist on the host any more.
func TestDeleteRefsWithoutWorkspace(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	gittest.Git(t, b.remote, "branch", b.made.Branch, "main")
	in := DeleteRefsInput{TaskID: b.ref.TaskID, Repository: task.Repository{Text: b.remote, Path: b.remote}, Branch: b.made.Branch,
		Heads: []string{b.made.Head}}
	b.startOn(t.TempDir(), nil)
	var out DeletedRefs
	must(t, b.attempt().run(b.DeleteRefs, in, &out))
	if refs := gittest.Refs(t, b.remote); len(out.Refs) != 2 || out.Moved != "" || len(refs) != 1 { // the fence and the branch; main stays
		t.Errorf("deleted %+v, left %v", out, refs)
	}
}

// closing is a forge that closes; it finds this state.
type closing struct {
	forge.Forge
	found forge.State
}

func (c closing) Close(context.Context, task.Repository, int, string) (forge.State, error) {
	return c.found, nil
}

func TestClosePullRequest(t *testing.T) {
	for f, want := range map[forge.Forge]bool{closing{found: forge.Open}: true, closing{found: forge.Closed}: false} {
		c := &Control{Forge: func(context.Context, task.Repository) (forge.Forge, error) { return f, nil }}
		if wasOpen, err := c.ClosePullRequest(t.Context(), CloseInput{Number: 7}); err != nil || wasOpen != want {
			t.Errorf("%+v: %t, %v", f, wasOpen, err)
		}
	}
	c := &Control{Forge: func(context.Context, task.Repository) (forge.Forge, error) { return struct{ forge.Forge }{}, nil }}
	if _, err := c.ClosePullRequest(t.Context(), CloseInput{Number: 7}); fault.KindOf(err) != fault.Input {
		t.Errorf("on a forge that can't close: %v", err)
	}
}
