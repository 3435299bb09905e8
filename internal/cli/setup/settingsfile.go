package setup

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/project"
)

// settingsFile is the .longshift.yaml of a work tree, as it was read.
type settingsFile struct {
	path string
	data []byte
	mode fs.FileMode // 0 when there is none
}

func (f settingsFile) exists() bool { return f.mode != 0 }

// workTree returns the top of the work tree that settings are written into.
func workTree(ctx context.Context, r *repository.Repositories, g environ.Git, given string) (string, error) {
	repository, err := r.OnDisk(ctx, given)
	if err != nil {
		return "", err
	}
	if bare, err := g.Run(ctx, repository, "rev-parse", "--is-bare-repository"); err != nil || bare == "true" {
		return "", fault.New(fault.Input, "%s has no work tree", repository).WithHint("give the path of a clone")
	}
	return repository, nil
}

// readSettingsFile reads the file without following a link: what a repository holds must not lead us to another file.
func readSettingsFile(top string) (settingsFile, error) {
	f := settingsFile{path: filepath.Join(top, project.FileName)}
	info, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, fault.New(fault.Denied, "read settings: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return f, fault.New(fault.Input, "%s is a link, and settings are not written through one", f.path).
			WithHint("replace it by a file: tasks read the file of the commit, and there a link is none")
	case !info.Mode().IsRegular():
		return f, fault.New(fault.Input, "%s is no file", f.path).WithHint("move it away")
	case info.Size() > project.MaxSize:
		return f, fault.New(fault.Input, "%s has %d bytes", f.path, info.Size()).WithHint("give at most %d", project.MaxSize)
	}
	f.mode = info.Mode().Perm()
	if f.data, err = os.ReadFile(f.path); err != nil {
		return f, fault.New(fault.Denied, "read settings: %w", err).WithHint("make it readable")
	}
	return f, nil
}

// write puts the new content in the place of the old in one step, with the same mode.
func (f settingsFile) write(data []byte) (err error) {
	now, err := readSettingsFile(filepath.Dir(f.path))
	if err != nil {
		return err
	}
	if now.exists() != f.exists() || !bytes.Equal(now.data, f.data) {
		return fault.New(fault.Conflict, "%s has been changed meanwhile, so nothing was written", f.path).WithHint("run the command again")
	}
	temporary := f.path + "." + rand.Text()
	file, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fault.New(fault.Denied, "write settings: %w", err).WithHint("make the folder writable")
	}
	defer func() {
		if err != nil {
			os.Remove(temporary)
			err = fault.New(fault.Denied, "write %s: %w", f.path, err).WithHint("see that there is room, and that the folder is writable")
		}
	}()
	if f.exists() {
		err = file.Chmod(f.mode)
	}
	if err == nil {
		_, err = file.Write(data)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err = os.Rename(temporary, f.path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(f.path))
}

// syncFolder makes a rename last through a loss of power.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// difference shows what would change, as git does.
func (f settingsFile) difference(data []byte) string {
	text := diff.Diff("a/"+project.FileName, f.data, "b/"+project.FileName, data)
	_, text, _ = bytes.Cut(text, []byte("\n")) // "diff a b" says nothing more
	return string(text)
}

// commitHint is what is left to do after settings were written.
func commitHint(path string) string {
	return fmt.Sprintf("commit it: tasks read %s from the commit that they start from", filepath.Base(path))
}
