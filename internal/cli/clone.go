package cli

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/project"
	"github.com/longshift/longshift/internal/task"
)

// settle checks what a task needs of a repository on this machine before it is started, and settles its base: the branch that is
// checked out now, whatever is when a worker comes to it. Of repositories elsewhere a worker finds out.
func (p *program) settle(ctx context.Context, in *task.Input) error {
	r, err := task.ParseRepository(in.Repository)
	if err != nil || r.Path == "" {
		return err
	}
	if some, err := p.git(ctx, r.Path, "rev-list", "--max-count=1", "--all"); err != nil {
		return fault.New(fault.Input, "repository %s: %w", r.Path, err).WithHint("run `git fsck` there")
	} else if some == "" {
		return fault.New(fault.Input, "repository %s has no commit", r.Path).WithHint("make a first commit, then start the task")
	}
	if in.Base == "" {
		branch, err := p.git(ctx, r.Path, "symbolic-ref", "--quiet", "--short", "HEAD")
		if err != nil {
			return ctx.Err() // no branch is checked out: a worker chooses the base, and says which
		}
		in.Base = branch
	}
	if _, err := p.git(ctx, r.Path, "rev-parse", "--verify", "--quiet", "refs/heads/"+in.Base+"^{commit}"); err != nil {
		return p.noBranch(ctx, r.Path, in.Base)
	}
	if err := p.complete(ctx, r.Path, in.Base); err != nil {
		return err
	}
	return p.checkSettings(ctx, r.Path, in.Base)
}

// noBranch says which branches there are in place of the one that was named.
func (p *program) noBranch(ctx context.Context, dir, base string) error {
	const most = 20
	text, err := p.git(ctx, dir, "for-each-ref", "--format=%(refname:short)", "--sort=-committerdate", "refs/heads")
	if err != nil {
		return fault.New(fault.Input, "--base %s: %w", base, err)
	}
	there := strings.Split(text, "\n")
	list := strings.Join(there[:min(len(there), most)], ", ")
	return fault.New(fault.Input, "--base %s: no such branch in %s; its branches: %s", base, dir, list).
		WithHint("give one of them with --base")
}

// complete refuses a partial clone that lacks files of the base: another git could not read from it without its server.
func (p *program) complete(ctx context.Context, dir, base string) error {
	if _, err := p.git(ctx, dir, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`); err != nil {
		return ctx.Err() // it is no partial clone
	}
	missing, err := p.git(ctx, dir, "rev-list", "--objects", "--missing=print", "--quiet", "refs/heads/"+base)
	if err != nil {
		return fault.New(fault.Input, "repository %s: %w", dir, err).WithHint("run `git fsck` there")
	}
	if missing == "" {
		return nil
	}
	return fault.New(fault.Input, "repository %s is a partial clone: %s of its history are not there", dir, count(strings.Count(missing, "?"), "object")).
		WithHint("fetch them with `git fetch --refetch --no-filter`, or give the address that it was cloned from with --repo")
}

// checkSettings reads the repository's settings as a worker will.
func (p *program) checkSettings(ctx context.Context, dir, base string) error {
	entry, err := p.git(ctx, dir, "ls-tree", "refs/heads/"+base, "--", project.FileName)
	if err != nil || !strings.HasPrefix(entry, "100") { // none, or a link, which a worker follows
		return ctx.Err()
	}
	text, err := p.git(ctx, dir, "show", "refs/heads/"+base+":"+project.FileName)
	if err != nil {
		return fault.New(fault.Input, "repository %s: %w", dir, err).WithHint("run `git fsck` there")
	}
	if _, err := p.wiring.ParseConfig([]byte(text)); err != nil {
		return fault.New(fault.Input, "%s of %s: %w", project.FileName, base, err).WithHint("%s", fault.HintOf(err))
	}
	return nil
}
