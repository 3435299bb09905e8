package sandbox

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/longshift/longshift/internal/confine/sandbox/inner"
	"github.com/longshift/longshift/internal/fault"
)

// addWork mounts the worktree. The worktree itself must not be a symbolic link, wherever it is.
func (p *plan) addWork(c Spec) error {
	if info, err := os.Lstat(c.Work); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return linkError(c.Work, filepath.Clean(c.Work))
	}
	kind := writable
	if c.ReadOnly {
		kind = readable
	}
	if err := p.addFolder(c.Work, kind); err != nil {
		return err
	}
	p.workDir = p.mounts[0].path
	p.written = append(p.written, p.workDir) // even if it is read-only: an earlier program may have written it
	return nil
}

// addFolder mounts a folder that must exist.
func (p *plan) addFolder(path string, kind access) error {
	real, missing, err := p.written.resolve(path)
	if err != nil {
		return err
	}
	info, err := os.Lstat(filepath.Join(append([]string{real}, missing...)...))
	if err != nil {
		return fault.New(fault.Infra, "sandbox: mount %s: %w", path, err).WithHint("make the folder before the program starts")
	}
	if err := givable(real, path); err != nil {
		return err
	}
	if kind == writable {
		p.written = append(p.written, real)
	}
	return p.add(mount{path: real, access: kind, folder: info.IsDir()})
}

// givable refuses paths that every box has for itself, and the root directory.
func givable(real, path string) error {
	for _, taken := range []string{"/proc", "/dev", "/sys"} {
		if within(real, taken) || real == "/" {
			return fault.New(fault.Input, "sandbox: %s can't be given to a program", path)
		}
	}
	return nil
}

// addMoved mounts a folder at another path.
func (p *plan) addMoved(path, folder string) error {
	var real [2]string
	for i, name := range []string{path, folder} {
		dir, missing, err := p.written.resolve(name)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return fault.New(fault.Infra, "sandbox: mount %s at %s: %w", folder, path, fs.ErrNotExist).
				WithHint("make both folders before the program starts")
		}
		if err := givable(dir, name); err != nil {
			return err
		}
		real[i] = dir
	}
	p.written = append(p.written, real[1])
	return p.add(mount{path: real[0], from: real[1], access: writable, folder: true})
}

// addHidden covers a path; a path that does not exist needs no cover. Nor does a device: the box has its own /dev, and
// covering /dev/null there would take it from every program.
func (p *plan) addHidden(path string) error {
	real, missing, err := p.written.resolve(path)
	if err != nil || len(missing) > 0 {
		return err
	}
	info, err := os.Lstat(real)
	if err != nil {
		return fault.New(fault.Infra, "sandbox: hide %s: %w", path, err)
	}
	if slices.Contains(privates(), real) || info.Mode()&fs.ModeDevice != 0 || within(real, "/dev") {
		return nil // the box's own folder replaces it
	}
	return p.add(mount{path: real, access: hidden, folder: info.IsDir()})
}

func (p *plan) addPrivate(path string) error {
	if path == "/dev/shm" { // part of the box's own /dev
		return p.add(mount{path: path, access: private, folder: true})
	}
	real, missing, err := p.written.resolve(path)
	if err != nil || len(missing) > 0 {
		return err
	}
	return p.add(mount{path: real, access: private, folder: true})
}

// add adds a mount to the plan. Adding a path twice with different meanings is an error.
func (p *plan) add(m mount) error {
	i := slices.IndexFunc(p.mounts, func(o mount) bool { return o.path == m.path })
	if i >= 0 && p.mounts[i].access != m.access {
		return fault.New(fault.Input, "sandbox: %s is asked for in two ways", m.path).WithHint("name each folder once")
	} else if i >= 0 {
		return nil
	}
	if m.access != private && m.access != hidden {
		var err error
		if m.source, err = identify(cmp.Or(m.from, m.path)); err != nil {
			return fault.New(fault.Infra, "sandbox: mount %s: %w", m.path, err)
		}
	}
	p.mounts = append(p.mounts, m)
	return nil
}

// identify records which folder or file a path names now, so that the inner init can check that the same one was
// mounted.
func identify(path string) (inner.Check, error) {
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		return inner.Check{}, err
	}
	if kind := st.Mode & syscall.S_IFMT; kind != syscall.S_IFDIR && kind != syscall.S_IFREG {
		return inner.Check{}, errors.New("neither a folder nor a file")
	}
	return inner.Check{Path: []byte(path), Dev: uint64(st.Dev), Ino: st.Ino}, nil
}
