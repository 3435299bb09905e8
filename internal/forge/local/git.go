package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// repository is one that was found on disk.
type repository struct {
	*Forge
	path string // as the user gave it
	dir  string // git directory
}

// open finds the git directory of a path by itself: git's own search would read settings of folders above.
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

// linkedDir reads the file that stands for the git directory in a linked worktree.
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

// gitError is git's own complaint.
type gitError struct {
	command string
	text    string
	code    int
}

func (e *gitError) Error() string { return fmt.Sprintf("git %s: %s", e.command, e.text) }

// git runs one command and gives what it printed, without the last line end.
func (g *repository) git(ctx context.Context, stdin []byte, args ...string) (string, error) {
	var out bytes.Buffer
	err := g.stream(ctx, stdin, &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// stream runs one command with its output into w.
func (g *repository) stream(ctx context.Context, stdin []byte, w io.Writer, args ...string) error {
	base := []string{
		"--git-dir=" + g.dir, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false",
		"-c", "protocol.allow=never", "-c", "gc.auto=0", "-c", "core.fsync=committed", // loose objects too: a ref must not outlive its record
	}
	cmd := exec.CommandContext(ctx, g.program, append(base, args...)...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_COMMITTER_NAME=Longshift", "GIT_COMMITTER_EMAIL=longshift@localhost",
	}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), w, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// An end in good order, so that git takes its lock files with it.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		ge := &gitError{args[0], strings.TrimSpace(stderr.String()), exit.ExitCode()}
		if strings.Contains(ge.text, "No space left on device") {
			return fault.New(fault.Infra, "%w", ge).WithHint("the disk that holds %s is full", g.path)
		}
		return ge
	}
	if err != nil {
		return fault.New(fault.Infra, "run %s: %w", g.program, err)
	}
	return nil
}

// resolve gives the id of a commit, or "" when there is none of that name.
func (g *repository) resolve(ctx context.Context, name string) (string, error) {
	out, err := g.git(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
	var ge *gitError
	if errors.As(err, &ge) && ge.code == 1 {
		return "", nil
	}
	return out, err
}
