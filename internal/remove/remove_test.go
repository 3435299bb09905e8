package remove

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/usertest"
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
	if usertest.NotRoot(t) {
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
