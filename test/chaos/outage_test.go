package chaos

import (
	"slices"
	"strings"
	"testing"
	"time"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// held is a turn that a session waits for: the model answers when the test says so.
type held struct {
	session string
	answer  chan struct{}
}

// hold has the model wait before it answers a turn of the session that does the work.
func hold(script agenttest.Script, turn int, at chan<- held) agenttest.Script {
	return lab.With(script, "fix", turn, func(turn *agenttest.Turn) {
		turn.Before = func(c *agenttest.Call) {
			h := held{c.Session, make(chan struct{})}
			at <- h
			<-h.answer
		}
	})
}

// next waits for a session to come to a turn.
func next(t *testing.T, at <-chan held) held {
	t.Helper()
	select {
	case h := <-at:
		return h
	case <-time.After(4 * time.Minute):
		t.Fatal("no session came to the turn")
		return held{}
	}
}

// programs are those of a session.
func programs(t *testing.T, session string) []string {
	t.Helper()
	return lab.Marked(t, "LONGSHIFT_SESSION="+session)
}

// joined starts the server again and waits until the next attempt has joined a session that runs. The worker stands still until the server
// has given up the attempt of each task: a heartbeat that is there before the server looks at its timers would let the attempt go on.
func joined(t *testing.T, s *lab.Stage, tasks ...client.WorkflowRun) {
	t.Helper()
	var back time.Time
	s.Worker.Frozen(func() {
		s.Server.Start()
		back = time.Now()
		for _, run := range tasks {
			lab.Eventually(t, 90*time.Second, "the server gives the attempt up", func() bool {
				works, err := pending(s, run)
				return err == nil && len(works) == 0
			})
		}
	})
	lab.Eventually(t, 90*time.Second, "the next attempt has joined", func() bool { return strings.Contains(s.Worker.Log(), "Session joined") })
	if !strings.Contains(s.Worker.Log(), "The server does not answer heartbeats") { // it comes by the SDK's own log
		t.Error("the worker's log says nothing of the outage")
	}
	t.Logf("the next attempt joined %.1f s after the server came back", time.Since(back).Seconds())
}

// away kills the server for longer than the heartbeat of two seconds.
func away(t *testing.T, s *lab.Stage, meanwhile func()) {
	t.Helper()
	s.Server.Kill()
	killed := time.Now()
	meanwhile()
	lab.Eventually(t, 60*time.Second, "the server is away for longer than the heartbeat", func() bool { return time.Since(killed) > 5*time.Second })
}

// whole fails the test unless each turn was answered so many times.
func whole(t *testing.T, s *lab.Stage, times int) {
	t.Helper()
	for at, n := range s.WholeTurns() {
		if n != times {
			t.Errorf("turn %s was answered %d times, want %d", at, n, times)
		}
	}
}

// fixed fails the test unless a task has ended with its pull request, and gives its session that did the work.
func fixed(t *testing.T, s *lab.Stage, run client.WorkflowRun) signals.Session {
	t.Helper()
	end := s.End(t, run, 3*time.Minute)
	if got := s.Subjects(end.Branch); end.Outcome != task.PullRequest || end.Fence != 1 || !slices.Equal(got, lab.Messages[:1]) {
		t.Fatalf("outcome %s with fence %d, commits %q%s", end.Outcome, end.Fence, got, lab.Log(end))
	}
	for _, l := range end.Log {
		if l.Kind == "suspended" || strings.Contains(l.Text, "lost") {
			t.Errorf("its log says %q", l.Text)
		}
	}
	if len(end.Sessions) != 3 {
		t.Fatalf("%d sessions%s", len(end.Sessions), lab.Log(end))
	}
	return end.Sessions[1]
}

// TestServerGoneForLongerThanTheHeartbeat kills the server under two sessions. Both go on: one ends while the server is away, and its result
// is taken; the other is joined by the next attempt. No process is started anew and no turn is said twice.
func TestServerGoneForLongerThanTheHeartbeat(t *testing.T) {
	t.Parallel()
	second, third := make(chan held), make(chan held)
	s := lab.NewStage(t, hold(hold(lab.Brief(), 1, second), 2, third), lab.QuickSettings)
	tasks := []client.WorkflowRun{s.Play(), s.Play()}
	quick, slow := next(t, second), next(t, second)
	before := programs(t, slow.session)
	var last held
	away(t, s, func() {
		close(quick.answer)
		close(next(t, third).answer)
		lab.Eventually(t, 60*time.Second, "one session ends without the server", func() bool { return len(programs(t, quick.session)) == 0 })
		close(slow.answer)
		last = next(t, third)
	})
	joined(t, s, tasks...)
	after := programs(t, slow.session)
	for _, p := range before {
		if !slices.Contains(after, p) {
			t.Errorf("process %q is gone, there are %q", p, after)
		}
	}
	close(last.answer)
	for _, run := range tasks {
		if did := fixed(t, s, run); did.Resumed != 0 {
			t.Errorf("the session was begun anew: %+v", did)
		}
	}
	whole(t, s, len(tasks))
	if len(before) == 0 || len(s.GitHub.Pulls(lab.Name)) != len(tasks) {
		t.Errorf("%d processes, %d pull requests", len(before), len(s.GitHub.Pulls(lab.Name)))
	}
	s.LeftNothing()
}

// TestServerGoneForTooLong kills the server for longer than a host may be alone: the session ends while the server is away, and the next
// attempt goes on with it.
func TestServerGoneForTooLong(t *testing.T) {
	t.Parallel()
	second := make(chan held)
	s := lab.NewStage(t, hold(lab.Brief(), 1, second), lab.QuickSettings, "LONGSHIFT_ALONE=1s")
	run := s.Play()
	cut := next(t, second)
	s.Recorded(cut.session, 1)
	if len(programs(t, cut.session)) == 0 {
		t.Error("no process of the session is seen; the look is blind")
	}
	s.Server.Kill()
	lab.Eventually(t, 30*time.Second, "nothing runs without the server", func() bool { return len(s.Worker.Programs()) == 0 })
	close(cut.answer)
	s.Server.Start()
	again := next(t, second)
	close(again.answer)
	if did := fixed(t, s, run); did.Resumed != 1 || again.session != cut.session {
		t.Errorf("session %s, then %s, resumed %d times", cut.session, again.session, did.Resumed)
	}
	if n := s.WholeTurns()["fix/0"]; n != 1 {
		t.Errorf("the turn before the cut was answered %d times", n)
	}
	s.LeftNothing()
}

// TestAbandonEndsAJoinedSession has a person abandon a task whose session has outlasted its attempt: the session ends at once, and the
// server is told that it was cancelled and has not failed.
func TestAbandonEndsAJoinedSession(t *testing.T) {
	t.Parallel()
	second := make(chan held)
	s := lab.NewStage(t, hold(lab.Brief(), 1, second), lab.QuickSettings)
	run := s.Play()
	works := next(t, second)
	defer close(works.answer)
	away(t, s, func() {})
	joined(t, s, run)
	if _, err := s.Updated(signals.Abandon, signals.AbandonRequest{Message: signals.Message{ID: "abandon-1"}}); err != nil {
		t.Fatal(err)
	}
	lab.Eventually(t, 10*time.Second, "the session ends", func() bool { return len(programs(t, works.session)) == 0 })
	if end := s.End(t, run, time.Minute); end.Outcome != task.Abandoned {
		t.Errorf("outcome %s%s", end.Outcome, lab.Log(end))
	}
	if !slices.ContainsFunc(s.History(t, run.GetID()), func(e *historypb.HistoryEvent) bool { return e.GetActivityTaskCanceledEventAttributes() != nil }) {
		t.Error("its history holds no cancelled activity")
	}
}
