// Package toolcache gives each task its own tool chain caches, which start as a copy of a base that earlier tasks of the repository have
// left.
//
// Tools trust these caches: Go takes compiled packages from its build cache, cargo and gradle load settings from theirs, pip installs
// wheels it once built. So nothing that an agent could write may reach another task. Bases are filled only by setup and check, on the
// commit that the task starts from and before an agent has run. They hold nothing that the next task's own setup and check would not
// produce. Even so, files that configure a tool are left out.
//
// The package starts no programs. Its callers decide which task may leave a base.
package toolcache

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/remove"
)

// Lifetime is how long a base is used. Then a new one is made from nothing, so that bases do not grow forever and packages that the
// repository has dropped disappear. A task's own caches are removed when they were unused for this long.
const Lifetime = 7 * 24 * time.Hour

// partLifetime is the lifetime of a base made after a failed command.
const partLifetime = 24 * time.Hour

// Own is the name of the caches below a task's directory.
const Own = "caches"

// Config is what New needs.
type Config struct {
	Dir   string           // directory of the bases and of the mount points in sandboxes
	Tasks string           // directory with one folder per task
	Seed  string           // caches that the operator has filled, for tasks without a base; "" for none
	Share bool             // whether tasks leave bases to others
	Now   func() time.Time // nil for time.Now
	Log   *slog.Logger     // nil for slog.Default
}

// Store keeps bases and the tasks' own caches apart. It is safe for concurrent use.
type Store struct {
	config Config
	owners sync.Map                // a mutex for each directory that is being created or copied
	bases  sync.RWMutex            // held for writing while a base is put in place or removed
	remove func(path string) error // remove.All, replaced by tests that simulate a crash
}

// New returns a store. It creates no directory before the first task.
func New(c Config) *Store {
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.Default())
	return &Store{config: c, remove: remove.All}
}

// Place is the path of the caches inside a sandbox. It is the same for all tasks of a repository, because build caches are keyed by
// source paths. Outside the sandbox it is an empty directory.
func (s *Store) Place(repository string) string {
	return filepath.Join(s.config.Dir, repository, "task")
}

// Begin creates a task's own caches unless they exist. Without a base, or if copying fails, they start empty: caches only save time.
func (s *Store) Begin(ctx context.Context, own, repository, branch string) error {
	if err := os.MkdirAll(s.Place(repository), 0o700); err != nil {
		return fault.New(fault.Infra, "make the place for caches: %w", err)
	}
	defer s.lock(own)()
	now := s.config.Now()
	if os.Chtimes(own, now, now) == nil {
		return nil
	}
	s.Sweep()
	fresh := own + ".new"
	err := errors.Join(remove.All(fresh), os.MkdirAll(filepath.Dir(own), 0o700))
	if err == nil {
		err = s.fill(ctx, fresh, s.base(repository, branch))
	}
	if err != nil && ctx.Err() == nil {
		s.config.Log.WarnContext(ctx, "A task starts with empty caches", "folder", own, "error", err)
		err = errors.Join(remove.All(fresh), os.MkdirAll(fresh, 0o700))
	}
	if err == nil {
		err = errors.Join(os.Chtimes(fresh, now, now), os.Rename(fresh, own))
	}
	if err != nil {
		return fault.New(fault.Infra, "make the task's caches: %w", err)
	}
	return nil
}

// fill copies the base or, without one, the operator's seed.
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

// Remove removes a task's own caches at its end.
func (s *Store) Remove(own string) error {
	defer s.lock(own)()
	defer s.owners.Delete(own)
	return errors.Join(remove.All(own+".new"), s.discard(own))
}

// lock locks a directory within this process.
func (s *Store) lock(dir string) (release func()) {
	m, _ := s.owners.LoadOrStore(dir, &sync.Mutex{})
	m.(*sync.Mutex).Lock()
	return m.(*sync.Mutex).Unlock
}
