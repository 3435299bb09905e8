package activities

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/temporal"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/gateway"
	"github.com/longshift/longshift/task"
)

func TestFinishedSessionIsNotRunAgain(t *testing.T) {
	t.Parallel()
	p := says("<NOTE>mind the gap</NOTE><DONE>fix: the sum</DONE>")
	b := newBench(t, map[string]agent.Agent{"script": p})
	b.prepare()
	in := b.session(task.Implementer, "script")
	first, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	want := task.Report{Kind: task.ReportDone, Text: "fix: the sum", Notes: []string{"mind the gap"}}
	if diff := cmp.Diff(want, first.Report); diff != "" || first.Kind != agent.Completed || first.Turns != 1 || first.Resumed != 0 {
		t.Fatalf("%+v (-want +got):\n%s", first, diff)
	}
	restarted := NewHost(b.newConfig(b.Data, b.Agents)).Sessions
	for _, h := range []*Sessions{b.Sessions, restarted} {
		again, err := b.attempt().session(h, in)
		must(t, err)
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("kept result (-first +again):\n%s", diff)
		}
	}
	if n := len(p.sessions()); n != 1 {
		t.Fatalf("the agent ran %d times", n)
	}
	in.Ask, in.Nudge = 2, true
	p.play = ends(agent.Errored, "gone").play
	second, err := b.attempt().session(restarted, in)
	must(t, err)
	asked := p.sessions()
	if len(asked) != 2 || !asked[1].Resume || asked[0].Resume || asked[1].Prompt == asked[0].Prompt || second.Kind != agent.Errored {
		t.Errorf("the second ask: %+v", second)
	}
	in.Ask, in.Nudge = 3, false
	if _, err := b.attempt().session(restarted, in); err != nil {
		t.Error(err)
	}
	if third := p.sessions()[2]; asked[0].Again != "" || !strings.Contains(third.Again, "interrupted") || strings.Contains(third.Again, in.Prompt.Task) ||
		!strings.Contains(third.Prompt, in.Prompt.Task) {
		t.Errorf("the third ask: %+v", third)
	}
	in.Ask = 1
	if again, err := b.attempt().session(b.Sessions, in); err != nil || again.Kind != agent.Completed {
		t.Errorf("the first ask after the second: %+v, %v", again, err)
	}
}

// A corrupt result is an error, and the session does not run and cost again at once. The content of the file is kept.
func TestCorruptResultIsAnError(t *testing.T) {
	t.Parallel()
	p := says("<DONE>fix</DONE>")
	b := newBench(t, map[string]agent.Agent{"script": p})
	b.prepare()
	in := b.session(task.Implementer, "script")
	_, err := b.attempt().session(b.Sessions, in)
	must(t, err)
	file := filepath.Join(b.Data, "tasks", in.TaskID, "sessions", in.ID, "result-1.json")
	must(t, os.WriteFile(file, []byte("{"), 0o600))
	_, err = b.attempt().session(b.Sessions, in)
	app := applicationError(t, err)
	var hint string
	must(t, app.Details(&hint))
	if app.Type() != string(fault.Infra) || !strings.Contains(app.Message(), "result-1.json") || !strings.Contains(hint, "result-1.json.corrupt") {
		t.Errorf("%s: %s (%s)", app.Type(), app.Message(), hint)
	}
	if kept, err := os.ReadFile(file + ".corrupt"); err != nil || string(kept) != "{" {
		t.Errorf("kept %q, %v", kept, err)
	}
	if n := len(p.sessions()); n != 1 {
		t.Errorf("the agent ran %d times", n)
	}
}

func TestRunAgentRefuses(t *testing.T) {
	t.Parallel()
	p := &player{play: func(context.Context, agent.Session, func(agent.Event)) (agent.Outcome, error) {
		return agent.Outcome{}, errors.New("exec: no such file")
	}}
	b := newBench(t, map[string]agent.Agent{"script": p, "codex": p})
	g, err := gateway.New(gateway.Config{Endpoint: gateway.Endpoint{Credential: func(context.Context) (gateway.Credential, error) {
		return gateway.Credential{Kind: gateway.APIKey, Value: modelKey}, nil
	}}})
	must(t, err)
	must(t, g.Start(t.Context()))
	t.Cleanup(func() { _ = g.Close() })
	b.Gateway = g
	b.start()
	b.prepare()
	for _, c := range []struct {
		name   string
		change func(*SessionInput)
		kind   fault.Kind
		says   string
		final  bool
		unfit  bool
	}{
		{"an agent that is not set up", func(in *SessionInput) { in.Agent = "opencode" }, fault.Input, `agent "opencode"`, true, true},
		{"an agent without a key", func(in *SessionInput) { in.Agent = "codex" }, fault.Denied, "no key for the API of OpenAI", true, true},
		{"a take that was not prepared", func(in *SessionInput) { in.Fence = 2 }, fault.NotFound, "prepared for attempt 1", true, false},
		{"a role without a prompt", func(in *SessionInput) { in.Role = "cook" }, fault.Internal, "cook", false, false},
		{"an agent that can't be started", func(*SessionInput) {}, fault.Internal, "run script: exec", false, false},
	} {
		in := b.session(task.Implementer, "script")
		c.change(&in)
		_, err := b.attempt().session(b.Sessions, in)
		app := applicationError(t, err)
		if app.Type() != string(c.kind) || !strings.Contains(app.Message(), c.says) || app.NonRetryable() != c.final {
			t.Errorf("%s: %s (final %v): %s", c.name, app.Type(), app.NonRetryable(), app.Message())
		}
		if cause, ok := errors.AsType[*temporal.ApplicationError](app.Unwrap()); ok != c.unfit || ok && cause.Type() != UnfitAgent {
			t.Errorf("%s: its cause is %v", c.name, cause)
		}
		if _, ok, _ := (&record{dir: filepath.Join(b.Data, "tasks", in.TaskID, "sessions", in.ID)}).result(1); ok {
			t.Errorf("%s: a result was kept", c.name)
		}
	}
}

// The limit of an ask's running time and its duration count all attempts.
func TestWallCountsEarlierAttempts(t *testing.T) {
	t.Parallel()
	p := says("<DONE>fix</DONE>")
	b := newBench(t, map[string]agent.Agent{"script": p})
	b.prepare()
	for _, c := range []struct{ spent, wall, left time.Duration }{{20 * time.Minute, time.Hour, 40 * time.Minute}, {2 * time.Hour, time.Hour, time.Minute}} {
		in := b.session(task.Implementer, "script")
		in.Wall = c.wall
		rec, err := openRecord(b.Data, in)
		must(t, err)
		must(t, rec.begin(1))
		rec.state.Begun = time.Now().Add(-5 * time.Hour) // killed, and the machine was off for long
		must(t, rec.save())
		rec.alive()
		at := rec.state.Begun.Add(c.spent)
		must(t, os.Chtimes(filepath.Join(rec.dir, "alive"), at, at))
		res, err := b.attempt().session(b.Sessions, in)
		must(t, err)
		asked := p.sessions()
		if s := asked[len(asked)-1]; s.Wall.Round(time.Second) != c.left || !s.Resume || res.Duration < c.spent || res.Duration > c.spent+time.Minute {
			t.Errorf("after %s: it may take %s, and took %s", c.spent, s.Wall, res.Duration)
		}
	}
}
