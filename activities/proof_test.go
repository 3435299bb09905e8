package activities

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// A proof runs as a check does. One that policy would not let an agent run is not run, and fails.
func TestProof(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.prepare()
	n := 0
	prove := func(command string) (out signals.Check) {
		t.Helper()
		n++
		must(t, b.attempt().run(b.RunProof, CommandInput{Ref: b.ref, N: n, Command: command, Wall: time.Minute, Commit: "c",
			Commands: task.CommandSettings{Deny: []string{"touch *"}}, Paths: task.PathSettings{ReadOnly: []string{"calc.go"}}}, &out))
		return out
	}
	if c := prove("printf 'ok  \tcalc\t0.1s\n'"); !c.Passed() || c.Commit != "c" || c.Ran == nil || c.Ran.N != 1 {
		t.Errorf("%+v", c)
	}
	if c := prove("echo no; exit 3"); c.Passed() || c.ExitCode != 3 || c.Tail != "no\n" {
		t.Errorf("%+v", c)
	}
	if c := prove("test -e again || { mkdir again; exit 1; }"); !c.Passed() || !c.Flaky {
		t.Errorf("one that passes the second time: %+v", c)
	}
	for _, command := range []string{"touch here", "echo x > calc.go", "sudo true"} {
		if c := prove(command); c.Passed() || c.ExitCode != notRun || !strings.HasPrefix(c.Tail, "it was not run: ") || c.Commit != "c" {
			t.Errorf("%s: %+v", command, c)
		}
	}
	if _, err := os.Stat(filepath.Join(b.work(), "here")); err == nil {
		t.Error("it was run")
	}
}
