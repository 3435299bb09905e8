// Package toolcache gives each task caches of tool chains of its own, which begin as a copy of what the base of its repository has left.
//
// What lies in these caches is trusted by whoever finds it: Go takes its build cache's word for a compiled package, cargo and gradle load
// settings from theirs, pip installs wheels it once built. So nothing that an agent could write is ever seen by another task. What tasks
// share is filled by setup and check on the commit that they start from, before an agent has run: it holds nothing that the next
// task's own setup and check would not run as well. What configures a tool is left out even so.
//
// The package starts no programs and decides nothing about which task may leave something; callers do.
package toolcache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// Lifetime is how long a base is copied from. Then it is made anew, from nothing: so it does not grow without end, and a package that
// the repository has dropped is gone from it. A task's own caches that nobody has used for so long are removed as well.
const Lifetime = 7 * 24 * time.Hour

// partLifetime is the same for what commands have left that failed.
const partLifetime = 24 * time.Hour

// Own is the name of a task's own folder below the task's.
const Own = "caches"

// Config is what New needs.
type Config struct {
	Dir   string           // of bases and of the places in boxes
	Tasks string           // holds a folder for each task
	Seed  string           // folder of caches that the operator has filled, for tasks that have no base to begin with; "" for none
	Share bool             // whether tasks leave something to others at all
	Now   func() time.Time // nil for time.Now
	Log   *slog.Logger     // nil for slog.Default
}

// Store keeps bases and the tasks' own folders apart. It is safe for use by many at once.
type Store struct {
	config Config
	owners sync.Map     // a mutex for each folder that is being made or copied
	bases  sync.RWMutex // held for writing while a base is put in its place or removed
}

// New makes a store. It needs no folder before the first task.
func New(c Config) *Store {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return &Store{config: c}
}

// Place is where the tasks of a repository find their own caches inside of a box: the same path for all of them, for build caches are
// keyed by the paths of sources. Outside it is an empty folder.
func (s *Store) Place(repository string) string {
	return filepath.Join(s.config.Dir, repository, "task")
}

// base is the folder of what tasks leave that start from one branch of a repository.
func (s *Store) base(repository, branch string) string {
	sum := sha256.Sum256([]byte(branch))
	return filepath.Join(s.config.Dir, repository, "base-"+hex.EncodeToString(sum[:8]))
}

// Begin makes a task's own folder, unless it is there. Without a base or when it can't be copied it begins empty: caches save time
// and nothing else.
func (s *Store) Begin(ctx context.Context, own, repository, branch string) error {
	if err := os.MkdirAll(s.Place(repository), 0o700); err != nil {
		return fault.New(fault.Infra, "make the place for caches: %w", err)
	}
	defer s.lock(own)()
	now := s.config.Now()
	if os.Chtimes(own, now, now) == nil {
		return nil
	}
	s.sweep()
	fresh := own + ".new"
	err := errors.Join(RemoveAll(fresh), os.MkdirAll(filepath.Dir(own), 0o700))
	if err == nil {
		err = s.fill(ctx, fresh, s.base(repository, branch))
	}
	if err != nil && ctx.Err() == nil {
		s.config.Log.WarnContext(ctx, "A task begins with empty caches", "folder", own, "error", err)
		err = errors.Join(RemoveAll(fresh), os.MkdirAll(fresh, 0o700))
	}
	if err == nil {
		err = errors.Join(os.Chtimes(fresh, now, now), os.Rename(fresh, own))
	}
	if err != nil {
		return fault.New(fault.Infra, "make the task's caches: %w", err)
	}
	return nil
}

// fill copies the base, or else the operator's seed.
func (s *Store) fill(ctx context.Context, to, base string) error {
	if s.config.Share && s.current(base) {
		s.bases.RLock()
		defer s.bases.RUnlock()
		_, err := copyTree(ctx, base, to, everything)
		return err
	}
	if s.config.Seed != "" {
		_, err := copyTree(ctx, s.config.Seed, to, shared)
		return err
	}
	return os.Mkdir(to, 0o700)
}

// current tells whether a base is there and young enough. Its age counts from when it was made: nothing writes to it after that.
func (s *Store) current(base string) bool {
	info, err := os.Lstat(base)
	return err == nil && info.IsDir() && s.young(info)
}

func (s *Store) young(info fs.FileInfo) bool { return s.config.Now().Sub(info.ModTime()) < Lifetime }

// Keep makes a base of a task's own folder, unless there is one. What was left by commands that failed may be a part of it only, and is
// made anew before long. Clean is asked while the folder is held, and must be false once an agent may have written there.
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
	if err := RemoveAll(fresh); err != nil {
		return fault.New(fault.Infra, "make room for the caches of the base: %w", err)
	}
	defer RemoveAll(fresh)
	files, err := copyTree(ctx, own, fresh, shared)
	if err == nil && files == 0 {
		return nil
	}
	if err != nil {
		return fault.New(fault.Infra, "keep the caches of the base: %w", err)
	}
	syscall.Sync() // after a power cut, half a file would be taken for a whole one for a week
	made := s.config.Now()
	if !whole {
		made = made.Add(partLifetime - Lifetime)
	}
	s.bases.Lock()
	defer s.bases.Unlock()
	if err := errors.Join(os.Chtimes(fresh, made, made), RemoveAll(base), os.Rename(fresh, base)); err != nil {
		return fault.New(fault.Infra, "keep the caches of the base: %w", err)
	}
	return nil
}

// Remove removes a task's own folder at its end.
func (s *Store) Remove(own string) error {
	defer s.lock(own)()
	defer s.owners.Delete(own)
	return errors.Join(RemoveAll(own+".new"), RemoveAll(own))
}

// sweep removes what nobody has used for long: bases, and the caches of tasks that never came to an end here.
func (s *Store) sweep() {
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
	if err != nil || s.young(info) {
		return
	}
	if err := RemoveAll(dir); err != nil {
		s.config.Log.Warn("Old caches can't be removed", "folder", dir, "error", err)
	}
}

// lock makes the caller the only one at a folder until it calls what it gets.
func (s *Store) lock(dir string) (release func()) {
	m, _ := s.owners.LoadOrStore(dir, &sync.Mutex{})
	m.(*sync.Mutex).Lock()
	return m.(*sync.Mutex).Unlock
}
