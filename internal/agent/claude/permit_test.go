package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/agent"
)

func TestRule(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, d := range []string{"sub/.git", ".git/hooks"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "in.txt", "x")
	write(t, outside, "out.txt", "x")
	for name, to := range map[string]string{"out": outside, "dangling": filepath.Join(outside, "new"), "inner": "sub", "hooks": ".git/hooks", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	// The workspace may be reached through a link itself.
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(dir, alias); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tool, input string
		allow, read bool // in a session that writes, in one that only reads
	}{
		{"Read", dir + "/in.txt", true, true},
		{"Read", "in.txt", true, true},
		{"Read", alias + "/in.txt", true, true},
		{"Read", outside + "/out.txt", false, false},
		{"Read", dir + "/out/out.txt", false, false},
		{"Read", "../" + filepath.Base(outside) + "/out.txt", false, false},
		{"Read", dir + "/.git/config", false, false},
		{"Read", dir + "/loop", false, false},
		{"Write", dir + "/new/deep/file.txt", true, false},
		{"Write", dir + "/inner/new.txt", true, false},
		{"Write", dir + "/dangling", false, false},
		{"Write", dir + "/dangling/x", false, false},
		{"Write", dir + "/out/new.txt", false, false},
		{"Write", dir + "/hooks/post-commit", false, false},
		{"Write", dir + "/.git", false, false},
		{"Write", dir + "/.GIT/config", false, false},
		{"Write", dir + "/sub/.git/config", false, false},
		{"Write", dir + "/.gitignore", true, false},
		{"Write", dir, true, false}, // the tool itself refuses a folder
		{"Write", dir + "-other/x", false, false},
		{"Write", "/etc/passwd", false, false},
		{"Write", "", false, false},
		{"Edit", dir + "/in.txt", true, false},
		{"Edit", outside + "/out.txt", false, false},
	} {
		for _, readOnly := range []bool{false, true} {
			in, _ := json.Marshal(map[string]string{"file_path": c.input})
			got := Rule(Call{Session: agent.Session{Dir: dir, ReadOnly: readOnly}, Tool: c.tool, Input: in})
			want := c.allow
			if readOnly {
				want = c.read
			}
			if got.Allow != want || !got.Allow && got.Reason == "" {
				t.Errorf("%s %s, read only %v: %+v", c.tool, c.input, readOnly, got)
			}
		}
	}
}

func TestRuleOtherTools(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		tool, input string
		readOnly    bool
		allow       bool
	}{
		{"Bash", `{"command":"make"}`, false, true},
		{"Bash", `{"command":"ls"}`, true, false},
		{"Agent", `{"prompt":"p"}`, false, true},
		{"Glob", `{"pattern":"*"}`, true, true},
		{"Glob", `{"pattern":"*","path":"/etc"}`, true, false},
		{"Grep", `{"pattern":"x","path":"sub"}`, true, true},
		{"NotebookEdit", `{"notebook_path":"n.ipynb"}`, false, true},
		{"NotebookEdit", `{"notebook_path":"/n.ipynb"}`, false, false},
		{"NotebookEdit", `{"file_path":"n.ipynb"}`, false, false},
		{"WebFetch", `{"url":"http://x"}`, false, false},
		{"mcp__x__y", `{}`, false, false},
		{"", `{}`, false, false},
		{"Read", `{"file_path":7}`, false, false},
		{"Read", `null`, false, false},
		{"Read", ``, false, false},
	} {
		got := Rule(Call{Session: agent.Session{Dir: dir, ReadOnly: c.readOnly}, Tool: c.tool, Input: json.RawMessage(c.input)})
		if got.Allow != c.allow || !got.Allow && got.Reason == "" {
			t.Errorf("%s %s: %+v", c.tool, c.input, got)
		}
	}
}
