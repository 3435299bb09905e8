package remove

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// closed makes a folder as a module cache is: neither it nor what is in it can be written to.
func closed(t *testing.T, dir string) {
	t.Helper()
	deep := filepath.Join(dir, "a", "b")
	for _, err := range []error{os.MkdirAll(deep, 0o755), os.WriteFile(filepath.Join(deep, "file"), nil, 0o444), os.Chmod(deep, 0o500),
		os.Chmod(filepath.Dir(deep), 0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestClosedFolders(t *testing.T) {
	if os.Getuid() == 0 {
		asAnotherUser(t)
		return
	}
	dir := t.TempDir()
	for name, removes := range map[string]func(path string) error{
		"all": All,
		"below": func(path string) error {
			root, err := os.OpenRoot(dir)
			if err != nil {
				return err
			}
			defer root.Close()
			return Below(root, filepath.Base(path))
		},
	} {
		path := filepath.Join(dir, name)
		closed(t, path)
		if err := os.RemoveAll(path); !errors.Is(err, fs.ErrPermission) {
			t.Fatalf("os.RemoveAll: %v; this shows nothing", err)
		}
		if err := removes(path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: still there: %v", name, err)
		}
		if err := removes(path); err != nil {
			t.Errorf("%s: a second time: %v", name, err)
		}
	}
}

// asAnotherUser runs the test once more, for nothing is closed to root.
func asAnotherUser(t *testing.T) {
	t.Helper()
	const nobody = 65534
	dir, err := os.MkdirTemp("/tmp", "remove-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "remove.test")
	for _, err := range []error{os.WriteFile(program, data, 0o755), os.Chown(dir, nobody, nobody)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-test.run", "TestClosedFolders", "-test.v")
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
