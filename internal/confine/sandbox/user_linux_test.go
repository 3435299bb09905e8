package sandbox

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

const otherUser = 65534

// The layers work differently for root. When run as root, this test runs the important tests again as an unprivileged
// user.
func TestAsAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("this run is not root's")
		return
	}
	theBox(t)
	dir, err := os.MkdirTemp("/tmp", "sandbox-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	exe, home := filepath.Join(dir, "sandbox.test"), filepath.Join(dir, "home")
	for _, err := range []error{os.Chmod(dir, 0o755), copyOwnProgram(exe), os.Mkdir(home, 0o700), os.Chown(home, otherUser, otherUser)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.run", "Worktree|Root|Private|Hidden|Protected|Planted|Namespaces|Worker|Ordinary|"+
		"Nothing|ForkBomb|ThreadBomb|Memory|Reach|Exits|Calls|Foreign|Agent|Weakened|Missing|Session")
	cmd.Env = []string{testPath, "HOME=" + home, "TMPDIR=" + home, "CI=" + os.Getenv("CI")}
	if cmd.Dir, err = os.Getwd(); err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %.20000s", err, out)
	}
}

func copyOwnProgram(to string) error {
	in, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}
