package backlog

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/task"
)

// asNobody runs f without root's right to write everywhere. For other accounts it is f.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		_, err := unix.SetfsuidRetUid(65534)
		if err == nil {
			f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// TestDenied: in a folder that can't be written to, the file stays as it is, and its text is not begun again.
func TestDenied(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	n := p.claim("1.md", "t1")
	n.Outcome = task.PullRequest
	if os.Geteuid() == 0 {
		give(t, p.state)
	}
	if err := os.Chmod(filepath.Join(p.repo, "backlog"), 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(p.repo, "backlog"), 0o755) })
	open(t, p.repo)
	open(t, p.state)
	var err error
	asNobody(t, func() { err = p.Report(t.Context(), p.q, "1.md", n) })
	kindOf(t, err, fault.Denied)
	if err == nil || !strings.Contains(err.Error(), "backlog/1.md") || strings.Contains(err.Error(), p.repo) || fault.HintOf(err) == "" {
		t.Errorf("error %v, hint %q", err, fault.HintOf(err))
	}
	p.says("1.md", order)
	p.listed()
	if kept, err := p.Kept(t.Context(), p.q); err != nil || len(kept) != 1 {
		t.Errorf("kept %+v, %v", kept, err)
	}
	if err := os.Chmod(filepath.Join(p.repo, "backlog"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.report("1.md", n, task.PullRequest) // made again, now with the right
	p.says("1.md", "")
	p.clean()
}

// TestUnreadable: a file that can't be read is named, and is not taken for one that is gone.
func TestUnreadable(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order})
	if err := os.Chmod(p.path("1.md"), 0); err != nil {
		t.Fatal(err)
	}
	open(t, p.repo)
	var list, read error
	asNobody(t, func() {
		list = p.List(t.Context(), p.q, func(intake.Item) bool { return true })
		_, read = p.Read(t.Context(), p.q, "1.md")
	})
	for _, err := range []error{list, read} {
		kindOf(t, err, fault.Denied)
		if err == nil || !strings.Contains(err.Error(), "backlog/1.md") {
			t.Errorf("error %v", err)
		}
	}
}

// open lets everybody into the folders above a path, up to the test's own.
func open(t *testing.T, path string) {
	t.Helper()
	for dir := path; dir != filepath.Dir(dir) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if info.Sys().(*syscall.Stat_t).Uid != uint32(os.Geteuid()) && os.Geteuid() != 0 || info.Mode().Perm()&0o055 == 0o055 {
			continue
		}
		if err := os.Chmod(dir, info.Mode().Perm()|0o055); err != nil {
			t.Fatal(err)
		}
	}
}

// give makes nobody the owner of a folder and its contents.
func give(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, 65534, -1)
	})
	if err != nil {
		t.Fatal(err)
	}
}

const fullEnv = "LONGSHIFT_TEST_FULL"

// TestFull: no room on the disk for a mark. It runs once more as root of a namespace of its own, which may mount a small disk.
func TestFull(t *testing.T) {
	if os.Getenv(fullEnv) != "" {
		full(t)
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFull$", "-test.v")
	cmd.Env = append(os.Environ(), fullEnv+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER, Unshareflags: syscall.CLONE_NEWNS, Pdeathsig: syscall.SIGKILL,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || strings.Contains(string(out), noDisk) {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no small disk for the test: %v\n%s", err, out)
		}
		t.Skipf("this account gets no namespace with a disk of its own: %v", err)
	}
	if err != nil || !strings.Contains(string(out), "--- PASS: TestFull") {
		t.Fatalf("%v\n%s", err, out)
	}
}

const noDisk = "no disk of our own"

// full checks that nothing is begun or removed, and that work continues when there is room.
func full(t *testing.T) {
	p := newPlace(t, map[string]string{"1.md": order, "2.md": order})
	n := p.claim("1.md", "t1")
	n.Outcome = task.PullRequest
	if err := unix.Mount("tmpfs", p.state, "tmpfs", 0, "size=16k"); err != nil {
		t.Fatalf("%s: %v", noDisk, err)
	}
	mounted := true
	t.Cleanup(func() {
		if mounted {
			unix.Unmount(p.state, unix.MNT_DETACH)
		}
	})
	fill(t, filepath.Join(p.state, "full"))
	for name, err := range map[string]error{
		"Report": p.Report(t.Context(), p.q, "1.md", n),
		"Claim":  p.Claim(t.Context(), p.q, "2.md", intake.Note{TaskID: "t2", Sum: n.Sum}),
	} {
		kindOf(t, err, fault.Infra)
		if err == nil || !strings.Contains(fault.HintOf(err), "make room") || strings.Contains(err.Error(), p.state) {
			t.Errorf("%s: %v, hint %q", name, err, fault.HintOf(err))
		}
	}
	p.says("1.md", order)
	if err := unix.Unmount(p.state, 0); err != nil {
		t.Fatal(err)
	}
	mounted = false
	p.report("1.md", n, task.PullRequest)
	p.says("1.md", "")
	p.listed("2.md")
}

func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
}
