package script

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func TestMain(m *testing.M) {
	if os.Getenv(playEnv) != "" {
		playAndReport()
		return
	}
	os.Exit(m.Run())
}

func TestConform(t *testing.T) {
	t.Parallel()
	agenttest.Conform(t, agenttest.Driver{Agent: task.AgentScript, NoCrash: "it is no process", Untold: "it has no model"}, func(t *testing.T, role task.Role, steps ...agenttest.Step) agenttest.Fixture {
		list := []map[string]any{{"usage": map[string]any{"input": 10, "output": 5}}}
		for _, s := range steps {
			switch {
			case s.Say != "":
				list = append(list, map[string]any{"say": s.Say})
			case s.Write != nil:
				list = append(list, map[string]any{"write": map[string]any{"path": s.Write.Path, "content": s.Write.Content}})
			case s.Command != "":
				list = append(list, map[string]any{"run": s.Command})
			case s.Answer != nil:
				list = append(list, map[string]any{"answer": s.Answer})
			case s.Silent:
				list = append(list, map[string]any{"pause": "24h"})
			}
		}
		data, err := json.Marshal(map[string]any{"sessions": []any{map[string]any{"steps": list}}})
		if err != nil {
			t.Fatal(err)
		}
		return agenttest.Fixture{Agent: New(Config{}), Session: session(t, role, string(data))}
	})
}

// session makes a session with fresh folders.
func session(t *testing.T, role task.Role, scenario string) agent.Session {
	t.Helper()
	base := t.TempDir()
	s := agent.Session{ID: "0195-" + filepath.Base(base) + "-" + strings.ReplaceAll(t.Name(), "/", "-"), Role: role, Dir: filepath.Join(base, "work"),
		StateDir: filepath.Join(base, "state"), Scenario: scenario, Prompt: "# Task\n\nDo it.\n\n# Now\n\nDeliverable: FEAT-001\n"}
	if err := os.MkdirAll(s.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Permit = agenttest.Inside(s)
	return s
}

// stage is an agent whose pauses return at once and are written down, and whose clock goes on by a second with every look.
type stage struct {
	*Agent
	pauses []time.Duration
	now    time.Time
	events []agent.Event
}

func newStage(pace float64) *stage {
	st := &stage{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	st.Agent = New(Config{
		Now: func() time.Time { st.now = st.now.Add(time.Second); return st.now },
		Wait: func(ctx context.Context, d time.Duration) error {
			st.pauses = append(st.pauses, d)
			return ctx.Err()
		},
		Pace: &pace,
	})
	return st
}

func (st *stage) run(t *testing.T, s agent.Session) agent.Outcome {
	t.Helper()
	out, err := st.Run(t.Context(), s, func(e agent.Event) { st.events = append(st.events, e) })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (st *stage) texts() (all []string) {
	for _, e := range st.events {
		if e.Kind == agent.Text {
			all = append(all, e.Text)
		}
	}
	return all
}

func TestPlaysASession(t *testing.T) {
	t.Parallel()
	st := newStage(0.5)
	s := session(t, task.Implementer, `
pace: 2
sessions:
  - steps:
      - say: "Hello.\n"
      - pause: 2s
      - write: {path: a/b.txt, content: "one\n"}
      - edit: {path: a/b.txt, old: one, new: two}
      - usage: {input: 10, output: 2, cacheRead: 3, cacheWrite: 4, costUsd: 0.25}
      - run: cat a/b.txt; echo $HOME; exit 3
      - usage: {input: 1, output: 1, costUsd: 0.5}
      - answer: {verdict: work, list: [1, two]}
`)
	out := st.run(t, s)
	want := agent.Outcome{Kind: agent.Completed, Text: `{"list":[1,"two"],"verdict":"work"}`,
		Answer: []byte(`{"list":[1,"two"],"verdict":"work"}`), SessionID: s.ID, Turns: 2,
		Usage: task.Usage{Input: 11, Output: 3, CacheRead: 3, CacheWrite: 4, CostUSD: 0.75, Calls: 2}}
	if diff := cmp.Diff(want, out); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]time.Duration{2 * time.Second}, st.pauses); diff != "" {
		t.Error(diff)
	}
	var kinds []string
	for _, e := range st.events {
		kinds = append(kinds, string(e.Kind)+" "+e.Tool)
	}
	if diff := cmp.Diff([]string{"started ", "text ", "tool_call Write", "tool_result ", "tool_call Edit", "tool_result ", "usage ",
		"tool_call Bash", "tool_result ", "usage "}, kinds); diff != "" {
		t.Error(diff)
	}
	if e := st.events[0]; e.Text != "script agent (plays a scenario, no model)" || e.ID != s.ID {
		t.Errorf("it does not say what it is: %+v", e)
	}
	if e := st.events[8]; !e.Failed || !strings.HasPrefix(e.Text, "two\n"+s.StateDir+"/home\n") || !strings.Contains(e.Text, "3") {
		t.Errorf("result of the command: %+v", e)
	}
}

func TestNoPausesWithoutPace(t *testing.T) {
	t.Parallel()
	st := newStage(0)
	st.run(t, session(t, task.Planner, "sessions: [{steps: [{pause: 5h}, {say: x}]}]\n"))
	if st.pauses != nil {
		t.Errorf("paused %v", st.pauses)
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	reset := time.Date(2026, 1, 2, 3, 34, 7, 0, time.UTC)
	for end, want := range map[string]agent.Outcome{
		"completed":                             {Kind: agent.Completed, Text: "said"},
		"budget":                                {Kind: agent.Budget, Text: "the scenario ends the session: budget"},
		"{kind: error, text: broken}":           {Kind: agent.Errored, Text: "broken"},
		"{kind: quota, in: 30m, text: no more}": {Kind: agent.Quota, Text: "no more", Reset: reset},
		"quota":                                 {Kind: agent.Quota, Text: "the scenario ends the session: quota"},
		"auth":                                  {Kind: agent.AuthFailed, Text: "the scenario ends the session: auth"},
	} {
		st := newStage(0)
		s := session(t, task.Planner, "sessions: [{steps: [{say: said}, {end: "+end+"}, {say: never}]}]\n")
		got := st.run(t, s)
		want.SessionID = s.ID
		if want.Kind == agent.Quota && !want.Reset.IsZero() {
			want.Reset = got.Reset
			if d := got.Reset.Sub(reset); d < -5*time.Second || d > 5*time.Second {
				t.Errorf("%s: reset %s", end, got.Reset)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(st.texts()) != 1 {
			t.Errorf("%s: %s, said %q", end, diff, st.texts())
		}
		if limit := st.events[len(st.events)-1]; (limit.Kind == agent.Limit) != (want.Kind == agent.Quota) || limit.Kind == agent.Limit && limit.Reset != got.Reset {
			t.Errorf("%s: last event %+v", end, limit)
		}
	}
}

func TestGoesOnWhereItWasInterrupted(t *testing.T) {
	t.Parallel()
	scenario := `{"sessions":[{"steps":[{"usage":{"input":5,"costUsd":0.5}},{"say":"one"},{"write":{"path":"a","content":"1"}},{"pause":"1h"},{"usage":{"input":7,"costUsd":0.25}},{"say":"two"}]}]}`
	s := session(t, task.Implementer, scenario)
	ctx, cancel := context.WithCancel(t.Context())
	interrupting := New(Config{Wait: func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }})
	out, err := interrupting.Run(ctx, s, func(agent.Event) {})
	if err != nil || out.Kind != agent.Interrupted || out.Text != "one" || out.Usage.Input != 5 {
		t.Fatalf("got %+v, %v", out, err)
	}
	if err := os.Remove(filepath.Join(s.Dir, "a")); err != nil { // would come back if the step was repeated
		t.Fatal(err)
	}
	st := newStage(1)
	s.Resume, s.Prompt = true, "You were interrupted. "+s.Prompt
	out = st.run(t, s)
	if out.Kind != agent.Completed || !out.Resumed || out.Text != "two" || out.Usage != (task.Usage{Input: 12, CostUSD: 0.75, Calls: 2}) || out.Turns != 2 {
		t.Errorf("got %+v", out)
	}
	if diff := cmp.Diff([]string{"two"}, st.texts()); diff != "" || len(st.pauses) != 1 {
		t.Errorf("said again: %s, %v", diff, st.pauses)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "a")); err == nil {
		t.Error("a finished step was repeated")
	}
	again := newStage(1)
	if o := again.run(t, s); o.Text != "two" || !o.Resumed || o.Usage != out.Usage || again.texts() != nil {
		t.Errorf("a finished session was played again: %+v", o)
	}
	s.Resume = false
	if o := newStage(0).run(t, s); o.Resumed || o.Usage != out.Usage {
		t.Errorf("a fresh start: %+v", o)
	}
}

func TestStepsAfterAnEndAreForGoingOn(t *testing.T) {
	t.Parallel()
	s := session(t, task.Planner, "sessions: [{steps: [{say: one}, {end: {kind: quota, in: 1h}}, {say: two}]}]\n")
	st := newStage(1)
	if out := st.run(t, s); out.Kind != agent.Quota {
		t.Fatalf("got %+v", out)
	}
	s.Resume = true
	if out := st.run(t, s); out.Kind != agent.Quota || len(st.texts()) != 1 {
		t.Errorf("before the reset: %+v", out)
	}
	st.now = st.now.Add(time.Hour)
	if out := st.run(t, s); out.Kind != agent.Completed || out.Text != "two" || len(st.texts()) != 2 {
		t.Errorf("after the reset: %+v", out)
	}
}

func TestANudgeHasItsOwnEntry(t *testing.T) {
	t.Parallel()
	s := session(t, task.Planner, "sessions:\n- {match: ended without a plan, steps: [{usage: {input: 1}}, {say: now}]}\n- {steps: [{usage: {input: 2}}, {say: nothing}]}\n")
	st := newStage(0)
	st.run(t, s)
	s.Resume, s.Prompt = true, "Your session ended without a plan."
	out := st.run(t, s)
	if out.Text != "now" || out.Usage.Input != 3 || !out.Resumed {
		t.Errorf("got %+v", out)
	}
	if again := st.run(t, s); again.Text != "now" || again.Usage.Input != 3 || len(st.texts()) != 2 {
		t.Errorf("played twice: %+v", again)
	}
}

func TestEditsAreDoneOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ before, old, new, after string }{
		"fresh":             {"a b c", "b", "x", "a x c"},
		"done before":       {"a x c", "b", "x", "a x c"},
		"insertion":         {"func A", "func A", "// A\nfunc A", "// A\nfunc A"},
		"insertion, before": {"// A\nfunc A", "func A", "// A\nfunc A", "// A\nfunc A"},
		"removal":           {"a b c", " b", "", "a c"},
	} {
		s := session(t, task.Implementer, "")
		if err := os.WriteFile(filepath.Join(s.Dir, "f"), []byte(tt.before), 0o644); err != nil {
			t.Fatal(err)
		}
		data, _ := json.Marshal(map[string]any{"sessions": []any{map[string]any{"steps": []any{map[string]any{"edit": map[string]string{"path": "f", "old": tt.old, "new": tt.new}}}}}})
		s.Scenario = string(data)
		newStage(0).run(t, s)
		if got, _ := os.ReadFile(filepath.Join(s.Dir, "f")); string(got) != tt.after {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for name, tt := range map[string]struct{ scenario, want string }{
		"role":          {"sessions: [{role: reviewer, steps: [{say: x}]}]", "the scenario has no session for role implementer, deliverable FEAT-001"},
		"deliverable":   {"sessions: [{deliverable: FEAT-0010, steps: [{say: x}]}]", "the scenario has no session for role implementer, deliverable FEAT-001"},
		"match":         {"sessions: [{match: Something else, steps: [{say: x}]}]", "the scenario has no session"},
		"nth":           {"sessions: [{nth: 1, steps: [{say: x}]}]", "the scenario counts sessions (nth), but the workspace is no git checkout"},
		"edit":          {"sessions: [{steps: [{edit: {path: nothing, old: a, new: b}}]}]", "edit file: openat nothing"},
		"edit twice":    {"sessions: [{steps: [{write: {path: f, content: aa}}, {edit: {path: f, old: a, new: b}}]}]", "the old text is in f 2 times"},
		"no scenario":   {"", "the script agent has no scenario"},
		"no file":       {"/nowhere/scenario.yaml", "read scenario: open /nowhere/scenario.yaml"},
		"not a list":    {"sessions: 7\n", "scenario: "},
		"empty":         {"sessions: []\n", "scenario: has no sessions"},
		"unknown key":   {"sessions: [{stepps: []}]\n", "stepps"},
		"unknown role":  {"sessions: [{role: boss, steps: [{say: x}]}]\n", `sessions[0].role is "boss"`},
		"no steps":      {"sessions: [{role: planner}]\n", "sessions[0].steps is empty"},
		"two things":    {"sessions: [{steps: [{say: x, run: y}]}]\n", "sessions[0].steps[0] has 2 things to do"},
		"nothing":       {"sessions: [{steps: [{}]}]\n", "sessions[0].steps[0] has 0 things to do"},
		"path":          {"sessions: [{steps: [{write: {path: ../x}}]}]\n", `sessions[0].steps[0] has the path "../x"`},
		"absolute path": {"sessions: [{steps: [{write: {path: /x}}]}]\n", `has the path "/x"`},
		"git":           {"sessions: [{steps: [{write: {path: a/../.git/config}}]}]\n", `has the path "a/../.git/config"`},
		"pause":         {"sessions: [{steps: [{pause: 2}]}]\n", `pauses for "2"`},
		"end":           {"sessions: [{steps: [{end: tired}]}]\n", `ends with "tired"`},
		"end in":        {"sessions: [{steps: [{end: {kind: budget, in: 2m}}]}]\n", `ends in "2m"`},
		"symlink":       {"sessions: [{steps: [{write: {path: out/x, content: y}}]}]\n", "path escapes"},
	} {
		s := session(t, task.Implementer, tt.scenario)
		if tt.scenario != "" && !strings.HasPrefix(tt.scenario, "/") {
			s.Scenario += "\n"
		}
		if err := os.Symlink(outside, filepath.Join(s.Dir, "out")); err != nil {
			t.Fatal(err)
		}
		s.Permit = func(context.Context, agent.Call) agent.Decision { return agent.Decision{Allow: true} } // the agent itself refuses these
		_, err := newStage(0).Run(t.Context(), s, func(agent.Event) {})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
		if name != "symlink" && (fault.KindOf(err) != fault.Input || fault.HintOf(err) == "") {
			t.Errorf("%s: kind %s, hint %q", name, fault.KindOf(err), fault.HintOf(err))
		}
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Error("something was written outside of the workspace")
	}
}

func TestScenarioFromAFile(t *testing.T) {
	t.Parallel()
	s := session(t, task.Planner, "play.yaml")
	if err := os.WriteFile(filepath.Join(s.Dir, "play.yaml"), []byte("sessions: [{steps: [{say: x}]}]"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := newStage(0).run(t, s); out.Text != "x" {
		t.Errorf("got %+v", out)
	}
	s.Resume = true
	if err := os.WriteFile(filepath.Join(s.Dir, "play.yaml"), []byte("sessions: [{steps: [{say: y}]}]"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := newStage(0).Run(t.Context(), s, func(agent.Event) {}); err == nil || !strings.Contains(err.Error(), "the scenario was changed") {
		t.Errorf("a changed scenario: %v", err)
	}
}

func TestDamagedStateIsNamed(t *testing.T) {
	t.Parallel()
	s := session(t, task.Planner, "sessions: [{steps: [{say: x}]}]\n")
	newStage(0).run(t, s)
	file := filepath.Join(s.StateDir, stateFile)
	if err := os.WriteFile(file, []byte(`{"next":`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Resume = true
	_, err := newStage(0).Run(t.Context(), s, func(agent.Event) {})
	if err == nil || !strings.Contains(err.Error(), file+" is damaged") || fault.KindOf(err) != fault.Input {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadFile(file); string(left) != `{"next":` {
		t.Error("the old content is gone")
	}
}

func TestNthIsCountedInTheWorkspace(t *testing.T) {
	t.Parallel()
	scenario := "sessions:\n- {role: reviewer, nth: 2, steps: [{say: second}]}\n- {role: reviewer, nth: 1, steps: [{say: first}]}\n- {role: reviewer, steps: [{say: later}]}\n"
	base := session(t, task.Reviewer, scenario)
	git := filepath.Join(t.TempDir(), "worktrees", "w")
	if err := errors.Join(os.MkdirAll(git, 0o755), os.WriteFile(filepath.Join(base.Dir, ".git"), []byte("gitdir: "+git+"\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, id := range []string{"a", "b", "b", "c", "a"} {
		s := base
		s.ID, s.StateDir = id, filepath.Join(base.StateDir, id)
		said = append(said, newStage(0).run(t, s).Text) // as a new process would: nothing is kept in memory
	}
	if diff := cmp.Diff([]string{"first", "second", "second", "later", "first"}, said); diff != "" {
		t.Error(diff)
	}
}

func TestDemoScenarioHasNoTypos(t *testing.T) {
	t.Parallel()
	if _, err := Parse(Demo()); err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := yaml.Unmarshal(Demo(), &raw); err != nil || raw["pace"] != 1 {
		t.Errorf("tests set the pace by the line \"pace: 1\": %v", err)
	}
}
