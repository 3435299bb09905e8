package toolcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/remove"
)

// base returns the directory of the shared base for tasks that start from one branch of a repository.
func (s *Store) base(repository, branch string) string {
	sum := sha256.Sum256([]byte(branch))
	return filepath.Join(s.config.Dir, repository, "base-"+hex.EncodeToString(sum[:8]))
}

// current reports whether a base exists and is young enough. Its age counts from its creation, because nothing writes to it afterwards.
func (s *Store) current(base string) bool {
	info, err := os.Lstat(base)
	return err == nil && info.IsDir() && s.young(info)
}

func (s *Store) young(info fs.FileInfo) bool { return s.config.Now().Sub(info.ModTime()) < Lifetime }

// Keep makes a base from a task's own caches, unless there is one. After a failed command the base may be incomplete, and expires sooner.
// clean is called while the directory is locked; it must return false once an agent may have written there.
func (s *Store) Keep(ctx context.Context, own, repository, branch string, whole bool, clean func() (bool, error)) error {
	base := s.base(repository, branch)
	if !s.config.Share || s.current(base) {
		return nil
	}
	defer s.lock(base)()
	defer s.lock(own)()
	if yes, err := clean(); err != nil || !yes || s.current(base) {
		return err
	}
	fresh := base + ".new"
	if err := remove.All(fresh); err != nil {
		return fault.New(fault.Infra, "make room for the caches of the base: %w", err)
	}
	defer remove.All(fresh)
	files, err := copyTree(ctx, own, fresh, shared)
	if err == nil && files == 0 {
		return nil
	}
	if err != nil {
		return fault.New(fault.Infra, "keep the caches of the base: %w", err)
	}
	syscall.Sync() // otherwise a truncated file could be served for a week after a power cut
	made := s.config.Now()
	if !whole {
		made = made.Add(partLifetime - Lifetime)
	}
	s.bases.Lock()
	defer s.bases.Unlock()
	if err := errors.Join(os.Chtimes(fresh, made, made), s.discard(base), os.Rename(fresh, base)); err != nil {
		return fault.New(fault.Infra, "keep the caches of the base: %w", err)
	}
	return nil
}

// Sweep removes expired bases, and the caches of tasks that never ended on this host.
func (s *Store) Sweep() {
	s.bases.Lock()
	defer s.bases.Unlock()
	for parent, names := range map[string]string{s.config.Dir: "base-*", s.config.Tasks: Own + "*"} {
		folders, _ := os.ReadDir(parent)
		for _, folder := range folders {
			found, _ := fs.Glob(os.DirFS(filepath.Join(parent, folder.Name())), names)
			for _, name := range found {
				s.removeOld(filepath.Join(parent, folder.Name(), name))
			}
		}
	}
}

func (s *Store) removeOld(dir string) {
	info, err := os.Lstat(dir)
	if err != nil || s.young(info) && !strings.HasSuffix(dir, gone) {
		return
	}
	if err := s.discard(dir); err != nil {
		s.config.Log.Warn("Old caches can't be removed", "folder", dir, "error", err)
	}
}

// gone marks a directory that is being removed.
const gone = ".gone"

// discard removes caches. It renames them first: a partial removal updates the modification time, so the rest would look like a young
// cache whose packages lack files.
func (s *Store) discard(dir string) error {
	aside := strings.TrimSuffix(dir, gone) + gone
	if dir != aside {
		err := s.remove(aside)
		if err == nil {
			err = os.Rename(dir, aside)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return s.remove(aside)
}
