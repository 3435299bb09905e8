package activities

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/confine/process"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/deliverable"
	"github.com/longshift/longshift/internal/repo/toolcache"
)

// boxes makes the sandboxes of a host: each says what one program of a task may see and reach, and runs it.
type boxes struct {
	host     string
	data     string
	confine  Confinement
	caches   *toolcache.Store
	writeOff bool // no program may write
}

func (b *boxes) dirs(l layout, taskID string) Dirs {
	d := Dirs{Home: homeOf(b.data, taskID), own: cachesOf(b.data, taskID)}
	d.Cache = d.own
	if b.confine.Mounts {
		d.Cache = b.caches.Place(l.key)
	}
	return d
}

// spec returns the box of a program of the task, which says what it may see and change.
func (b *boxes) spec(ctx context.Context, l layout, d Dirs, readOnly bool, paths pathScope) (sandbox.Spec, error) {
	if b.confine.Box == nil {
		return sandbox.Spec{}, fault.New(fault.Internal, "this host has no sandbox")
	}
	readOnly = readOnly || b.writeOff
	s := sandbox.Spec{
		Work: l.dir, ReadOnly: readOnly, NoPipes: true, // our git reads there later: a pipe as .gitignore would block it
		Hidden: b.confine.hidden(), Limits: b.confine.Limits,
		Readable: slices.Concat(b.confine.Readable, l.objects),
	}
	if err := b.caches.Begin(ctx, d.own, l.key, l.branch); err != nil {
		return s, err
	}
	if d.Cache == d.own {
		s.Writable = []string{d.own}
	} else {
		s.Moved = map[string]string{d.Cache: d.own}
	}
	git := filepath.Join(l.dir, ".git")
	if !readOnly {
		s.Writable = append(s.Writable, git) // as a mount it can't be moved away
	} else if objects := filepath.Join(git, "lfs"); isFolder(objects) {
		s.Writable = append(s.Writable, objects) // git-lfs writes even to compare; we verify what we take from there
	}
	for _, name := range []string{"config", "config.worktree", "commondir", "hooks", "info", "objects/info", "modules", "worktrees"} {
		s.Protected = append(s.Protected, filepath.Join(git, name))
	}
	s.Protected = append(s.Protected, l.gits...)
	fixed, err := l.named(ctx, paths.fixed())
	if err != nil {
		return s, err
	}
	s.Protected = append(s.Protected, fixed...)
	if status := filepath.Join(l.dir, deliverable.Path); isFile(status) { // where it is not, no commit takes one
		s.Protected = append(s.Protected, status)
	}
	unseen, err := l.named(ctx, paths.HiddenFrom(paths.role))
	s.Hidden = append(s.Hidden, unseen...)
	return s, err
}

// named returns the files and folders of the work tree that patterns name. One that is not there is left out: a mount would show every
// program a folder of that name, and a commit undoes what a program makes there, unless git ignores it. A link that the base commit has is
// left out, too, when the patterns also name what it leads to. Any other link may be an agent's, and the sandbox refuses it.
func (l layout) named(ctx context.Context, patterns []string) (paths []string, err error) {
	for _, pattern := range patterns {
		path, ok := plainPath(pattern)
		if !ok {
			continue
		}
		if behindLink(l.dir, path) {
			target, err := l.target(ctx, path)
			if err != nil {
				return nil, err
			}
			if plain, ok := plainPath(target); ok && plain != filepath.Clean(path) {
				continue // see closeTargets
			}
			path = target
		}
		full := filepath.Join(l.dir, path)
		if _, err := os.Lstat(full); !errors.Is(err, fs.ErrNotExist) || behindLink(l.dir, path) {
			paths = append(paths, full)
		}
	}
	return paths, nil
}

// behindLink tells whether a path of the work tree is a symbolic link, or has one among the folders above it.
func behindLink(dir, path string) bool {
	for at := filepath.Join(dir, path); strings.HasPrefix(at, dir+"/"); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// plainPath returns the one file or folder that a pattern names. Other patterns are left to policy: a mount takes no pattern.
func plainPath(pattern string) (string, bool) {
	path := strings.TrimSuffix(strings.TrimSuffix(pattern, "/**"), "/")
	return path, path != "" && !strings.ContainsAny(path, "*?[{")
}

// run runs a program of the task's own commands.
func (b *boxes) run(ctx context.Context, s process.Spec, l process.Limits, box sandbox.Spec) (process.Result, error) {
	res, err := b.confine.Box.Run(ctx, s, l, box)
	return res, unconfined(err)
}

func (b *boxes) start(ctx context.Context, s process.Spec, box sandbox.Spec) (*process.Process, error) {
	started, err := b.confine.Box.Start(ctx, s, box)
	return started, unconfined(err)
}

// unconfined turns a denial by the sandbox into a fault of the work: the workspace can't be confined (a link replaces a protected path),
// while no key or permission of the operator is missing.
func unconfined(err error) error {
	if fault.KindOf(err) != fault.Denied {
		return err
	}
	return fault.New(fault.Work, "the workspace can't be confined: %w", err).
		WithHint("%s", cmp.Or(fault.HintOf(err), "look at that path in the workspace, then resume the task, or abandon it"))
}
