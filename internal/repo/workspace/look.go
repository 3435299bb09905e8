package workspace

import (
	"context"
	"slices"
)

// look lists the remote's refs and fetches what the task needs into the mirror.
func (j *preparation) look(ctx context.Context) (mirror string, err error) {
	if j.rem, err = j.remotes.find(ctx, j.spec.Repository); err != nil {
		return "", err
	}
	names := []string{fenceRef(j.spec.TaskID), checkpointRef(j.spec.TaskID)}
	if j.spec.Continue {
		names = append(names, "refs/heads/"+j.spec.Branch)
	}
	if j.home = j.rem; j.spec.Fork != nil {
		if j.home, err = j.remotes.find(ctx, *j.spec.Fork); err != nil {
			return "", err
		}
	}
	if j.listing, err = j.list(ctx, names); err != nil {
		return "", err
	}
	if j.spec.Base != "" {
		j.branch, j.tip = j.spec.Base, j.listing.refs["refs/heads/"+j.spec.Base]
	} else if j.branch, j.tip = j.listing.head, j.listing.refs["HEAD"]; j.branch == "" && j.tip != "" {
		all, err := j.rem.list(ctx)
		if err != nil {
			return "", err
		}
		j.branch = all.atHead()
		j.tip = all.refs["refs/heads/"+j.branch]
	}
	if j.tip == "" {
		j.branch = ""
	}
	mirror = mirrorName(j.spec.Repository, j.rem.url)
	j.tip, err = j.mirrors.base(ctx, j.rem, mirror, j.listing.format, j.branch, j.tip)
	return mirror, err
}

// list asks for the base branch and, on their remote, for the task's own refs and for those that leave no room for its branch.
func (j *preparation) list(ctx context.Context, own []string) (listing, error) {
	var base []string
	if j.spec.Base != "" {
		base = append(base, "refs/heads/"+j.spec.Base)
	}
	there := slices.Concat(own, rivals(j.spec.Branch))
	if j.spec.Fork == nil {
		l, err := j.rem.list(ctx, append(base, there...)...)
		j.rival = l.rival(j.spec.Branch)
		return l, err
	}
	l, err := j.rem.list(ctx, append(base, "HEAD")...)
	if err != nil {
		return listing{}, err
	}
	fork, err := j.home.list(ctx, there...)
	j.rival = fork.rival(j.spec.Branch)
	for _, ref := range own {
		if id := fork.refs[ref]; id != "" {
			l.refs[ref] = id
		}
	}
	return l, err
}

// claim refuses an attempt that is not the newest, and reads what earlier attempts have written.
func (j *preparation) claim(ctx context.Context) (err error) {
	fence, checkpoint := j.listing.refs[fenceRef(j.o.id)], j.listing.refs[checkpointRef(j.o.id)]
	if fence == "" && checkpoint == "" {
		j.o.state.FenceRef, j.behind = "", ""
		return nil
	}
	if j.found, err = j.o.refs.fetchFence(ctx, j.home, j.listing); err != nil {
		return err
	}
	if j.found.Fence > j.spec.Fence {
		return fenced(j.o.id, j.spec.Fence, j.found.Fence)
	}
	if j.behind = checkpoint; fence == "" { // the fence was removed on the remote
		j.found.Checkpoint = checkpoint
	} else if err := j.found.checkpointAt(checkpoint, j.o.id, j.home); err != nil {
		return err
	}
	j.o.state.FenceRef = fence
	return nil
}
