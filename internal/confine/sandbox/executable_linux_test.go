package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A worker whose program was replaced while the disk was full goes on once there is room: what failed leaves nothing, and is tried again.
func TestReplacedOnAFullDisk(t *testing.T) {
	t.Parallel()
	exe, tmp := filepath.Join(t.TempDir(), "sandbox.test"), t.TempDir()
	if err := copyOwnProgram(exe); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = []string{testPath, "SANDBOX_TEST_PART=replaced", "TMPDIR=" + tmp}
	out, err := cmd.CombinedOutput()
	if want := "fails: true, leaves 0\nthen works: true, the same again: true\n"; err != nil || string(out) != want {
		t.Errorf("%v, got\n%swant\n%s", err, out, want)
	}
}

// replacedMain is a worker whose program is gone, and which can write no file for a while.
func replacedMain() {
	exe, err := os.Executable()
	if err == nil {
		err = os.Remove(exe)
	}
	var limit unix.Rlimit
	if err == nil {
		err = unix.Getrlimit(unix.RLIMIT_FSIZE, &limit)
	}
	full := unix.Rlimit{Cur: 1, Max: limit.Max}
	if err == nil {
		err = unix.Setrlimit(unix.RLIMIT_FSIZE, &full)
	}
	own := ownExecutable()
	_, failed := own()
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*"))
	if err == nil {
		err = unix.Setrlimit(unix.RLIMIT_FSIZE, &limit)
	}
	path, errThen := own()
	info, errStat := os.Stat(path)
	again, _ := own()
	works := errThen == nil && errStat == nil && info.Size() > 1 && strings.HasPrefix(path, os.TempDir())
	fmt.Printf("fails: %v, leaves %d\nthen works: %v, the same again: %v\n", failed != nil, len(left), works, again == path)
	if err != nil {
		fmt.Println(err)
	}
}
