package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
)

// preparation creates one workspace or takes over an existing one.
type preparation struct {
	o       *opened // the opened workspace; nil before it is created
	spec    Spec
	remotes *remotes
	mirrors *mirrors
	log     *slog.Logger

	rem     remote // remote of the base
	home    remote // remote of the task's branch and refs: the same, or a fork
	listing listing
	rival   string // ref on home that leaves no room for the task's branch, "" for none
	branch  string // base branch, "" when the remote has no branch of that name
	tip     string // its last commit
	found   record // record of the fence on the remote; zero when there is none
	behind  string // checkpoint ref on the remote, when a killed push has left it behind the one in found
}

// build creates the workspace. Until the git directory is marked ready, the next call starts over.
func (j *preparation) build(ctx context.Context, m *Manager) error {
	p := m.place(j.spec.TaskID)
	mirror, err := j.look(ctx)
	if err != nil {
		return err
	}
	j.o = m.open(j.spec.TaskID, j.spec.Fence, p, state{TaskID: j.spec.TaskID, Repository: j.spec.Repository, Fork: j.spec.Fork,
		Format: j.listing.format, Mirror: mirror, Rival: j.rival, Record: record{Branch: j.spec.Branch}})
	if err := os.MkdirAll(p.work(), 0o700); err != nil {
		return disk.Fault(fmt.Errorf("make work tree: %w", err), m.tasks())
	}
	if err := j.o.enforce(ctx); err != nil {
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
	if err := j.followSnapshot(ctx, cmp.Or(j.o.state.Record.Checkpoint, j.o.state.Record.Base), true); err != nil {
		return err
	}
	return j.announce(ctx)
}

// resolveBase decides where the task starts: at its recorded base commit if it has one, otherwise at the tip of the base branch.
func (j *preparation) resolveBase(ctx context.Context) error {
	rec := &j.o.state.Record
	switch {
	case j.found.Fence > 0:
		branch := rec.Branch
		*rec = j.found
		rec.Fence, rec.Branch, rec.Snapshot = 0, branch, ""
	case j.spec.Continue && j.found.Checkpoint == "":
		if err := j.startAtTip(ctx); err != nil {
			return err
		}
	case j.tip != "":
		rec.BaseBranch, rec.Base, rec.Checkpoint = j.branch, j.tip, j.found.Checkpoint
		if rec.Checkpoint != "" { // the fence was removed on the remote: use the last commit that both sides have
			base, err := j.o.bare.run(ctx, "merge-base", rec.Checkpoint, j.tip)
			if err != nil {
				return fmt.Errorf("find where the checkpoint starts: %w", err)
			}
			rec.Base = base
		}
	default:
		all, err := j.rem.list(ctx)
		if err != nil {
			return err
		}
		if there := all.branches(); len(there) > 0 {
			return noBase(j.rem, j.spec.Base, there)
		}
		if rec.BaseBranch = j.spec.Base; rec.BaseBranch == "" {
			if rec.BaseBranch, err = j.rem.unbornBranch(ctx); err != nil {
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
	rec, r := j.o.state.Record, j.o.bare
	start := rec.Base
	if rec.Checkpoint != "" {
		start, j.o.state.Restored = rec.Checkpoint, true
	}
	if err := j.mayStart(ctx, start); err != nil {
		return err
	}
	if err := j.keepBase(ctx); err != nil {
		return err
	}
	if start != "" {
		if _, err := r.run(ctx, "update-ref", j.o.state.branchRef(), start); err != nil {
			return err
		}
		if err := j.o.objects.fill(ctx, start); err != nil {
			return err
		}
		if _, err := j.o.work.run(ctx, "reset", "--hard", "--quiet", start); err != nil {
			return err
		}
	}
	if err := j.o.agent.handOver(ctx, start, ""); err != nil {
		return err
	}
	if err := writeFile(j.o.place.ready(), []byte(j.o.state.Mirror+"\n")); err != nil {
		return err
	}
	return j.o.state.save()
}

// announce moves the fence on the remote to this attempt and marks the workspace complete.
func (j *preparation) announce(ctx context.Context) error {
	var err error
	for range tries {
		var list []update
		if now := j.o.state.Record.Checkpoint; j.behind != now {
			list = append(list, update{checkpointRef(j.o.id), j.behind, now})
		}
		err = j.o.refs.write(ctx, j.home, j.o.state.Record, list...)
		if !errors.Is(err, errMoved) {
			return err
		}
		l, failed := j.home.list(ctx, fenceRef(j.o.id), checkpointRef(j.o.id))
		if failed != nil {
			return failed
		}
		j.listing = l
		if err := j.claim(ctx); err != nil {
			return err
		}
		if j.found.Checkpoint != j.o.state.Record.Checkpoint {
			return fault.New(fault.Infra, "the checkpoint of task %s moved while it was restored", j.o.id)
		}
		j.o.state.Record.Pushed = j.found.Pushed
	}
	return j.home.restless(err)
}
