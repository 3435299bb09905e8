package agenttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// ClaudeBinary finds the pinned Claude Code for a test: the file that LONGSHIFT_CLAUDE names, else the one that `npm ci` has put
// into test/agents. Without either the test is skipped with a word on why; with CI=true it fails.
func ClaudeBinary(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("LONGSHIFT_CLAUDE"); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			t.Fatalf("LONGSHIFT_CLAUDE: %v", err)
		}
		return path
	}
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	path := filepath.Join(root(t), "test", "agents", "node_modules", "@anthropic-ai", "claude-code-"+runtime.GOOS+"-"+arch, "claude")
	if _, err := exec.LookPath(path); err == nil {
		return path
	}
	const missing = "Claude Code is not installed: run npm ci in test/agents, or set LONGSHIFT_CLAUDE"
	if os.Getenv("CI") == "true" {
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
