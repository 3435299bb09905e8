package cli

import (
	"cmp"
	"context"
	"strconv"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

// Standing is what a forge says of a repository that a task is about to be started on.
type Standing struct {
	Base     string // the branch that was asked about, or the default one
	Head     string // its commit; "" when there is no such branch
	Writable bool   // the token may push
	Known    bool   // a branch of ours is there already
}

// settleForge checks what a task on GitHub needs before it is started, settles its base, and says where the pull request will go.
func (p *program) settleForge(ctx context.Context, t *forgeTarget, in *task.Input) error {
	conf, err := p.withToken(ctx)
	if err != nil {
		return err
	}
	if !conf.GitHubToken.Present() {
		return fault.New(fault.Input, "the pull request would go to %s, and there is no token for it", t).
			WithHint("set GH_TOKEN, or give --local to work in this folder; with --repo %s the worker's own token counts", t.repository)
	}
	if in.Base == "" && t.clone != "" {
		in.Base, _ = p.git(ctx, t.clone, "symbolic-ref", "--quiet", "--short", "HEAD") // none is checked out: the default branch
	}
	ours := p.branchPrefix(ctx, t, in)
	standing, err := p.wiring.Standing(ctx, conf, t.repository, in.Base, ours)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fault.New(fault.KindOf(err), "%s: %w", t, err).
			WithHint("%s; or give --local to work in this folder", cmp.Or(fault.HintOf(err), "try again later"))
	case !standing.Writable:
		return fault.New(fault.Denied, "the token of %s may not push to %s", conf.GitHubToken.Source(), t).
			WithHint("give one with write access, or --local to work in this folder; a fork of yours can be named with --repo")
	}
	in.Base = standing.Base
	if err := p.compare(ctx, t, standing); err != nil {
		return err
	}
	first := ""
	if !standing.Known {
		first = "; the first one, so branches " + ours + "* will be pushed there"
	}
	p.say("pull request: %s, base %s%s", t, standing.Base, first)
	return ctx.Err()
}

// branchPrefix is what the names of the task's branches will start with, as far as can be told from here.
func (p *program) branchPrefix(ctx context.Context, t *forgeTarget, in *task.Input) string {
	if in.Config != nil && in.Config.Branch != nil {
		return *in.Config.Branch
	}
	if t.clone != "" && in.Base != "" {
		if c, err := p.settings(ctx, t.clone, "refs/heads/"+in.Base, in.Base); err == nil && c != nil && c.Branch != nil {
			return *c.Branch
		}
	}
	return "longshift/"
}

// compare holds the clone's base against the one that the task starts from.
func (p *program) compare(ctx context.Context, t *forgeTarget, s Standing) error {
	local := "refs/heads/" + s.Base
	here := false
	if t.clone != "" {
		_, err := p.git(ctx, t.clone, "rev-parse", "--verify", "--quiet", local+"^{commit}")
		here = err == nil
	}
	switch {
	case s.Head == "" && here:
		return fault.New(fault.Input, "branch %s is not on %s", s.Base, t).
			WithHint("push it with `git push -u origin %s`, or give --base with a branch that is there, or --local to work in this folder", s.Base)
	case s.Head == "":
		return fault.New(fault.Input, "--base %s: no such branch on %s", s.Base, t).WithHint("give one that is there")
	case t.clone == "":
		return nil
	}
	from := s.Head
	if _, err := p.git(ctx, t.clone, "cat-file", "-e", from+"^{commit}"); err != nil {
		from = "refs/remotes/origin/" + s.Base // GitHub has more than was fetched
	} else if _, err := p.settings(ctx, t.clone, from, s.Base); err != nil {
		return err
	}
	if !here {
		return nil
	}
	text, err := p.git(ctx, t.clone, "rev-list", "--count", from+".."+local)
	ahead, _ := strconv.Atoi(text) // digits, by git
	if err != nil || ahead == 0 {
		return ctx.Err() // there may be nothing of that branch here to hold it against
	}
	return fault.New(fault.Input, "branch %s is ahead of %s by %s, and the task would start without", s.Base, t, count(ahead, "commit")).
		WithHint("push with `git push origin %s`, or give --local to work in this folder; --repo %s starts without", s.Base, t.repository)
}
