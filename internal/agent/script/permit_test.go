package script

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/task"
)

// A step that ended the session is repeated when the session resumes, because the call may have been approved.
func TestRefusedStepIsDueAgain(t *testing.T) {
	t.Parallel()
	s := session(t, task.Implementer, "sessions:\n- steps:\n  - run: echo 1 >> first\n  - run: touch second\n")
	s.Permit = func(_ context.Context, c agent.Call) agent.Decision {
		if strings.Contains(string(c.Input), "second") {
			return agent.Decision{Reason: "ask first", End: agent.NeedsApproval}
		}
		return agent.Decision{Allow: true}
	}
	st := newStage(0)
	if out := st.run(t, s); out.Kind != agent.NeedsApproval || out.Text != "ask first" {
		t.Errorf("got %+v", out)
	}
	s.Resume = true
	if out := st.run(t, s); out.Kind != agent.NeedsApproval || !out.Resumed {
		t.Errorf("not approved yet: %+v", out)
	}
	s.Permit = func(context.Context, agent.Call) agent.Decision { return agent.Decision{Allow: true, Reason: "slowly"} }
	if out := st.run(t, s); out.Kind != agent.Completed {
		t.Errorf("approved: %+v", out)
	}
	if last := st.events[len(st.events)-1]; last.Kind != agent.ToolResult || !strings.HasSuffix(last.Text, "slowly") {
		t.Errorf("the word that came with the permission: %+v", last)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "second")); err != nil {
		t.Error(err)
	}
	if first, _ := os.ReadFile(filepath.Join(s.Dir, "first")); string(first) != "1\n" {
		t.Errorf("the step before it ran again: %q", first)
	}
}

// Commands are started as the session says; what they write to both outputs comes in its order.
func TestStartsAsTheSessionSays(t *testing.T) {
	t.Parallel()
	s := session(t, task.Implementer, "sessions:\n- steps:\n  - run: echo one; echo two >&2; echo three; pwd\n  - run: exit 3\n")
	var started []string
	s.Start = func(ctx context.Context, spec process.Spec) (*process.Process, error) {
		started = append(started, spec.Dir+" "+spec.Session)
		return process.Start(ctx, spec)
	}
	st := newStage(0)
	if out := st.run(t, s); out.Kind != agent.Completed {
		t.Errorf("got %+v", out)
	}
	if want := s.Dir + " " + s.ID; !slices.Equal(started, []string{want, want}) {
		t.Errorf("started %q", started)
	}
	var results []agent.Event
	for _, e := range st.events {
		if e.Kind == agent.ToolResult {
			results = append(results, e)
		}
	}
	if len(results) != 2 || results[0].Text != "one\ntwo\nthree\n"+s.Dir+"\n" || results[0].Failed || !results[1].Failed ||
		!strings.Contains(results[1].Text, "exit code 3") {
		t.Errorf("results: %+v", results)
	}
}
