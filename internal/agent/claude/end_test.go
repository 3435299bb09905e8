package claude

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// endOn ends the session at the first call whose input holds the text, and lets the rest through.
func endOn(text string) agent.Permit {
	return func(_ context.Context, c agent.Call) agent.Decision {
		if strings.Contains(string(c.Input), text) {
			return agent.Decision{Reason: "this waits for a person", End: agent.NeedsApproval}
		}
		return agent.Decision{Allow: true}
	}
}

// TestEndIsWrittenDown ends a session by a decision. The model is not called again, and in the next attempt it sees why.
func TestEndIsWrittenDown(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer,
		agenttest.Turn{Text: "First.", Tools: []agenttest.Tool{bash("touch a.txt"), bash("touch stop.txt"), bash("touch b.txt")}},
		agenttest.Turn{Text: "I see."}))
	b.session.Permit = endOn("stop.txt")
	o, e := b.run(t)
	if o.Kind != agent.NeedsApproval || o.Text != "this waits for a person" || o.Usage.Input == 0 || o.Usage.Output == 0 {
		t.Errorf("outcome: %+v", o)
	}
	if n := len(b.model.Calls()); n != 1 {
		t.Errorf("the model was called %d times", n)
	}
	if n := len(e.Of(agent.ToolResult)); n != 3 {
		t.Errorf("%d results were told", n)
	}
	entries, _ := os.ReadDir(b.session.Dir)
	if len(entries) != 1 || entries[0].Name() != "a.txt" {
		t.Errorf("the workspace holds %v", entries)
	}
	b.session.Resume, b.session.Prompt = true, "Go on."
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "I see." || !o.Resumed {
		t.Errorf("outcome of the attempt after it: %+v", o)
	}
	body := string(b.model.Calls()[1].Body)
	if !strings.Contains(body, "this waits for a person") || strings.Contains(body, "outcome is unknown") {
		t.Errorf("the model was not told what happened: %s", excerpt.Tail(body, 3000))
	}
}

// TestEndInSubAgent ends the session from within a sub-agent, while another one works.
func TestEndInSubAgent(t *testing.T) {
	b := newBench(t, task.Implementer, func(dir string) agenttest.Script {
		sub := func(n string) agenttest.Rule {
			return agenttest.Rule{Name: "sub" + n, Match: "part " + n, Turns: []agenttest.Turn{
				{Tools: []agenttest.Tool{call("Write", "file_path", filepath.Join(dir, n+".txt"), "content", n)}}, {Text: "Part " + n + " is done."}}}
		}
		return agenttest.Script{KeepBodies: true, Rules: []agenttest.Rule{sub("one"), sub("two"),
			{Name: "main", Role: task.Implementer, Turns: []agenttest.Turn{{Tools: []agenttest.Tool{askSub("Do part one."), askSub("Do part two.")}}, {Text: "I see."}}}}}
	})
	b.session.Permit = endOn("one.txt")
	o, e := b.run(t)
	if o.Kind != agent.NeedsApproval || o.Text != "this waits for a person" || len(e.Of(agent.Text)) != 0 {
		t.Errorf("outcome %+v, it said %+v", o, e.Of(agent.Text))
	}
	if _, err := os.Stat(filepath.Join(b.session.Dir, "one.txt")); err == nil {
		t.Error("the call was made")
	}
	for _, c := range b.model.Calls() {
		if c.Rule == "main" && c.Turn > 0 {
			t.Error("the model was called again")
		}
	}
	b.session.Resume, b.session.Prompt = true, "Go on."
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "I see." || !o.Resumed {
		t.Errorf("outcome of the attempt after it: %+v", o)
	}
	calls := b.model.Calls()
	if body := string(calls[len(calls)-1].Body); !strings.Contains(body, "this waits for a person") {
		t.Errorf("the model was not told what happened: %s", excerpt.Tail(body, 3000))
	}
}

// TestEndCutsShort ends the session while another call of the same moment does not end by itself.
func TestEndCutsShort(t *testing.T) {
	b := newBench(t, task.Implementer, func(dir string) agenttest.Script {
		return agenttest.Script{Rules: []agenttest.Rule{
			{Name: "sub", Match: "part one", Turns: []agenttest.Turn{{Tools: []agenttest.Tool{bash("echo up > ready; cat stuck")}}, {Text: "Never."}}},
			{Name: "other", Match: "part two", Turns: []agenttest.Turn{{Tools: []agenttest.Tool{bash("touch stop.txt")}}, {Text: "Never."}}},
			{Name: "main", Role: task.Implementer, Turns: []agenttest.Turn{{Tools: []agenttest.Tool{askSub("Do part one."), askSub("Do part two.")}}, {Text: "I see."}}}}}
	})
	agenttest.Pipe(t, b.session.Dir, "stuck")
	ready := agenttest.Pipe(t, b.session.Dir, "ready")
	end := endOn("stop.txt")
	b.session.Permit = func(ctx context.Context, c agent.Call) agent.Decision {
		if strings.Contains(string(c.Input), "stop.txt") {
			<-ready
		}
		return end(ctx, c)
	}
	b.cfg.Grace, b.session.Wall = 300*time.Millisecond, 0 // nothing else ends it
	if o, _ := b.run(t); o.Kind != agent.NeedsApproval {
		t.Errorf("outcome: %+v", o)
	}
	if left := agenttest.Processes(t, b.session.ID); left != nil {
		t.Errorf("processes are left: %v", left)
	}
	b.session.Resume, b.session.Prompt = true, "Go on."
	if o, _ := b.run(t); o.Kind != agent.Completed || !o.Resumed {
		t.Errorf("outcome of the attempt after it: %+v", o)
	}
}

// TestWarmAsksTheRun starts a process with one session's Start and decides by the other's Permit.
func TestWarmAsksTheRun(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{bash("touch a.txt")}}, agenttest.Turn{Text: "Warm."}))
	started := 0
	first, second := b.session, b.session
	first.Permit = func(context.Context, agent.Call) agent.Decision {
		t.Error("the session that was warmed was asked")
		return agent.Decision{}
	}
	first.Start = func(ctx context.Context, s process.Spec) (*process.Process, error) {
		started++
		return process.Start(ctx, s)
	}
	second.Start = func(context.Context, process.Spec) (*process.Process, error) {
		t.Error("the process that waited was not taken")
		return nil, os.ErrPermission
	}
	var asked agenttest.Record
	second.Permit = asked.Of(second.Permit)
	if err := b.Warm(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	b.session = second
	if o, _ := b.run(t); o.Kind != agent.Completed || len(asked.Calls()) != 1 || started != 1 {
		t.Errorf("outcome %+v, asked %+v, started %d", o, asked.Calls(), started)
	}
}

// A command may take longer than the binary's own two minutes, and what it leaves in its folder for temporary files goes with the session.
func TestCommandsHaveTimeAndLeaveNothing(t *testing.T) {
	b := newBench(t, task.Implementer, func(string) agenttest.Script {
		return one(task.Implementer,
			agenttest.Turn{Tools: []agenttest.Tool{bash(`echo "$BASH_DEFAULT_TIMEOUT_MS $BASH_MAX_TIMEOUT_MS" > times.txt; echo x > "$TMPDIR/left"; mkdir "$TMPDIR/go-build"`)}},
			agenttest.Turn{Text: "Done."})("")
	})
	if o, _ := b.run(t); o.Kind != agent.Completed {
		t.Fatalf("outcome: %+v", o)
	}
	if got := read(t, b.session.Dir, "times.txt"); got != "600000 3600000\n" {
		t.Errorf("the limits of a command are %q", got)
	}
	if left, err := os.ReadDir(program.Tmp(b.session)); err == nil && len(left) > 0 {
		t.Errorf("%d temporary files are left", len(left))
	}
}
