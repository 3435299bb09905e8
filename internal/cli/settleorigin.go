package cli

import (
	"cmp"
	"context"
	"strconv"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// Standing is what a forge says of a repository that a task is about to be started on.
type Standing struct {
	Base     string // the branch that was asked about, or the default one
	Head     string // its commit; "" when there is no such branch
	Writable bool   // the token may push
	Known    bool   // a branch of ours is there already
}

// forgeCheck checks a repository on a forge before a task is started on it.
type forgeCheck struct {
	config   *environ.Config
	git      environ.Git
	settings committedSettings
	standing func(ctx context.Context, process config.Config, repository, base, ours string) (Standing, error)
	forkOf   func(ctx context.Context, process config.Config, repository string) (owner, name string, err error)
	say      func(format string, args ...any)
}

func newForgeCheck(f *factory) *forgeCheck {
	return &forgeCheck{f.config, f.git, newCommittedSettings(f), f.wiring.Standing, f.wiring.ForkOf, f.printer.Say}
}

// settle checks what a task on GitHub needs before it is started, settles its base, and says where the pull request will go.
func (f *forgeCheck) settle(ctx context.Context, t *forgeTarget, in *task.Input) error {
	if in.Base == "" && t.clone != "" {
		branch, err := currentBranch(ctx, f.git, t.clone)
		if err != nil {
			return err
		}
		in.Base = branch // none is checked out: the default branch
	}
	standing, err := f.reach(ctx, t, in)
	if err != nil {
		return err
	}
	in.Base = standing.Base
	if err := f.compare(ctx, t, standing); err != nil {
		return err
	}
	return f.printTarget(ctx, t, in, standing)
}

// reach asks GitHub about the repository, with a token that can do there what the task will need.
func (f *forgeCheck) reach(ctx context.Context, t *forgeTarget, in *task.Input) (Standing, error) {
	conf, err := f.config.WithToken(ctx)
	if err != nil {
		return Standing{}, err
	}
	if !conf.GitHub.Authorized() {
		return Standing{}, fault.New(fault.Input, "the pull request would go to %s, and there is no token for it", t).
			WithHint("set GH_TOKEN, or give --local to work in this folder; with --repo %s the worker's own token counts", t.repository)
	}
	standing, err := f.standing(ctx, conf, t.repository, in.Base, f.branchPrefix(ctx, t, in))
	switch {
	case ctx.Err() != nil:
		return Standing{}, ctx.Err()
	case err != nil:
		return Standing{}, fault.New(fault.KindOf(err), "%s: %w", t, err).
			WithHint("%s; or give --local to work in this folder", cmp.Or(fault.HintOf(err), "try again later"))
	case !standing.Writable && conf.GitHub.App.Present():
		return Standing{}, fault.New(fault.Denied, "the app of %s may not push to %s", conf.GitHub.Source(), t).
			WithHint("give it the permission \"Contents: write\", which `longshift doctor` tells where, or --local to work in this folder")
	case !standing.Writable && !in.Fork:
		return Standing{}, fault.New(fault.Denied, "the token of %s may not push to %s", conf.GitHub.Source(), t).
			WithHint("give --fork to push to a fork in its account, or a token with write access, or --local to work in this folder")
	}
	return standing, nil
}

// printTarget says in a line where pull request and branches go.
func (f *forgeCheck) printTarget(ctx context.Context, t *forgeTarget, in *task.Input, s Standing) error {
	conf, err := f.config.WithToken(ctx)
	if err != nil {
		return err
	}
	pushed, ours := "", f.branchPrefix(ctx, t, in)
	if in.Fork {
		owner, name, err := f.forkOf(ctx, conf, t.repository)
		if err != nil {
			return fault.New(fault.KindOf(err), "--fork: %w", err).WithHint("%s", fault.HintOf(err))
		}
		if pushed = "; branches " + ours + "* will be pushed to the fork " + name; name == "" {
			pushed = "; branches " + ours + "* will be pushed to a fork in the account of " + owner + ", which is made first"
		}
	} else if !s.Known {
		pushed = "; the first one, so branches " + ours + "* will be pushed there"
	}
	f.say("pull request: %s, base %s%s", t, s.Base, pushed)
	return ctx.Err()
}

// branchPrefix is what the names of the task's branches will start with, as far as can be told from here.
func (f *forgeCheck) branchPrefix(ctx context.Context, t *forgeTarget, in *task.Input) string {
	var committed *task.Config
	if t.clone != "" && in.Base != "" {
		committed, _ = f.settings.read(ctx, t.clone, "refs/heads/"+in.Base, in.Base) // the branch may not be here
	}
	return branchPrefix(in.Config, committed)
}

// compare holds the clone's base against the one that the task starts from.
func (f *forgeCheck) compare(ctx context.Context, t *forgeTarget, s Standing) error {
	from, err := f.usable(ctx, t, s)
	if err != nil || from == "" {
		return err
	}
	text, err := f.git.Run(ctx, t.clone, "rev-list", "--count", from+"..refs/heads/"+s.Base)
	ahead, _ := strconv.Atoi(text) // digits, by git
	if err != nil || ahead == 0 {
		return ctx.Err() // there may be nothing of that branch here to hold it against
	}
	return fault.New(fault.Input, "branch %s is ahead of %s by %s, and the task would start without", s.Base, t, term.Count(ahead, "commit")).
		WithHint("push with `git push %s %s`, or give --local to work in this folder; --repo %s starts without",
			cmp.Or(t.remote, t.repository), s.Base, t.repository)
}

// usable refuses a base that is not on the forge, or whose settings can't be read. from is what the branch of that name here can be compared
// with, "" when there is none.
func (f *forgeCheck) usable(ctx context.Context, t *forgeTarget, s Standing) (from string, err error) {
	here := t.clone != "" && hasBranch(ctx, f.git, t.clone, s.Base)
	switch {
	case s.Head == "" && here:
		return "", fault.New(fault.Input, "branch %s is not on %s", s.Base, t).
			WithHint("push it with `git push -u %s %s`, or give --base with a branch that is there, or --local to work in this folder",
				cmp.Or(t.remote, t.repository), s.Base)
	case s.Head == "":
		return "", fault.New(fault.Input, "--base %s: no such branch on %s", s.Base, t).WithHint("give one that is there")
	case t.clone == "":
		return "", nil
	}
	from = s.Head
	if _, err := f.git.Run(ctx, t.clone, "cat-file", "-e", from+"^{commit}"); err != nil {
		from = "refs/remotes/" + t.remote + "/" + s.Base // GitHub has more than was fetched
	} else if _, err := f.settings.read(ctx, t.clone, from, s.Base); err != nil {
		return "", err
	}
	if !here {
		return "", nil
	}
	return from, nil
}
