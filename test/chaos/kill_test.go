// Package chaos kills things: the worker at every stage boundary and in the middle of every agent session, the server, the
// host with its disk. Each time the task must end as if nothing had happened.
package chaos

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

var everyTurn = flag.Bool("every-turn", false, "kill the worker at every turn of Codex and OpenCode")

// TestKillWorker kills the worker with SIGKILL at each point, at two of them in a run.
func TestKillWorker(t *testing.T) {
	t.Parallel() // they wait for most of their time
	var withClaude, scripted []point
	for _, p := range points() {
		switch {
		case testing.Short() && p.turn != 1:
		case p.scripted():
			scripted = append(scripted, p)
		default:
			withClaude = append(withClaude, p)
		}
	}
	killWorkerAt(t, withClaude)
	killWorkerAt(t, scripted)
}

// TestKillWorkerOfPrograms does the same in the middle of every session of a story that Codex plays and of one that OpenCode plays, and at every
// turn with -every-turn.
func TestKillWorkerOfPrograms(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{task.AgentCodex, task.AgentOpenCode} {
		var all []point
		for _, p := range points() {
			if p.rule == "" || !*everyTurn && (p.turn != 1 || agent == task.AgentOpenCode && p.rule != "fix") { // it takes seconds to start
				continue
			}
			p.agent, p.name = agent, agent+" "+p.name
			all = append(all, p)
		}
		killWorkerAt(t, all)
	}
}

// killWorkerAt kills at points, which are in the order of the story: in each run at one of its first half and at one of its second, where the
// first kill is long over.
func killWorkerAt(t *testing.T, all []point) {
	half := len(all) / 2
	for n, p := range all {
		name, run := p.name, []point{p}
		switch q := n + half; {
		case n < half:
			name, run = p.name+", "+all[q].name, append(run, all[q])
		case n < 2*half:
			continue // it is in a run of the first half
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killWorker(t, run)
		})
	}
}

func killWorker(t *testing.T, run []point) {
	s, stops := play(t, run)
	died := map[string]time.Time{}
	for range run {
		at := reached(t, s, stops)
		s.Worker.Kill()
		died[at.name] = time.Now()
		close(at.goOn)
		// What the dead worker left must be gone without anybody's help: its programs end with it.
		lab.Eventually(t, 10*time.Second, "the dead worker's programs end", func() bool { return len(s.Worker.Programs()) == 0 })
		s.Worker.Start()
	}
	end := s.Ended()
	for name, when := range died {
		calls := s.Model.Calls()
		if n := slices.IndexFunc(calls, func(c agenttest.Call) bool { return c.Time.After(when) }); n >= 0 {
			t.Logf("%s: the next model call came %.1f s after the kill; the heartbeat timeout is 2 s", name, calls[n].Time.Sub(when).Seconds())
		}
	}
	asIfNothingHappened(t, s, end, run)
}

// asIfNothingHappened holds the end of a run against the story.
func asIfNothingHappened(t *testing.T, s *lab.Stage, end signals.Status, run []point) {
	t.Helper()
	s.Carried(end, lab.Messages...)
	// At most the model turn in flight is said again; a session that had finished is never run again. Between two sessions the next one may
	// have begun before the kill comes.
	cut := func(session string) bool {
		return slices.ContainsFunc(run, func(p point) bool { return session == p.rule || session == p.next })
	}
	again, bySession := 0, map[string]int{}
	for at, n := range s.WholeTurns() {
		session, _, _ := strings.Cut(at, "/")
		again, bySession[session] = again+n-1, bySession[session]+n-1
		if n > 1 && !cut(session) {
			t.Errorf("turn %s, of a session that was not cut off, was answered %d times", at, n)
		}
		if bySession[session] > 1 {
			t.Errorf("of session %s %d turns were repeated", session, bySession[session])
		}
	}
	if again > len(run) {
		t.Errorf("%d model turns were repeated: %v", again, s.WholeTurns())
	}
	if len(end.Sessions) != len(lab.Script().Rules) {
		t.Errorf("%d sessions, want %d", len(end.Sessions), len(lab.Script().Rules))
	}
	resumed := 0
	for _, one := range end.Sessions {
		if one.Resumed > 0 {
			resumed++
		}
		if run[0].scripted() && one.Turns != 1 { // as played says
			t.Errorf("session %d has %d turns", one.N, one.Turns)
		}
	}
	if run[0].scripted() && end.Usage.Calls != len(end.Sessions) {
		t.Errorf("%d sessions of one call each have made %d", len(end.Sessions), end.Usage.Calls)
	}
	for _, p := range run {
		if p.rule != "" && p.turn > 0 {
			resumed--
		}
	}
	if resumed < 0 {
		t.Errorf("of the sessions that were cut off, %d were not gone on with by their ids", -resumed)
	}
}

// TestHostGone deletes a host with its disk in the middle of a session. Another one finishes the task from the checkpoint.
func TestHostGone(t *testing.T) {
	t.Parallel()
	s := strike(t, point{rule: "mul", turn: 1}, func(s *lab.Stage) {
		s.Worker.Kill()
		if err := os.RemoveAll(s.Worker.Data); err != nil {
			t.Error(err)
		}
	})
	s.NewWorker(lab.Claude(t))
	end := s.Ended()
	s.Carried(end, lab.Messages...)
	if end.Fence != 2 {
		t.Errorf("it ended with fence %d", end.Fence)
	}
	if n := s.WholeTurns()["fix/0"]; n != 1 {
		t.Errorf("the deliverable that was in the checkpoint was done %d times", n)
	}
}
