package chaos

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/test/lab"
)

var (
	kills = flag.Int("kills", 0, "how often TestByChance kills something")
	seed  = flag.Uint64("seed", 1, "what the choices of TestByChance begin with")
)

// What one scene has: its tasks run at the same time, on two hosts.
const (
	tasksAtOnce = 3
	killsAtOnce = 8
	longest     = 6 * time.Minute // for what is left of the tasks when nothing is killed any more
)

// TestByChance kills what chance says when chance says, and looks from outside whether anything was lost or done twice. `make chaos` runs
// it. The choices follow from the seed; what runs at the moment of a kill does not, so a failure may take some runs to come again.
func TestByChance(t *testing.T) {
	if *kills == 0 {
		t.Skip("`make chaos` says how often something is killed")
	}
	var all figures
	for n := uint64(0); all.count() < *kills; n++ {
		t.Run(fmt.Sprintf("seed %d", *seed+n), func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("again: make chaos KILLS=%d SEED=%d", killsAtOnce, *seed+n)
				}
			})
			s := newScene(t, rand.New(rand.NewPCG(*seed+n, 0)))
			defer func() { all = append(all, s.figures...) }()
			s.strike(min(killsAtOnce, *kills-all.count()))
			s.judge()
		})
	}
	t.Logf("\n%s", all)
}

// scene is one server with two hosts, and the tasks that run there.
type scene struct {
	*lab.Stage
	chance  *rand.Rand
	hosts   []*lab.Worker
	tasks   []client.WorkflowRun
	figures figures
}

func newScene(t *testing.T, chance *rand.Rand) *scene {
	t.Helper()
	s := &scene{Stage: lab.NewStage(t, lab.Script(), lab.QuickSettings), chance: chance}
	s.hosts = []*lab.Worker{s.Worker, s.NewWorker(lab.Claude(t))}
	for n := range tasksAtOnce {
		s.tasks = append(s.tasks, s.Begin(t, fmt.Sprintf("chance-%d", n), map[string]any{"repository": lab.Name, "task": lab.Ask}))
	}
	return s
}

// strike kills things until so many are killed, or all tasks have ended.
func (s *scene) strike(most int) {
	for len(s.figures) < most && s.running() {
		s.pause(300*time.Millisecond, 5*time.Second)
		h := harms[s.chance.IntN(len(harms))]
		at := time.Now()
		if h.does(s) {
			s.figures = append(s.figures, figure{kind: h.kind, at: at})
			s.T.Logf("%s: %s", at.Format("15:04:05.000"), h.kind)
		}
	}
}

// pause lets the tasks go on for a while.
func (s *scene) pause(least, most time.Duration) {
	<-time.After(least + time.Duration(s.chance.Int64N(int64(most-least))))
}

// running tells whether a task has not ended.
func (s *scene) running() bool {
	return slices.ContainsFunc(s.tasks, func(run client.WorkflowRun) bool {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		d, err := s.Client.DescribeWorkflowExecution(ctx, run.GetID(), run.GetRunID())
		return err != nil || d.WorkflowExecutionInfo.CloseTime == nil
	})
}

// judge waits for the tasks and holds what is there against what each of them should have brought.
func (s *scene) judge() {
	deadline := time.Now().Add(longest)
	branches := map[string]bool{}
	for _, run := range s.tasks {
		end, ok := s.end(run, deadline)
		if !ok {
			continue
		}
		branches[end.Branch] = true
		if got := s.Subjects(end.Branch); !slices.Equal(got, lab.Messages) {
			s.T.Errorf("%s: commits %q, want %q", run.GetID(), got, lab.Messages)
		}
		if len(end.Commits) != len(lab.Messages) {
			s.T.Errorf("%s: its status has %d commits", run.GetID(), len(end.Commits))
		}
	}
	pulls := map[string]int{}
	for _, p := range s.GitHub.Pulls(lab.Name) {
		pulls[p.Head]++
	}
	for branch := range branches {
		if pulls[branch] != 1 {
			s.T.Errorf("branch %s has %d pull requests", branch, pulls[branch])
		}
	}
	if len(pulls) > len(branches) {
		s.T.Errorf("pull requests of %v, branches of tasks %v", pulls, branches)
	}
	for _, h := range s.hosts {
		lab.Eventually(s.T, 15*time.Second, "nothing runs any more", func() bool { return len(h.Programs()) == 0 })
	}
	s.figures.recovered(s.Model.Calls())
	s.repeated()
}

// end waits for a task. A task that waits for a person waits in vain here: nothing that chance does is a person's to mend.
func (s *scene) end(run client.WorkflowRun, deadline time.Time) (end signals.Status, ok bool) {
	for {
		now, answered := s.Status(run.GetID())
		switch {
		case answered && now.Phase == task.Suspended:
			s.T.Errorf("%s is suspended, %s: %s%s", run.GetID(), now.Reason, now.Detail, lab.Log(now))
			return now, false
		case answered && now.Phase == task.Ended && now.Outcome != task.PullRequest:
			s.T.Errorf("%s has ended as %s: %s%s", run.GetID(), now.Outcome, now.Detail, lab.Log(now))
			return now, false
		case answered && now.Phase == task.Ended:
			return s.End(s.T, run, time.Minute), true
		case time.Now().After(deadline):
			s.T.Errorf("%s does not end: %s, %s: %s%s", run.GetID(), now.Phase, now.Reason, now.Detail, lab.Log(now))
			return now, false
		}
		<-time.After(300 * time.Millisecond)
	}
}

// repeated holds the turns that were said again against the kills: each may cost every session that ran one turn.
func (s *scene) repeated() {
	again := 0
	for _, n := range s.WholeTurns() {
		again += max(0, n-tasksAtOnce)
	}
	s.figures.again(again)
	if most := len(s.figures) * tasksAtOnce; again > most {
		s.T.Errorf("%d model turns were said again after %d kills", again, len(s.figures))
	}
}

// remove takes away a host's disk.
func (s *scene) remove(dir string) {
	if err := os.RemoveAll(dir); err != nil {
		s.T.Error(err)
	}
}
