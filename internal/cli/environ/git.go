package environ

import (
	"context"
	"errors"
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
