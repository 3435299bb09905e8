package integration

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// nativeFix is the short story told to Longshift's own agent, with these turns before the session's report.
func nativeFix(turns ...agenttest.Turn) agenttest.Script {
	brief := lab.Brief()
	fix := agenttest.Rule{Name: "fix", Role: task.Implementer, Turns: []agenttest.Turn{
		lab.Call("edit_file", lab.Args{"path": "calc.go", "old": "a - b", "new": "a + b"})}}
	fix.Turns = append(append(fix.Turns, turns...), lab.Passed("FIX-001", lab.Messages[0]))
	return agenttest.Script{Rules: []agenttest.Rule{brief.Rules[0], fix, brief.Rules[2]}}
}

const nativeQuick = "agent: native\n" + lab.QuickSettings

// parkedFor waits until the task is parked for a reason, and holds nothing then.
func parkedFor(t *testing.T, s *lab.Stage, why signals.Reason) signals.Status {
	t.Helper()
	now := s.Until("the task is suspended for "+string(why), func(st signals.Status) bool { return st.Phase == task.Suspended && st.Reason == why })
	s.Parked()
	return now
}

// TestNativeCommandWaitsForAPerson suspends the task at once, with no session and no slot held; the very call is made when a person has
// allowed it, across a restart of the worker, and the model is not asked again for it.
func TestNativeCommandWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ decision, made string }{"allowed": {"allow", "made by hand"}, "denied": {"deny", ""}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := lab.NewStage(t, nativeFix(lab.Call("run_command", lab.Args{"command": asking})), nativeQuick)
			s.Play()
			now := parkedFor(t, s, signals.ReasonCommand)
			if len(now.Questions) != 1 || now.Questions[0].Command != asking || now.WaitingUntil.IsZero() {
				t.Fatalf("asked %+v", now.Questions)
			}
			s.Worker.Kill()
			s.Worker.Start()
			s.Ready()
			if ran := s.Longshift(t, c.decision, s.Begun.GetID()); ran.Code != 0 {
				t.Fatalf("%s: %+v", c.decision, ran)
			}
			end := s.Ended()
			s.Carried(end, lab.Messages[0])
			files := gittest.Git(t, s.Bare, "ls-tree", "--name-only", end.Branch)
			if made := strings.Contains(files, "made.txt"); made != (c.made != "") {
				t.Errorf("files %q", files)
			}
			if len(end.Sessions) != 3 || len(s.Heard("fix", 1)) != 1 {
				t.Errorf("%d sessions, the model was asked %d times for the call", len(end.Sessions), len(s.Heard("fix", 1)))
			}
			logged(t, s, asking, c.decision)
		})
	}
}

// TestAbandonedWhileACommandWaits ends a task that waits for a person: the wait ends with it, and does not begin again.
func TestAbandonedWhileACommandWaits(t *testing.T) {
	t.Parallel()
	s := lab.NewStage(t, nativeFix(lab.Call("run_command", lab.Args{"command": asking})), nativeQuick)
	s.Play()
	parkedFor(t, s, signals.ReasonCommand)
	if ran := s.Longshift(t, "abandon", s.Begun.GetID(), "--reason", "not that way"); ran.Code != 0 {
		t.Fatalf("abandon: %+v", ran)
	}
	if end := s.End(t, s.Begun, time.Minute); end.Outcome != task.Abandoned || !strings.Contains(end.Detail, "not that way") {
		t.Errorf("ended %s: %s", end.Outcome, end.Detail)
	}
}

// TestNativeSessionWaits: a used-up quota, used-up steps and a budget suspend the task, and the same conversation goes on.
func TestNativeSessionWaits(t *testing.T) {
	t.Parallel()
	read := func(name string) agenttest.Turn { return lab.Call("read_file", lab.Args{"path": name}) }
	for name, c := range map[string]struct {
		settings string
		why      signals.Reason
		resume   map[string]any
		fault    bool
	}{
		"quota":  {"", signals.ReasonQuota, map[string]any{"note": "the quota was raised"}, true},
		"steps":  {"native: {steps: 2}\n", signals.ReasonSteps, nil, false},
		"budget": {"budget: {cost: 0.015, planCost: 0.012}\n", signals.ReasonBudget, map[string]any{"addCost": 5}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var resumed atomic.Bool
			script := nativeFix(read("calc.go"), read("README.md"))
			if c.fault {
				script = lab.With(script, "fix", 2, func(turn *agenttest.Turn) {
					lab.FailWhile(turn, func() bool { return !resumed.Load() }, func() agenttest.Fault {
						return agenttest.Fault{Status: http.StatusTooManyRequests, Body: "You've hit your limit"}
					})
				})
			}
			s := lab.NewStage(t, script, nativeQuick+c.settings)
			s.Play()
			parkedFor(t, s, c.why)
			resumed.Store(true)
			if _, err := s.Updated(signals.Resume, c.resume); err != nil {
				t.Fatal(err)
			}
			end := s.Ended()
			s.Carried(end, lab.Messages[0])
			if len(end.Sessions) != 3 {
				t.Errorf("%d sessions: the one that waited was not gone on with", len(end.Sessions))
			}
			if twice := s.AnsweredTwice(); len(twice) > 0 {
				t.Errorf("asked for again: %q", twice)
			}
		})
	}
}

// TestNativeSessionAsks suspends the task for a question; the same conversation goes on with the answer, across a restart of the worker.
func TestNativeSessionAsks(t *testing.T) {
	t.Parallel()
	const question = "Is the old format still needed? I would drop it."
	s := lab.NewStage(t, nativeFix(lab.Call("ask_person", lab.Args{"question": question})), nativeQuick)
	s.Play()
	now := parkedFor(t, s, signals.ReasonQuestion)
	if now.Detail != question || !now.NeedsHuman || !strings.Contains(now.NextAction, "answer") {
		t.Errorf("the status says %q, and %q", now.Detail, now.NextAction)
	}
	s.Worker.Kill()
	s.Worker.Start()
	s.Ready()
	if ran := s.Longshift(t, "resume", s.Begun.GetID(), "--note", "No, drop it."); ran.Code != 0 {
		t.Fatalf("resume: %+v", ran)
	}
	end := s.Ended()
	s.Carried(end, lab.Messages[0])
	told := 0
	for _, c := range s.Model.Calls() {
		told += strings.Count(c.Prompt, "No, drop it.")
	}
	if told != 1 || len(end.Sessions) != 3 || len(s.Heard("fix", 1)) != 1 {
		t.Errorf("told %d times in %d sessions, asked %d times for the question", told, len(end.Sessions), len(s.Heard("fix", 1)))
	}
}

// TestNativeSessionIsTold gives a message of a person to the session that runs, with the model's next call.
func TestNativeSessionIsTold(t *testing.T) {
	t.Parallel()
	script := nativeFix(lab.Call("read_file", lab.Args{"path": "calc.go"}), lab.Call("read_file", lab.Args{"path": "README.md"}))
	var s *lab.Stage
	script = lab.With(script, "fix", 1, func(turn *agenttest.Turn) {
		turn.Before = func(c *agenttest.Call) {
			if c.Try == 1 {
				if _, err := s.Updated(signals.Tell, map[string]any{"text": "mind the README", "by": "ann"}); err != nil {
					t.Errorf("tell: %v", err)
				}
			}
		}
	})
	s = lab.NewStage(t, script, nativeQuick)
	s.Play()
	s.Carried(s.Ended(), lab.Messages[0])
	told := 0
	for _, c := range s.Model.Calls() {
		if c.Rule == "fix" && strings.Contains(c.Prompt, "ann says: mind the README") {
			told++
		}
	}
	if told == 0 {
		t.Error("no call of the model has the message")
	}
	if c := s.Heard("approve", 0); len(c) == 0 || strings.Contains(c[0].Prompt, "mind the README") {
		t.Error("the next session was told it again")
	}
}

// TestNativeSessionIsCancelled ends the command of a session whose task is cancelled, and leaves nothing behind.
func TestNativeSessionIsCancelled(t *testing.T) {
	t.Parallel()
	s := lab.NewStage(t, nativeFix(lab.Call("run_command", lab.Args{"command": "touch begun; sleep 250", "timeout": 300})), nativeQuick)
	s.Play()
	s.Until("a command runs", func(signals.Status) bool { return len(s.Worker.Programs()) > 0 })
	if err := s.Client.CancelWorkflow(t.Context(), s.Begun.GetID(), ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Begun.Get(t.Context(), nil); !temporal.IsCanceledError(err) {
		t.Errorf("the task ended with %v", err)
	}
	if left := s.Worker.Programs(); len(left) != 0 {
		t.Errorf("processes left behind: %q", left)
	}
}
