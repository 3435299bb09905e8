package activities

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/task"
)

// When an agent has put a link in place of a protected path, the task is parked with a text about the workspace, not about keys.
func TestWorkspaceThatCannotBeConfined(t *testing.T) {
	box, err := sandbox.New(t.Context(), sandbox.Config{Log: slog.New(slog.DiscardHandler)})
	must(t, err)
	b := newBench(t, nil)
	b.Confine.Box = box
	b.start()
	b.prepare()
	must(t, os.Symlink("/etc", filepath.Join(b.work(), "private")))
	a := b.attempt()
	err = a.run(b.RunChecks, CommandInput{Ref: b.ref, N: 1, Command: "true", Wall: time.Minute, Paths: task.PathSettings{ReadOnly: []string{"private/**"}}}, nil)
	if err == nil {
		t.Fatal("a link stands where a protected path should be, and the command ran")
	}
	if app := applicationError(t, err); app.Type() != string(fault.Work) {
		t.Errorf("got %s: %v", app.Type(), app)
	}
}

// Patterns that name one file or folder can become mounts.
func TestPlainPath(t *testing.T) {
	for pattern, want := range map[string]string{"db/**": "db", "db/": "db", "a/b.txt": "a/b.txt", "**/*.sql": "", "src/*.go": "", "": "", "/**": ""} {
		if got, ok := plainPath(pattern); ok != (want != "") || ok && got != want {
			t.Errorf("plainPath(%q) = %q, %v", pattern, got, ok)
		}
	}
}

// What settings allow counts for its role, and only where the operator lets settings allow commands.
func TestSettingsAllowCommands(t *testing.T) {
	commands := task.CommandSettings{Allow: []string{"wordstat *"}, AllowImplementer: []string{"codegen"}, AllowReviewer: []string{"lintall *"}, Pkill: []string{"web-server"}}
	for _, allowed := range []bool{false, true} {
		p := Permissions{Policy: policy.Config{Boxed: true, Namespace: true}, SettingsAllow: allowed}
		made, err := policy.New(p.policyFor("/work", commands, pathScope{}))
		must(t, err)
		for _, c := range []struct {
			role    task.Role
			command string
			want    bool
		}{
			{task.Planner, "wordstat src", allowed}, {task.Implementer, "wordstat src", allowed}, {task.Implementer, "codegen", allowed}, {task.Reviewer, "codegen", false},
			{task.Reviewer, "lintall src", allowed}, {task.Planner, "lintall src", false}, {task.Implementer, "pkill web-server", true}, {task.Implementer, "pkill sshd", false},
		} {
			if d := made.Decide(policy.Request{Role: c.role, Command: c.command}); (d.Verdict == policy.Allow) != c.want {
				t.Errorf("settings may allow %t: %s: %s: %+v", allowed, c.role, c.command, d)
			}
		}
	}
}
