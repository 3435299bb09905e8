package codex

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// TestPromptIsSentOnce goes on with a conversation by the short prompt where it has the whole one, and by the whole one where that is lost.
func TestPromptIsSentOnce(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(string) string
		want  string
	}{
		"it is there": {func(text string) string { return text }, "Go on."},
		"it is lost":  {func(text string) string { line, _, _ := strings.Cut(text, "\n"); return line + "\n" }, "Do what is to be done."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bench
			b = newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Here I am.", Before: func(c *agenttest.Call) {
				if c.Try == 1 && len(b.model.Calls()) <= 1 {
					agenttest.Kill(t, b.session)
				}
			}}))
			if o, _ := b.run(t); o.Kind != agent.Errored {
				t.Fatalf("outcome of the killed attempt: %+v", o)
			}
			for _, f := range conversations(b.session, "") {
				data, err := os.ReadFile(f)
				if err == nil {
					err = os.WriteFile(f, []byte(c.spoil(string(data))), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			b.session.Resume, b.session.Again = true, "Go on."
			if o, _ := b.run(t); o.Kind != agent.Completed {
				t.Errorf("outcome of the resumed attempt: %+v", o)
			}
			calls := b.model.Calls()
			if last := calls[len(calls)-1]; strings.TrimSpace(last.Prompt) != c.want {
				t.Errorf("the last prompt is %q, want %q", last.Prompt, c.want)
			}
		})
	}
}

// TestKilledBeforeAnswer kills the binary while it waits for the model.
func TestKilledBeforeAnswer(t *testing.T) {
	var b *bench
	b = newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Here I am.", Before: func(c *agenttest.Call) {
		if c.Try == 1 {
			agenttest.Kill(t, b.session)
		}
	}}))
	first, _ := b.run(t)
	if first.Kind != agent.Errored || first.SessionID == "" {
		t.Fatalf("outcome of the killed attempt: %+v", first)
	}
	b.session.Resume = true
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Here I am." || !o.Resumed || o.SessionID != first.SessionID {
		t.Errorf("outcome of the resumed attempt: %+v", o)
	}
}

// TestUnknownConversation starts anew when the one that was written down is gone, or when what was written down is no id.
func TestUnknownConversation(t *testing.T) {
	for name, text := range map[string]string{"gone": conversation, "no id": "../../x", "empty": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Here."}))
			b.session.Resume = true
			if err := os.WriteFile(filepath.Join(b.session.StateDir, threadName), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Here." || o.Resumed || o.SessionID == text {
				t.Errorf("outcome: %+v", o)
			}
		})
	}
}

// TestTornConversation cuts off the conversation that an earlier attempt has left, as a crash does. It is gone on with, unless its first line is
// incomplete.
func TestTornConversation(t *testing.T) {
	for name, c := range map[string]struct {
		left    func(data []byte) int // bytes
		resumed bool
		says    string
	}{
		"nothing":         {func([]byte) int { return 0 }, false, "Here."},
		"half its head":   {func(data []byte) int { return bytes.IndexByte(data, '\n') / 2 }, false, "Here."},
		"its head":        {func(data []byte) int { return bytes.IndexByte(data, '\n') + 1 }, true, "Here."},
		"all but its end": {func(data []byte) int { return len(data) - 20 }, true, "Here again."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Here."}, agenttest.Turn{Text: "Here again."}))
			first, _ := b.run(t)
			files, _ := filepath.Glob(filepath.Join(codexHome(b.session), sessionsName, "*", "*", "*", "*"+first.SessionID+".jsonl"))
			if len(files) != 1 {
				t.Fatalf("the conversation lies in %q", files)
			}
			data, err := os.ReadFile(files[0])
			if err == nil {
				err = os.Truncate(files[0], int64(c.left(data)))
			}
			if err != nil {
				t.Fatal(err)
			}
			b.session.Resume = true
			o, _ := b.run(t)
			if o.Kind != agent.Completed || o.Resumed != c.resumed || (o.SessionID == first.SessionID) != c.resumed || o.Text != c.says {
				t.Errorf("outcome: %+v", o)
			}
		})
	}
}

// TestStateFolderIsNotTrusted has links and pipes where the driver writes and reads.
func TestStateFolderIsNotTrusted(t *testing.T) {
	outside := t.TempDir()
	for name, plant := range map[string]func(dir string) error{
		"link for a folder": func(dir string) error { return os.Symlink(outside, filepath.Join(dir, codexName)) },
		"link for the id":   func(dir string) error { return os.Symlink(filepath.Join(outside, "x"), filepath.Join(dir, threadName)) },
		"pipe for the id":   func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, threadName), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Here."}))
			b.session.Resume = true
			if err := plant(b.session.StateDir); err != nil {
				t.Fatal(err)
			}
			if o, _ := b.run(t); o.Kind != agent.Completed {
				t.Errorf("outcome: %+v", o)
			}
			if left, _ := os.ReadDir(outside); len(left) > 0 {
				t.Errorf("it wrote outside: %v", left)
			}
		})
	}
}

// TestEndIsWrittenDown ends a session by a decision. The model is not called again, and in the next attempt it sees why.
func TestEndIsWrittenDown(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer,
		agenttest.Turn{Tools: []agenttest.Tool{bash("touch a.txt"), bash("touch stop.txt"), bash("touch b.txt")}}, agenttest.Turn{Text: "I see."}))
	b.session.Permit = func(_ context.Context, c agent.Call) agent.Decision {
		if strings.Contains(string(c.Input), "stop.txt") {
			return agent.Decision{Reason: "this waits for a person", End: agent.NeedsApproval}
		}
		return agent.Decision{Allow: true}
	}
	if o, _ := b.run(t); o.Kind != agent.NeedsApproval || o.Text != "this waits for a person" || len(b.model.Calls()) != 1 {
		t.Errorf("outcome %+v, %d calls of the model", o, len(b.model.Calls()))
	}
	if _, err := os.Stat(filepath.Join(b.session.Dir, "stop.txt")); err == nil {
		t.Error("the call was made")
	}
	b.session.Resume, b.session.Prompt = true, "Go on."
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "I see." || !o.Resumed {
		t.Errorf("outcome of the attempt after it: %+v", o)
	}
	if c := b.model.Calls()[1]; !strings.Contains(c.System, "this waits for a person") || c.Prompt != "Go on." {
		t.Errorf("the model was told %q", c.Prompt)
	}
}

// TestReasonsReachTheModel tells the model why a call was refused, and what it should know of one that was made.
func TestReasonsReachTheModel(t *testing.T) {
	for _, model := range []string{direct, codeMode} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, task.Implementer, one(task.Implementer, spoken(model, []agenttest.Turn{
				{Tools: []agenttest.Tool{{Input: map[string]any{"command": "touch a.txt"}}}},
				{Tools: []agenttest.Tool{{Input: map[string]any{"command": "touch b.txt"}}}}, {Text: "Done."}})...))
			b.session.Model = model
			b.session.Permit = func(_ context.Context, c agent.Call) agent.Decision {
				return agent.Decision{Allow: strings.Contains(string(c.Input), "b.txt"), Reason: "take b.txt"}
			}
			if o, _ := b.run(t); o.Kind != agent.Completed {
				t.Errorf("outcome: %+v", o)
			}
			calls := b.model.Calls()
			if len(calls) != 3 || calls[1].Prompt != "The call of Bash was refused: take b.txt" || calls[2].Prompt != "About the call of Bash: take b.txt" {
				t.Errorf("the model was told %q and %q in %d calls", calls[1].Prompt, calls[len(calls)-1].Prompt, len(calls))
			}
		})
	}
}

// TestImages sends an image with the first prompt, and not again.
func TestImages(t *testing.T) {
	const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Seen."}, agenttest.Turn{Text: "Again."}))
	b.session.Images = []agent.Image{{Type: "image/png", Data: decoded(t, dot)}}
	b.run(t)
	b.session.Resume, b.session.Prompt = true, "Go on."
	b.run(t)
	for i, c := range b.model.Calls() {
		if n := strings.Count(string(c.Body), "data:image/png;base64,"); n != 1 {
			t.Errorf("call %d holds %d images", i, n)
		}
	}
}
