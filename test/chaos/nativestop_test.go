package chaos

import (
	"sync"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// An answer that is on its way when the worker is asked to stop arrives, and is not paid for again.
func TestAnswerArrivesWhileTheWorkerStops(t *testing.T) {
	t.Parallel()
	script := longSession(2)
	var s *lab.Stage
	var once sync.Once
	up := make(chan struct{})
	script.Rules[1].Turns[1].Before = func(*agenttest.Call) {
		once.Do(func() {
			go func() { defer close(up); s.Worker.Stop(); s.Worker.Start() }()
			time.Sleep(4 * time.Second) // longer than calls have that are cut off
		})
	}
	s = lab.NewStage(t, script, "agent: native\napproval: {mode: none}\n")
	s.Play()
	end := s.End(t, s.Begun, 5*time.Minute)
	<-up
	if end.Outcome != task.PullRequest {
		t.Fatalf("%s: %s%s", end.Outcome, end.Detail, lab.Log(end))
	}
	for _, c := range s.Model.Calls() {
		if c.Try > 1 {
			t.Errorf("asked again: %s, turn %d of %s, try %d", c.Rule, c.Turn, c.Session, c.Try)
		}
	}
}
