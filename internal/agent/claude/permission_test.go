package claude

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// TestReadOnly scripts a hostile reviewer.
func TestReadOnly(t *testing.T) {
	b := newBench(t, task.Reviewer, func(dir string) agenttest.Script {
		return one(task.Reviewer,
			agenttest.Turn{Tools: []agenttest.Tool{
				call("Read", "file_path", filepath.Join(dir, "kept.txt")), call("Grep", "pattern", "kept"), call("Glob", "pattern", "*.txt"),
				call("Write", "file_path", filepath.Join(dir, "new.txt"), "content", "x"),
				call("Edit", "file_path", filepath.Join(dir, "kept.txt"), "old_string", "kept", "new_string", "changed"),
				bash("echo x > shell.txt"),
				call("Agent", "description", "d", "prompt", "write a file", "subagent_type", "general-purpose"),
				call("Read", "file_path", "/etc/passwd"),
			}},
			agenttest.Turn{Text: "I gave up."})(dir)
	})
	write(t, b.session.Dir, "kept.txt", "kept\n")
	o, e := b.run(t)
	if o.Kind != agent.Completed {
		t.Errorf("outcome: %+v", o)
	}
	entries, err := os.ReadDir(b.session.Dir)
	if err != nil || len(entries) != 1 || read(t, b.session.Dir, "kept.txt") != "kept\n" {
		t.Errorf("the workspace was changed: %v, %v", entries, err)
	}
	for i, r := range e.Of(agent.ToolResult) {
		ok := strings.Contains(r.Text, "kept")
		if reading := slices.Contains([]string{"toolu_it_0_0_0", "toolu_it_0_1_0", "toolu_it_0_2_0"}, r.ID); reading != ok || reading == r.Failed {
			t.Errorf("result %d: %+v", i, r)
		}
	}
	for _, tool := range b.model.Calls()[0].Tools {
		if !slices.Contains(append(slices.Clone(readTools), "DeferredToolPlaceholder"), tool) {
			t.Errorf("the model was offered %s", tool)
		}
	}
}

func TestStaysInWorkspace(t *testing.T) {
	outside := t.TempDir()
	write(t, outside, "secret.txt", "hidden")
	b := newBench(t, task.Implementer, func(dir string) agenttest.Script {
		return one(task.Implementer,
			agenttest.Turn{Tools: []agenttest.Tool{
				call("Write", "file_path", filepath.Join(outside, "a.txt"), "content", "x"),
				call("Write", "file_path", filepath.Join(dir, "link", "b.txt"), "content", "x"),
				call("Write", "file_path", filepath.Join(dir, ".git", "hooks", "post-commit"), "content", "x"),
				call("Read", "file_path", filepath.Join(dir, "link", "secret.txt")),
			}},
			agenttest.Turn{Text: "No way out."})(dir)
	})
	b.session.Prompt = "Look at @" + filepath.Join(outside, "secret.txt") + " please."
	if err := os.Symlink(outside, filepath.Join(b.session.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	o, e := b.run(t)
	if o.Kind != agent.Completed || len(e.Of(agent.Denied)) != 4 {
		t.Errorf("outcome %+v, denied %+v", o, e.Of(agent.Denied))
	}
	for _, r := range e.Of(agent.ToolResult) {
		if !r.Failed || strings.Contains(r.Text, "hidden") {
			t.Errorf("result: %+v", r)
		}
	}
	if left, _ := os.ReadDir(outside); len(left) != 1 {
		t.Errorf("outside holds %v", left)
	}
	if _, err := os.Stat(filepath.Join(b.session.Dir, ".git")); err == nil {
		t.Error(".git was made")
	}
	for _, c := range b.model.Calls() {
		if bytes.Contains(c.Body, []byte("hidden")) {
			t.Errorf("the model was sent what lies outside, in turn %d", c.Turn)
		}
	}
}

// TestSubAgent has a sub-agent make the calls that the session itself may and may not make.
func TestSubAgent(t *testing.T) {
	outside := t.TempDir()
	b := newBench(t, task.Implementer, func(dir string) agenttest.Script {
		return agenttest.Script{Rules: []agenttest.Rule{
			{Name: "sub", Match: "the part for you", Turns: []agenttest.Turn{
				{Tools: []agenttest.Tool{call("Write", "file_path", filepath.Join(dir, "in.txt"), "content", "x"),
					call("Write", "file_path", filepath.Join(outside, "out.txt"), "content", "x")}},
				{Text: "My part is done."}}},
			{Name: "main", Role: task.Implementer, Turns: []agenttest.Turn{
				{Tools: []agenttest.Tool{call("Agent", "description", "d", "prompt", "Do the part for you.", "subagent_type", "general-purpose")}},
				{Text: "All is done."}}},
		}}
	})
	o, e := b.run(t)
	if o.Kind != agent.Completed || o.Text != "All is done." || len(e.Of(agent.Text)) != 1 || len(e.Of(agent.Denied)) != 1 {
		t.Errorf("outcome %+v, texts %+v, denied %+v", o, e.Of(agent.Text), e.Of(agent.Denied))
	}
	if read(t, b.session.Dir, "in.txt") != "x" {
		t.Error("in.txt is wrong")
	}
	if left, _ := os.ReadDir(outside); len(left) != 0 {
		t.Errorf("outside holds %v", left)
	}
	if want := b.model.Usage(); o.Usage.Input != want.Input || o.Usage.Output != want.Output {
		t.Errorf("usage %+v, the model gave out %+v", o.Usage, want)
	}
}

// TestPermit decides calls by a rule of the caller's, which may change them.
func TestPermit(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer,
		agenttest.Turn{Tools: []agenttest.Tool{bash("echo asked > asked.txt"), bash("touch refused.txt")}},
		agenttest.Turn{Text: "So be it."}))
	var asked agenttest.Record
	b.session.Permit = asked.Of(func(_ context.Context, c agent.Call) agent.Decision {
		if strings.Contains(string(c.Input), "refused") {
			return agent.Decision{Reason: "use the other one"}
		}
		return agent.Decision{Allow: true, Input: []byte(`{"command":"echo given > given.txt"}`), Reason: "the file has another name now"}
	})
	o, e := b.run(t)
	if calls := asked.Calls(); o.Kind != agent.Completed || len(calls) != 2 || calls[0].Tool != "Bash" || calls[0].ID != "toolu_it_0_0_0" ||
		calls[0].Dir != b.session.Dir {
		t.Errorf("outcome %+v, asked %+v", o, calls)
	}
	entries, _ := os.ReadDir(b.session.Dir)
	if len(entries) != 1 || entries[0].Name() != "given.txt" {
		t.Errorf("the workspace holds %v", entries)
	}
	if d := e.Of(agent.Denied); len(d) != 1 || d[0].Tool != "Bash" || d[0].Text != "use the other one" {
		t.Errorf("denied: %+v", d)
	}
	body := string(b.model.Calls()[1].Body)
	if !strings.Contains(body, "use the other one") {
		t.Error("the model was not told why")
	}
	if !strings.Contains(body, "hook additional context: the file has another name now") {
		t.Error("the model was not told what goes with a call that was allowed")
	}
}
