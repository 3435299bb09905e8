package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/longshift/longshift/internal/fault"
)

// addProtected makes a path a read-only mount of its own. The folders between it and the writable folder above are
// pinned: renaming one would move the mounts in it along, and a new folder could take its place.
func (p *plan) addProtected(path string) error {
	real, missing, err := p.written.resolve(path)
	if err != nil {
		return err
	}
	root := p.written.outermost(real)
	if root == "" {
		return fault.New(fault.Input, "sandbox: protected path %s does not lie below the worktree or a writable folder", path)
	}
	for dir := real; dir != root; dir = filepath.Dir(dir) {
		if p.placeholders.join(dir) {
			p.made = append(p.made, dir)
		}
	}
	if p.readOnly(real) { // it can't be written or created, but a folder above may be renamed
		return p.pin(root, real)
	}
	for _, name := range missing {
		real = filepath.Join(real, name)
		if err := p.hold(real); err != nil {
			return err
		}
	}
	if err := p.pin(root, filepath.Dir(real)); err != nil {
		return err
	}
	info, err := os.Lstat(real)
	if err != nil {
		return fault.New(fault.Infra, "sandbox: protect %s: %w", path, err)
	}
	if links(info) > 1 && !info.IsDir() {
		return fault.New(fault.Denied, "sandbox: protected file %s has a second name and could be written under that", real).
			WithHint("remove the hard link from the worktree")
	}
	return p.add(mount{path: real, access: protected, folder: info.IsDir()})
}

func links(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(st.Nlink)
}

// readOnly reports whether the innermost mount that contains path is read-only.
func (p *plan) readOnly(path string) bool {
	var best mount
	for _, m := range p.mounts {
		if within(path, m.path) && len(m.path) > len(best.path) {
			best = m
		}
	}
	return best.access == readable || best.access == protected || best.access == hidden
}

// pin mounts every folder below root, down to dir, onto itself. Mount points can't be renamed.
func (p *plan) pin(root, dir string) error {
	for ; dir != root && within(dir, root); dir = filepath.Dir(dir) {
		isMount := slices.ContainsFunc(p.mounts, func(m mount) bool { return m.path == dir })
		if isMount || p.readOnly(dir) {
			continue
		}
		if err := p.add(mount{path: dir, access: pinned, folder: true}); err != nil {
			return err
		}
	}
	return nil
}

// pinHidden pins the folders between a hidden path and the writable folder above. Otherwise a program could rename one of them, and the next
// box would find nothing to cover at the path. It comes last: a folder that is protected or hidden itself needs no pin.
func (p *plan) pinHidden() error {
	for _, m := range slices.Clone(p.mounts) {
		root := p.written.outermost(m.path)
		if m.access != hidden || root == "" {
			continue
		}
		if err := p.pin(root, filepath.Dir(m.path)); err != nil {
			return err
		}
	}
	return nil
}

// hold creates a placeholder for a missing path. It is a folder because git ignores empty ones: if the worker is killed
// before it is removed, it gets into no commit.
func (p *plan) hold(path string) error {
	if err := os.Mkdir(path, 0o755); err != nil {
		return fault.New(fault.Infra, "sandbox: hold protected path: %w", err)
	}
	p.placeholders.users[path] = 1
	p.made = append(p.made, path)
	return nil
}

// placeholders counts the boxes that use each placeholder: removing it would remove the mount of another box.
type placeholders struct {
	mu    sync.Mutex // held while a plan is made or undone
	users map[string]int
}

func newPlaceholders() *placeholders { return &placeholders{users: map[string]int{}} }

// join counts this box in and reports whether another one already uses the placeholder.
func (m *placeholders) join(path string) bool {
	if m.users[path] == 0 {
		return false
	}
	m.users[path]++
	return true
}

// undo removes the placeholders of protected paths. A folder that is not empty is in use by others and stays.
func (p *plan) undo() {
	p.placeholders.mu.Lock()
	defer p.placeholders.mu.Unlock()
	p.release()
}

func (p *plan) release() {
	slices.SortFunc(p.made, comparePaths)
	for _, path := range slices.Backward(p.made) {
		if p.placeholders.users[path]--; p.placeholders.users[path] == 0 {
			delete(p.placeholders.users, path)
			syscall.Rmdir(path)
		}
	}
	p.made = nil
}
