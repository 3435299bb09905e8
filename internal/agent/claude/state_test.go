package claude

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/agent/program"
)

// TestStateFolderIsTheAgents starts a session in a state folder that an earlier attempt of it has filled with traps: what we
// write there lands in that folder or nowhere, and never waits.
func TestStateFolderIsTheAgents(t *testing.T) {
	for name, plant := range map[string]func(t *testing.T, state, outside string) error{
		"link to a file": func(_ *testing.T, state, outside string) error {
			return os.Symlink(outside, filepath.Join(state, "system.md"))
		},
		"hard link": func(_ *testing.T, state, outside string) error {
			return os.Link(outside, filepath.Join(state, "system.md"))
		},
		"pipe": func(_ *testing.T, state, _ string) error {
			return syscall.Mkfifo(filepath.Join(state, "system.md"), 0o600)
		},
		"folder": func(_ *testing.T, state, _ string) error {
			return os.MkdirAll(filepath.Join(state, "system.md", "x"), 0o700)
		},
		"link for the variables": func(_ *testing.T, state, outside string) error {
			return os.Symlink(outside, filepath.Join(state, "variables.sh"))
		},
		"home leads out": func(_ *testing.T, state, outside string) error {
			return os.Symlink(filepath.Dir(outside), filepath.Join(state, "home"))
		},
		"home leads to new": func(_ *testing.T, state, outside string) error {
			return os.Symlink(outside+"-new", filepath.Join(state, "home"))
		},
		"tmp is a file": func(_ *testing.T, state, _ string) error {
			return os.WriteFile(filepath.Join(state, "tmp"), nil, 0o600)
		},
		"no system file": func(*testing.T, string, string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, s := stub(t, "")
			s.System, s.CommandEnv = "You are tested.\n", map[string]string{"TZ": "UTC"}
			outside := filepath.Join(t.TempDir(), "precious")
			if err := os.WriteFile(outside, []byte("precious"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := plant(t, s.StateDir, outside); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- d.launch(s, false).prepare(s) }()
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
			case <-time.After(5 * time.Second):
				t.Fatal("it waits for somebody to read what it writes")
			}
			if left, _ := os.ReadFile(outside); string(left) != "precious" {
				t.Errorf("a file outside now holds %q", left)
			}
			if _, err := os.Lstat(outside + "-new"); err == nil {
				t.Error("it made something outside")
			}
			info, err := os.Lstat(systemFile(s))
			if err != nil || !info.Mode().IsRegular() {
				t.Fatalf("system prompt: %v, %v", info, err)
			}
			if text, _ := os.ReadFile(systemFile(s)); string(text) != s.System {
				t.Errorf("the system prompt is %q", text)
			}
			if text, _ := os.ReadFile(envFile(s)); string(text) != "unset "+compilerName+"\nexport TZ='UTC'\n" {
				t.Errorf("the variables are %q", text)
			}
			for _, dir := range []string{program.Home(s), filepath.Join(s.StateDir, "tmp")} {
				if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
					t.Errorf("%s: %v, %v", dir, info, err)
				}
			}
		})
	}
}
