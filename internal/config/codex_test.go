package config

import (
	"os"
	"path/filepath"
	"testing"
)

// npm has the package for the machine within that of Codex, or beside it.
func TestCodexProgram(t *testing.T) {
	for _, below := range []string{"@openai/codex/node_modules", ""} {
		modules := filepath.Join(t.TempDir(), "lib", "node_modules")
		script := executable(t, filepath.Join(modules, "@openai", "codex", "bin", "codex.js"))
		link := filepath.Join(filepath.Dir(filepath.Dir(modules)), "codex")
		if err := os.Symlink(script, link); err != nil {
			t.Fatal(err)
		}
		if got := (Model{Codex: link}).CodexProgram(); got != link {
			t.Errorf("without the package for the machine: %s", got)
		}
		native := executable(t, filepath.Join(modules, below, codexInPackage()))
		if got := (Model{Codex: link}).CodexProgram(); got != native {
			t.Errorf("%q: found %s, not %s", below, got, native)
		}
		if got := (Model{Codex: native}).CodexProgram(); got != native {
			t.Errorf("the program itself became %s", got)
		}
	}
}

func executable(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o755); err != nil { //nolint:gosec // it stands for a program
		t.Fatal(err)
	}
	return path
}
