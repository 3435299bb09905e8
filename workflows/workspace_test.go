package workflows_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/workflows"
)

func switching(channel, user, name string) signals.SwitchRequest {
	return signals.SwitchRequest{Message: signals.Message{ID: "m", By: "Ada"}, Channel: channel, User: user, Workspace: name}
}

func TestDirectoryWorkspaces(t *testing.T) {
	w := newWorld(t)
	w.env.RegisterWorkflow(workflows.Directory)
	var refused []string
	n := 0
	ask := func(payload any) {
		n++
		w.env.UpdateWorkflow(signals.Switch, fmt.Sprint(n), &replies{func(_ any, err error) {
			if err != nil {
				refused = append(refused, err.Error())
			}
		}}, payload)
	}
	is := func(channel, user, want string) {
		t.Helper()
		v, err := w.env.QueryWorkflow(signals.QueryWorkspace, signals.WorkspaceQuery{Channel: channel, User: user})
		if err != nil {
			t.Error(err)
			return
		}
		var a signals.WorkspaceAnswer
		if err := v.Get(&a); err != nil || a.Workspace != want {
			t.Errorf("%s of %s: %q, want %q, %v", user, channel, a.Workspace, want, err)
		}
	}
	step := 0
	then := func(f func()) {
		step++
		w.env.RegisterDelayedCallback(f, time.Duration(step)*time.Minute)
	}
	then(func() { is("slack", "7", ""); ask(switching("slack", "7", "web")) })
	then(func() { is("slack", "7", "web"); is("slack", "8", ""); is("telegram", "7", "") })
	then(func() { ask(switching("telegram", "7", "api")); ask(switching("slack", "8", "shop")) })
	then(func() { is("slack", "7", "web"); is("telegram", "7", "api"); is("slack", "8", "shop") })
	then(func() {
		ask(switching("slack", "7", "api"))
		ask(switching("slack", "8", ""))
		ask(switching("slack", "9", ""))
	})
	then(func() { is("slack", "7", "api"); is("slack", "8", ""); is("slack", "9", "") })
	bad := []any{switching("", "7", "web"), switching("slack", "", "web"), switching("slack", "7", ".."), switching("slack", "7", "a/b"),
		switching("slack", "7", "/etc"), switching("slack", "7", `a\b`), switching("slack", "7", "a\x00"), switching("slack", "7", ".git"),
		switching("slack", "7", strings.Repeat("x", 300)), switching("slack", strings.Repeat("x", 300), "web"),
		map[string]any{"channel": "slack", "user": "7", "name": "web"}}
	then(func() {
		for _, b := range bad {
			ask(b)
		}
	})
	then(func() {
		is("slack", "7", "api")
		w.env.UpdateWorkflow(signals.Unbind, "unbind", &replies{func(_ any, err error) {
			if err != nil {
				t.Error(err)
			}
		}}, signals.UnbindRequest{Channel: "slack", User: "7"})
	})
	then(func() { is("slack", "7", ""); is("telegram", "7", "api"); w.env.CancelWorkflow() })
	w.env.ExecuteWorkflow(workflows.Directory, (*signals.DirectoryState)(nil))
	if len(refused) != len(bad) {
		t.Errorf("%d of %d are refused: %q", len(refused), len(bad), refused)
	}
}

// TestDirectoryKeepsWorkspaces: a new run knows what the one before knew, and there is an end to how many it keeps.
func TestDirectoryKeepsWorkspaces(t *testing.T) {
	full := &signals.DirectoryState{}
	for i := range 500 {
		full.Workspaces = append(full.Workspaces, signals.Workspace{Channel: "slack", User: fmt.Sprint(i), Name: "web"})
	}
	w := newWorld(t)
	w.env.RegisterWorkflow(workflows.Directory)
	var outcomes []string
	w.env.RegisterDelayedCallback(func() {
		for i, r := range []signals.SwitchRequest{switching("slack", "new", "web"), switching("slack", "7", "api"), switching("slack", "8", ""),
			switching("slack", "new", "web")} {
			w.env.UpdateWorkflow(signals.Switch, fmt.Sprint(i), &replies{func(_ any, err error) { outcomes = append(outcomes, fmt.Sprint(err == nil)) }}, r)
		}
	}, time.Second)
	w.env.RegisterDelayedCallback(func() { w.env.SetContinueAsNewSuggested(true) }, time.Minute)
	w.env.ExecuteWorkflow(workflows.Directory, full)
	var anew *workflow.ContinueAsNewError
	if err := w.env.GetWorkflowError(); !errors.As(err, &anew) {
		t.Fatalf("it did not go on in a new run: %v", err)
	}
	var next signals.DirectoryState
	if err := converter.GetDefaultDataConverter().FromPayloads(anew.Input, &next); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, w := range next.Workspaces {
		got[w.User] = w.Name
	}
	if strings.Join(outcomes, " ") != "false true true true" || len(got) != 500 || got["7"] != "api" || got["8"] != "" || got["new"] != "web" ||
		got["9"] != "web" {
		t.Errorf("outcomes %v, %d kept: 7 %q, 8 %q, 9 %q, new %q", outcomes, len(got), got["7"], got["8"], got["9"], got["new"])
	}
}
