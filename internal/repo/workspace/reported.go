package workspace

import (
	"context"
	"slices"

	"github.com/longshift/longshift/internal/fault"
)

// The start of a workspace is compared with the heads that were reported for it, whatever its refs say. A remote that lost its last
// writes, or a person, may have moved the refs back.

// mayStart refuses a start that somebody else has written. An earlier head of the task is accepted; the work after it is lost and must be
// done again.
func (j *preparation) mayStart(ctx context.Context, start string) error {
	reported := j.spec.Reported
	holds, err := j.o.holds(ctx, start, reported)
	if err != nil || holds || slices.Contains(reported, start) {
		return err
	}
	last := reported[len(reported)-1]
	return fault.New(fault.Changed, "task %s would start at commit %.10s on %s, which does not contain its last commit %.10s and is "+
		"no commit of the task: somebody else pushed it", j.o.id, start, j.home.name, last).
		WithHint("set %s back to %s, then resume; or abandon", checkpointRef(j.o.id), last)
}

// holds reports whether a commit contains the last reported head, or is a squash of it.
func (o *opened) holds(ctx context.Context, commit string, reported []string) (bool, error) {
	if len(reported) == 0 {
		return true, nil
	}
	last := reported[len(reported)-1]
	if commit == last || last == o.state.Record.Squashed {
		return true, nil
	}
	if commit == "" {
		return false, nil
	}
	if here, err := o.bare.has(ctx, last); err != nil || !here {
		return false, err
	}
	return o.bare.isAncestor(ctx, last, commit)
}

// Holds fails with fault.Changed when the last commit does not contain the reported one. "" passes.
func (t *Tree) Holds(ctx context.Context, reported string) error {
	if reported == "" {
		return nil
	}
	return t.at.reading(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if err != nil {
			return err
		}
		holds, err := o.holds(ctx, head, []string{reported})
		if err == nil && !holds {
			err = fault.New(fault.Changed, "branch %s of task %s is at commit %.10s, which does not hold commit %.10s that was reviewed",
				o.state.Record.Branch, o.id, head, reported).
				WithHint("bring that commit back into the workspace, then resume; or abandon")
		}
		return err
	})
}
