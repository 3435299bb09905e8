package activities

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// lingering makes an agent that calls the model, starts a process and waits until it ends.
func lingering(pid chan<- int) *player {
	return &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		if _, err := askModel(ctx, s); err != nil {
			return agent.Outcome{}, err
		}
		p, err := process.Start(ctx, process.Spec{Path: "/bin/sleep", Args: []string{"1000"}, Session: s.ID, Grace: time.Second})
		if err != nil {
			return agent.Outcome{}, err
		}
		pid <- p.Pid()
		p.Wait()
		return agent.Outcome{Kind: agent.Interrupted}, nil
	}}
}

// A stopping worker returns its session: the error says so and holds the usage so far, and no process is left.
func TestStoppingWorkerHandsTheSessionOn(t *testing.T) {
	t.Parallel()
	pids := make(chan int, 1)
	b := newBench(t, map[string]agent.Agent{"script": lingering(pids)})
	b.useModel(replies)
	b.prepare()
	in := b.session(task.Implementer, "script")
	a := b.attempt()
	ended := make(chan error, 1)
	go func() {
		_, err := a.session(b.Sessions, in)
		ended <- err
	}()
	pid := await(t, pids, "the agent runs")
	close(a.stop)
	err := await(t, ended, "the attempt ends")
	app := applicationError(t, err)
	if app.Type() != string(fault.Stopping) || !app.NonRetryable() {
		t.Errorf("%s (final %v): %s", app.Type(), app.NonRetryable(), app.Message())
	}
	_, beat := lastBeat(t, err)
	if beat.Session != in.ID || beat.N != 1 || beat.Role != task.Implementer || beat.Usage.Input != 1000 || beat.Usage.Calls != 1 || beat.Started.IsZero() {
		t.Errorf("the last beat is %+v", beat)
	}
	if !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		t.Error("the agent's process is left")
	}
	p := says("<DONE>fix</DONE>")
	b.Agents["script"] = p
	restarted := b.newConfig(b.Data, b.Agents)
	restarted.Gateway = b.Gateway
	res, err := b.attempt().session(NewHost(restarted).Sessions, in)
	must(t, err)
	if s := p.sessions()[0]; !s.Resume || res.Usage.Input != 1000 || res.Kind != agent.Completed {
		t.Errorf("after the restart: resume %v, %+v", s.Resume, res)
	}
}

// The workflow gets the same error whatever a stop interrupts, the agent or a step before it.
func TestStopAtAnyMoment(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	for _, role := range []task.Role{task.Planner, task.Implementer, task.Reviewer} {
		b.Agents["script"] = &player{play: func(ctx context.Context, _ agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
			<-ctx.Done()
			return agent.Outcome{}, ctx.Err()
		}}
		a := b.attempt()
		close(a.stop) // before the activity begins
		_, err := a.session(b.Sessions, b.session(role, "script"))
		if app := applicationError(t, err); app.Type() != string(fault.Stopping) || !app.NonRetryable() {
			t.Errorf("%s: %s: %s", role, app.Type(), app.Message())
		}
	}
}

// A session that completed at the moment of the stop is kept: it has been paid for.
func TestSessionCompletesWhileTheWorkerStops(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	for _, role := range []task.Role{task.Planner, task.Implementer} { // with and without a comparison of the workspace after it
		in := b.session(role, "script")
		text := map[task.Role]string{task.Planner: planText, task.Implementer: "<DONE>fix</DONE>"}[role]
		a := b.attempt()
		p := &player{play: func(ctx context.Context, _ agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
			emit(agent.Event{Kind: agent.Text, Text: text})
			close(a.stop)
			<-ctx.Done()
			return agent.Outcome{Kind: agent.Completed}, nil
		}}
		b.Agents["script"] = p
		res, err := a.session(b.Sessions, in)
		if err != nil || res.Kind != agent.Completed {
			t.Fatalf("%s: %+v, %v", role, res, err)
		}
		kept, err := b.attempt().session(b.Sessions, in)
		if err != nil || kept.Kind != agent.Completed || len(p.sessions()) != 1 {
			t.Errorf("%s: kept %+v after %d runs, %v", role, kept, len(p.sessions()), err)
		}
	}
}

// An attempt that finds a process of an earlier one ends it first: two agents in one workspace would undo each other's work.
func TestOrphanOfAnEarlierAttemptIsEnded(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{})
	b.prepare()
	in := b.session(task.Implementer, "script")
	gone := orphan(t, in.ID)
	var once sync.Once
	b.Agents["script"] = &player{play: func(context.Context, agent.Session, func(agent.Event)) (agent.Outcome, error) {
		once.Do(func() { await(t, gone, "the orphan is ended before the agent runs") })
		return agent.Outcome{Kind: agent.Completed}, nil
	}}
	_, err := b.attempt().session(b.Sessions, in)
	must(t, err)
}

// orphan starts a process with the mark of a session, like one left by a killed worker. The channel is closed when it has ended.
func orphan(t *testing.T, mark string) <-chan struct{} {
	t.Helper()
	null, err := os.Open(os.DevNull)
	must(t, err)
	defer null.Close()
	p, err := os.StartProcess("/bin/sleep", []string{"sleep", "1000"}, &os.ProcAttr{
		Env: []string{process.SessionEnv + "=" + mark}, Files: []*os.File{null, null, null}, Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	must(t, err)
	gone := make(chan struct{})
	go func() {
		_, _ = p.Wait()
		close(gone)
	}()
	t.Cleanup(func() { _ = p.Kill(); <-gone })
	return gone
}
