package integration

import (
	"errors"
	"strings"
	"testing"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestWrongDecisions sends a task that waits for its approval what it can't take: as updates, as signals and through the command
// line. Each is refused with a line that says why, and changes nothing; the right decision is taken after them.
func TestWrongDecisions(t *testing.T) {
	t.Parallel()
	s := lab.NewScriptedStage(t, lab.Brief(), requiredSettings)
	s.Play()
	before := s.Until("the plan waits", func(st signals.Status) bool { return st.Phase == task.Approving || waiting(st) })
	id := s.Begun.GetID()
	for _, c := range []struct {
		name    string
		payload map[string]any
		kind    fault.Kind
		says    []string
		command []string
		code    int // as docs/cli.md has it
	}{
		{signals.Approve, map[string]any{"revision": 7}, fault.Conflict, []string{"revision 7 is stale", "current one is 1"},
			[]string{"approve", id, "--revision", "7"}, 4},
		{signals.Edit, map[string]any{"revision": 2, "text": "smaller"}, fault.Conflict, []string{"revision 2 is stale", "current one is 1"},
			[]string{"edit", id, "smaller", "--revision", "2"}, 4},
		{signals.Reject, map[string]any{"revision": 3}, fault.Conflict, []string{"revision 3 is stale", "current one is 1"},
			[]string{"reject", id, "--revision", "3"}, 4},
		{signals.Resume, map[string]any{"addCost": -1}, fault.Input, []string{"-1", "addCost -1 is not between 0 and"},
			[]string{"resume", id, "--add-cost", "-1"}, 2},
		{signals.Resume, map[string]any{"addTime": "soon"}, fault.Input, []string{"soon", "duration"},
			[]string{"resume", id, "--add-time", "soon"}, 2},
		{signals.Tell, map[string]any{}, fault.Input, []string{"text is missing"}, []string{"tell", id, ""}, 2},
		{"", nil, "", []string{"no-such-task"}, []string{"approve", "no-such-task"}, 3},
	} {
		t.Run(strings.Join(c.command[:1], " ")+" "+string(c.kind), func(t *testing.T) {
			if c.payload != nil {
				_, err := s.Updated(c.name, c.payload)
				var app *temporal.ApplicationError
				if !errors.As(err, &app) || app.Type() != string(c.kind) {
					t.Fatalf("update: error %v, want type %s", err, c.kind)
				}
				oneLine(t, app.Message(), c.says...)
				if err := s.Client.SignalWorkflow(t.Context(), id, "", c.name, c.payload); err != nil {
					t.Fatalf("signal: %v", err)
				}
				s.Until("the signal is refused", func(st signals.Status) bool {
					return strings.Contains(lab.Log(st), "refused: "+c.name+": "+app.Message())
				})
			}
			refused(t, s.Longshift(t, c.command...), c.code, c.says[0])
		})
	}
	for _, unreadable := range []any{"yes", map[string]any{"revision": "one"}, []int{1}} {
		if _, err := s.Updated(signals.Approve, unreadable); err == nil {
			t.Errorf("approve %v was taken", unreadable)
		}
		if err := s.Client.SignalWorkflow(t.Context(), id, "", signals.Approve, unreadable); err != nil {
			t.Errorf("signal %v: %v", unreadable, err)
		}
	}
	after, _ := s.Status(id)
	if after.Phase != before.Phase || after.Plan.Revision != 1 || after.BudgetUSD != before.BudgetUSD || after.BudgetTime != before.BudgetTime || after.Tells != 0 {
		t.Errorf("what was refused has changed the task: %+v", after)
	}
	ran := s.Longshift(t, "approve", id, "--revision", "1", "--comment", "go on")
	if ran.Code != 0 || ran.Err != "" || !strings.Contains(ran.Out, "plan revision 1 approved") {
		t.Errorf("approve: %+v", ran)
	}
	s.Carried(ended(t, s), lab.Messages[0])
}

// refused checks a run of the command line that must not do anything: one line on stderr, which says why and is no help text.
func refused(t *testing.T, r lab.Ran, code int, says string) {
	t.Helper()
	if r.Code != code || r.Out != "" || strings.Count(r.Err, "\n") != 1 || !strings.HasPrefix(r.Err, "longshift: ") || !strings.Contains(r.Err, says) {
		t.Errorf("code %d (want %d), stdout %q, stderr %q (want one line with %q)", r.Code, code, r.Out, r.Err, says)
	}
}

// TestWrongCommands gives the command line what can't be a task. What it can see by itself starts nothing; what only a worker
// can see ends the task, and the command with the code of that mistake and its reason in the last line.
func TestWrongCommands(t *testing.T) {
	t.Parallel()
	s := lab.NewScriptedStage(t, lab.Brief(), requiredSettings)
	wrongSettings(s)
	s.Ready()
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"unknown key", []string{"run", lab.Ask, "--repo", lab.Name, "-c", "buget.cost=1"}, 2, "buget.cost"},
		{"unknown flag", []string{"run", lab.Ask, "--repo", lab.Name, "--bugdet", "1"}, 2, "--bugdet"},
		{"missing task", []string{"run", "--repo", lab.Name}, 2, "task is missing"},
		{"missing repository", []string{"run", lab.Ask}, 2, "not in a git repository"},
		{"wrong type", []string{"run", lab.Ask, "--repo", lab.Name, "-c", "iterations=many"}, 2, "iterations"},
		{"wrong value", []string{"run", lab.Ask, "--repo", lab.Name, "--budget", "-3"}, 2, "budget"},
		{"unknown path", []string{"run", lab.Ask, "--repo", "/nowhere/at/all"}, 3, "/nowhere/at/all"},
		{"password in a URL", []string{"run", lab.Ask, "--repo", "https://me:secret@example.com/a/b"}, 2, "password"},
		{"two tasks", []string{"run", "fix", "it", "--repo", lab.Name}, 2, "it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.Longshift(t, c.args...)
			refused(t, r, c.code, c.says)
			if strings.Contains(r.Err, "secret") {
				t.Errorf("it repeats the password: %s", r.Err)
			}
		})
	}
	if listed := s.Longshift(t, "list", "-o", "jsonl"); listed.Code != 0 || listed.Out != "" {
		t.Errorf("something was started: %+v", listed)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"unknown repository", []string{"run", lab.Ask, "--repo", "acme/nothing"}, 3, "acme/nothing is not there"},
		{"unknown URL", []string{"run", lab.Ask, "--repo", s.Front + "/acme/nothing.git"}, 3, "/acme/nothing.git is not there"},
		{"wrong settings", []string{"run", lab.Ask, "--repo", lab.Name, "--base", "wrong-settings"}, 2, "line 2: chekc is not a known key"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.Longshift(t, c.args...)
			lines := strings.Split(strings.TrimSpace(r.Err), "\n")
			if last := lines[len(lines)-1]; r.Code != c.code || !strings.HasPrefix(last, "longshift: ") || !strings.Contains(last, c.says) {
				t.Errorf("code %d (want %d), stderr %q", r.Code, c.code, r.Err)
			}
			s.LeftNothing()
		})
	}
	if left := leftovers(t, s.Worker.Data); len(left) != 0 {
		t.Errorf("left behind in the data folder: %q", left)
	}
}
