package activities

import (
	"context"
	"testing"

	"go.temporal.io/api/serviceerror"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
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
		c := &PullRequests{forge: func(context.Context, task.Repository) (forge.Forge, error) { return f, nil }}
		if wasOpen, err := c.ClosePullRequest(t.Context(), CloseInput{Number: 7}); err != nil || wasOpen != want {
			t.Errorf("%+v: %t, %v", f, wasOpen, err)
		}
	}
	c := &PullRequests{forge: func(context.Context, task.Repository) (forge.Forge, error) { return struct{ forge.Forge }{}, nil }}
	if _, err := c.ClosePullRequest(t.Context(), CloseInput{Number: 7}); fault.KindOf(err) != fault.Input {
		t.Errorf("on a forge that can't close: %v", err)
	}
}

// The follower looks at once, and a round in progress does not write refs again that undo deletes. That it has ended, or can't be told, stops no undo.
func TestClosePullRequestWakesTheFollower(t *testing.T) {
	t.Parallel()
	for _, answer := range []error{nil, serviceerror.NewNotFound("no such workflow"), serviceerror.NewUnavailable("away")} {
		var woken []string
		c := &PullRequests{
			host:  "github.example",
			forge: func(context.Context, task.Repository) (forge.Forge, error) { return closing{found: forge.Open}, nil },
			wake:  func(_ context.Context, id, _ string) error { woken = append(woken, id); return answer },
		}
		in := CloseInput{Repository: task.Repository{Owner: "acme", Name: "web"}, Number: 7, TaskID: "x-12345678"}
		must(t, newAttempt(t, redact.New()).run(c.ClosePullRequest, in, nil))
		if len(woken) != 1 || woken[0] != signals.PullRequestID("github.example", "acme", "web", 7) {
			t.Errorf("woken %q", woken)
		}
	}
}
