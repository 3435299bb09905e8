package workspace

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asAnotherUser runs the test once more as a user who is not root, and reports whether it has: nothing is closed to root.
func asAnotherUser(t *testing.T) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return false
	}
	const nobody = 65534
	dir, err := os.MkdirTemp("/tmp", "workspace-test-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	data, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	program := filepath.Join(dir, "workspace.test")
	must(t, os.WriteFile(program, data, 0o755))
	must(t, os.Chown(dir, nobody, nobody))
	cmd := exec.Command(program, "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return true
}
