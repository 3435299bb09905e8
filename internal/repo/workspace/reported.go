package workspace

import (
	"context"
	"slices"

	"github.com/longshift/longshift/internal/fault"
)

// What a workspace starts from is compared with what was reported of it, whatever its refs say: they may have been put back
// by a remote that lost its last writes, or by people.

// mayStart refuses a start that somebody else has written. An earlier one of the task's own heads may be started from: what
// came after it is lost, and to be done again.
func (j *preparation) mayStart(ctx context.Context, start string) error {
	reported := j.spec.Reported
	holds, err := j.o.holds(ctx, start, reported)
	if err != nil || holds || slices.Contains(reported, start) {
		return err
	}
	last := reported[len(reported)-1]
	return fault.New(fault.Changed, "task %s would start at commit %.10s on %s, which does not hold its last commit %.10s and is none of its own: somebody else has written it",
		j.o.id, start, j.home.name, last).
		WithHint("set %s back to %s, then resume; or abandon", checkpointRef(j.o.id), last)
}

// holds tells whether a commit is the last reported head, made of it, or follows it.
func (o *opened) holds(ctx context.Context, commit string, reported []string) (bool, error) {
	if len(reported) == 0 {
		return true, nil
	}
	last := reported[len(reported)-1]
	if commit == last || last == o.state.Record.Squashed {
		return true, nil
	}
	if commit == "" || !o.bare.has(ctx, last) {
		return false, nil
	}
	return o.bare.isAncestor(ctx, last, commit)
}

// Holds fails with fault.Changed when the last commit does not hold the one that was reported last; "" for none.
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
			err = fault.New(fault.Changed, "branch %s of task %s is at commit %.10s, which does not hold commit %.10s that was reviewed", o.state.Record.Branch, o.id, head, reported).
				WithHint("bring that commit back into the workspace, then resume; or abandon")
		}
		return err
	})
}
