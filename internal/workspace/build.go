package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/longshift/longshift/internal/fault"
)

// preparation is the making or taking over of one workspace.
type preparation struct {
	*opened
	spec    Spec
	rem     remote
	listing listing
	branch  string // base branch, "" when the remote has none by that name
	tip     string // its last commit
	found   record // what the fence on the remote says; zero when there is none
}

// look asks the remote, and brings what the task needs from it into the mirror.
func (j *preparation) look(ctx context.Context, m *Manager) (mirror string, err error) {
	if j.rem, err = m.remote(ctx, j.spec.Repository); err != nil {
		return "", err
	}
	names := []string{fenceRef(j.spec.TaskID), checkpointRef(j.spec.TaskID)}
	if j.spec.Base != "" {
		names = append(names, "refs/heads/"+j.spec.Base)
	}
	if j.spec.Continue {
		names = append(names, "refs/heads/"+j.spec.Branch)
	}
	if j.listing, err = m.list(ctx, j.rem, names...); err != nil {
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

// claim refuses an attempt that is not the newest, and learns what earlier ones have written.
func (j *preparation) claim(ctx context.Context) (err error) {
	fence, checkpoint := j.listing.refs[fenceRef(j.id)], j.listing.refs[checkpointRef(j.id)]
	if fence == "" && checkpoint == "" {
		j.state.FenceRef = ""
		return nil
	}
	if j.found, err = j.fetchFence(ctx, j.rem, j.listing); err != nil {
		return err
	}
	if j.found.Fence > j.spec.Fence {
		return fenced(j.id, j.spec.Fence, j.found.Fence)
	}
	j.state.FenceRef, j.found.Checkpoint = fence, checkpoint
	return nil
}

// build makes the workspace where there is none. Until the git folder is marked ready the next call starts over.
func (j *preparation) build(ctx context.Context, m *Manager) error {
	t := m.tree(j.spec.TaskID, j.spec.Fence)
	mirror, err := j.look(ctx, m)
	if err != nil {
		return err
	}
	j.opened = t.opened(state{TaskID: j.spec.TaskID, Repository: j.spec.Repository, Format: j.listing.format, Mirror: mirror,
		Record: record{Branch: j.spec.Branch}})
	if err := os.MkdirAll(t.place.work(), 0o700); err != nil {
		return diskFault(fmt.Errorf("make work tree: %w", err), m.tasks())
	}
	if err := j.enforce(ctx); err != nil {
		return err
	}
	if err := j.claim(ctx); err != nil {
		return err
	}
	if err := j.resolveBase(ctx); err != nil {
		return err
	}
	if err := j.checkOut(ctx); err != nil {
		return fmt.Errorf("check out: %w", err)
	}
	return j.announce(ctx)
}

// resolveBase settles where the task starts: where it started before, else at the tip of the base branch.
func (j *preparation) resolveBase(ctx context.Context) error {
	rec := &j.state.Record
	switch {
	case j.found.Fence > 0:
		rec.BaseBranch, rec.Base, rec.Pushed, rec.Checkpoint = j.found.BaseBranch, j.found.Base, j.found.Pushed, j.found.Checkpoint
		rec.Trunk, rec.Merged = j.found.Trunk, j.found.Merged
	case j.spec.Continue && j.found.Checkpoint == "":
		if err := j.startAtTip(ctx); err != nil {
			return err
		}
	case j.tip != "":
		rec.BaseBranch, rec.Base, rec.Checkpoint = j.branch, j.tip, j.found.Checkpoint
		if rec.Checkpoint != "" { // somebody has removed the fence: take the last commit that both have
			base, err := j.bare().run(ctx, "merge-base", rec.Checkpoint, j.tip)
			if err != nil {
				return fmt.Errorf("find where the checkpoint starts: %w", err)
			}
			rec.Base = base
		}
	default:
		all, err := j.m.list(ctx, j.rem)
		if err != nil {
			return err
		}
		if there := all.branches(); len(there) > 0 {
			return noBase(j.rem, j.spec.Base, there)
		}
		if rec.BaseBranch = j.spec.Base; rec.BaseBranch == "" {
			if rec.BaseBranch, err = j.m.unbornBranch(ctx, j.rem); err != nil {
				return err
			}
		}
	}
	if rec.BaseBranch == rec.Branch {
		return fault.New(fault.Input, "branch %q is the base itself", rec.Branch).WithHint("a task works on a branch of its own")
	}
	return nil
}

// checkOut fills the work tree and gives the agent its git.
func (j *preparation) checkOut(ctx context.Context) error {
	rec, r := j.state.Record, j.bare()
	start := rec.Base
	if rec.Checkpoint != "" {
		start, j.state.Restored = rec.Checkpoint, true
	}
	if err := j.keepBase(ctx); err != nil {
		return err
	}
	if start != "" {
		if _, err := r.run(ctx, "update-ref", j.branchRef(), start); err != nil {
			return err
		}
		if err := j.fill(ctx, start); err != nil {
			return err
		}
		if _, err := j.repo.run(ctx, "reset", "--hard", "--quiet", start); err != nil {
			return err
		}
	}
	if err := j.handOver(ctx, start); err != nil {
		return err
	}
	if err := writeFile(j.place.ready(), []byte(j.state.Mirror+"\n")); err != nil {
		return err
	}
	return j.save()
}

// announce moves the fence on the remote to this attempt and completes the workspace.
func (j *preparation) announce(ctx context.Context) error {
	for range tries {
		err := j.write(ctx, j.rem, j.state.Record)
		if !errors.Is(err, errMoved) {
			return err
		}
		l, err := j.m.list(ctx, j.rem, fenceRef(j.id), checkpointRef(j.id))
		if err != nil {
			return err
		}
		j.listing = l
		if err := j.claim(ctx); err != nil {
			return err
		}
		if j.found.Checkpoint != j.state.Record.Checkpoint {
			return fault.New(fault.Infra, "the checkpoint of task %s moved while it was restored", j.id)
		}
		j.state.Record.Pushed = j.found.Pushed
	}
	return fault.New(fault.Infra, "the fence of task %s on %s keeps moving", j.id, j.rem.name)
}
