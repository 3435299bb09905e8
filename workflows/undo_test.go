package workflows_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// undoing stands in for the forge and the hosts of an Undo.
type undoing struct {
	env    *testsuite.TestWorkflowEnvironment
	closed error // of ClosePullRequest
	lost   int   // hosts that are gone before they have deleted the refs
	noFork bool  // it was deleted
	steps  []string
	close  activities.CloseInput
	delete activities.DeleteRefsInput
}

func newUndoing() *undoing {
	u := &undoing{env: workflows.NewEnv()}
	u.env.RegisterWorkflow(workflows.Undo)
	for name, f := range map[string]any{
		"ClosePullRequest": func(_ context.Context, in activities.CloseInput) (bool, error) {
			u.steps, u.close = append(u.steps, "close"), in
			return true, u.closed
		},
		"ForkRepository": func(_ context.Context, in activities.ForkInput) (task.Repository, error) {
			u.steps = append(u.steps, "fork")
			if u.noFork && in.Existing {
				return task.Repository{}, nil
			}
			return task.Repository{Text: "ann/web", Owner: "ann", Name: "web"}, nil
		},
		"AssignTask": func(context.Context) (activities.Assignment, error) {
			u.steps = append(u.steps, "assign")
			return activities.Assignment{Host: "alpha", Heartbeat: time.Second, Probe: time.Second}, nil
		},
		"DeleteRefs": func(_ context.Context, in activities.DeleteRefsInput) (activities.DeletedRefs, error) {
			u.steps, u.delete = append(u.steps, "delete"), in
			if u.lost--; u.lost >= 0 {
				return activities.DeletedRefs{}, temporal.NewNonRetryableApplicationError("deployed", string(fault.Stopping), nil)
			}
			return activities.DeletedRefs{Refs: []string{"refs/heads/longshift/x"}, Moved: "c0ffee"}, nil
		},
	} {
		u.env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	return u
}

var undoInput = signals.UndoInput{TaskID: "x-12345678", Repository: "acme/web", PullRequest: 7, Branch: "longshift/x",
	Heads: []string{"aaa", "bbb"}}

func TestUndo(t *testing.T) {
	forked, none := undoInput, undoInput
	forked.Fork, none.PullRequest = true, 0
	forked.Repository = "https://github.com/acme/web"
	for name, c := range map[string]struct {
		in    signals.UndoInput
		lost  int
		steps []string
		from  string
	}{
		"pull request":    {undoInput, 0, []string{"close", "assign", "delete"}, "acme"},
		"of a fork":       {forked, 0, []string{"close", "fork", "assign", "delete"}, "ann"},
		"no pull request": {none, 0, []string{"assign", "delete"}, "acme"},
		"host gone":       {none, 1, []string{"assign", "delete", "assign", "delete"}, "acme"},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUndoing()
			u.lost = c.lost
			u.env.ExecuteWorkflow(workflows.Undo, c.in)
			var got signals.Undone
			if err := u.env.GetWorkflowResult(&got); err != nil {
				t.Fatal(err)
			}
			want := signals.Undone{Closed: c.in.PullRequest > 0, Deleted: []string{"refs/heads/longshift/x"}, Moved: "c0ffee"}
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(u.steps, c.steps) {
				t.Errorf("got %+v after %q", got, u.steps)
			}
			if r := u.delete.Repository; r.Owner != c.from || c.in.Fork && r.URL != "" {
				t.Errorf("deleted in %+v", r)
			}
			if u.delete.TaskID != c.in.TaskID || !reflect.DeepEqual(u.delete.Heads, c.in.Heads) {
				t.Errorf("deleted %+v", u.delete)
			}
			if c.in.PullRequest > 0 && (u.close.Repository.Owner != "acme" || u.close.Number != 7 || u.close.TaskID != c.in.TaskID) {
				t.Errorf("closed %+v", u.close)
			}
		})
	}
}

// A fork that was deleted is not made anew to look for what is left there.
func TestUndoWithoutTheFork(t *testing.T) {
	u, in := newUndoing(), undoInput
	u.noFork, in.Fork = true, true
	u.env.ExecuteWorkflow(workflows.Undo, in)
	var got signals.Undone
	if err := u.env.GetWorkflowResult(&got); err != nil {
		t.Fatal(err)
	}
	if want := []string{"close", "fork"}; !reflect.DeepEqual(got, signals.Undone{Closed: true, NoFork: true}) || !reflect.DeepEqual(u.steps, want) {
		t.Errorf("got %+v after %q", got, u.steps)
	}
}

// Nothing is deleted of a task whose pull request may not be closed, and the client reads why.
func TestUndoRefused(t *testing.T) {
	u := newUndoing()
	u.closed = temporal.NewApplicationErrorWithOptions("pull request #7 is merged", string(fault.Conflict),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{"revert the merge instead"}})
	u.env.ExecuteWorkflow(workflows.Undo, undoInput)
	failed(t, u.env.GetWorkflowError(), fault.Conflict)
	if want := []string{"close"}; !reflect.DeepEqual(u.steps, want) {
		t.Errorf("steps %q", u.steps)
	}
}

func TestUndoOfNoRepository(t *testing.T) {
	u := newUndoing()
	u.env.ExecuteWorkflow(workflows.Undo, signals.UndoInput{TaskID: "x-12345678"})
	failed(t, u.env.GetWorkflowError(), fault.Input)
}

// failed checks the kind that an error brings to the client.
func failed(t *testing.T, err error, kind fault.Kind) {
	t.Helper()
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Type() != string(kind) {
		t.Errorf("got %v, want %s", err, kind)
	}
}
