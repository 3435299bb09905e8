// Package chaos kills things: the worker at every stage boundary and in the middle of every agent session, the server, the
// host with its disk. Each time the task must end as if nothing had happened.
package chaos

import (
	"cmp"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

var everyTurn = flag.Bool("every-turn", false, "kill the worker at every turn of Codex and OpenCode")

// TestKillWorker kills the worker with SIGKILL at each point, each in its own run.
func TestKillWorker(t *testing.T) {
	t.Parallel() // they wait for most of their time
	for _, p := range points() {
		if testing.Short() && p.turn != 1 {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			killWorker(t, p)
		})
	}
}

// TestKillWorkerOfPrograms does the same in the middle of every session of a story that Codex plays and of one that OpenCode plays, and at every
// turn with -every-turn.
func TestKillWorkerOfPrograms(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{task.AgentCodex, task.AgentOpenCode} {
		for _, p := range points() {
			if p.rule == "" || !*everyTurn && (p.turn != 1 || agent == task.AgentOpenCode && p.rule != "fix") { // it takes seconds to start
				continue
			}
			p.agent = agent
			t.Run(agent+" "+p.name, func(t *testing.T) {
				t.Parallel()
				killWorker(t, p)
			})
		}
	}
}

func killWorker(t *testing.T, p point) {
	s, died := strike(t, p, func(s *lab.Stage) { s.Worker.Kill() })
	// What the dead worker left must be gone without anybody's help: its programs end with it.
	lab.Eventually(t, 10*time.Second, "the dead worker's programs end", func() bool { return len(s.Worker.Programs()) == 0 })
	s.Worker.Start()
	end := s.Ended()
	for _, c := range s.Model.Calls() {
		if c.Time.After(died) {
			t.Logf("the next model call came %.1f s after the kill; the heartbeat timeout is 2 s", c.Time.Sub(died).Seconds())
			break
		}
	}
	asIfNothingHappened(t, s, end, p)
}

// strike plays the story up to the point, kills there, once, and gives when that was. The worker's environment can be added to.
func strike(t *testing.T, p point, kill func(*lab.Stage), env ...string) (s *lab.Stage, died time.Time) {
	t.Helper()
	var once sync.Once
	killed := make(chan time.Time, 1)
	strikeAfter := func(ready func()) {
		once.Do(func() {
			ready()
			kill(s)
			killed <- time.Now()
		})
	}
	hit := func() { strikeAfter(func() {}) }
	script := lab.Script()
	if p.rule != "" {
		script = lab.With(script, p.rule, p.turn, func(turn *agenttest.Turn) {
			turn.Before = func(c *agenttest.Call) {
				// The agent writes its transcript a moment after it asks the model; what a session has done is what stands there.
				strikeAfter(func() {
					if p.agent != task.AgentOpenCode { // which asks with what it has written down
						s.Recorded(c.Session, p.turn)
					}
				})
			}
		})
	}
	scenario := filepath.Join(t.TempDir(), "scenario.yaml")
	if err := os.WriteFile(scenario, []byte(played), 0o600); err != nil {
		t.Fatal(err)
	}
	a := lab.AgentFor(t, cmp.Or(p.agent, task.AgentClaude))
	env = append(env, a.Env...)
	s = lab.NewStage(t, script.In(a.Tools), a.Settings+lab.QuickSettings, append(env, "LONGSHIFT_SCENARIO="+scenario)...)
	if p.git > 0 {
		pushes := 0
		s.OnGit(func(service string) {
			if service == "git-receive-pack" {
				if pushes++; pushes == p.git {
					hit()
				}
			}
		})
	}
	hook := func(method, path string) {
		if method == "POST" && strings.HasSuffix(path, "/pulls") {
			hit()
		}
	}
	switch p.hub {
	case "before":
		s.GitHub.Before(hook)
	case "after":
		s.GitHub.After(hook)
	}
	s.Play(func(input map[string]any) {
		if p.scripted() {
			input["config"] = map[string]any{"agent": task.AgentScript}
		}
	})
	if p.step.N > 0 {
		s.OnStep(t.Context(), s.Begun.GetID(), p.step, hit)
	}
	select {
	case died = <-killed:
	case <-time.After(90 * time.Second):
		now, _ := s.Status(s.Begun.GetID())
		t.Fatalf("the point was never reached: phase %s%s", now.Phase, lab.Log(now))
	}
	return s, died
}

// asIfNothingHappened holds the end of a run against the story.
func asIfNothingHappened(t *testing.T, s *lab.Stage, end signals.Status, p point) {
	t.Helper()
	if end.Outcome != task.PullRequest {
		t.Fatalf("outcome %s: %s%s", end.Outcome, end.Detail, lab.Log(end))
	}
	if got := s.Subjects(end.Branch); !slices.Equal(got, lab.Messages) {
		t.Errorf("commits %q, want %q", got, lab.Messages)
	}
	if n := len(s.GitHub.Pulls(lab.Name)); n != 1 {
		t.Errorf("%d pull requests", n)
	}
	// At most the model turn in flight is said again; a session that had finished is never run again.
	again := 0
	for at, n := range s.WholeTurns() {
		if again += n - 1; n > 1 && p.rule != "" && !strings.HasPrefix(at, p.rule+"/") {
			t.Errorf("turn %s, of a session that was not cut off, was answered %d times", at, n)
		}
	}
	if again > 1 {
		t.Errorf("%d model turns were repeated: %v", again, s.WholeTurns())
	}
	if len(end.Sessions) != len(lab.Script().Rules) {
		t.Errorf("%d sessions, want %d", len(end.Sessions), len(lab.Script().Rules))
	}
	if left := s.Worker.Programs(); len(left) != 0 {
		t.Errorf("processes left behind: %q", left)
	}
	if p.rule != "" && p.turn > 0 {
		resumed := 0
		for _, one := range end.Sessions {
			resumed += one.Resumed
		}
		if resumed == 0 {
			t.Error("the session that was cut off was not gone on with by its id")
		}
	}
}

// TestKillServer kills the Temporal server with SIGKILL at three points.
func TestKillServer(t *testing.T) {
	t.Parallel()
	for _, p := range []point{
		{name: "in a session", rule: "fix", turn: 1},
		{name: "after the plan", step: lab.Step{Activity: "RunAgent", N: 1}},
		{name: "while pushing", git: 5},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			// No session is cut off by a server that is back within the heartbeat's time, which is longer here than a slow machine takes.
			s, _ := strike(t, p, func(s *lab.Stage) { s.Server.Kill() }, "LONGSHIFT_HEARTBEAT=20s")
			s.Server.Start()
			end := s.Ended()
			if end.Outcome != task.PullRequest || len(s.GitHub.Pulls(lab.Name)) != 1 {
				t.Errorf("outcome %s, %d pull requests", end.Outcome, len(s.GitHub.Pulls(lab.Name)))
			}
			if got := s.Subjects(end.Branch); !slices.Equal(got, lab.Messages) {
				t.Errorf("commits %q, want %q", got, lab.Messages)
			}
			for at, n := range s.WholeTurns() {
				if n > 1 {
					t.Errorf("turn %s was answered %d times", at, n)
				}
			}
		})
	}
}

// TestHostGone deletes a host with its disk in the middle of a session. Another one finishes the task from the checkpoint.
func TestHostGone(t *testing.T) {
	t.Parallel()
	s, _ := strike(t, point{rule: "mul", turn: 1}, func(s *lab.Stage) {
		s.Worker.Kill()
		if err := os.RemoveAll(s.Worker.Data); err != nil {
			t.Error(err)
		}
	})
	s.NewWorker(lab.Claude(t))
	end := s.Ended()
	if end.Outcome != task.PullRequest || end.Fence != 2 {
		t.Fatalf("outcome %s with fence %d%s", end.Outcome, end.Fence, lab.Log(end))
	}
	if got := s.Subjects(end.Branch); !slices.Equal(got, lab.Messages) {
		t.Errorf("commits %q, want %q", got, lab.Messages)
	}
	if n := len(s.GitHub.Pulls(lab.Name)); n != 1 {
		t.Errorf("%d pull requests", n)
	}
	if n := s.WholeTurns()["fix/0"]; n != 1 {
		t.Errorf("the deliverable that was in the checkpoint was done %d times", n)
	}
}
