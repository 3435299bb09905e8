package workspace

import "context"

// look asks the remote, and brings what the task needs from it into the mirror.
func (j *preparation) look(ctx context.Context, m *Manager) (mirror string, err error) {
	if j.rem, err = m.remote(ctx, j.spec.Repository); err != nil {
		return "", err
	}
	names := []string{fenceRef(j.spec.TaskID), checkpointRef(j.spec.TaskID)}
	if j.spec.Continue {
		names = append(names, "refs/heads/"+j.spec.Branch)
	}
	if j.home = j.rem; j.spec.Fork != nil {
		if j.home, err = m.remote(ctx, *j.spec.Fork); err != nil {
			return "", err
		}
	}
	if j.listing, err = j.list(ctx, m, names); err != nil {
		return "", err
	}
	if j.spec.Base != "" {
		j.branch, j.tip = j.spec.Base, j.listing.refs["refs/heads/"+j.spec.Base]
	} else if j.branch, j.tip = j.listing.head, j.listing.refs["HEAD"]; j.branch == "" && j.tip != "" {
		all, err := m.list(ctx, j.rem)
		if err != nil {
			return "", err
		}
		j.branch = all.atHead()
		j.tip = all.refs["refs/heads/"+j.branch]
	}
	if j.tip == "" {
		j.branch = ""
	}
	mirror = m.mirrorName(j.spec.Repository, j.rem.url)
	j.tip, err = m.mirrorBase(ctx, j.rem, mirror, j.listing.format, j.branch, j.tip)
	return mirror, err
}

// list asks for the base, and for the task's own refs where they are.
func (j *preparation) list(ctx context.Context, m *Manager, own []string) (listing, error) {
	var base []string
	if j.spec.Base != "" {
		base = append(base, "refs/heads/"+j.spec.Base)
	}
	if j.spec.Fork == nil {
		return m.list(ctx, j.rem, append(base, own...)...)
	}
	l, err := m.list(ctx, j.rem, append(base, "HEAD")...)
	if err != nil {
		return listing{}, err
	}
	fork, err := m.list(ctx, j.home, own...)
	for _, ref := range own {
		if id := fork.refs[ref]; id != "" {
			l.refs[ref] = id
		}
	}
	return l, err
}

// claim refuses an attempt that is not the newest, and learns what earlier ones have written.
func (j *preparation) claim(ctx context.Context) (err error) {
	fence, checkpoint := j.listing.refs[fenceRef(j.id)], j.listing.refs[checkpointRef(j.id)]
	if fence == "" && checkpoint == "" {
		j.state.FenceRef, j.behind = "", ""
		return nil
	}
	if j.found, err = j.fetchFence(ctx, j.home, j.listing); err != nil {
		return err
	}
	if j.found.Fence > j.spec.Fence {
		return fenced(j.id, j.spec.Fence, j.found.Fence)
	}
	if j.behind = checkpoint; fence == "" { // somebody has removed it
		j.found.Checkpoint = checkpoint
	} else if err := j.found.checkpointAt(checkpoint, j.id, j.home); err != nil {
		return err
	}
	j.state.FenceRef = fence
	return nil
}
