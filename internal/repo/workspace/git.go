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

// settings are passed to every git that we start, in addition to those of package git, so that a repository's content can't change how it
// is read.
var settings = [][2]string{
	{"core.quotePath", "false"}, {"core.autocrlf", "false"}, {"diff.ignoreSubmodules", "all"}, {"diff.renames", "false"},
	{"commit.gpgSign", "false"}, {"push.gpgSign", "false"}, {"merge.renames", "true"}, {"merge.renormalize", "false"},
	{"merge.conflictStyle", "diff3"}, {"rerere.enabled", "false"}, {"core.fsync", durable},
}

// durable is what git flushes to the disk before it ends: objects, loose ones too, and refs. What is reported as committed or pushed is
// not done again, so a power failure must not take it.
const durable = "committed,reference"

// runner holds what git needs to run for workspaces.
type runner struct {
	git     git.Git
	signing [][2]string // git settings for signing commits
	data    string      // directory whose disk is checked when a write fails
	most    int64       // bytes that git may print about the files of a work tree
	idle    string      // working directory of commands without a repository
	log     *slog.Logger
}

// repo is one of our git directories, and how git runs on it. What concerns the files of a work tree is in workTree.
type repo struct {
	runner *runner
	dir    string      // "" for commands that need no repository
	work   string      // "" for commands that need no work tree
	lfs    [][2]string // settings of the filters that the work tree needs
	env    []string    // added
	most   int64       // bytes that git may print, over which it fails with git.ErrTooMuch; 0 for no limit
}

func (r repo) with(env ...string) repo {
	r.env = append(append([]string{}, r.env...), env...)
	return r
}

// git passes every directory explicitly, so that git searches nothing in the work tree.
func (r repo) git() git.Git {
	g := r.runner.git
	g.Dir, g.Settings, g.Limit = r.cwd(), slices.Concat(settings, r.runner.signing, r.lfs), r.most
	if r.dir != "" {
		g.Env = append(g.Env, "GIT_DIR="+r.dir, "GIT_COMMON_DIR="+r.dir)
	}
	if r.work != "" {
		g.Env = append(g.Env, "GIT_WORK_TREE="+r.work)
	}
	g.Env = append(g.Env, r.env...)
	return g
}

// cwd returns the top of the work tree or the git directory. Git never starts in a subdirectory, because that may be another repository.
func (r repo) cwd() string {
	switch {
	case r.work != "":
		return r.work
	case r.dir != "":
		return r.dir
	}
	return r.runner.idle
}

// run returns git's output without the last line break.
func (r repo) run(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	err := r.pipe(ctx, nil, &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// feed is run with text as standard input.
func (r repo) feed(ctx context.Context, in string, args ...string) (string, error) {
	var out bytes.Buffer
	err := r.pipe(ctx, []byte(in), &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// pipe runs git with in as its input and writes its output to out. It retries once after removing a stale lock.
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

// once is pipe for input that can't be read twice, so it never retries.
func (r repo) once(ctx context.Context, in io.Reader, out io.Writer, args ...string) error {
	return r.judge(r.git().Run(ctx, in, out, args...))
}

// unlock removes a lock file that blocked a command, if a killed git has left it in one of our directories.
func (r repo) unlock(ctx context.Context, err error) bool {
	var e *git.Error
	if !errors.As(err, &e) {
		return false
	}
	path := e.LockFile()
	ours := r.dir != "" && strings.HasPrefix(path, r.dir+string(filepath.Separator))
	if !ours || !breakStale(path, r.work) {
		return false
	}
	r.runner.log.WarnContext(ctx, "removed a lock file that a killed git left", "path", path)
	return true
}
