package agenttest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/task"
)

func completes(t *testing.T, make Factory) {
	f := make(t, task.Implementer,
		Step{Say: "I begin."}, Step{Write: &File{"a.txt", "one\n"}}, Step{Command: "cat a.txt a.txt > b.txt"}, Step{Say: "The end."})
	o, events := f.run(t.Context(), t)
	if o.Kind != agent.Completed || o.Text != "The end." || o.Answer != nil || o.SessionID == "" || o.Resumed {
		t.Errorf("outcome: %+v", o)
	}
	if said := texts(events); !slices.Equal(said, []string{"I begin.", "The end."}) {
		t.Errorf("it said %q", said)
	}
	if data, err := os.ReadFile(filepath.Join(f.Session.Dir, "b.txt")); string(data) != "one\none\n" {
		t.Errorf("b.txt holds %q: %v", data, err)
	}
	calls, usage := 0, o.Usage
	for _, e := range events {
		switch e.Kind {
		case agent.ToolCall:
			calls++
		case agent.UsageNow:
			usage = e.Usage
		}
	}
	if calls != 2 {
		t.Errorf("%d tool calls were told", calls)
	}
	if o.Usage.Input+o.Usage.Output == 0 || usage != o.Usage {
		t.Errorf("usage is %+v, the last that was told %+v", o.Usage, usage)
	}
}

// answers has the agent hand in a plan: by the tool for it when the driver takes the server to report to, otherwise in its outcome.
func answers(t *testing.T, make Factory) {
	const plan = `{"verdict":"already_done","summary":"It adds.","approach":"","files":[],"risks":[],"evidence":"see a.txt","lines":0,"split":[],"deliverables":[]}`
	f := make(t, task.Planner, Step{Answer: []byte(plan)})
	r := Reports(t, task.Planner)
	f.Session.Reports = r.Endpoint()
	o, _ := f.run(t.Context(), t)
	answer := o.Answer
	if end, ended := r.Ended(); ended {
		answer = end.Answer
	}
	got, err := task.DecodePlan(answer)
	if err != nil || o.Kind != agent.Completed || got.Evidence != "see a.txt" {
		t.Errorf("the plan is %s, the outcome %+v, error %v", answer, o, err)
	}
}

func onlyReads(t *testing.T, make Factory) {
	f := make(t, task.Reviewer, Step{Write: &File{"a.txt", "x"}}, Step{Command: "touch b.txt"}, Step{Say: "I could not."})
	f.Session.ReadOnly = true
	o, _ := f.run(t.Context(), t)
	if o.Kind != agent.Completed {
		t.Errorf("outcome: %+v", o)
	}
	for _, name := range []string{"a.txt", "b.txt"} {
		if _, err := os.Stat(filepath.Join(f.Session.Dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// getStuck is a command that reports that it is running and then waits forever; run again, it ends at once.
const getStuck = `test -e ran || { touch ran; echo up > ready; cat stuck; }`

// blocked returns a fixture whose agent gets stuck in a command, and a channel that is closed once it is stuck.
func blocked(t *testing.T, make Factory) (Fixture, <-chan struct{}) {
	f := make(t, task.Implementer, Step{Write: &File{"a.txt", "one\n"}}, Step{Command: getStuck}, Step{Say: "It went on."})
	Pipe(t, f.Session.Dir, "stuck")
	return f, Pipe(t, f.Session.Dir, "ready")
}

func isInterrupted(t *testing.T, make Factory) {
	f, ready := blocked(t, make)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-ready
		cancel()
	}()
	if o, _ := f.run(ctx, t); o.Kind != agent.Interrupted {
		t.Errorf("outcome: %+v", o)
	}
}

func isStoppedEarly(t *testing.T, make Factory) {
	f := make(t, task.Implementer, Step{Say: "Never said."})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if o, events := f.run(ctx, t); o.Kind != agent.Interrupted || texts(events) != nil {
		t.Errorf("outcome %+v, events %+v", o, events)
	}
}

func runsOutOfTime(t *testing.T, make Factory) {
	f := make(t, task.Implementer, Step{Say: "Wait."}, Step{Silent: true})
	f.Session.Wall = time.Second
	if o, _ := f.run(t.Context(), t); o.Kind != agent.Turns {
		t.Errorf("outcome: %+v", o)
	}
}

func startsAfresh(t *testing.T, make Factory) {
	f := make(t, task.Implementer, Step{Say: "Here."})
	f.Session.Resume = true
	if o, _ := f.run(t.Context(), t); o.Kind != agent.Completed || o.Text != "Here." || o.Resumed {
		t.Errorf("outcome: %+v", o)
	}
}

func goesOn(t *testing.T, make Factory) {
	f, ready := blocked(t, make)
	if f.driver.NoCrash != "" {
		return
	}
	go func() {
		<-ready
		f.Crash()
	}()
	first, _ := f.run(t.Context(), t)
	if first.Kind != agent.Errored {
		t.Errorf("outcome of the attempt that died: %+v", first)
	}
	f.Session.Resume = true
	o, events := f.run(t.Context(), t)
	if o.Kind != agent.Completed || o.Text != "It went on." || !o.Resumed || o.SessionID != first.SessionID {
		t.Errorf("outcome of the attempt after it: %+v", o)
	}
	for _, e := range events {
		if e.Kind == agent.ToolCall && strings.Contains(e.Text, "a.txt") {
			t.Error("what was done was done again")
		}
	}
}
