package opencode

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// patched is one file of a patch that a permit was asked about.
type patched struct{ tool, file string }

// TestPatch asks about every file that a patch writes, also about the one that it moves to. One refused file refuses the patch.
func TestPatch(t *testing.T) {
	t.Parallel()
	patch := func(to string) agenttest.Tool {
		return agenttest.Tool{Name: "apply_patch", Input: map[string]any{"patchText": "*** Begin Patch\n*** Add File: new.txt\n+one\n*** Update File: a.txt\n*** Move to: " + to +
			"\n@@\n-two\n+three\n*** Delete File: b.txt\n*** End Patch"}}
	}
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{patch("../out.txt")}},
		agenttest.Turn{Tools: []agenttest.Tool{patch("c.txt")}}, agenttest.Turn{Text: "Done."}))
	b.session.Model = "gpt-5.5" // models of this name are offered patches
	for name, text := range map[string]string{"a.txt": "two\n", "b.txt": "b\n"} {
		if err := os.WriteFile(filepath.Join(b.session.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var asked agenttest.Record
	b.session.Permit = asked.Of(b.session.Permit)
	o, e := b.run(t)
	if o.Kind != agent.Completed || o.Text != "Done." {
		t.Errorf("outcome: %+v", o)
	}
	var files []patched
	for _, c := range asked.Calls() {
		var in struct {
			File string `json:"file_path"`
		}
		_ = json.Unmarshal(c.Input, &in)
		rel, _ := filepath.Rel(b.session.Dir, in.File)
		files = append(files, patched{c.Tool, rel})
	}
	want := []patched{{"Write", "new.txt"}, {"Edit", "a.txt"}, {"Edit", "b.txt"}, {"Edit", "c.txt"}}
	if first := slices.Index(files, patched{"Write", "../out.txt"}); first < 0 {
		if first = slices.Index(files, patched{"Edit", "../out.txt"}); first < 0 {
			t.Errorf("it did not ask about the file outside: %v", files)
		}
	}
	for _, w := range want {
		if !slices.ContainsFunc(files, func(f patched) bool { return f.file == w.file }) {
			t.Errorf("it did not ask about %v: %v", w, files)
		}
	}
	if no := e.Of(agent.Denied); len(no) != 1 {
		t.Errorf("refusals: %+v", no)
	}
	if got := read(t, b.session.Dir, "new.txt") + read(t, b.session.Dir, "c.txt"); got != "one\nthree\n" {
		t.Errorf("the files hold %q", got)
	}
	for _, name := range []string{"a.txt", "b.txt", "../out.txt"} {
		if _, err := os.Stat(filepath.Join(b.session.Dir, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
}

// TestTools has the model use what is offered, and try what is not. Each call that is made is asked about, where it is made.
func TestTools(t *testing.T) {
	t.Parallel()
	call := func(name string, in map[string]any) agenttest.Tool { return agenttest.Tool{Name: name, Input: in} }
	b := newBench(t, task.Implementer, one(task.Implementer,
		agenttest.Turn{Tools: []agenttest.Tool{call("read", map[string]any{"filePath": "a.txt"}), call("read", map[string]any{"filePath": "/etc/hostname"})}},
		agenttest.Turn{Tools: []agenttest.Tool{call("bash", map[string]any{"command": "touch here", "workdir": "sub", "description": "d"})}},
		agenttest.Turn{Tools: []agenttest.Tool{call("edit", map[string]any{"filePath": "a.txt", "oldString": "one", "newString": "two"}), bash("exit 3")}},
		agenttest.Turn{Tools: []agenttest.Tool{call("todowrite", map[string]any{"todos": []any{map[string]any{"content": "x", "status": "pending", "priority": "low"}}})}},
		agenttest.Turn{Tools: []agenttest.Tool{call("webfetch", map[string]any{"url": "http://127.0.0.1:1", "format": "text"}), call("task", map[string]any{"prompt": "p"})}},
		agenttest.Turn{Text: "Done."}))
	for _, err := range []error{os.WriteFile(filepath.Join(b.session.Dir, "a.txt"), []byte("one\n"), 0o600), os.Mkdir(filepath.Join(b.session.Dir, "sub"), 0o700)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var asked agenttest.Record
	b.session.Permit = asked.Of(b.session.Permit)
	o, e := b.run(t)
	if o.Kind != agent.Completed || o.Text != "Done." {
		t.Fatalf("outcome: %+v", o)
	}
	var got []string
	for _, c := range asked.Calls() {
		got = append(got, strings.NewReplacer(b.session.Dir, "DIR", `\n`, "").Replace(c.Tool+" "+c.Dir+" "+string(c.Input)))
	}
	slices.Sort(got) // calls of one message are made together
	want := []string{
		`Bash DIR {"command":"exit 3"}`, `Bash DIR/sub {"command":"touch here"}`, `Edit  {"file_path":"DIR/a.txt","new_string":"two","old_string":"one"}`,
		`Read  {"file_path":"/etc/hostname"}`, `Read  {"file_path":"DIR/a.txt"}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("it asked about\n%s\nwanted\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := os.Stat(filepath.Join(b.session.Dir, "sub", "here")); err != nil || read(t, b.session.Dir, "a.txt") != "two\n" {
		t.Errorf("the calls that were allowed: %v", err)
	}
	failed := 0
	for _, r := range e.Of(agent.ToolResult) {
		if r.Failed {
			failed++
		}
	}
	if failed != 4 { // outside of the workspace, exit 3, and two that are not there
		t.Errorf("%d results are failures: %+v", failed, e.Of(agent.ToolResult))
	}
}

// TestVariablesOfCommands passes the variables of a repository to the commands of the session and not to the binary itself, and the binary's
// secrets not to them.
func TestVariablesOfCommands(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Implementer, one(task.Implementer,
		agenttest.Turn{Tools: []agenttest.Tool{bash("env -0 > commands.txt; cat /proc/$PPID/environ > agent.txt; echo $BASH_VERSION > shell.txt")}}, agenttest.Turn{Text: "Seen."}))
	odd := "it's \"$HOME\" `id`\nand \\ more"
	b.session.Env = map[string]string{"GIVEN": "by the operator", "TZ": "UTC", "XDG_CACHE_HOME": "/cache", "PATH": os.Getenv("PATH")}
	b.session.CommandEnv = map[string]string{"NODE_OPTIONS": "--require=./own.js", "TZ": "Europe/Berlin", "ODD": odd, "EMPTY": ""}
	b.session.Reports = agenttest.Reports(t, task.Implementer).Endpoint()
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Seen." {
		t.Fatalf("outcome %+v", o)
	}
	env := strings.Split(read(t, b.session.Dir, "commands.txt"), "\x00")
	for name, value := range b.session.CommandEnv {
		if !slices.Contains(env, name+"="+value) {
			t.Errorf("a command does not have %s=%q", name, value)
		}
	}
	for _, want := range []string{"GIVEN=by the operator", "XDG_CACHE_HOME=/cache", "HOME=" + b.session.StateDir + "/home"} {
		if !slices.Contains(env, want) {
			t.Errorf("a command does not have %s", want)
		}
	}
	for _, v := range env {
		if strings.Contains(v, "session-token") || strings.Contains(v, b.session.Reports.Token) || strings.HasPrefix(v, "XDG_DATA_HOME=") || strings.HasPrefix(v, compilerName) || strings.HasPrefix(v, modelsName) {
			t.Errorf("a command has %s", v)
		}
	}
	own := strings.Split(read(t, b.session.Dir, "agent.txt"), "\x00")
	if !slices.ContainsFunc(own, func(v string) bool { return strings.HasPrefix(v, settingsName+"=") }) {
		t.Fatal("that is not the environment of the binary")
	}
	if !slices.Contains(own, modelsName+"="+filepath.Join(b.session.StateDir, modelsFile)) || read(t, b.session.StateDir, modelsFile) != "{}" {
		t.Error("the binary has to read its own list of models")
	}
	for _, name := range []string{"NODE_OPTIONS", "ODD", "EMPTY"} {
		if slices.ContainsFunc(own, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			t.Errorf("the binary itself has %s", name)
		}
	}
	if read(t, b.session.Dir, "shell.txt") == "\n" {
		t.Error("commands do not run in bash")
	}
}

// TestSecondDecisionIsNotAsked ends a session by one of two calls of a message. The other is not made.
func TestSecondDecisionIsNotAsked(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Implementer, one(task.Implementer, agenttest.Turn{Tools: []agenttest.Tool{bash("touch stop.txt"), bash("touch b.txt")}}, agenttest.Turn{Text: "I see."}))
	b.session.Permit = func(ctx context.Context, c agent.Call) agent.Decision {
		if strings.Contains(string(c.Input), "stop.txt") {
			return agent.Decision{Reason: "this waits for a person", End: agent.NeedsApproval}
		}
		<-ctx.Done()
		return agent.Decision{Allow: true}
	}
	if o, _ := b.run(t); o.Kind != agent.NeedsApproval || len(b.model.Calls()) != 1 {
		t.Errorf("outcome %+v, %d calls of the model", o, len(b.model.Calls()))
	}
	for _, name := range []string{"stop.txt", "b.txt"} {
		if _, err := os.Stat(filepath.Join(b.session.Dir, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
}
