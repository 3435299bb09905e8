package claude

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/task"
)

// decidedOnce checks that every call with a result was asked about exactly once.
func decidedOnce(t *testing.T, asked *agenttest.Record, e *agenttest.Events) {
	t.Helper()
	times := map[string]int{}
	for _, c := range asked.Calls() {
		times[c.ID]++
	}
	for id, n := range times {
		if n != 1 {
			t.Errorf("%s was asked about %d times", id, n)
		}
	}
	for _, r := range e.Of(agent.ToolResult) {
		if times[r.ID] != 1 {
			t.Errorf("%s was not asked about: %s", r.ID, r.Text)
		}
	}
}

func askSub(prompt string) agenttest.Tool {
	return call("Agent", "description", "d", "prompt", prompt, "subagent_type", "general-purpose")
}

// TestAsksAboutEveryCall makes the calls that the binary would make without a question, in a sub-agent too, and goes to another folder.
func TestAsksAboutEveryCall(t *testing.T) {
	b := newBench(t, task.Implementer, func(dir string) agenttest.Script {
		return agenttest.Script{Rules: []agenttest.Rule{
			{Name: "sub", Match: "the part for you", Turns: []agenttest.Turn{
				{Tools: []agenttest.Tool{call("Read", "file_path", filepath.Join(dir, "kept.txt")), call("Grep", "pattern", "kept"), bash("pwd")}},
				{Text: "Done."}}},
			{Name: "main", Role: task.Implementer, Turns: []agenttest.Turn{
				{Tools: []agenttest.Tool{call("Read", "file_path", filepath.Join(dir, "kept.txt")), call("Grep", "pattern", "kept"), call("Glob", "pattern", "*"),
					bash("ls"), bash("git log --oneline"), bash("mkdir sub && cd sub")}},
				{Tools: []agenttest.Tool{bash("pwd"), call("Edit", "file_path", filepath.Join(dir, "kept.txt"), "old_string", "kept", "new_string", "changed")}},
				{Tools: []agenttest.Tool{askSub("Do the part for you.")}},
				{Text: "All is done."}}},
		}}
	})
	write(t, b.session.Dir, "kept.txt", "kept\n")
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "start"}} {
		if out, err := exec.Command("git", append([]string{"-C", b.session.Dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git: %v\n%s", err, out)
		}
	}
	var asked agenttest.Record
	b.session.Permit = asked.Of(b.session.Permit)
	o, e := b.run(t)
	if o.Kind != agent.Completed || o.Text != "All is done." || len(e.Of(agent.Denied)) != 0 {
		t.Errorf("outcome %+v, denied %+v", o, e.Of(agent.Denied))
	}
	decidedOnce(t, &asked, e)
	var tools []string
	dirs := map[string]string{}
	for _, c := range asked.Calls() {
		tools, dirs[c.ID] = append(tools, c.Tool), c.Dir
	}
	slices.Sort(tools)
	if want := strings.Fields("Agent Bash Bash Bash Bash Bash Edit Glob Grep Grep Read Read"); !slices.Equal(tools, want) {
		t.Errorf("it asked about %q", tools)
	}
	if dirs["toolu_main_0_5_0"] != b.session.Dir || dirs["toolu_main_1_0_0"] != filepath.Join(b.session.Dir, "sub") {
		t.Errorf("folders of the commands: %v", dirs)
	}
	for _, r := range e.Of(agent.ToolResult) {
		if r.ID == "toolu_main_1_0_0" && r.Text != dirs[r.ID] {
			t.Errorf("pwd said %q, the call was to run in %q", r.Text, dirs[r.ID])
		}
	}
}

// TestEndOfOurAnswers closes the binary's stdin in the middle of a question, as when we die.
func TestEndOfOurAnswers(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{bash("touch a.txt"), bash("ls > b.txt")}},
		agenttest.Turn{Text: "Well."}))
	var p *process.Process
	b.session.Start = func(ctx context.Context, s process.Spec) (_ *process.Process, err error) {
		p, err = process.Start(ctx, s)
		return p, err
	}
	ended := make(chan struct{})
	b.session.Permit = func(ctx context.Context, _ agent.Call) agent.Decision {
		p.Stdin().Close()
		<-ctx.Done() // the binary withdraws the question, or has gone
		close(ended)
		return agent.Decision{Allow: true}
	}
	b.Run(t.Context(), b.session, func(agent.Event) {}) // how it ends is not the point
	<-ended
	for _, name := range []string{"a.txt", "b.txt"} {
		if _, err := os.Stat(filepath.Join(b.session.Dir, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}

// TestSubAgentsAskAtOnce has two sub-agents whose calls are each decided on only once the other was asked about too.
func TestSubAgentsAskAtOnce(t *testing.T) {
	b := newBench(t, task.Implementer, func(dir string) agenttest.Script {
		sub := func(n string) agenttest.Rule {
			return agenttest.Rule{Name: "sub" + n, Match: "part " + n, Turns: []agenttest.Turn{
				{Tools: []agenttest.Tool{call("Write", "file_path", filepath.Join(dir, n+".txt"), "content", n)}}, {Text: "Part " + n + " is done."}}}
		}
		return agenttest.Script{Rules: []agenttest.Rule{sub("one"), sub("two"),
			{Name: "main", Role: task.Implementer, Turns: []agenttest.Turn{{Tools: []agenttest.Tool{askSub("Do part one."), askSub("Do part two.")}}, {Text: "All is done."}}}}}
	})
	var both sync.WaitGroup
	both.Add(2)
	var asked agenttest.Record
	b.session.Permit = asked.Of(func(_ context.Context, c agent.Call) agent.Decision {
		if c.Tool == "Write" {
			both.Done()
			both.Wait()
		}
		return agent.Decision{Allow: true}
	})
	o, e := b.run(t)
	if o.Kind != agent.Completed || o.Text != "All is done." {
		t.Errorf("outcome: %+v", o)
	}
	decidedOnce(t, &asked, e)
	subs := map[string]int{}
	for _, c := range asked.Calls() {
		subs[c.Sub]++
	}
	if len(subs) != 3 || subs[""] != 2 {
		t.Errorf("calls by sub-agent: %v", subs)
	}
	if read(t, b.session.Dir, "one.txt")+read(t, b.session.Dir, "two.txt") != "onetwo" {
		t.Error("the files are wrong")
	}
}
