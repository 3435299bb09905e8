package cli

import (
	"context"
	"strings"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/repository"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// targets finds the repository that a command's flags mean.
type targets struct {
	env          environ.Environ
	config       *environ.Config
	repositories *repository.Repositories
	remotes      remotes
}

func newTargets(f *factory) *targets {
	return &targets{f.env, f.config, f.repositories, remotes{f.env, f.git}}
}

// target is the repository that a task works on: the one that is named, or that GITHUB_REPO names, or what the clone that we are in
// comes from when that is on GitHub; else the folder. With --local it is the folder in any case.
func (t *targets) target(ctx context.Context, o *targetFlags) (string, error) {
	for _, c := range []struct {
		wrong      bool
		one, other string
	}{{o.repo != "" && o.local, "--repo " + o.repo, "--local"}, {o.fork && o.local, "--fork", "--local"}} {
		if c.wrong {
			return "", fault.New(fault.Input, "%s: given together with %s", c.one, c.other).WithHint("give one of the two")
		}
	}
	name, err := t.whichever(ctx, o)
	if err != nil {
		return "", err
	}
	if r, err := task.ParseRepository(name); err == nil && r.Path != "" && o.fork {
		return "", fault.New(fault.Input, "--fork: %s is no clone of a repository on GitHub", name).
			WithHint("go to one, or give --repo owner/name")
	}
	return name, ctx.Err()
}

// whichever is target without the rules on what may be given together.
func (t *targets) whichever(ctx context.Context, o *targetFlags) (string, error) {
	folder, err := t.repositories.Find(ctx, o.repo)
	if o.repo != "" || o.local {
		return folder, err
	}
	conf, wrong := t.config.Read()
	if wrong != nil {
		return "", wrong
	}
	host := conf.GitHub.Host()
	if named := t.env.Get("GITHUB_REPO"); named != "" {
		r, err := task.ParseRepository(named)
		if err != nil || r.Path != "" {
			return "", fault.New(fault.Input, "GITHUB_REPO=%q: not a repository of GitHub", named).WithHint("give owner/name, or give --local")
		}
		o.forge = &forgeTarget{host: host, repository: named}
		for _, m := range t.remotes.on(ctx, folder, host) {
			if o.forge.clone == "" && strings.EqualFold(m.repository, r.Owner+"/"+r.Name) {
				o.forge.clone, o.forge.remote = folder, m.name
			}
		}
		return named, nil
	}
	if err != nil {
		return "", err
	}
	m, ok := t.remotes.chosen(ctx, folder, host)
	if !ok {
		return folder, nil
	}
	o.forge = &forgeTarget{host: host, repository: m.repository, clone: folder, remote: m.name}
	return m.repository, nil
}

// forgeTarget is a repository on GitHub that was not named with --repo: what a task needs of it is seen to before it is started.
type forgeTarget struct {
	host, repository string
	clone            string // on this machine; "" when there is none
	remote           string // what the clone calls it; "" for nothing
}

func (t *forgeTarget) String() string { return t.host + "/" + t.repository }
