// Package repository finds the repository that a command means: the one that is named, the current folder's, or the chosen workspace.
package repository

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Repositories finds repositories on this machine.
type Repositories struct {
	env        environ.Environ
	git        environ.Git
	workspaces *Workspaces
}

func New(env environ.Environ, g environ.Git, w *Workspaces) *Repositories {
	return &Repositories{env, g, w}
}

// Find turns what the user gave into what a task takes: owner/name and URLs stay as they are; a path is made
// absolute and must be the top of a git repository. Nothing given means the repository of the current folder, or outside of any the
// current workspace.
func (r *Repositories) Find(ctx context.Context, given string) (string, error) {
	if given == "" {
		if _, err := r.topOf(ctx, r.env.Dir); outsideOfAny(err) {
			if path, chosen, err := r.workspaces.current(); chosen || err != nil {
				return path, err
			}
		}
		return r.Here(ctx)
	}
	if path, ok := r.asPath(given); ok {
		return r.checkPath(ctx, path)
	}
	parsed, err := task.ParseRepository(given)
	if err != nil {
		return "", err
	}
	if parsed.Path != "" { // file://
		return r.checkPath(ctx, parsed.Path)
	}
	return parsed.Text, nil
}

// Here is the repository of the current folder.
func (r *Repositories) Here(ctx context.Context) (string, error) {
	top, err := r.topOf(ctx, r.env.Dir)
	if err != nil {
		return "", fault.New(fault.Input, "%s is not in a git repository", r.env.Dir).
			WithHint("go to one, or give --repo owner/name, a git URL or a path")
	}
	return top, nil
}

// OnDisk is the folder of a repository on this machine that the user gave. Nothing given means that of the current folder, and not the
// workspace that was chosen for tasks.
func (r *Repositories) OnDisk(ctx context.Context, given string) (string, error) {
	if given == "" {
		return r.Here(ctx)
	}
	found, err := r.Find(ctx, given)
	if err != nil {
		return "", err
	}
	if parsed, err := task.ParseRepository(found); err != nil || parsed.Path == "" {
		return "", fault.New(fault.Input, "--repo %s: it must be a repository on this machine", given).WithHint("give the path of a clone")
	}
	return found, nil
}

// asPath tells whether a path was given: it begins like one, or is a folder here and nothing else it could be.
func (r *Repositories) asPath(given string) (string, bool) {
	switch {
	case filepath.IsAbs(given):
		return filepath.Clean(given), true
	case given == "~" || strings.HasPrefix(given, "~/"):
		return filepath.Join(r.env.Get("HOME"), strings.TrimPrefix(given, "~")), true
	case given == "." || given == ".." || strings.HasPrefix(given, "./") || strings.HasPrefix(given, "../"):
		return filepath.Join(r.env.Dir, given), true
	}
	if _, err := task.ParseRepository(given); err == nil || strings.HasPrefix(given, "-") {
		return "", false
	}
	path := filepath.Join(r.env.Dir, given)
	info, err := os.Stat(path)
	return path, err == nil && info.IsDir()
}

func (r *Repositories) checkPath(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fault.New(fault.NotFound, "repository %s: no such folder", path).
			WithHint("give owner/name, a git URL or the path of a git repository")
	}
	if !info.IsDir() {
		return "", fault.New(fault.Input, "repository %s: not a folder", path).WithHint("give the folder of a git repository")
	}
	top, err := r.topOf(ctx, path)
	if err != nil {
		return "", fault.New(fault.NotFound, "repository %s: not a git repository", path).
			WithHint("make it one with `git init`, or give another path")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil && real != top {
		return "", fault.New(fault.Input, "repository %s: it lies inside the repository %s", path, top).WithHint("give --repo %s", top)
	}
	return top, nil
}

// topOf returns the top folder of the work tree that dir is in, or the folder of a bare repository.
func (r *Repositories) topOf(ctx context.Context, dir string) (string, error) {
	bare, err := r.git.Run(ctx, dir, "rev-parse", "--is-bare-repository")
	if err != nil {
		return "", err
	}
	if bare == "true" {
		return r.git.Run(ctx, dir, "rev-parse", "--absolute-git-dir")
	}
	return r.git.Run(ctx, dir, "rev-parse", "--show-toplevel")
}

// outsideOfAny tells git's answer in a folder that no repository is around from its other complaints.
func outsideOfAny(err error) bool {
	return err != nil && strings.Contains(err.Error(), "not a git repository (or any")
}
