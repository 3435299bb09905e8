package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/repo/git"
)

// settings go to every git we start, beside those of every git here: what a repository holds decides nothing about how it is read.
var settings = [][2]string{
	{"core.quotePath", "false"}, {"core.autocrlf", "false"}, {"diff.ignoreSubmodules", "all"}, {"diff.renames", "false"},
	{"commit.gpgSign", "false"}, {"push.gpgSign", "false"}, {"merge.renames", "true"}, {"merge.renormalize", "false"},
	{"merge.conflictStyle", "diff3"}, {"rerere.enabled", "false"},
}

// runner is how git is run for workspaces.
type runner struct {
	git     git.Git
	signing [][2]string // settings
	data    string      // directory whose disk may be full
	idle    string      // where git runs that needs no repository
	log     *slog.Logger
}

// repo is a git directory of ours. With a work tree, commands that need one may be run.
type repo struct {
	runner *runner
	dir    string // "" for commands that need no repository
	work   string
	lfs    [][2]string // settings of the filters that the work tree needs
	env    []string    // added
}

func (r repo) with(env ...string) repo {
	r.env = append(append([]string{}, r.env...), env...)
	return r
}

// git names every directory explicitly, so that nothing is looked for in the work tree.
func (r repo) git() git.Git {
	g := r.runner.git
	g.Dir, g.Settings = r.cwd(), slices.Concat(settings, r.runner.signing, r.lfs)
	if r.dir != "" {
		g.Env = append(g.Env, "GIT_DIR="+r.dir, "GIT_COMMON_DIR="+r.dir)
	}
	if r.work != "" {
		g.Env = append(g.Env, "GIT_WORK_TREE="+r.work)
	}
	g.Env = append(g.Env, r.env...)
	return g
}

// cwd is the top of the work tree or the git directory: git never starts in a subdirectory, which may be a repository.
func (r repo) cwd() string {
	switch {
	case r.work != "":
		return r.work
	case r.dir != "":
		return r.dir
	}
	return r.runner.idle
}

// run gives what git prints, without the last line break.
func (r repo) run(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	err := r.pipe(ctx, nil, &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// feed is run with input.
func (r repo) feed(ctx context.Context, in string, args ...string) (string, error) {
	var out bytes.Buffer
	err := r.pipe(ctx, []byte(in), &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// pipe runs git.
func (r repo) pipe(ctx context.Context, in []byte, out io.Writer, args ...string) error {
	once := func() error {
		if in == nil {
			return r.once(ctx, nil, out, args...)
		}
		return r.once(ctx, bytes.NewReader(in), out, args...)
	}
	err := once()
	if r.unlock(ctx, err) {
		return once()
	}
	return err
}

// once is pipe for input that can't be read again.
func (r repo) once(ctx context.Context, in io.Reader, out io.Writer, args ...string) error {
	return r.judge(r.git().Run(ctx, in, out, args...))
}

// unlock removes the lock file that was in a git's way, when a killed git has left it in a folder of ours.
func (r repo) unlock(ctx context.Context, err error) bool {
	var e *git.Error
	if !errors.As(err, &e) {
		return false
	}
	path := e.LockFile()
	if path == "" || !r.owns(path) || !breakStale(path, r.work) {
		return false
	}
	r.runner.log.WarnContext(ctx, "removed a lock file that a killed git left", "path", path)
	return true
}

func (r repo) owns(path string) bool {
	return r.dir != "" && strings.HasPrefix(path, r.dir+string(filepath.Separator))
}
