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
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/remove"
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
	owners sync.Map                // a mutex for each folder that is being made or copied
	bases  sync.RWMutex            // held for writing while a base is put in its place or removed
	remove func(path string) error // remove.All, but for tests that die in it
}

// New makes a store. It needs no folder before the first task.
func New(c Config) *Store {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return &Store{config: c, remove: remove.All}
}

// Place is where the tasks of a repository find their own caches inside of a box: the same path for all of them, for build caches are
// keyed by the paths of sources. Outside it is an empty folder.
func (s *Store) Place(repository string) string {
	return filepath.Join(s.config.Dir, repository, "task")
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
	s.Sweep()
	fresh := own + ".new"
	err := errors.Join(remove.All(fresh), os.MkdirAll(filepath.Dir(own), 0o700))
	if err == nil {
		err = s.fill(ctx, fresh, s.base(repository, branch))
	}
	if err != nil && ctx.Err() == nil {
		s.config.Log.WarnContext(ctx, "A task begins with empty caches", "folder", own, "error", err)
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

// Remove removes a task's own folder at its end.
func (s *Store) Remove(own string) error {
	defer s.lock(own)()
	defer s.owners.Delete(own)
	return errors.Join(remove.All(own+".new"), s.discard(own))
}

// lock makes the caller the only one at a folder until it calls what it gets.
func (s *Store) lock(dir string) (release func()) {
	m, _ := s.owners.LoadOrStore(dir, &sync.Mutex{})
	m.(*sync.Mutex).Lock()
	return m.(*sync.Mutex).Unlock
}
