package activities

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/prompt"
	"github.com/longshift/longshift/task"
)

// newPrestart makes a host whose agent "script" can be prestarted, with a model.
func newPrestart(t *testing.T, p *player) (*bench, *warmer) {
	t.Helper()
	w := newWarmer(p)
	b := newBench(t, map[string]agent.Agent{"script": w, "plain": says("ok")})
	b.useModel(replies)
	b.prepare()
	return b, w
}

// prestarted waits until the agent of a session has started, and returns its entry.
func (b *bench) prestarted(id string) *prestarted {
	b.t.Helper()
	b.prestarter.mu.Lock()
	e := b.prestarter.sessions[id]
	b.prestarter.mu.Unlock()
	if e != nil {
		await(b.t, e.ready, "the agent is ready")
	}
	return e
}

// free fails when the session's ledger is still locked, or any prestarted agent is listed.
func (b *bench) free(in SessionInput) {
	b.t.Helper()
	b.prestarter.mu.Lock()
	left := len(b.prestarter.sessions)
	b.prestarter.mu.Unlock()
	if left != 0 {
		b.t.Errorf("%d agents are listed", left)
	}
	rec, err := openRecord(b.Data, in)
	must(b.t, err)
	endpoint, err := b.launcher.open(in, rec)
	must(b.t, err)
	endpoint.close()
}

func TestStartAheadStartsOnce(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, says("<DONE>ok</DONE>"))
	in := b.session(task.Implementer, "script")
	for range 3 {
		b.prestarter.start(t.Context(), &in)
	}
	e := b.prestarted(in.ID)
	if e == nil || e.ends == nil {
		t.Fatal("no agent was started")
	}
	b.prestarter.start(t.Context(), &in)
	s, ok := w.waits(in.ID)
	if n, _, _ := w.counts(); n != 1 || !ok {
		t.Errorf("warmed %d times, waits %v", n, ok)
	}
	if s.Prompt != "" || s.System == "" || s.Dir != b.work() || s.BaseURL != e.ends.model.endpoint.BaseURL() || s.Token != e.ends.model.endpoint.Token() || s.Resume {
		t.Errorf("warmed for %+v", s)
	}
	for name, next := range map[string]*SessionInput{"no session": nil, "an agent that can't": {Ref: b.ref, ID: uuid.NewString(), Agent: "plain"},
		"an agent that isn't there": {Ref: b.ref, ID: uuid.NewString(), Agent: "other"}} {
		b.prestarter.start(t.Context(), next)
		if len(b.prestarter.sessions) != 1 {
			t.Errorf("%s: something was started", name)
		}
	}
	b.prestarter.drop(in.ID)
	b.free(in)
	if _, cooled, _ := w.counts(); cooled != 1 {
		t.Errorf("cooled %d times", cooled)
	}
}

func TestFailingWarmLeavesNothing(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, says("<DONE>ok</DONE>"))
	w.refuse = errors.New("no such binary")
	in := b.session(task.Implementer, "script")
	b.prestarter.start(t.Context(), &in)
	b.prestarted(in.ID)
	b.free(in)
	res, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	if res.Report.Kind != task.ReportDone {
		t.Errorf("got %+v", res)
	}
	again := in
	again.Ask = 2
	b.prestarter.start(t.Context(), &again) // it has begun: its agent resumes it, and is not prestarted
	b.prestarted(in.ID)
	if n, _, _ := w.counts(); n != 1 {
		t.Errorf("warmed %d times", n)
	}
	b.free(in)
}

func TestForgetEndsTheTasksPrestartedAgents(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, says("ok"))
	one, two := b.session(task.Implementer, "script"), b.session(task.Implementer, "script")
	foreign := &prestarted{task: "another", ready: make(chan struct{}), agent: w}
	close(foreign.ready)
	b.prestarter.start(t.Context(), &one)
	b.prestarter.start(t.Context(), &two)
	b.prestarted(one.ID)
	b.prestarted(two.ID)
	b.prestarter.sessions["foreign"] = foreign
	b.systems.texts[systemKey{ref: Ref{TaskID: "another", Fence: 1}}] = systemText{}
	b.forget(b.ref.TaskID)
	if len(b.prestarter.sessions) != 1 || len(b.systems.texts) != 1 {
		t.Errorf("%d agents and %d texts are left, want those of the other task", len(b.prestarter.sessions), len(b.systems.texts))
	}
	delete(b.prestarter.sessions, "foreign")
	if _, cooled, _ := w.counts(); cooled != 2 {
		t.Errorf("%d agents were ended", cooled)
	}
	b.free(one)
	b.free(two)
}

func TestSystemTextsAreBounded(t *testing.T) {
	t.Parallel()
	b, _ := newPrestart(t, nil)
	in := b.session(task.Implementer, "script")
	first, err := b.systems.of(t.Context(), in)
	must(t, err)
	for i := range mostSystems + 6 {
		b.systems.texts[systemKey{ref: Ref{TaskID: "x", Fence: i}}] = systemText{}
	}
	in.Prompt.Conventions = prompt.Conventions{Check: "go test ./..."}
	other, err := b.systems.of(t.Context(), in)
	must(t, err)
	if len(b.systems.texts) > mostSystems {
		t.Errorf("%d texts are kept", len(b.systems.texts))
	}
	if first.text == other.text || first.dir != b.work() || other.dir != first.dir {
		t.Error("the check command is not in the system text")
	}
	in.Fence = 7 // another assignment of the task has to open the workspace
	if _, err := b.systems.of(t.Context(), in); err == nil {
		t.Error("a take that was not prepared has a system text")
	}
}

// Without a gateway nothing is prestarted: the agent would have no endpoint.
func TestNoGatewayNothingAhead(t *testing.T) {
	t.Parallel()
	w := newWarmer(says("ok"))
	b := newBench(t, map[string]agent.Agent{"script": w})
	in := b.session(task.Implementer, "script")
	b.prestarter.start(t.Context(), &in)
	if n, _, _ := w.counts(); n != 0 || len(b.prestarter.sessions) != 0 {
		t.Error("an agent was started")
	}
}

// TestAnotherAgentDoesTheWork ends the prestarted agent when the session is given to another one, whose endpoint is its own.
func TestAnotherAgentDoesTheWork(t *testing.T) {
	t.Parallel()
	b, w := newPrestart(t, says("ok"))
	in := b.session(task.Implementer, "script")
	b.prestarter.start(t.Context(), &in)
	b.prestarted(in.ID)
	if ends := b.prestarter.handOver(in.ID, "another"); ends != nil {
		t.Error("another agent was given the endpoints of the one that was expected")
	}
	if _, waits := w.waits(in.ID); waits {
		t.Error("the agent that was expected still waits")
	}
	rec, err := openRecord(b.Data, in)
	must(t, err)
	ends, err := b.launcher.open(in, rec)
	must(t, err)
	ends.close()
}
