package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
	"github.com/longshift/longshift/signals"
)

func demoConsole(t *testing.T) (c *console, temporary string) {
	c, _ = devConsole(t)
	temporary = t.TempDir()
	c.vars = append(c.vars, "TMPDIR="+temporary)
	return c, temporary
}

func left(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestDemoKill(t *testing.T) {
	t.Parallel()
	c, temporary := demoConsole(t)
	if code := c.run("demo", "--kill"); code != fault.ExitOK {
		t.Errorf("exit code %d", code)
	}
	wants(t, c.errs.String(), "no model is called", "starting a Temporal server and a worker...", "task demo-demo-quick-kill-", "!!! kill -9 ",
		"the worker is dead, in the middle of session ", "another worker is up (pid ", "Checked after the kill:", "was resumed: 1 time\n", "none of them ran again", "Every step is in Temporal Web: http://localhost:")
	wants(t, c.out.String(), "Pull request: https://example.com/acme/web/pull/7\n", "  Cost ", "Plan, revision 1", "Check: passed", "pull request 7 of a repository at ref: refs/heads/main", "+package main")
	if names := left(t, temporary); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestDemoKeeps(t *testing.T) {
	t.Parallel()
	c, temporary := demoConsole(t)
	c.demo = "demo quick"
	if code := c.run("demo", "--keep", "-o", "json"); code != fault.ExitOK {
		t.Errorf("exit code %d\n%s", code, c.errs.String())
	}
	wants(t, c.out.String(), `"outcome": "pull_request"`, `"diff": "+package main\n"`)
	names := left(t, temporary)
	if len(names) != 1 {
		t.Fatalf("kept: %v", names)
	}
	p := c.program()
	files, err := p.git(t.Context(), temporary+"/"+names[0]+"/demo.git", "ls-tree", "-r", "--name-only", "main")
	if err != nil || files != "README.md\nsrc/main.go" {
		t.Errorf("repository holds %q, %v", files, err)
	}
}

func TestDemoInterrupted(t *testing.T) {
	for _, at := range []string{"starting a Temporal server", "session 1: planner"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			c, temporary := demoConsole(t)
			ctx, cancel := context.WithCancel(t.Context())
			code := make(chan int, 1)
			go func() { code <- c.runContext(ctx, "demo") }()
			eventually(t, at, func() bool { return strings.Contains(c.errs.String(), at) })
			cancel()
			if got := <-code; got != fault.ExitInterrupt {
				t.Errorf("exit code %d\n%s", got, c.errs.String())
			}
			if names := left(t, temporary); len(names) > 0 {
				t.Errorf("left behind: %v", names)
			}
			if strings.Contains(c.errs.String(), "the task goes on") {
				t.Error("says that the task goes on, and it does not")
			}
		})
	}
}

// A worker that dies by itself ends the demo: nobody would start it again.
func TestDemoWithoutWorker(t *testing.T) {
	t.Parallel()
	c, temporary := demoConsole(t)
	c.demo = "demo quick hold"
	code := make(chan int, 1)
	go func() { code <- c.run("demo") }()
	eventually(t, "a session", func() bool { return strings.Contains(c.errs.String(), "session 2: implementer") })
	dirs := left(t, temporary)
	if len(dirs) != 1 {
		t.Fatalf("folders: %v", dirs)
	}
	c.vars = append(c.vars, "LONGSHIFT_DATA="+filepath.Join(temporary, dirs[0], "data"))
	if err := syscall.Kill(c.workerPid(0), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := <-code; got != fault.ExitServer {
		t.Errorf("exit code %d", got)
	}
	wants(t, c.errs.String(), "longshift: the worker has ended: signal: killed")
	if names := left(t, temporary); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
}

func TestCompareAfterKill(t *testing.T) {
	before := signals.Status{
		Sessions: []signals.Session{{N: 1, ID: "a", Role: task.Planner, Outcome: "completed"}, {N: 2, ID: "b", Deliverable: "F-1", Outcome: "completed"}, {N: 3, ID: "c", Deliverable: "F-2"}},
		Commits:  []signals.Commit{{ID: "1111"}},
		Plan:     &task.Plan{Revision: 1, Deliverables: []task.Deliverable{{ID: "F-1", Status: task.Passed}, {ID: "F-2"}}},
	}
	good := func() *signals.Status {
		s := before
		s.Sessions = append([]signals.Session(nil), before.Sessions...)
		s.Sessions[2].Outcome, s.Sessions[2].Resumed = "completed", 1
		s.Sessions = append(s.Sessions, signals.Session{N: 4, ID: "d", Outcome: "completed"})
		s.Commits = []signals.Commit{{ID: "1111"}, {ID: "2222"}}
		return &s
	}
	for _, c := range []struct {
		name   string
		change func(*signals.Status)
		want   []string
	}{
		{"kept", func(*signals.Status) {}, nil},
		{"not resumed", func(s *signals.Status) { s.Sessions[2].Resumed = 0 }, []string{"session 3 was not resumed"}},
		{"session gone", func(s *signals.Status) { s.Sessions = s.Sessions[:2] }, []string{"the session that was cut off is gone"}},
		{"ran again", func(s *signals.Status) { s.Sessions[1].Turns = 9 }, []string{"session 2, which had finished, changed"}},
		{"finished one gone", func(s *signals.Status) { s.Sessions[1].ID = "x" }, []string{"session 2, which had finished, is gone"}},
		{"listed twice", func(s *signals.Status) { s.Sessions[3].ID = "c" }, []string{"session c is listed twice"}},
		{"worked on again", func(s *signals.Status) { s.Sessions[3].Deliverable = "F-1" }, []string{"F-1 had passed, and was worked on again (1 sessions before, 2 after)"}},
		{"worked on again after a review", func(s *signals.Status) { s.Sessions[3].Deliverable = "F-1"; s.Plan = &task.Plan{Revision: 2} }, nil},
		{"commit twice", func(s *signals.Status) { s.Commits[1].ID = "1111" }, []string{"commit 1111 is listed twice"}},
		{"commit rewritten", func(s *signals.Status) { s.Commits[0].ID = "3333" }, []string{"commit 1 changed from 1111 to 3333"}},
		{"commits lost", func(s *signals.Status) { s.Commits = nil }, []string{"commits were lost: 0 of 1 are left"}},
	} {
		after := good()
		c.change(after)
		if diff := cmp.Diff(c.want, compareAfterKill(&before, after, "c")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
