package cli

import (
	"context"
	"slices"
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

// settle checks what a task needs of a repository on this machine before it is started, and sets its base: that of now, which may be
// another one when a worker begins. It returns the repository's folder, "" for a repository elsewhere, which only a
// worker can check.
func (c *cloneCheck) settle(ctx context.Context, in *task.Input) (folder string, err error) {
	r, err := task.ParseRepository(in.Repository)
	if err != nil || r.Path == "" {
		return "", err
	}
	if some, err := c.git.Run(ctx, r.Path, "rev-list", "--max-count=1", "--all"); err != nil {
		return "", gitFault(r.Path, err)
	} else if some == "" {
		return "", fault.New(fault.Input, "repository %s has no commit", r.Path).WithHint("make a first commit, then start the task")
	}
	if in.Base == "" {
		if in.Base, err = c.base(ctx, r.Path); err != nil {
			return "", err
		}
	}
	if !hasBranch(ctx, c.git, r.Path, in.Base) {
		return "", c.noBranch(ctx, r.Path, "--base "+in.Base+": no such branch in "+r.Path)
	}
	if err := c.complete(ctx, r.Path, in.Base); err != nil {
		return "", err
	}
	committed, err := c.settings.read(ctx, r.Path, "refs/heads/"+in.Base, in.Base)
	if err != nil {
		return "", err
	}
	return r.Path, roomFor(ctx, c.git, r.Path, branchPrefix(in.Config, committed))
}

// base is the branch to start from when nobody has named one: the current one. When none is checked out it is chosen as a worker does:
// a branch at the commit that is, main or master before others, else main or master.
func (c *cloneCheck) base(ctx context.Context, dir string) (string, error) {
	branch, err := currentBranch(ctx, c.git, dir)
	if branch != "" || err != nil {
		return branch, err
	}
	at, err := c.git.Run(ctx, dir, "for-each-ref", "--points-at=HEAD", "--format=%(refname:lstrip=2)", "refs/heads")
	if err != nil {
		return "", gitFault(dir, err)
	}
	there, usual := strings.Split(at, "\n"), usualBranch(ctx, c.git, dir)
	if branch = there[0]; branch == "" || slices.Contains(there, usual) {
		branch = usual
	}
	if branch == "" {
		return "", c.noBranch(ctx, dir, "no branch is checked out in "+dir+", and none is at its commit, or is main or master")
	}
	return branch, nil
}

// noBranch says why there is no base, and which branches there are in place of it.
func (c *cloneCheck) noBranch(ctx context.Context, dir, why string) error {
	const most = 20
	text, err := c.git.Run(ctx, dir, "for-each-ref", "--format=%(refname:lstrip=2)", "--sort=-committerdate", "refs/heads")
	switch {
	case err != nil:
		return gitFault(dir, err)
	case text == "":
		return fault.New(fault.Input, "%s; it has no branch", why).WithHint("make one there with `git branch NAME COMMIT`, then start the task")
	}
	there := strings.Split(text, "\n")
	list := strings.Join(there[:min(len(there), most)], ", ")
	return fault.New(fault.Input, "%s; its branches: %s", why, list).WithHint("give one of them with --base")
}

// gitFault is the fault for a repository that git fails to read.
func gitFault(dir string, err error) error {
	return fault.New(fault.Input, "repository %s: %w", dir, err).WithHint("run `git fsck` there")
}

// complete refuses a partial clone that lacks files of the base: another git could not read from it without its server.
func (c *cloneCheck) complete(ctx context.Context, dir, base string) error {
	if _, err := c.git.Run(ctx, dir, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`); err != nil {
		return ctx.Err() // it is no partial clone
	}
	missing, err := c.git.Run(ctx, dir, "rev-list", "--objects", "--missing=print", "--quiet", "refs/heads/"+base)
	if err != nil {
		return gitFault(dir, err)
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
	switch {
	case err != nil:
		return nil, gitFault(dir, err)
	case !strings.HasPrefix(entry, "100"): // none, or a link, which a worker follows
		return nil, nil
	}
	text, err := s.git.Run(ctx, dir, "show", commit+":"+project.FileName)
	if err != nil {
		return nil, gitFault(dir, err)
	}
	c, err := s.parse([]byte(text))
	if err != nil {
		return nil, fault.New(fault.Input, "%s of %s: %w", project.FileName, base, err).WithHint("%s", fault.HintOf(err))
	}
	return c, nil
}
