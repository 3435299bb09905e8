package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/confine/process"
)

// The real agent must start, find its user, and not consider itself root.
func TestRealAgent(t *testing.T) {
	bin, err := filepath.EvalSymlinks("../../../test/agents/node_modules/.bin/claude")
	if err == nil {
		bin, err = filepath.Abs(bin)
	}
	if err != nil {
		if os.Getenv("CI") == "" {
			t.Skipf("the agent is not installed (make agents): %v", err)
		}
		t.Fatal(err)
	}
	c := workIn(t)
	home := realPath(t, t.TempDir())
	c.Readable, c.Writable = []string{filepath.Dir(bin)}, []string{home}
	s := process.Spec{Path: bin, Args: []string{"--version"}, Dir: c.Work, Env: []string{testPath, "HOME=" + home, "DISABLE_AUTOUPDATER=1"}}
	if r := inside(t, c, s); !r.Success() || !strings.Contains(r.Output, "Claude Code") {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
	s.Args = []string{"-p", "hello", "--dangerously-skip-permissions"}
	r := inside(t, c, s)
	if strings.Contains(r.Output, "root/sudo") || !strings.Contains(r.Output, "login") {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
}
