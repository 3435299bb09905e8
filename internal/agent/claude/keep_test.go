package claude

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/internal/agent/program"
	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// relay is sessions that go on with one process.
type relay struct {
	*bench
	reports *reporting.Session
}

var passed = report("deliverable_set_status", "id", "FIX-001", "status", "passed", "text", "fix: add")

// newRelay makes a relay whose first session makes the calls and reports its end.
func newRelay(t *testing.T, first []agenttest.Tool, second func(dir string) []agenttest.Tool) *relay {
	t.Helper()
	b := newBench(t, task.Implementer, func(dir string) agenttest.Script {
		return agenttest.Script{KeepBodies: true, Rules: []agenttest.Rule{
			{Name: "first", Match: "The first prompt", Turns: []agenttest.Turn{{Text: "It was SECRET.", Tools: first}, passed}},
			{Name: "second", Match: "The second prompt", Turns: []agenttest.Turn{{Tools: second(dir)}, passed}},
		}}
	})
	r := agenttest.Reports(t, task.Implementer)
	b.session.Reports, b.session.Keep = r.Endpoint(), true
	b.session.Prompt = "The first prompt, of the SECRET."
	return &relay{b, r}
}

// next is the session that goes on with the process of the last.
func (r *relay) next(t *testing.T, prompt string) (ended string) {
	t.Helper()
	r.reports = agenttest.ReportsAfter(t, r.reports)
	ended = r.session.ID
	r.session.ID, r.session.Prompt, r.session.Reports = uuid.NewString(), prompt, r.reports.Endpoint()
	return ended
}

// TestClear: a session goes on with the process of another, and a model that looks for what that one has left finds nothing.
func TestClear(t *testing.T) {
	t.Parallel()
	const look = "pwd; echo LEFT=$LEFT; alias | grep -i ^alias.ll; grep -rlsF --exclude-dir=projects SEC''RET ~ $TMPDIR; ls -A ~ | grep -vx .cache; ls -A ~/.claude | grep -vx backups; ls ~/.claude/projects/*; true"
	r := newRelay(t, []agenttest.Tool{
		call("Write", "file_path", "a.txt", "content", "one\n"), bash(look),
		bash("cd /; export LEFT=SECRET; alias ll=SECRET; echo SECRET >>~/.bashrc; echo SECRET >~/.claude/CLAUDE.md; mkdir -p ~/.cache; echo SECRET | tee ~/.cache/x $TMPDIR/x >/dev/null"),
		bash("mkdir -p .claude/commands .claude/skills/clear; echo SECRET | tee .claude/commands/clear.md .claude/skills/clear/SKILL.md >/dev/null"),
		bash("mkdir -p ~/.claude/commands ~/.claude/skills/s; echo SECRET | tee ~/.claude/commands/clear.md ~/.claude/skills/s/SKILL.md ~/.claude/settings.json >/dev/null; ln -s / ~/.claude/todos"),
		bash("mkdir -p ~/.claude/backups ~/.claude/plugins/p $TMPDIR/cc-socks/a; echo SECRET | tee ~/.claude/backups/y ~/.claude/plugins/p/x ~/.claude/sessions/w $TMPDIR/cc-socks/a/b >/dev/null; sed -i 's/{/{\"SECRET\":1,/' ~/.claude.json; mkfifo ~/.claude/projects/pipe $TMPDIR/claude-$(id -u)/pipe"),
	}, func(dir string) []agenttest.Tool {
		return []agenttest.Tool{
			call("Edit", "file_path", filepath.Join(dir, "a.txt"), "old_string", "one", "new_string", "two"),
			bash(look),
		}
	})
	asked, permit := 0, r.session.Permit
	r.session.Permit = func(ctx context.Context, c agent.Call) agent.Decision {
		if strings.Contains(string(c.Input), "alias.ll") {
			asked++
		}
		return permit(ctx, c)
	}
	if o, _ := r.run(t); o.Kind != agent.Completed {
		t.Fatalf("outcome: %+v", o)
	}
	pid := r.kept[r.session.ID].Pid()
	ended := r.next(t, "The second prompt.")
	if err := r.Clear(t.Context(), ended, r.session); err != nil {
		t.Fatal(err)
	}
	p := r.warm[r.session.ID]
	if !hasTranscript(r.session) || hasPrompt(r.session) {
		t.Error("the new conversation has no file, or is taken for one that holds the prompt")
	}
	o, e := r.run(t)
	if o.Kind != agent.Completed || o.Resumed || p.Pid() != pid {
		t.Errorf("outcome: %+v, process %d after %d", o, p.Pid(), pid)
	}
	if !hasPrompt(r.session) {
		t.Error("the prompt is not found in the new conversation")
	}
	if asked != 2 {
		t.Errorf("asked %d times about a command of both sessions", asked)
	}
	results := e.Of(agent.ToolResult)
	if len(results) != 3 || !strings.Contains(results[0].Text, "has not been read") {
		t.Errorf("results: %+v", results)
	}
	want := r.session.Dir + "\nLEFT=\n.claude\n.claude.json\nprojects\nsession-env\nshell-snapshots\n" + p.conversation + ".jsonl"
	if got := strings.TrimSpace(results[1].Text); got != want {
		t.Errorf("left of the session before:\n%s\nwanted:\n%s", got, want)
	}
	for _, c := range r.model.Calls() {
		if strings.HasPrefix(c.Rule, "second") && strings.Contains(string(c.Body), "SECRET") {
			t.Errorf("the model is sent what the session before has said: %s", c.Body)
		}
	}
	if got := read(t, r.session.Dir, "a.txt"); got != "one\n" {
		t.Errorf("a.txt holds %q", got)
	}
}

// TestNotKept: a process that has anything left of its session is ended with it, also when that runs ahead of who looks for it.
func TestNotKept(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]string{
		"a process":            "sleep 1000 >/dev/null 2>&1 &",
		"a daemon":             "setsid -f sleep 1000 >/dev/null 2>&1 </dev/null",
		"one that forks on":    "setsid python3 -c 'import os\nwhile True:\n  if os.fork(): os._exit(0)' >/dev/null 2>&1 </dev/null &",
		"one that ends it all": "(sleep 5; kill -9 $PPID) >/dev/null 2>&1 &",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, []agenttest.Tool{bash(left)}, func(string) []agenttest.Tool { return []agenttest.Tool{bash("true")} })
			r.cfg.EndTime = time.Millisecond
			if o, _ := r.run(t); o.Kind != agent.Completed || o.Kept || len(r.kept) > 0 {
				t.Errorf("outcome: %+v, kept: %v", o, r.kept)
			}
			if left := agenttest.Processes(t, r.session.ID); left != nil {
				t.Errorf("processes are left: %v", left)
			}
		})
	}
}

// TestKeptWhenItsProcessEnds: a process that is about to end when somebody looks for it is none that is left.
func TestKeptWhenItsProcessEnds(t *testing.T) {
	t.Parallel()
	r := newRelay(t, []agenttest.Tool{bash("sleep 0.4 >/dev/null 2>&1 &")}, func(string) []agenttest.Tool { return []agenttest.Tool{bash("true")} })
	if o, _ := r.run(t); o.Kind != agent.Completed || !o.Kept {
		t.Errorf("outcome: %+v", o)
	}
}

// TestClearRefused: a session of another kind does not get the process.
func TestClearRefused(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*relay){
		"another model":        func(r *relay) { r.session.Model = "haiku" },
		"another system text":  func(r *relay) { r.session.System += "More.\n" },
		"another state folder": func(r *relay) { r.session.StateDir += "2" },
		"killed":               func(r *relay) { r.kept[r.session.ID].Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, []agenttest.Tool{bash("true")}, func(string) []agenttest.Tool { return []agenttest.Tool{bash("true")} })
			r.run(t)
			old := r.kept[r.session.ID]
			change(r)
			ended := r.next(t, "The second prompt.")
			if err := r.Clear(t.Context(), ended, r.session); err == nil || running(old) {
				t.Errorf("cleared: %v; the process runs: %v", err, running(old))
			}
		})
	}
}

// TestClearedIsGone: a session whose process has ended since it was cleared does not begin afresh in the other's folder, until it is run again.
func TestClearedIsGone(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*relay){
		"killed":              func(r *relay) { r.warm[r.session.ID].Stop() },
		"another system text": func(r *relay) { r.session.System += "More.\n" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, []agenttest.Tool{bash("echo SECRET | tee ~/x ~/.bashrc")}, func(string) []agenttest.Tool {
				return []agenttest.Tool{bash("ls -A ~; grep -rlF SEC''RET ~")}
			})
			r.run(t)
			ended := r.next(t, "The second prompt.")
			if err := r.Clear(t.Context(), ended, r.session); err != nil {
				t.Fatal(err)
			}
			end(r)
			if _, err := r.Run(t.Context(), r.session, func(agent.Event) {}); fault.KindOf(err) != fault.Infra {
				t.Errorf("it was run: %v", err)
			}
			r.session.Resume = true
			o, e := r.run(t)
			if got := e.Of(agent.ToolResult)[0].Text; o.Kind != agent.Completed || strings.Contains(got, "x") || strings.Contains(got, "bashrc") {
				t.Errorf("outcome %+v; left: %s", o, got)
			}
		})
	}
}

// TestClearedIsKilled: a session that goes on with the process of another is resumed by the id that the binary has given it.
func TestClearedIsKilled(t *testing.T) {
	t.Parallel()
	r := newRelay(t, []agenttest.Tool{bash("true")}, func(string) []agenttest.Tool {
		return []agenttest.Tool{bash("echo x >>a; echo up >ready.fifo; sleep 1000")}
	})
	r.run(t)
	first := r.next(t, "The second prompt.")
	if err := r.Clear(t.Context(), first, r.session); err != nil {
		t.Fatal(err)
	}
	p := r.warm[r.session.ID]
	ready, second := agenttest.Pipe(t, r.session.Dir, "ready.fifo"), r.session
	go func() {
		<-ready
		recorded(t, second, "toolu_second_0_0_0")
		syscall.Kill(p.Pid(), syscall.SIGKILL)
	}()
	if o, _ := r.run(t); o.Kind != agent.Errored || !strings.Contains(o.Text, "SIGKILL") {
		t.Fatalf("outcome: %+v", o)
	}
	if left := agenttest.Processes(t, first); left != nil {
		t.Errorf("processes are left: %v", left)
	}
	r.session.Resume = true
	o, e := r.run(t)
	if o.Kind != agent.Completed || !o.Resumed || e.Of(agent.Started)[0].ID != p.conversation {
		t.Errorf("outcome: %+v, started: %+v, wanted %s", o, e.Of(agent.Started), p.conversation)
	}
	if got := read(t, r.session.Dir, "a"); got != "x\n" {
		t.Errorf("the command ran again: %q", got)
	}
}

// TestKeptEnds: what waits for another session ends with Cool, Close and its time; without Keep nothing waits.
func TestKeptEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*relay){
		"cool": func(r *relay) { r.Cool(r.session.ID) }, "close": func(r *relay) { r.Close() }, "not kept": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t, []agenttest.Tool{bash("true")}, func(string) []agenttest.Tool { return []agenttest.Tool{bash("true")} })
			r.session.Keep = end != nil
			if o, _ := r.run(t); o.Kind != agent.Completed {
				t.Fatalf("outcome: %+v", o)
			}
			if end != nil {
				if p := r.kept[r.session.ID]; p == nil || !running(p) {
					t.Fatal("nothing waits")
				}
				if _, err := os.Stat(program.Tmp(r.session)); err != nil {
					t.Error(err)
				}
				end(r)
			}
			if left := agenttest.Processes(t, r.session.ID); left != nil || len(r.kept) != 0 {
				t.Errorf("processes are left: %v; kept: %v", left, r.kept)
			}
		})
	}
}

// TestNothingWaitsAfterClose: a session that ends when the driver is closed has its outcome, and leaves nothing.
func TestNothingWaitsAfterClose(t *testing.T) {
	t.Parallel()
	r := newRelay(t, []agenttest.Tool{bash("true")}, func(string) []agenttest.Tool { return []agenttest.Tool{bash("true")} })
	permit := r.session.Permit
	r.session.Permit = func(ctx context.Context, c agent.Call) agent.Decision {
		r.Close()
		return permit(ctx, c)
	}
	if o, _ := r.run(t); o.Kind != agent.Completed || o.Kept {
		t.Errorf("outcome: %+v", o)
	}
	if left := agenttest.Processes(t, r.session.ID); left != nil || len(r.kept) != 0 {
		t.Errorf("processes are left: %v; kept: %v", left, r.kept)
	}
}
