package agenttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/longshift/longshift/internal/config"
)

// ClaudeBinary finds the pinned Claude Code for a test: the file that LONGSHIFT_CLAUDE names, else the one that `npm ci` has put
// into test/agents. Without either the test is skipped with a word on why; with CI=true it fails. With -short it is skipped in any case.
func ClaudeBinary(t testing.TB) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	return installed(t, "LONGSHIFT_CLAUDE", "Claude Code", "agents", filepath.Join("@anthropic-ai", "claude-code-"+runtime.GOOS+"-"+arch, "claude"))
}

// CodexBinary is ClaudeBinary for the pinned Codex and LONGSHIFT_CODEX. It is the native program, which npm puts beside a launcher for Node.
func CodexBinary(t testing.TB) string {
	t.Helper()
	return config.Model{Codex: CodexLauncher(t)}.CodexProgram()
}

// CodexLauncher is the script that npm puts on PATH as `codex`, unless LONGSHIFT_CODEX names something else.
func CodexLauncher(t testing.TB) string {
	t.Helper()
	return installed(t, "LONGSHIFT_CODEX", "Codex", "agents", filepath.Join("@openai", "codex", "bin", "codex.js"))
}

// OpenCodeBinary is ClaudeBinary for the pinned OpenCode and LONGSHIFT_OPENCODE.
func OpenCodeBinary(t testing.TB) string {
	t.Helper()
	return installed(t, "LONGSHIFT_OPENCODE", "OpenCode", "opencode", filepath.Join("opencode-ai", "bin", "opencode.exe"))
}

// installed finds an agent's binary: the file that the variable names, else the one below node_modules in a folder of test.
func installed(t testing.TB, variable, agent, folder, path string) string {
	t.Helper()
	ci := os.Getenv("CI") == "true"
	if testing.Short() && !ci {
		t.Skip("-short leaves out " + agent)
	}
	if path := os.Getenv(variable); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
		return path
	}
	path = filepath.Join(root(t), "test", folder, "node_modules", path)
	if _, err := exec.LookPath(path); err == nil {
		return path
	}
	missing := agent + " is not installed: run npm ci in test/" + folder + ", or set " + variable
	if ci {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// root is the folder of the module that the test belongs to.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test's folder")
		}
	}
}
