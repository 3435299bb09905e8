package cli

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/task"
)

// cloneCheck checks a repository on this machine before a task is started on it.
type cloneCheck struct {
	git      environ.Git
	settings committedSettings
}

func newCloneCheck(f *factory) *cloneCheck { return &cloneCheck{f.git, newCommittedSettings(f)} }

// settle checks what a task needs of a repository on this machine before it is started, and sets its base: the branch that is checked
// out now, which may be another one when a worker begins. It returns the repository's folder, "" for a repository elsewhere, which only a
// worker can check.
func (c *cloneCheck) settle(ctx context.Context, in *task.Input) (folder string, err error) {
	r, err := task.ParseRepository(in.Repository)
	if err != nil || r.Path == "" {
		return "", err
	}
	if some, err := c.git.Run(ctx, r.Path, "rev-list", "--max-count=1", "--all"); err != nil {
		return "", fault.New(fault.Input, "repository %s: %w", r.Path, err).WithHint("run `git fsck` there")
	} else if some == "" {
		return "", fault.New(fault.Input, "repository %s has no commit", r.Path).WithHint("make a first commit, then start the task")
	}
	if in.Base == "" {
		branch, err := c.git.Run(ctx, r.Path, "symbolic-ref", "--quiet", "--short", "HEAD")
		if err != nil {
			return r.Path, ctx.Err() // no branch is checked out: a worker chooses the base, and says which
		}
		in.Base = branch
	}
	if _, err := c.git.Run(ctx, r.Path, "rev-parse", "--verify", "--quiet", "refs/heads/"+in.Base+"^{commit}"); err != nil {
		return "", c.noBranch(ctx, r.Path, in.Base)
	}
	if err := c.complete(ctx, r.Path, in.Base); err != nil {
		return "", err
	}
	_, err = c.settings.read(ctx, r.Path, "refs/heads/"+in.Base, in.Base)
	return r.Path, err
}

// noBranch says which branches there are in place of the one that was named.
func (c *cloneCheck) noBranch(ctx context.Context, dir, base string) error {
	const most = 20
	text, err := c.git.Run(ctx, dir, "for-each-ref", "--format=%(refname:short)", "--sort=-committerdate", "refs/heads")
	if err != nil {
		return fault.New(fault.Input, "--base %s: %w", base, err)
	}
	there := strings.Split(text, "\n")
	list := strings.Join(there[:min(len(there), most)], ", ")
	return fault.New(fault.Input, "--base %s: no such branch in %s; its branches: %s", base, dir, list).
		WithHint("give one of them with --base")
}

// complete refuses a partial clone that lacks files of the base: another git could not read from it without its server.
func (c *cloneCheck) complete(ctx context.Context, dir, base string) error {
	if _, err := c.git.Run(ctx, dir, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`); err != nil {
		return ctx.Err() // it is no partial clone
	}
	missing, err := c.git.Run(ctx, dir, "rev-list", "--objects", "--missing=print", "--quiet", "refs/heads/"+base)
	if err != nil {
		return fault.New(fault.Input, "repository %s: %w", dir, err).WithHint("run `git fsck` there")
	}
	if missing == "" {
		return nil
	}
	return fault.New(fault.Input, "repository %s is a partial clone: %s of its history are not there",
		dir, term.Count(strings.Count(missing, "?"), "object")).
		WithHint("fetch them with `git fetch --refetch --no-filter`, or give the address that it was cloned from with --repo")
}

// committedSettings reads the settings of a repository from its commits.
type committedSettings struct {
	git   environ.Git
	parse func(file []byte) (*task.Config, error)
}

func newCommittedSettings(f *factory) committedSettings {
	return committedSettings{f.git, f.wiring.ParseConfig}
}

// read returns the repository's settings in a commit of the branch base, as a worker will; nil when it has none.
func (s committedSettings) read(ctx context.Context, dir, commit, base string) (*task.Config, error) {
	entry, err := s.git.Run(ctx, dir, "ls-tree", commit, "--", project.FileName)
	if err != nil || !strings.HasPrefix(entry, "100") { // none, or a link, which a worker follows
		return nil, ctx.Err()
	}
	text, err := s.git.Run(ctx, dir, "show", commit+":"+project.FileName)
	if err != nil {
		return nil, fault.New(fault.Input, "repository %s: %w", dir, err).WithHint("run `git fsck` there")
	}
	c, err := s.parse([]byte(text))
	if err != nil {
		return nil, fault.New(fault.Input, "%s of %s: %w", project.FileName, base, err).WithHint("%s", fault.HintOf(err))
	}
	return c, nil
}
