package workflows_test

import (
	"context"
	"strings"
	"testing"
	"time"

	sdkpb "go.temporal.io/api/sdk/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/workflows"
)

// pageOf is what Temporal Web shows of a workflow: its Current Details.
func pageOf(t *testing.T, env *testsuite.TestWorkflowEnvironment) string {
	t.Helper()
	var m sdkpb.WorkflowMetadata
	v, err := env.QueryWorkflow("__temporal_workflow_metadata")
	if err == nil {
		err = v.Get(&m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m.CurrentDetails
}

func TestUndoPage(t *testing.T) {
	u := newUndoing()
	u.env.ExecuteWorkflow(workflows.Undo, undoInput)
	page := pageOf(t, u.env)
	for _, want := range []string{"**DONE**", "- **Next human action:** none", "- **Deleted:** refs/heads/longshift/x"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
}

// showing runs a workflow and looks at its page: while it waits, after which it is cancelled, or at its end.
func showing(t *testing.T, prepare func(*testsuite.TestWorkflowEnvironment), workflow any, in any) (page string) {
	t.Helper()
	env := workflows.NewEnv()
	prepare(env)
	env.RegisterDelayedCallback(func() { page = pageOf(t, env); env.CancelWorkflow() }, time.Second)
	env.ExecuteWorkflow(workflow, in)
	if page == "" {
		page = pageOf(t, env)
	}
	return page
}

// Each workflow at which a person may look says what it is at, and what they can do.
func TestPages(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 30, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		prepare  func(*testsuite.TestWorkflowEnvironment)
		workflow any
		in       any
		want     []string
	}{
		"directory": {func(env *testsuite.TestWorkflowEnvironment) {}, workflows.Directory,
			&signals.DirectoryState{Bindings: []signals.Binding{{Channel: "telegram", User: "42", Name: "Ada"}}},
			[]string{"**1 CHATS BOUND**", "`longshift chats invite`", "**Codes that were not used yet:** 0"}},
		"conversation": {func(env *testsuite.TestWorkflowEnvironment) {}, workflows.Conversation,
			signals.ConversationInput{Task: "acme-calc", Run: "r1", Rooms: []task.Room{{Channel: "slack", ID: "C_1"}}},
			[]string{"**UP TO DATE**", "[acme-calc](namespaces/default-test-namespace/workflows/acme-calc/r1/user-metadata)",
				`- **slack C\_1:** 0 messages, 0 with buttons that count, 0 notices wait`}},
		"watch": {func(env *testsuite.TestWorkflowEnvironment) {
			env.SetStartTime(now)
			env.RegisterActivityWithOptions(func(context.Context, signals.WatchInput) (activities.ForgePoll, error) {
				return activities.ForgePoll{Events: 2, Every: time.Hour}, nil
			}, activity.RegisterOptions{Name: "PollForge"})
		}, workflows.Watch, signals.WatchInput{Repository: "acme/calc"},
			[]string{"**POLLING**: acme/calc", "**New events:** 2", "**Next poll:** 2026-11-23 13:30 UTC"}},
		"watch that fails": {func(env *testsuite.TestWorkflowEnvironment) {
			env.RegisterActivityWithOptions(func(context.Context, signals.WatchInput) (activities.ForgePoll, error) {
				return activities.ForgePoll{}, temporal.NewNonRetryableApplicationError("no access to acme/calc", string(fault.Denied), nil)
			}, activity.RegisterOptions{Name: "PollForge"})
		}, workflows.Watch, signals.WatchInput{Repository: "acme/calc"},
			[]string{"**FAILING**: acme/calc", "**Why:** no access to acme/calc", "give the token access"}},
		"arrival": {func(env *testsuite.TestWorkflowEnvironment) {
			env.RegisterActivityWithOptions(func(context.Context, forge.Event) (string, error) { return "started acme-calc", nil },
				activity.RegisterOptions{Name: "Arrive"})
		}, workflows.Arrival, forge.Event{Kind: forge.IssueWanted, Owner: "acme", Name: "calc", Number: 7, Actor: "ada"},
			[]string{"**DONE**", "by ada in acme/calc", "**About:** #7", "**Result:** started acme-calc"}},
	} {
		page := showing(t, c.prepare, c.workflow, c.in)
		for _, want := range append(c.want, "- **Next human action:** ") {
			if !strings.Contains(page, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, page)
			}
		}
	}
}

// The page of a task is that of this moment: it has what was said meanwhile, and the session that runs.
func TestPageIsUpToDate(t *testing.T) {
	w := newWorld(t)
	sessions := map[int]string{}
	w.agent = func(in activities.SessionInput) (activities.SessionResult, error) {
		sessions[in.N] = pageOf(t, w.env)
		return activities.SessionResult{}, nil
	}
	w.env.RegisterDelayedCallback(func() { w.update(signals.Tell, signals.TellRequest{Text: "be brief"}) }, time.Minute)
	told := ""
	w.env.RegisterDelayedCallback(func() { told = pageOf(t, w.env) }, 2*time.Minute)
	w.start(t)
	for page, want := range map[string]string{told: " tell: someone: be brief", sessions[1]: "**At work:** session 1, planner\n",
		sessions[3]: "**At work:** session 3, implementer API-002\n", pageOf(t, w.env): "**ENDED**: pull request\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	if done := "- ☑ FIX-001 do FIX-001\n- ☐ API-002"; !strings.Contains(sessions[3], done) {
		t.Errorf("%q is not in\n%s", done, sessions[3])
	}
}
