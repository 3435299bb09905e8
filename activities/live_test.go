package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// unknown is the answer of a server that has timed an attempt out; silent is the error when the server is down.
var (
	unknown = serviceerror.NewNotFound("activity already timed out")
	silent  = serviceerror.NewUnavailable("connection refused")
)

const beat = 40 * time.Millisecond

// holding is a host with one session whose agent runs until it may end.
type holding struct {
	*bench
	in   SessionInput
	runs chan context.Context // each run of the agent
	goOn chan struct{}
}

func newHolding(t *testing.T, alone time.Duration) *holding {
	t.Helper()
	h := &holding{runs: make(chan context.Context, 10), goOn: make(chan struct{})}
	h.bench = newBench(t, map[string]agent.Agent{"script": &player{play: func(ctx context.Context, _ agent.Session,
		emit func(agent.Event)) (agent.Outcome, error) {
		h.runs <- ctx
		select {
		case <-h.goOn:
			emit(agent.Event{Kind: agent.Text, Text: "<DONE>fix</DONE>"})
			return agent.Outcome{Kind: agent.Completed}, nil
		case <-ctx.Done():
			return agent.Outcome{Kind: agent.Interrupted}, nil
		}
	}}})
	h.Heartbeat, h.worker.Alone = beat, alone
	h.start()
	h.prepare()
	h.in = h.session(task.Implementer, "script")
	return h
}

// ended is how an attempt ended.
type ended struct {
	res SessionResult
	err error
}

// try begins an attempt at the session.
func (h *holding) try() (*attempt, <-chan ended) {
	h.t.Helper()
	a, end := h.attempt(), make(chan ended, 1)
	a.heartbeat = beat
	a.server.knows(workflow(enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, task.Executing))
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		res, err := a.session(h.Sessions, h.in)
		end <- ended{res, err}
	}()
	h.t.Cleanup(func() { await(h.t, gone, "an attempt ends, which would write into a folder that is removed") })
	return a, end
}

// begun begins the first attempt, and returns the context of its agent.
func (h *holding) begun() (*attempt, <-chan ended, context.Context) {
	h.t.Helper()
	a, end := h.try()
	return a, end, await(h.t, h.runs, "the agent runs")
}

// left has the server time the attempt out, and waits until it has ended.
func (h *holding) left(a *attempt, end <-chan ended) {
	h.t.Helper()
	a.server.answers(unknown)
	if e := await(h.t, end, "the attempt that was given up ends"); e.err == nil {
		h.t.Errorf("it gave %+v", e.res)
	}
}

// none waits until no session runs here.
func (h *holding) none() {
	h.t.Helper()
	eventually(h.t, "no session runs", func() bool {
		h.running.mu.Lock()
		defer h.running.mu.Unlock()
		return len(h.running.all) == 0
	})
}

func workflow(status enumspb.WorkflowExecutionStatus, phase task.Phase) *workflowpb.WorkflowExecutionInfo {
	p, _ := converter.GetDefaultDataConverter().ToPayload(phase)
	return &workflowpb.WorkflowExecutionInfo{Status: status,
		SearchAttributes: &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{signals.AttrPhase: p}}}
}

// The server was down and has timed the attempt out. The next one joins the running session, or returns the result of one that has ended
// meanwhile. Nothing is done twice.
func TestNextAttemptJoinsTheSession(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]bool{"it runs": false, "it has ended": true} {
		h := newHolding(t, time.Hour)
		first, end, _ := h.begun()
		h.left(first, end)
		if meanwhile {
			close(h.goOn)
			h.none()
		}
		next, end := h.try()
		if !meanwhile {
			eventually(t, "the next attempt beats for the session", func() bool {
				said := await(t, next.beats, "a heartbeat")
				return len(said) == 1 && said[0].(signals.Heartbeat).Session == h.in.ID
			})
			close(h.goOn)
		}
		e := await(t, end, "the next attempt ends")
		if must(t, e.err); e.res.Report.Text != "fix" || e.res.Resumed != 0 {
			t.Errorf("%s: %+v", name, e.res)
		}
		if len(h.runs) != 0 {
			t.Errorf("%s: the agent ran again", name)
		}
		h.none()
	}
}

// An attempt that has not noticed its timeout does not block the next one.
func TestTwoAttemptsWaitForOneSession(t *testing.T) {
	t.Parallel()
	h := newHolding(t, time.Hour)
	first, end1, agentCtx := h.begun()
	_, end2 := h.try()
	eventually(t, "the second waits", func() bool {
		h.running.mu.Lock()
		defer h.running.mu.Unlock()
		return h.running.all[h.in.ID].attempts == 2
	})
	h.left(first, end1)
	if agentCtx.Err() != nil {
		t.Error("the session was ended")
	}
	close(h.goOn)
	if e := await(t, end2, "the second ends"); e.err != nil || e.res.Report.Text != "fix" || len(h.runs) != 0 {
		t.Errorf("%+v, %v", e.res, e.err)
	}
}

// Heartbeats without an answer end nothing while the host may work without the server. Its answer to a probe says that it did.
func TestSilenceOfTheServer(t *testing.T) {
	t.Parallel()
	h := newHolding(t, time.Hour)
	a, end, agentCtx := h.begun()
	probe := func() (out Alive) {
		must(t, h.attempt().run(func(ctx context.Context, _ int) (Alive, error) { return h.Probe(ctx) }, 1, &out))
		return out
	}
	beats := func(n int) {
		for len(a.beats) > 0 {
			<-a.beats
		}
		for range n {
			await(t, a.beats, "a heartbeat")
		}
	}
	if beats(2); probe().OutOfTouch {
		t.Error("it says that it was out of touch before it was")
	}
	a.server.answers(silent)
	if beats(6); agentCtx.Err() != nil || !probe().OutOfTouch {
		t.Errorf("in the silence: session %v, probe %+v", agentCtx.Err(), probe())
	}
	a.server.answers(nil)
	if beats(3); probe().OutOfTouch {
		t.Error("it says so still when the server is back")
	}
	close(h.goOn)
	e := await(t, end, "the attempt ends")
	if must(t, e.err); e.res.Report.Text != "fix" {
		t.Errorf("%+v", e.res)
	}
}

// A session ends when the host has been without the server for too long, with or without an attempt that waits. The next attempt resumes
// it.
func TestAloneForTooLong(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]error{"no answer": silent, "given up and not asked for again": unknown} {
		h := newHolding(t, 60*time.Millisecond)
		a, end, agentCtx := h.begun()
		a.server.answers(answer)
		await(t, agentCtx.Done(), name+": the session ends")
		if !errors.Is(context.Cause(agentCtx), errAlone) {
			t.Errorf("%s: ended by %v", name, context.Cause(agentCtx))
		}
		if e := await(t, end, "the attempt ends"); answer == error(silent) && applicationError(t, e.err).Type() != string(fault.Stopping) {
			t.Errorf("%s: %v", name, e.err)
		}
		h.none()
		h.worker = &Interceptor{Redact: h.Redact, Alone: time.Hour, client: clientOf}
		close(h.goOn)
		_, end = h.try()
		e := await(t, end, "the next attempt ends")
		if must(t, e.err); e.res.Report.Text != "fix" || len(h.runs) != 1 {
			t.Errorf("%s: %+v", name, e.res)
		}
	}
}

// A session that no attempt will ask for again ends at once, however long the host may work without the server.
func TestUnwantedSessionEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(h *holding, a *attempt, over <-chan ended){
		"cancelled": func(_ *holding, a *attempt, _ <-chan ended) { a.server.answers(temporal.NewCanceledError()) },
		"its task has ended": func(h *holding, a *attempt, over <-chan ended) {
			a.server.knows(workflow(enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, task.Executing))
			h.left(a, over)
		},
		"the server has forgotten its task": func(h *holding, a *attempt, over <-chan ended) {
			a.server.knows(nil)
			h.left(a, over)
		},
		"its task waits for a person": func(h *holding, a *attempt, over <-chan ended) {
			a.server.knows(workflow(enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, task.Suspended))
			h.left(a, over)
		},
		"the worker stops": func(_ *holding, a *attempt, _ <-chan ended) { close(a.stop) },
		"another host takes the task": func(h *holding, a *attempt, over <-chan ended) {
			h.left(a, over)
			h.takeElsewhere()
		},
		"another host takes the task, and the server is silent": func(h *holding, a *attempt, _ <-chan ended) {
			a.server.answers(silent)
			h.takeElsewhere()
		},
		"another ask": func(h *holding, _ *attempt, _ <-chan ended) { h.in.Ask++; h.try() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHolding(t, time.Hour)
			a, over, agentCtx := h.begun()
			end(h, a, over)
			await(t, agentCtx.Done(), "the session ends")
			close(h.goOn)
			h.none()
		})
	}
}

// A session has ended before any other step changes its workspace, even when nothing else would end it.
func TestSessionIsGoneBeforeItsWorkspaceChanges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*holding){
		"its workspace goes":            func(h *holding) { must(h.t, h.CleanUp(h.t.Context(), CleanInput{Ref: h.ref})) },
		"this host takes the task anew": func(h *holding) { h.ref.Fence++; h.prepare() },
	} {
		h := newHolding(t, time.Hour)
		h.Heartbeat = 0 // nobody watches
		h.start()
		a, over, agentCtx := h.begun()
		h.left(a, over)
		if change(h); agentCtx.Err() == nil {
			t.Errorf("%s: the session runs", name)
			close(h.goOn)
		}
		h.none()
	}
}

// takeElsewhere assigns the task to another host.
func (h *holding) takeElsewhere() {
	h.t.Helper()
	h.ref.Fence++
	other := &bench{t: h.t, remote: h.remote, ref: h.ref}
	other.startOn(h.t.TempDir(), nil)
	other.prepare()
}

// A session that waits for a slot ends with its attempt: the next attempt waits again.
func TestWaitingSessionEndsWithItsAttempt(t *testing.T) {
	t.Parallel()
	h := newHolding(t, time.Hour)
	h.Slots = 1
	h.start()
	must(t, h.slots.wait(t.Context(), Precedence{}, nil))
	a, end := h.try()
	await(t, a.beats, "it waits")
	h.left(a, end)
	h.none()
	if h.slots.used != 1 || len(h.slots.queue) != 0 {
		t.Errorf("%d slots are used and %d wait", h.slots.used, len(h.slots.queue))
	}
}

// A panic fails only its session. The worker's other sessions go on.
func TestPanicOfASession(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{"script": &player{play: func(context.Context, agent.Session, func(agent.Event)) (agent.Outcome,
		error) {
		panic("x")
	}}})
	b.prepare()
	_, err := b.attempt().session(b.Sessions, b.session(task.Implementer, "script"))
	if app := applicationError(t, err); app.Type() != string(fault.Internal) {
		t.Errorf("%s: %s", app.Type(), app.Message())
	}
}
