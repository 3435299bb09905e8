package activities

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// beating counts the goroutines of this package that still send heartbeats or wait for the worker to stop.
func beating() int {
	buf := make([]byte, 4<<20)
	stacks := string(buf[:runtime.Stack(buf, true)])
	return strings.Count(stacks, "created by github.com/longshift/longshift/activities.(*heartbeat).run") +
		strings.Count(stacks, "created by github.com/longshift/longshift/activities.untilStopping")
}

// These tests count goroutines, so they don't run beside others.

func TestHeartbeatsWhileAnActivityRuns(t *testing.T) {
	a := newAttempt(t, nil)
	a.heartbeat = 40 * time.Millisecond
	must(t, a.run(func(ctx context.Context, _ int) error {
		_, stop := untilStopping(ctx)
		defer stop()
		for range 4 { // the activity itself sends none
			if details := await(t, a.beats, "a heartbeat"); len(details) != 0 {
				t.Errorf("it says %v", details)
			}
		}
		setHeartbeatDetails(ctx, func() any { return signals.Heartbeat{Session: "s1", Tools: 3} })
		eventually(t, "a heartbeat with details", func() bool {
			details := await(t, a.beats, "a heartbeat")
			return len(details) == 1 && details[0] == any(signals.Heartbeat{Session: "s1", Tools: 3})
		})
		if beating() != 2 {
			t.Errorf("%d goroutines are seen while the activity runs; the count is blind", beating())
		}
		return nil
	}, 1, nil))
	eventually(t, "the heartbeats have stopped", func() bool { return beating() == 0 })
}

func TestHeartbeatsStopHoweverTheActivityEnds(t *testing.T) {
	for name, end := range map[string]func() error{
		"error": func() error { return errors.New("x") }, "panic": func() error { panic("x") },
	} {
		a := newAttempt(t, nil)
		a.heartbeat = 4 * time.Second
		err := a.run(func(context.Context, int) error {
			await(t, a.beats, "the first heartbeat")
			return end()
		}, 1, nil)
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		eventually(t, "the heartbeats have stopped after "+name, func() bool { return beating() == 0 })
	}
}

// An activity that is cancelled and still cleans up must not time out meanwhile.
func TestHeartbeatsGoOnAfterACancel(t *testing.T) {
	a := newAttempt(t, nil)
	a.heartbeat = 40 * time.Millisecond
	err := a.run(func(ctx context.Context, _ int) error {
		a.cancel(temporal.NewCanceledError())
		<-ctx.Done()
		for len(a.beats) > 0 {
			<-a.beats
		}
		for range 3 {
			await(t, a.beats, "a heartbeat after the cancel")
		}
		return ctx.Err()
	}, 1, nil)
	if !temporal.IsCanceledError(err) {
		t.Errorf("got %v", err)
	}
	eventually(t, "the heartbeats have stopped", func() bool { return beating() == 0 })
}

// A step without a session survives a short silence of the server. After a longer one it ends, before the server times it out and another
// attempt does the same work beside it.
func TestSilenceEndsAStepBeforeAnotherAttemptBegins(t *testing.T) {
	in := &Interceptor{Alone: time.Hour}
	a := attemptOn(t, in)
	a.heartbeat = 2 * time.Second
	err := a.run(func(ctx context.Context, _ int) error {
		await(t, a.beats, "a heartbeat")
		a.server.answers(silent)
		await(t, a.beats, "one that is not answered")
		if ctx.Err() != nil {
			t.Error("the first heartbeat without an answer ends the step")
		}
		a.server.answers(nil)
		for range 2 {
			await(t, a.beats, "heartbeats go on")
		}
		if ctx.Err() != nil {
			t.Error("a silence that is over ends the step")
		}
		a.server.answers(silent)
		await(t, ctx.Done(), "the step ends")
		if cause := context.Cause(ctx); !errors.Is(cause, errSilent) {
			t.Errorf("ended by %v", cause)
		}
		return fmt.Errorf("run git: %w", ctx.Err())
	}, 1, nil)
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Type() != string(fault.Infra) || app.NonRetryable() || !strings.Contains(app.Message(), "the server was out of reach") {
		t.Errorf("the step fails with %#v", err)
	}
}

// mute is a server that never answers heartbeats: it refuses calls at once, or lets them hang.
type mute struct {
	client.Client
	hangs bool
}

func (m mute) RecordActivityHeartbeat(ctx context.Context, _ []byte, _ ...any) error {
	if m.hangs {
		<-ctx.Done()
	}
	return errors.New("nobody is there")
}

// TestSilenceIsNoticedInTime has the server fall silent right after a heartbeat. A step knows before the server lets another attempt begin, whatever
// the timeout is, and not before a good part of it is over.
func TestSilenceIsNoticedInTime(t *testing.T) {
	for _, timeout := range []time.Duration{1, 2, 3, 4, 7, 10, 19, 20, 30, 300} {
		for _, hangs := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				in := &Interceptor{client: func(context.Context) client.Client { return mute{hangs: hangs} }}
				in.silent.Store("", true) // is in the log
				h := newHeartbeat(in, activity.Info{HeartbeatTimeout: timeout * time.Second})
				begun := time.Now()
				ctx, stop := h.run(t.Context())
				defer stop()
				<-ctx.Done()
				took := time.Since(begun)
				if !errors.Is(context.Cause(ctx), errSilent) || took >= timeout*time.Second || took < timeout*time.Second*2/3 {
					t.Errorf("timeout %d s, calls that hang %t: noticed after %s", timeout, hangs, took)
				}
			})
		}
	}
}

// slow answers a heartbeat, and its process reads the answer much later: it was stopped meanwhile.
type slow struct{ client.Client }

func (slow) RecordActivityHeartbeat(context.Context, []byte, ...any) error {
	time.Sleep(time.Minute)
	return nil
}

// TestStoppedProcessIsLate: a step whose process was stopped for longer than the heartbeat may take effect no more when it goes on, before anything
// else has told it so. What was sent before the stop is no heartbeat of now.
func TestStoppedProcessIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHeartbeat(&Interceptor{client: func(context.Context) client.Client { return slow{} }}, activity.Info{HeartbeatTimeout: 5 * time.Second})
		ctx, stop := h.run(t.Context())
		if err := clock.Late(ctx); err != nil {
			t.Errorf("at the beginning: %v", err)
		}
		h.hurry()
		time.Sleep(time.Minute - time.Second)
		if err := clock.Late(ctx); !errors.Is(err, errSilent) || fault.KindOf(err) != fault.Infra || ctx.Err() != nil {
			t.Errorf("before the answer: %v, the context has %v", err, ctx.Err())
		}
		time.Sleep(time.Second + time.Millisecond)
		if err := clock.Late(ctx); !errors.Is(err, errSilent) {
			t.Errorf("after the answer to an old heartbeat: %v", err)
		}
		stop()
		without, end := newHeartbeat(&Interceptor{}, activity.Info{}).run(t.Context())
		defer end()
		time.Sleep(time.Hour)
		if err := clock.Late(without); err != nil {
			t.Errorf("a step without heartbeats: %v", err)
		}
	})
}

// patient answers heartbeats and counts them.
type patient struct {
	client.Client
	n *int
}

func (p patient) RecordActivityHeartbeat(context.Context, []byte, ...any) error { *p.n++; return nil }

// TestTwoHeartbeatsInATimeout counts those of an hour.
func TestTwoHeartbeatsInATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		in := &Interceptor{client: func(context.Context) client.Client { return patient{n: &n} }}
		_, stop := newHeartbeat(in, activity.Info{HeartbeatTimeout: 30 * time.Second}).run(t.Context())
		time.Sleep(time.Hour + time.Second)
		stop()
		if synctest.Wait(); n != 240 {
			t.Errorf("%d heartbeats in an hour", n)
		}
	})
}

func TestNoHeartbeatTimeoutNoHeartbeat(t *testing.T) {
	a := newAttempt(t, nil)
	must(t, a.run(func(context.Context, int) error { return nil }, 1, nil))
	if len(a.beats) != 0 || beating() != 0 {
		t.Errorf("%d heartbeats, %d goroutines", len(a.beats), beating())
	}
}

// The heartbeats of a session say what it does, what it has used and how long its log is. Each of them records that it is alive.
func TestHeartbeatsOfASession(t *testing.T) {
	b := newBench(t, map[string]agent.Agent{})
	b.useModel(replies)
	b.prepare()
	a := b.attempt()
	a.heartbeat = 40 * time.Millisecond
	in := b.session(task.Implementer, "script")
	until := func(what string, ok func(signals.Heartbeat) bool) {
		t.Helper()
		eventually(t, what, func() bool {
			details := await(t, a.beats, "a heartbeat")
			beat, is := signals.Heartbeat{}, false
			if len(details) == 1 {
				beat, is = details[0].(signals.Heartbeat)
			}
			return is && beat.Session == in.ID && beat.N == 1 && beat.Role == task.Implementer && ok(beat)
		})
	}
	var offset int64
	b.Agents["script"] = &player{play: func(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
		until("the start", func(b signals.Heartbeat) bool {
			offset = b.Offset
			return b.Activity == "Starting" && b.Usage.Calls == 0
		})
		emit(agent.Event{Kind: agent.ToolCall, Tool: "Bash", Text: `{"command":"go test"}`})
		until("the tool", func(b signals.Heartbeat) bool {
			return b.Activity == "Running Bash" && b.Tools == 1 && b.Offset > offset
		})
		emit(agent.Event{Kind: agent.ToolResult, Text: "ok"})
		until("the thought", func(b signals.Heartbeat) bool { return b.Activity == "Thinking" && b.Tools == 1 })
		_, err := askModel(ctx, s)
		until("the usage", func(b signals.Heartbeat) bool { return b.Usage.Input == 1000 && b.Usage.Calls == 1 && b.Worked > 0 })
		return agent.Outcome{Kind: agent.Completed}, err
	}}
	_, err := a.session(b.Sessions, in)
	must(t, err)
	rec, err := openRecord(b.Data, in)
	must(t, err)
	if alive := rec.lastAlive().Sub(rec.state.Begun); alive <= 0 {
		t.Errorf("last alive %s after its begin", alive)
	}
	eventually(t, "the heartbeats have stopped", func() bool { return beating() == 0 })
}

// The error of a step without a session holds no heartbeat.
func TestStoppingErrorOfAnotherStep(t *testing.T) {
	err := newAttempt(t, nil).run(func(context.Context, int) error { return fault.New(fault.Stopping, "later").WithHint("wait") }, 1, nil)
	if hint, beat := lastBeat(t, err); hint != "wait" || beat.Session != "" {
		t.Errorf("hint %q, beat %+v", hint, beat)
	}
}
