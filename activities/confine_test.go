package activities

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/policy"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
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

// A closed path that is a link in the base commit closes its target, and one that is not there shows no program a folder. What a program
// makes of either is undone by the commit.
func TestClosedLinksAndAbsentFiles(t *testing.T) {
	t.Parallel()
	dir := gittest.NewCheckout(t, map[string]string{"AGENTS.md": "Be brief.\n", "docs/a.md": "A\n", "kept/key": "k\n",
		".longshift.yaml": "paths: {readOnly: [CLAUDE.md, .env], taskWritable: [manual/**], ignore: [held]}\n"})
	for name, target := range map[string]string{"CLAUDE.md": "AGENTS.md", "manual": "docs", "held": "kept"} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	gittest.Git(t, dir, "add", "--all")
	gittest.Git(t, dir, "commit", "--quiet", "--message=Link")
	b := confined(t, dir)
	paths := b.made.Settings.Paths
	got := fmt.Sprint(paths.ReadOnly, paths.TaskWritable, paths.Ignore)
	if got != "[CLAUDE.md .env AGENTS.md] [manual/** docs/**] [held kept]" {
		t.Fatalf("closed are %s", got)
	}
	closed := func(in *CommandInput) { in.Paths = paths }
	c := b.check("cat CLAUDE.md && test ! -e kept/key && test ! -e .env && ! (echo x >> AGENTS.md) && rm CLAUDE.md && echo x > CLAUDE.md",
		closed)
	if c.ExitCode != 0 {
		t.Errorf("exit code %d: %s", c.ExitCode, c.Tail)
	}
	tree, err := b.Workspaces.Open(t.Context(), b.ref.TaskID, b.ref.Fence)
	must(t, err)
	where, err := layoutOf(t.Context(), tree)
	must(t, err)
	for planned, want := range map[string]string{"docs/a.md": "AGENTS.md", "b.md": "AGENTS.md docs"} {
		spec, err := b.boxes.spec(t.Context(), where, b.boxes.dirs(where, b.ref.TaskID), false, pathScope{paths, task.Implementer, []string{planned}})
		if got := below(where.dir, spec.Protected); err != nil || got != want {
			t.Errorf("the plan opens %s: protected are %q, want %q, %v", planned, got, want, err)
		}
	}
	must(t, tree.Close())
	gittest.Write(t, b.work(), map[string]string{".env": "x\n"})
	out := b.commit(1, func(in *CommitInput) { in.Paths = paths })
	target, err := os.Readlink(filepath.Join(b.work(), "CLAUDE.md"))
	if out.Created || target != "AGENTS.md" || made(filepath.Join(b.work(), ".env")) != "" {
		t.Errorf("%+v; CLAUDE.md leads to %q, %v", out, target, err)
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
