package activities

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func (b *bench) check(command string, change func(*CommandInput)) signals.Check {
	b.t.Helper()
	in := CommandInput{Ref: b.ref, N: 1, Command: command, Wall: time.Minute}
	if change != nil {
		change(&in)
	}
	var out signals.Check
	must(b.t, b.attempt().run(b.RunChecks, in, &out))
	return out
}

func TestCommandResult(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	ok := b.check("cat calc.go", nil)
	if !ok.Passed() || ok.Tail != "package calc\n" || ok.Command != "cat calc.go" || ok.Duration <= 0 {
		t.Errorf("got %+v", ok)
	}
	bad := b.check("echo first; echo second >&2; exit 3", func(in *CommandInput) { in.N = 2 })
	if bad.Passed() || bad.ExitCode != 3 || bad.Tail != "first\nsecond\n" {
		t.Errorf("got %+v", bad)
	}
	var setup signals.Check
	gittest.Write(t, b.work(), map[string]string{"token": secret + "\n"})
	must(t, b.attempt().run(b.RunSetup, CommandInput{Ref: b.ref, N: 1, Command: "echo $HOME $PWD; cat token"}, &setup))
	if setup.Tail != "$LONGSHIFT_DATA $LONGSHIFT_DATA/tasks/"+b.ref.TaskID+"/work\n[hidden]\n" {
		t.Errorf("tail %q", setup.Tail)
	}
	for _, c := range []signals.Check{ok, bad, setup} {
		b.leaks("the check", c)
	}
	logs := filepath.Join("tasks", b.ref.TaskID, "logs")
	for file, want := range map[string]string{ok.File: "check-01.log", bad.File: "check-02-again.log", setup.File: "setup-01.log"} {
		if file != filepath.Join(logs, want) {
			t.Errorf("the output is in %s, want %s", file, want)
		}
	}
	if whole, err := os.ReadFile(filepath.Join(b.Data, bad.File)); err != nil || string(whole) != "first\nsecond\n" {
		t.Errorf("the file holds %q, %v", whole, err)
	}
}

// hostileOutput clears the screen, renames the window, and overwrites failures, one in the line above. Its secret is split by colours, and
// is whole once these are removed.
var hostileOutput = "\x1b[2J\x1b]0;owned\afirst\rPASS \x1b[31m" + secret[:9] + "\x1b[0m\x1b]8;;x\a" + secret[9:] +
	" end \u202egnp.exe\b\x1b[1Aover\u009b2K \x1b]52;c;cm0=\a."

// Logs hold no terminal control sequences and no secrets that these split, from programs or from agents: people show them with cat.
func TestLogsSteerNoTerminal(t *testing.T) {
	t.Parallel()
	b := newBench(t, map[string]agent.Agent{"script": &player{play: func(_ context.Context, _ agent.Session, event func(agent.Event)) (agent.Outcome, error) {
		event(agent.Event{Kind: agent.Started, Text: hostileOutput})
		event(agent.Event{Kind: agent.ToolCall, Tool: hostileOutput, Text: hostileOutput})
		event(agent.Event{Kind: agent.ToolResult, Text: hostileOutput})
		event(agent.Event{Kind: agent.Denied, Tool: "Bash", Text: hostileOutput})
		event(agent.Event{Kind: agent.Text, Text: hostileOutput + "\n<NOTE>" + hostileOutput + "</NOTE>"})
		return agent.Outcome{Kind: agent.Completed}, nil
	}}})
	b.prepare()
	gittest.Write(t, b.work(), map[string]string{"out": hostileOutput + "\n"})
	_, err := b.attempt().session(b.Sessions, b.session(task.Implementer, "script"))
	must(t, err)
	c := b.check("cat out; exit 1", nil)
	if want := "first\nPASS [hidden] end gnp.exeover .\n"; c.Tail != want {
		t.Errorf("the tail is %q, want %q", c.Tail, want)
	}
	files, err := filepath.Glob(filepath.Join(b.Data, "tasks", b.ref.TaskID, "logs", "*.log"))
	if err != nil || len(files) != 3 {
		t.Fatalf("logs %q, %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		if strings.ContainsAny(string(text), "\x1b\a\b\r\u009b\u202e") || strings.Contains(string(text), "owned") {
			t.Errorf("%s steers a terminal: %q", filepath.Base(file), text)
		}
		if strings.Contains(string(text), secret) || !strings.Contains(string(text), "PASS [hidden] end gnp.exeover .") {
			t.Errorf("%s: %q", filepath.Base(file), text)
		}
	}
}

// History gets the end of a long output, the file on the host gets all of it.
func TestCommandTail(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	c := b.check("seq 1 20000", nil)
	whole, err := os.ReadFile(filepath.Join(b.Data, c.File))
	must(t, err)
	if len(whole) != 108894 {
		t.Errorf("the file has %d bytes", len(whole))
	}
	kept, cut := strings.CutPrefix(c.Tail, "… ")
	if !cut || len(kept) != tailSize || !strings.HasSuffix(string(whole), kept) {
		t.Errorf("the tail has %d bytes and is not the end of the output: %.40q … %q", len(c.Tail), c.Tail, c.Tail[len(c.Tail)-20:])
	}
	half := len(secret) / 2
	gittest.Write(t, b.work(), map[string]string{"token": secret})
	c = b.check(fmt.Sprintf("cat token; head -c %d /dev/zero | tr '\\0' x", tailSize-half), nil)
	if strings.Contains(c.Tail, secret[half:]) || !strings.HasSuffix(c.Tail, "xxx") {
		t.Errorf("half a secret is in %.60q", c.Tail)
	}
}

func TestCommandWall(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	c := b.check("echo begun; sleep 1000 & echo $!; wait", func(in *CommandInput) { in.Wall = 300 * time.Millisecond })
	if c.Passed() || !strings.HasPrefix(c.Tail, "begun") || c.Duration < 300*time.Millisecond || c.Duration > 20*time.Second {
		t.Errorf("got %+v", c)
	}
	pid := strings.Fields(c.Tail)[1]
	if _, err := os.Stat(filepath.Join("/proc", pid)); err == nil {
		t.Error("a process of the command is left")
	}
}

// A command that was ended at its limit has not succeeded, whatever it exits with.
func TestCommandWallIsNoSuccess(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]process.Result{"limit": {TimedOut: true}, "guard": {Exit: process.Exit{Err: errors.New("killed")}}} {
		if r.Recorded() == 0 {
			t.Errorf("%s: recorded as a success", name)
		}
	}
	if code := (process.Result{Exit: process.Exit{Code: 3}}).Recorded(); code != 3 {
		t.Errorf("recorded as %d", code)
	}
}

func TestCommandEndsWhatAnEarlierAttemptLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	check, setup := orphan(t, b.ref.TaskID+"-check"), orphan(t, b.ref.TaskID+"-setup")
	if c := b.check("true", nil); !c.Passed() {
		t.Errorf("got %+v", c)
	}
	await(t, check, "the orphan is gone")
	select {
	case <-setup:
		t.Error("the check ended a process of the setup")
	default:
	}
}

func TestStoppingWorkerEndsTheCommand(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	a := b.attempt()
	ended := make(chan error, 1)
	go func() {
		ended <- a.run(b.RunChecks, CommandInput{Ref: b.ref, N: 1, Command: "touch begun; exec sleep 1000"}, nil)
	}()
	begun := filepath.Join(b.work(), "begun")
	eventually(t, "the command runs", func() bool { _, err := os.Stat(begun); return err == nil })
	close(a.stop)
	if app := applicationError(t, await(t, ended, "the command ends")); app.Type() != string(fault.Stopping) {
		t.Errorf("%s: %s", app.Type(), app.Message())
	}
	gone := orphan(t, b.ref.TaskID+"-check")
	a = b.attempt()
	close(a.stop) // while it still looks for processes of an earlier attempt
	err := a.run(b.RunChecks, CommandInput{Ref: b.ref, N: 1, Command: "true"}, nil)
	if app := applicationError(t, err); app.Type() != string(fault.Stopping) {
		t.Errorf("%s: %s", app.Type(), app.Message())
	}
	b.check("true", nil)
	await(t, gone, "the next attempt ends what was left")
}

// The agent of the next session starts while the checks run.
func TestCommandStartsTheNextAgent(t *testing.T) {
	t.Parallel()
	w := newWarmer(says("ok"))
	b := newBench(t, map[string]agent.Agent{"script": w})
	b.useModel(replies)
	b.prepare()
	next := b.session(task.Implementer, "script")
	b.check("true", func(in *CommandInput) { in.Next = &next })
	b.prestarted(next.ID)
	if _, ok := w.waits(next.ID); !ok {
		t.Error("no agent waits")
	}
	must(t, b.attempt().run(b.CleanUp, CleanInput{b.ref}, nil))
	if _, ok := w.waits(next.ID); ok {
		t.Error("the agent outlives its task")
	}
}

// A check that fails is repeated on the same content. When it passes then it is flaky, and names what failed.
func TestCheckIsRunAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	c := b.check(`echo run >> ~/runs; printf -- '--- FAIL: TestTiming (0.00s)\nFAIL\nFAIL\texample.com/calc\t0.01s\n'; test $(wc -l < ~/runs) = 2`, nil)
	if !c.Passed() || !c.Flaky || len(c.Failing) != 1 || c.Failing[0] != "example.com/calc.TestTiming" {
		t.Errorf("flaky: got %+v", c)
	}
	c = b.check("echo run >> ~/more; exit $(wc -l < ~/more)", func(in *CommandInput) { in.N, in.Commit = 2, "abc" })
	if c.ExitCode != 2 || c.Flaky || c.Commit != "abc" || !strings.HasSuffix(c.File, "check-02-again.log") {
		t.Errorf("red twice: got %+v", c)
	}
	c = b.check("exit 0", nil)
	if !c.Passed() || c.Flaky || len(c.Failing) != 0 {
		t.Errorf("green: got %+v", c)
	}
	var setup signals.Check
	must(t, b.attempt().run(b.RunSetup, CommandInput{Ref: b.ref, N: 1, Command: "echo run >> setups; false", Wall: time.Minute}, &setup))
	if runs, _ := os.ReadFile(filepath.Join(b.work(), "setups")); string(runs) != "run\n" || setup.Passed() {
		t.Errorf("setup ran %q: %+v", runs, setup)
	}
}

// Long names of tests are cut in history, and yet told apart where only their ends differ.
func TestLongNamesOfTestsStayApart(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 300)
	one, other := testName(long+"[1]"), testName(long+"[2]")
	if one == other || len(one) > 200 || !strings.HasPrefix(one, "aaa") || testName("a\tb") != "a b" {
		t.Errorf("%q and %q, %q", one, other, testName("a\tb"))
	}
}

// A check that passes on what it has changed itself does not pass: nobody commits that. Neither its repeat nor a later run sees it, also when
// the worker is replaced during the repeat.
func TestCheckThatMendsItself(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	const mends = "grep -q mended calc.go || { echo '// mended' >> calc.go; exit 3; }"
	for n := range 2 {
		if c := b.check(mends, func(in *CommandInput) { in.N = n + 1 }); c.ExitCode != 3 || c.Flaky {
			t.Errorf("run %d: %+v", n, c)
		}
	}
	tree, err := b.Workspaces.Open(t.Context(), b.ref.TaskID, b.ref.Fence)
	must(t, err)
	defer tree.Close()
	must(t, tree.BeforeCommand(t.Context(), "check-03", true)) // of the repeat, after which the worker is gone
	gittest.Write(t, tree.Dir(), map[string]string{"calc.go": "package calc // mended\n"})
	if c := b.check(mends, func(in *CommandInput) { in.N = 3 }); c.ExitCode != 3 || c.Flaky {
		t.Errorf("after the worker was replaced: %+v", c)
	}
}

// A check that is stopped or killed has neither passed nor failed, and is not repeated.
func TestCheckThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	for n, s := range []struct{ command, says string }{{"sleep 60", "stopped after"},
		{"trap 'exit 0' TERM; while :; do sleep 0.01; done", "stopped after"}, {"kill -9 $$", "SIGKILL"}, {"bash -c 'kill -9 $$'; exit $?", "memory"}} {
		c := b.check(s.command, func(in *CommandInput) {
			in.N = n + 1
			if s.says == "stopped after" {
				in.Wall = 300 * time.Millisecond
			}
		})
		if c.Passed() || !strings.Contains(c.Unfinished, s.says) {
			t.Errorf("%s: got %+v", s.command, c)
		}
	}
	if again, _ := filepath.Glob(filepath.Join(b.Data, "tasks", "*", "logs", "check-*-again.log")); len(again) > 0 {
		t.Errorf("repeated: %q", again)
	}
}
