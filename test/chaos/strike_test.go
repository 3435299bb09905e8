package chaos

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// stop is a point at which the story waits, once, until goOn is closed.
type stop struct {
	point
	once sync.Once
	goOn chan struct{}
}

// strike plays the story up to the point and kills there. The worker's environment can be added to.
func strike(t *testing.T, p point, kill func(*lab.Stage), env ...string) *lab.Stage {
	t.Helper()
	s, stops := play(t, []point{p}, env...)
	at := reached(t, s, stops)
	kill(s)
	close(at.goOn)
	return s
}

// reached gives the next point at which the story waits.
func reached(t *testing.T, s *lab.Stage, stops <-chan *stop) *stop {
	t.Helper()
	select {
	case at := <-stops:
		return at
	case <-time.After(4 * time.Minute):
		now, _ := s.Status(s.Begun.GetID())
		t.Fatalf("the point was never reached: phase %s%s", now.Phase, lab.Log(now))
		return nil
	}
}

// play begins the story, which waits at each of the points. One agent plays it.
func play(t *testing.T, run []point, env ...string) (s *lab.Stage, stops <-chan *stop) {
	t.Helper()
	all, waiting := make([]*stop, len(run)), make(chan *stop)
	wait := func(at *stop, ready func()) {
		at.once.Do(func() {
			ready()
			select {
			case waiting <- at:
				<-at.goOn
			case <-t.Context().Done():
			}
		})
	}
	a, script := lab.AgentFor(t, cmp.Or(run[0].agent, task.AgentClaude)), lab.Script()
	for n, p := range run {
		at := &stop{point: p, goOn: make(chan struct{})}
		if all[n] = at; p.rule == "" {
			continue
		}
		script = lab.With(script, p.rule, p.turn, func(turn *agenttest.Turn) {
			turn.Before = func(c *agenttest.Call) {
				// The agent writes its transcript a moment after it asks the model; what a session has done is what stands there.
				wait(at, func() {
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
	env = slices.Concat(env, a.Env, []string{"LONGSHIFT_SCENARIO=" + scenario})
	s = lab.NewStage(t, script.In(a.Tools), a.Settings+lab.QuickSettings, env...)
	here := func(is func(*stop) bool) {
		for _, at := range all {
			if is(at) {
				wait(at, func() {})
			}
		}
	}
	pushes := 0
	s.OnGit(func(service string) {
		if service == "git-receive-pack" {
			pushes++
			here(func(at *stop) bool { return at.git == pushes })
		}
	})
	hub := func(when string) func(method, path string) {
		return func(method, path string) {
			if method == "POST" && strings.HasSuffix(path, "/pulls") {
				here(func(at *stop) bool { return at.hub == when })
			}
		}
	}
	s.GitHub.Before(hub("before"))
	s.GitHub.After(hub("after"))
	s.Play(func(input map[string]any) {
		if run[0].scripted() {
			input["config"] = map[string]any{"agent": task.AgentScript}
		}
	})
	for _, at := range all {
		if at.step.N > 0 {
			s.OnStep(t.Context(), s.Begun.GetID(), at.step, func() { wait(at, func() {}) })
		}
	}
	return s, waiting
}
