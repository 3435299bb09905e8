// Package disktest gives tests a file system that is really full. Only tests may import it.
package disktest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// inside tells the test that it runs in namespaces of its own.
const inside = "LONGSHIFT_TEST_SMALL_DISK"

// Small gives the folder of a file system of so many bytes. For that it runs the test anew, in user and mount namespaces of its own,
// as any user may; in the outer run it gives "", and the test is to return.
func Small(t testing.TB, size int64) string {
	t.Helper()
	if os.Getenv(inside) == "" {
		again(t)
		return ""
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Fatalf("mount a small file system: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

func again(t testing.TB) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &ended) && os.Getenv("CI") == "":
		t.Skipf("no user namespaces here: %v", err)
	case err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()):
		t.Fatalf("%v\n%s", err, out)
	}
}

// Fill leaves so many bytes in the folder's file system. What it gives makes room again.
func Fill(t testing.TB, dir string, left int64) (empty func()) {
	t.Helper()
	file := filepath.Join(dir, "ballast")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for piece := make([]byte, 1<<20); err == nil || len(piece) > 1; {
		if err != nil {
			piece = piece[:len(piece)/2]
		}
		_, err = f.Write(piece)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("fill the disk: %v", err)
	}
	info, err := f.Stat()
	if err == nil {
		err = f.Truncate(info.Size() - left)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
