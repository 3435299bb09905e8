package toolcache

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// scene is a store with a clock that the test moves.
type scene struct {
	*Store
	t    *testing.T
	data string
	now  time.Time
}

func newScene(t *testing.T, change func(*Config)) *scene {
	t.Helper()
	s := &scene{t: t, data: t.TempDir(), now: time.Now()}
	c := Config{Dir: filepath.Join(s.data, "caches"), Tasks: filepath.Join(s.data, "tasks"), Share: true,
		Now: func() time.Time { return s.now }, Log: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&c)
	}
	s.Store = New(c)
	return s
}

func (s *scene) own(task string) string { return filepath.Join(s.data, "tasks", task, Own) }

// begin returns the caches that a task begins with.
func (s *scene) begin(task, branch string) (string, []string) {
	s.t.Helper()
	must(s.t, s.Begin(s.t.Context(), s.own(task), "repo", branch))
	return s.own(task), files(s.t, s.own(task))
}

func (s *scene) keep(task, branch string, whole bool) {
	s.t.Helper()
	must(s.t, s.Keep(s.t.Context(), s.own(task), "repo", branch, whole, clean))
}

func clean() (bool, error) { return true, nil }

func files(t *testing.T, dir string) (list []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			list = append(list, name)
		}
		return err
	}))
	return list
}

func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, what string, got []string, names ...string) {
	t.Helper()
	if !slices.Equal(got, names) {
		t.Errorf("%s: got %v, want %v", what, got, names)
	}
}

// A task gets the packages of the base but no settings or programs, and another branch has a base of its own.
func TestBase(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	own, list := s.begin("a", "main")
	want(t, "the first task", list)
	write(t, own, "cargo/config.toml", "cargo/bin/x", "cargo/registry/src/x", "cargo/registry/index/old/.git/config", "gradle/init.gradle",
		"gradle/init.d/x", "gradle/gradle.properties",
		"gradle/caches/modules-2/x", "gradle/wrapper/dists/x", "npm/_cacache/x", "npm/_npx/x", "npm/_logs/x", "go-build/00/x-a", "go-mod/x", "go-mod/cache/vcs/x/config", "go-mod/cache/download/x",
		"ccache/0/x", "ccache/ccache.conf", "corepack/v1/yarn/x", "pip/wheels/x", "poetry/virtualenvs/x", "other/x", "x",
		"bun/left@1.0.0/x", "gems/gems/rake-13/x", "gems/bin/rake", "gems/cache/rake-13.gem", "gems/cache/bundler/git/x/config")
	s.keep("a", "main", true)
	_, list = s.begin("b", "main")
	want(t, "the next task", list, "cargo/registry/src/x", "ccache/0/x", "gems/cache/rake-13.gem", "go-build/00/x-a", "go-mod/cache/download/x", "go-mod/x",
		"gradle/caches/modules-2/x", "gradle/wrapper/dists/x", "npm/_cacache/x", "pip/wheels/x")
	_, list = s.begin("c", "agent's branch")
	want(t, "a task of another branch", list)
	if a, b := s.Place("repo"), s.Place("other"); a == b || len(files(t, a)) > 0 {
		t.Errorf("places %s and %s", a, b)
	}
}

// A base is never written to: not by a task that began with it, and not by another one until it is old.
func TestBaseStays(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	own, _ := s.begin("a", "main")
	write(t, own, "pip/x")
	must(t, os.Chmod(filepath.Join(own, "pip/x"), 0o755|os.ModeSetuid))
	s.keep("a", "main", true)
	b, _ := s.begin("b", "main")
	info, err := os.Stat(filepath.Join(b, "pip/x"))
	if err != nil || info.Mode() != 0o755 || info.Sys().(*syscall.Stat_t).Nlink != 1 {
		t.Errorf("%v, %v, of %d names", err, info.Mode(), info.Sys().(*syscall.Stat_t).Nlink)
	}
	must(t, os.WriteFile(filepath.Join(b, "pip/x"), []byte("evil"), 0o700))
	write(t, b, "pip/y")
	s.keep("b", "main", true)
	c, list := s.begin("c", "main")
	want(t, "the third task", list, "pip/x")
	if text, _ := os.ReadFile(filepath.Join(c, "pip/x")); string(text) != "pip/x" {
		t.Errorf("it reads %q", text)
	}
	write(t, c, "pip/z")
	_, list = s.begin("c", "main")
	want(t, "the same task again", list, "pip/x", "pip/z")
}

// A new base is made from nothing after a week, or after a day if commands had failed.
func TestBaseGrowsOld(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		whole bool
		life  time.Duration
	}{{true, Lifetime}, {false, partLifetime}} {
		s := newScene(t, nil)
		own, _ := s.begin("a", "main")
		write(t, own, "pip/x")
		s.keep("a", "main", c.whole)
		s.now = s.now.Add(c.life - time.Minute)
		_, list := s.begin("b", "main")
		want(t, "shortly before", list, "pip/x")
		s.now = s.now.Add(2 * time.Minute)
		own, list = s.begin("c", "main")
		want(t, "shortly after", list)
		write(t, own, "pip/y")
		s.keep("c", "main", true)
		_, list = s.begin("d", "main")
		want(t, "with the new base", list, "pip/y")
	}
}

// What was under way when the worker died is begun anew, and what nobody has used for a week goes: of tasks that never ended here, and
// bases.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	write(t, s.own("a")+".new", "pip/half")
	own, list := s.begin("a", "main")
	want(t, "after half a copy", list)
	write(t, own, "pip/x")
	write(t, s.base("repo", "main")+".new", "pip/half")
	s.keep("a", "main", true)
	write(t, s.own("b")+".new", "pip/half")
	_, list = s.begin("b", "main")
	want(t, "after half a base, and half a copy of it", list, "pip/x")
	write(t, s.own("dead")+".new", "pip/half")
	must(t, os.Chtimes(s.own("dead")+".new", s.now, s.now))
	must(t, os.Chmod(filepath.Join(own, "pip"), 0o500))
	s.now = s.now.Add(Lifetime / 2)
	s.begin("b", "main") // is in use
	s.now = s.now.Add(Lifetime/2 + time.Minute)
	s.begin("c", "main")
	for path, there := range map[string]bool{own: false, s.base("repo", "main"): false, s.own("dead") + ".new": false, s.own("b"): true} {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) == there {
			t.Errorf("%s: there %v, want %v", path, !there, there)
		}
	}
	must(t, s.Remove(s.own("b")))
	if _, err := os.Lstat(s.own("b")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a task that ended left its caches: %v", err)
	}
}

// Caches that were being removed when the worker died are not taken for whole ones, and go: an old base, one that a new one replaces, those
// of a task that comes back, and those of one that ends.
func TestDeathWhileRemoving(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(s *scene){
		"the old base": func(s *scene) {
			s.now = s.now.Add(Lifetime + time.Minute)
			must(t, os.Chtimes(s.own("a"), s.now, s.now))
			s.Sweep()
		},
		"what a new base replaces": func(s *scene) {
			s.now = s.now.Add(Lifetime + time.Minute)
			s.keep("a", "main", true)
		},
		"the task's own": func(s *scene) {
			s.now = s.now.Add(Lifetime + time.Minute)
			must(t, os.Chtimes(s.base("repo", "main"), s.now, s.now))
			s.Sweep()
		},
		"those of a task that ends": func(s *scene) { must(t, s.Remove(s.own("a"))) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, nil)
			own, _ := s.begin("a", "main")
			write(t, own, "go-mod/x/1.go", "pip/x")
			s.keep("a", "main", true)
			s.Store.remove = func(path string) error {
				if _, err := os.Lstat(path); err != nil {
					return nil
				}
				must(t, os.Remove(filepath.Join(path, "go-mod/x/1.go")))
				must(t, os.Chtimes(path, s.now, s.now)) // as when a folder in it has gone
				panic("killed")
			}
			func() {
				defer func() { _ = recover() }()
				remove(s)
				t.Error("nothing was removed")
			}()
			s.Store = New(s.config)
			for _, task := range []string{"a", "b"} {
				if _, list := s.begin(task, "main"); len(list) == 1 {
					t.Errorf("task %s begins with a half: %q", task, list)
				}
			}
			s.Sweep()
			left, err := filepath.Glob(filepath.Join(s.data, "*", "*", "*"+gone))
			if err != nil || len(left) > 0 {
				t.Errorf("left are %q, %v", left, err)
			}
		})
	}
}

// A clock that jumps by an hour removes no base that is not old, and keeps none forever.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	for _, jump := range []time.Duration{time.Hour, -time.Hour} {
		s := newScene(t, nil)
		own, _ := s.begin("a", "main")
		write(t, own, "pip/x")
		s.keep("a", "main", true)
		s.now = s.now.Add(jump)
		_, list := s.begin("b", "main")
		want(t, "after the jump", list, "pip/x")
		_, list = s.begin("a", "main")
		want(t, "the task itself", list, "pip/x")
		s.now = s.now.Add(Lifetime - jump + time.Minute)
		_, list = s.begin("c", "main")
		want(t, "after its lifetime", list)
	}
}

// Links are copied and not followed, and pipes are not copied.
func TestCopyOfHostileFolders(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	secret := filepath.Join(t.TempDir(), "secret")
	write(t, filepath.Dir(secret), "secret")
	own, _ := s.begin("a", "main")
	write(t, own, "pip/x")
	must(t, os.Symlink(secret, filepath.Join(own, "pip", "link")))
	must(t, os.Symlink(filepath.Dir(secret), filepath.Join(own, "uv")))
	must(t, syscall.Mkfifo(filepath.Join(own, "pip", "pipe"), 0o600))
	s.keep("a", "main", true)
	b, list := s.begin("b", "main")
	want(t, "the copy", list, "pip/link", "pip/x", "uv")
	if to, err := os.Readlink(filepath.Join(b, "pip", "link")); to != secret {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

// No empty base is made, because it would stop later tasks from making a full one.
func TestNoEmptyBase(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	own, _ := s.begin("a", "main")
	write(t, own, "npm/_logs/x")
	must(t, os.MkdirAll(filepath.Join(own, "pip"), 0o700))
	s.keep("a", "main", true)
	if _, err := os.Lstat(s.base("repo", "main")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("kept: %v", err)
	}
}

// With a seed a task begins with its packages as long as there is no base; with nothing shared, never with a base.
func TestSettings(t *testing.T) {
	t.Parallel()
	seed := t.TempDir()
	write(t, seed, "go-build/x", "cargo/config.toml", "go/src/x")
	s := newScene(t, func(c *Config) { c.Seed = seed })
	own, list := s.begin("a", "main")
	want(t, "with a seed", list, "go-build/x")
	write(t, own, "go-build/y")
	s.keep("a", "main", true)
	_, list = s.begin("b", "main")
	want(t, "with a base", list, "go-build/x", "go-build/y")
	s.config.Share = false
	s.config.Seed = ""
	_, list = s.begin("c", "main")
	want(t, "with nothing shared", list)
	s.config.Seed = filepath.Join(seed, "gone")
	_, list = s.begin("d", "main")
	want(t, "with a seed that is gone", list)
}

// While a session begins no base is made of what its agent writes: either it is complete before, or it is refused.
func TestKeepAndAgent(t *testing.T) {
	t.Parallel()
	s := newScene(t, nil)
	own, _ := s.begin("a", "main")
	for i := range 200 {
		write(t, own, filepath.Join("pip", strings.Repeat("x", i+1)))
	}
	var mu sync.Mutex
	begun := false
	asked := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		<-asked // the answer was given, and the copy begins
		mu.Lock()
		begun = true
		mu.Unlock()
		must(t, s.Begin(context.Background(), own, "repo", "main")) // as every box does before its program starts
		write(t, own, "pip/evil", "pip/"+strings.Repeat("x", 200))
		must(t, os.WriteFile(filepath.Join(own, "pip", strings.Repeat("x", 200)), []byte("evil"), 0o600))
	})
	ask := func() (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		defer close(asked)
		return !begun, nil
	}
	must(t, s.Keep(t.Context(), own, "repo", "main", true, ask))
	done.Wait()
	b, list := s.begin("b", "main")
	text, _ := os.ReadFile(filepath.Join(b, "pip", strings.Repeat("x", 200)))
	if len(list) != 200 || string(text) == "evil" {
		t.Errorf("%d files, the last reads %.10q", len(list), text)
	}
	for what, ask := range map[string]func() (bool, error){"no": func() (bool, error) { return false, nil },
		"an error": func() (bool, error) { return true, fs.ErrInvalid }} {
		err := s.Keep(t.Context(), own, "repo", what, true, ask)
		if _, at := os.Lstat(s.base("repo", what)); at == nil || (err != nil) != (what == "an error") {
			t.Errorf("%s: %v, %v", what, err, at)
		}
	}
}
