package claude

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// TestKilledInCommand kills the binary with signal 9 while a command of its runs, and goes on with the session.
func TestKilledInCommand(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer,
		agenttest.Turn{Text: "First.", Tools: []agenttest.Tool{call("Write", "file_path", "a.txt", "content", "a")}},
		agenttest.Turn{Text: "Second.", Tools: []agenttest.Tool{bash("echo up > ready.fifo; read x < /dev/zero; sleep 1h")}},
		agenttest.Turn{Text: "It went on."}))
	b.session.Resume = true // as a worker says that does not know of an earlier attempt
	ready := agenttest.Pipe(t, b.session.Dir, "ready.fifo")
	go func() {
		<-ready
		recorded(t, b.session, "toolu_it_1_0_0")
		agenttest.Kill(t, b.session)
	}()
	o, _ := b.run(t)
	if o.Kind != agent.Errored || !strings.Contains(o.Text, "SIGKILL") || o.Resumed {
		t.Fatalf("outcome of the killed attempt: %+v", o)
	}
	if left := agenttest.Processes(t, b.session.ID); left != nil {
		t.Fatalf("processes are left: %v", left)
	}
	o, e := b.run(t)
	if o.Kind != agent.Completed || o.Text != "It went on." || !o.Resumed {
		t.Errorf("outcome of the resumed attempt: %+v", o)
	}
	if started := e.Of(agent.Started); len(started) != 1 || started[0].ID != b.session.ID {
		t.Errorf("started: %+v", started)
	}
	for i, c := range b.model.Calls() {
		if c.Turn != i || c.Session != b.session.ID {
			t.Errorf("call %d was for turn %d of %s", i, c.Turn, c.Session)
		}
	}
}

// recorded waits until the transcript holds the text. The binary writes it a little after the fact: a command can run that a
// resumed session does not know of.
func recorded(t *testing.T, s agent.Session, text string) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		for _, f := range transcripts(s) {
			if data, err := os.ReadFile(f); err == nil && strings.Contains(string(data), text) {
				return
			}
		}
		if t.Context().Err() != nil {
			return
		}
	}
}

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
					recorded(t, b.session, `"Do what is to be done."`)
					agenttest.Kill(t, b.session)
				}
			}}))
			if o, _ := b.run(t); o.Kind != agent.Errored {
				t.Fatalf("outcome of the killed attempt: %+v", o)
			}
			for _, f := range transcripts(b.session) {
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
	if o, _ := b.run(t); o.Kind != agent.Errored {
		t.Fatalf("outcome of the killed attempt: %+v", o)
	}
	b.session.Resume = true
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Here I am." {
		t.Errorf("outcome of the resumed attempt: %+v", o)
	}
}

// TestSecondPrompt adds a prompt to a session that has ended well. Its usage counts from the session's beginning.
func TestSecondPrompt(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Once."}, agenttest.Turn{Text: "Twice."}))
	first, _ := b.run(t)
	// A start with the id of an existing session resumes it, whether or not it was asked to.
	second, _ := b.run(t)
	if second.Kind != agent.Completed || second.Text != "Twice." || !second.Resumed {
		t.Errorf("outcome: %+v", second)
	}
	if second.Usage.Input != 2*first.Usage.Input || second.Usage.CostUSD != 2*first.Usage.CostUSD {
		t.Errorf("usage %+v after %+v", second.Usage, first.Usage)
	}
}

func TestUnusableTranscripts(t *testing.T) {
	for name, spoil := range map[string]func(string) string{
		"cut":         func(s string) string { return s[:len(s)*2/3] },
		"no messages": func(s string) string { line, _, _ := strings.Cut(s, "\n"); return line + "\n" },
		"empty":       func(string) string { return "" },
		"garbage":     func(string) string { return "\x00\x00\x00 not a transcript" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Well."}))
			b.run(t)
			files := transcripts(b.session)
			if len(files) != 1 {
				t.Fatalf("transcripts: %v", files)
			}
			data, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			write(t, "", files[0], spoil(string(data)))
			b.session.Resume = true
			if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Well." {
				t.Errorf("outcome: %+v", o)
			}
		})
	}
}

// TestEndsEarlierAttempt finds a process of the same session that a dead worker has left.
func TestEndsEarlierAttempt(t *testing.T) {
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Alone."}))
	orphan := exec.Command("sleep", "1h")
	orphan.Env = []string{process.SessionEnv + "=" + b.session.ID}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- orphan.Wait() }()
	if o, _ := b.run(t); o.Kind != agent.Completed {
		t.Errorf("outcome: %+v", o)
	}
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		orphan.Process.Kill()
		<-gone
		t.Error("the orphan was left alone")
	}
}

func TestOneRunPerSession(t *testing.T) {
	release, inside := make(chan struct{}), make(chan struct{})
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Text: "Done.", Before: func(*agenttest.Call) {
		close(inside)
		<-release
	}}))
	done := make(chan agent.Outcome)
	go func() {
		o, _ := b.Run(context.WithoutCancel(t.Context()), b.session, func(agent.Event) {})
		done <- o
	}()
	<-inside
	if _, err := b.Run(t.Context(), b.session, func(agent.Event) {}); fault.KindOf(err) != fault.Internal {
		t.Errorf("the second run: %v", err)
	}
	close(release)
	if o := <-done; o.Kind != agent.Completed {
		t.Errorf("the first run: %+v", o)
	}
}
