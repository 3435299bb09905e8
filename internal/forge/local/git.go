package local

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

type repository struct {
	*Forge
	path string // as the user gave it
	dir  string // git directory
}

// open finds the git directory of a path itself: git's own search would read the configuration of parent folders.
func (f *Forge) open(path string) (*repository, error) {
	for _, dir := range []string{filepath.Join(path, ".git"), path} {
		if isGitDir(dir) {
			return &repository{f, path, dir}, nil
		}
	}
	if dir, ok := linkedDir(filepath.Join(path, ".git")); ok {
		return &repository{f, path, dir}, nil
	}
	return nil, fault.New(fault.NotFound, "%s is not a git repository", path).WithHint("give the path of a repository, bare or not")
}

func isGitDir(dir string) bool {
	head, err := os.Stat(filepath.Join(dir, "HEAD"))
	if err != nil || !head.Mode().IsRegular() {
		return false
	}
	objects, err := os.Stat(filepath.Join(dir, "objects"))
	return err == nil && objects.IsDir()
}

// linkedDir reads the .git file of a linked worktree.
func linkedDir(file string) (string, bool) {
	data, err := os.ReadFile(file)
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !ok {
		return "", false
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(file), dir)
	}
	_, err = os.Stat(filepath.Join(dir, "HEAD"))
	return dir, err == nil
}

// git runs one command and returns its output without the last line end.
func (g *repository) git(ctx context.Context, stdin []byte, args ...string) (string, error) {
	var out bytes.Buffer
	err := g.stream(ctx, stdin, &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// stream runs one command with its output into w.
func (g *repository) stream(ctx context.Context, stdin []byte, w io.Writer, args ...string) error {
	run := git.Git{
		Program: g.program, Env: []string{"GIT_DIR=" + g.dir, "GIT_OPTIONAL_LOCKS=0"},
		Author:   git.Person{Name: "Longshift", Email: "longshift@localhost"},
		Settings: [][2]string{{"core.fsync", "committed"}}, // loose objects too, so that a ref never points at a lost record
	}
	err := run.Run(ctx, bytes.NewReader(stdin), w, args...)
	var failed *git.Error
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case !errors.As(err, &failed):
		return fault.New(fault.Infra, "run %s: %w", g.program, err)
	case strings.Contains(failed.Stderr, "No space left on device"):
		return fault.New(fault.Infra, "%w", err).WithHint("the disk that holds %s is full", g.path)
	}
	return err
}

// resolve returns the id of a commit, or "" when the name does not exist.
func (g *repository) resolve(ctx context.Context, name string) (string, error) {
	out, err := g.git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
	if git.ExitCode(err) == 1 {
		return "", nil
	}
	return out, err
}
