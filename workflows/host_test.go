package workflows_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func stopping() error {
	return temporal.NewNonRetryableApplicationError("worker stopping", string(fault.Stopping), nil)
}

func TestWorkerRestartGoesOnWithTheSession(t *testing.T) {
	w := newWorld(t)
	cut := false
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		if in.Role == task.Implementer && !cut {
			cut = true
			return activities.SessionResult{}, stopping()
		}
		return activities.SessionResult{}, nil
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || w.takes != 1 {
		t.Errorf("outcome %s, %d takes: the host answered its probe, so nobody else may take the task", s.Outcome, w.takes)
	}
	if w.asked[1].ID != w.asked[2].ID || w.asked[1].Ask != w.asked[2].Ask {
		t.Error("the same ask of the same session must be made again")
	}
}

func TestHostGoneMovesTheTask(t *testing.T) {
	w := newWorld(t)
	w.losesHost(task.Implementer)
	s := w.start(t)
	if s.Outcome != task.PullRequest || s.Host != "beta" || s.Fence != 2 {
		t.Errorf("outcome %s on %s with fence %d", s.Outcome, s.Host, s.Fence)
	}
	if in := w.asked[2]; in.Fence != 2 || in.ID != w.asked[1].ID {
		t.Errorf("on the new host: fence %d, same session %v", in.Fence, in.ID == w.asked[1].ID)
	}
	for _, c := range w.commits {
		if c.Fence != 2 {
			t.Errorf("a commit carries fence %d", c.Fence)
		}
	}
}

// An attempt that is cut off fetches everything again, so its time must be enough for a large repository on a slow line.
func TestFirstFetchMayTakeHours(t *testing.T) {
	w := newWorld(t)
	var within time.Duration
	w.env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, _ converter.EncodedValues) {
		if info.ActivityType.Name == "PrepareWorkspace" {
			within = info.StartToCloseTimeout
		}
	})
	if w.start(t); within < 6*time.Hour {
		t.Errorf("the workspace must be made within %s", within)
	}
}

func TestWorkspaceGoneIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	gone := false
	w.commit = func(in activities.CommitInput) (activities.Committed, error) {
		if !gone {
			gone = true
			return activities.Committed{}, temporal.NewNonRetryableApplicationError("no workspace", string(fault.NotFound), nil)
		}
		return activities.Committed{Commit: "c", Created: true, Files: 1}, nil
	}
	if s := w.start(t); s.Outcome != task.PullRequest || w.takes != 2 {
		t.Errorf("outcome %s, %d takes", s.Outcome, w.takes)
	}
}

// The limits that the control worker has reach every host that makes the workspace.
func TestEveryHostGetsTheOperatorsLimits(t *testing.T) {
	w := newWorld(t)
	want := task.Bounds{MaxCost: 3, Approval: task.ApprovalRequired}
	w.checked = activities.Checked{Bounds: want}
	prepared := 0
	w.prepare = func(in activities.PrepareInput) error {
		if prepared++; in.Bounds != want {
			t.Errorf("host %d is given %+v", prepared, in.Bounds)
		}
		return nil
	}
	w.commit = func(activities.CommitInput) (activities.Committed, error) {
		if prepared == 1 {
			return activities.Committed{}, temporal.NewNonRetryableApplicationError("no workspace", string(fault.NotFound), nil)
		}
		return activities.Committed{Commit: "c", Created: true, Files: 1}, nil
	}
	if s := w.start(t); s.Outcome != task.PullRequest || prepared != 2 {
		t.Errorf("outcome %s, %d preparations", s.Outcome, prepared)
	}
}

func TestRepositoryThatIsNotThereFailsTheTask(t *testing.T) {
	w := newWorld(t)
	w.prepare = func(activities.PrepareInput) error {
		return temporal.NewNonRetryableApplicationError(`repository "acme/calc": not found`, string(fault.NotFound), nil, "check the name")
	}
	w.env.ExecuteWorkflow("CodingTask", map[string]any{"repository": "acme/calc", "task": "x"})
	var app *temporal.ApplicationError
	if err := w.env.GetWorkflowError(); !errors.As(err, &app) || app.Type() != string(fault.NotFound) || app.Message() != `repository "acme/calc": not found` {
		t.Errorf("ended with %v", err)
	}
}

func TestRefusedLoginWaitsForAPerson(t *testing.T) {
	w := newWorld(t)
	tries := 0
	w.prepare = func(activities.PrepareInput) error {
		if tries++; tries == 1 {
			return temporal.NewNonRetryableApplicationError("login refused", string(fault.Denied), nil, "renew the token")
		}
		return nil
	}
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Reason != signals.ReasonAccess || !strings.Contains(s.Detail, "renew the token") {
			t.Errorf("%s: %s", s.Reason, s.Detail)
		}
		w.env.SignalWorkflow(signals.Resume, nil)
	}, time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest {
		t.Errorf("outcome %s", s.Outcome)
	}
}

func TestHostsThatKeepFailingAskAPerson(t *testing.T) {
	w := newWorld(t)
	tries := 0
	w.prepare = func(activities.PrepareInput) error {
		if tries++; tries <= 5 {
			return stopping()
		}
		return nil
	}
	w.env.RegisterDelayedCallback(func() {
		if s := w.status(t); s.Reason != signals.ReasonInfra {
			t.Errorf("reason %q after %d tries", s.Reason, tries)
		}
		w.env.SignalWorkflow(signals.Resume, nil)
	}, time.Hour)
	if s := w.start(t); s.Outcome != task.PullRequest {
		t.Errorf("outcome %s", s.Outcome)
	}
}

func TestRepositoryWithoutAForgeFailsAtOnce(t *testing.T) {
	w := newWorld(t)
	w.noForge = temporal.NewNonRetryableApplicationError(`repository "https://elsewhere.example/a/b" is on no forge that is set up`, string(fault.Input), nil)
	w.env.ExecuteWorkflow("CodingTask", map[string]any{"repository": "https://elsewhere.example/a/b", "task": "x"})
	if err := w.env.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "on no forge") || w.takes != 0 || len(w.asked) != 0 {
		t.Errorf("ended with %v after %d takes and %d sessions", err, w.takes, len(w.asked))
	}
}

// A host that is gone with its disk leaves the task's refs on the remote. Another one restores the workspace, and removes them.
func TestCleanUpWhenTheHostIsGone(t *testing.T) {
	w := newWorld(t)
	w.hosts = []string{"alpha", "beta"}
	w.clean = func(in activities.CleanInput) error {
		if in.Fence == 1 {
			return temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
		}
		return nil
	}
	w.probe = func() error { return temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil) }
	s := w.start(t)
	if s.Outcome != task.PullRequest || s.Host != "beta" || s.Fence != 2 || len(s.Warnings) > 0 {
		t.Errorf("outcome %s on %s with fence %d, warnings %q", s.Outcome, s.Host, s.Fence, s.Warnings)
	}
	if len(w.cleans) != 2 || w.cleans[1].Fence != 2 {
		t.Errorf("cleaned up %+v", w.cleans)
	}
}

// A host that is lost when it has removed the refs leaves nothing to restore: the next one begins at the base. The task still reports what
// it has published, and what the next host has made is removed.
func TestCleanUpWhenTheRefsAreGone(t *testing.T) {
	w := newWorld(t)
	w.hosts = []string{"alpha", "beta"}
	w.clean = func(in activities.CleanInput) error {
		if in.Fence == 1 {
			return temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
		}
		return nil
	}
	w.probe = func() error { return temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil) }
	w.behind = func(in activities.PrepareInput) string {
		if in.Fence == 1 {
			return ""
		}
		return "base"
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || s.Head != "pushed" || len(s.Commits) != 2 || len(s.Warnings) > 0 {
		t.Errorf("outcome %s at %s with %d commits, warnings %q", s.Outcome, s.Head, len(s.Commits), s.Warnings)
	}
	if len(w.cleans) != 2 || w.cleans[1].Fence != 2 {
		t.Errorf("cleaned up %+v", w.cleans)
	}
}

// A host that is only busy is asked once more; a task ends also when no host answers.
func TestCleanUpEndsTheTask(t *testing.T) {
	w := newWorld(t)
	w.clean = func(activities.CleanInput) error {
		return temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
	}
	s := w.start(t)
	if s.Outcome != task.PullRequest || s.Fence != 1 || w.takes != 1 || len(w.cleans) != 2 {
		t.Errorf("outcome %s with fence %d after %d assignments, cleaned up %d times", s.Outcome, s.Fence, w.takes, len(w.cleans))
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "could not be removed") {
		t.Errorf("warnings %q", s.Warnings)
	}
}
