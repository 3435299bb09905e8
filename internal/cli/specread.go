package cli

import (
	"context"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/deliverable"
)

// specReader reads the deliverables of a specification from the last commit of a repository on this machine.
type specReader struct {
	git          environ.Git
	repositories *repository.Repositories
}

func newSpecReader(f *factory) *specReader { return &specReader{f.git, f.repositories} }

// recorded is what a repository says of its deliverables, and what is left of it at a commit.
type recorded struct {
	dir, commit string
	content     *deliverable.Content
	deliverable.Report
}

func (r *specReader) read(ctx context.Context, dir string) (at recorded, err error) {
	at.dir = dir
	git := func(ctx context.Context, args ...string) (string, error) { return r.git.Run(ctx, dir, args...) }
	if at.commit, err = git(ctx, "rev-parse", "--verify", "HEAD"); err != nil {
		return at, fault.New(fault.NotFound, "%s has no commit", dir).WithHint("commit the specification, then longshift spec run")
	}
	if at.content, err = deliverable.ContentOf(ctx, git, at.commit); err != nil {
		return at, err
	}
	file, err := at.content.File()
	switch {
	case err != nil:
		return at, err
	case file == nil:
		return at, fault.New(fault.NotFound, "there is no %s in %.10s", deliverable.Path, at.commit).
			WithHint("longshift spec run writes it; what a task has recorded is there when its pull request is merged")
	}
	at.Report = file.At(at.content)
	return at, nil
}
