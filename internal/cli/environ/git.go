package environ

import (
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/repo/git"
)

// Git runs the git of PATH, without the variables that would turn it to another repository.
type Git struct{ env Environ }

func NewGit(env Environ) Git { return Git{env} }

// Run runs one command and returns its output without the last line end. The error is git's own first line.
func (g Git) Run(ctx context.Context, dir string, args ...string) (string, error) {
	path, err := g.env.Program("git")
	if err != nil {
		return "", err
	}
	// What the person has set counts: which files are ignored, short forms of addresses, whose repositories are trusted.
	runner := git.Git{Program: path, Environ: g.env.Vars, Dir: dir, User: true, Protocols: "file"}
	out, err := runner.Output(ctx, nil, args...)
	var failed *git.Error
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &failed):
		return "", errors.New(term.FirstLine(failed.Stderr))
	case err != nil:
		return "", err
	}
	return strings.TrimRight(out, "\r\n"), nil
}

// Attached runs a command of git as the person at the terminal would, with their pager, colours and logins, and returns its exit code.
// Git says itself what is wrong. After Ctrl-C it is waited for: it may have a pager that still has the terminal.
func (g Git) Attached(ctx context.Context, dir string, s term.Streams, args ...string) (code int, err error) {
	path, err := g.env.Program("git")
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = dir, g.env.Without("GIT_DIR=", "GIT_WORK_TREE=", "GIT_INDEX_FILE=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.In, s.Out, s.Err
	err = RunAttached(cmd)
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return 0, term.ErrInterrupted
	case errors.As(err, &failed):
		return failed.ExitCode(), nil
	}
	return 0, err
}
