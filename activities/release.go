package activities

import (
	"context"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/task"
)

// settler is a source that lists nothing while somebody writes to it.
type settler interface {
	// Settles says how long it takes until it does, when nobody goes on writing; 0 when it does now.
	Settles(ctx context.Context, q intake.Query) (time.Duration, error)
}

// recaller is a source that remembers which tasks work on what it lists, and leaves it out for as long.
type recaller interface {
	// Claims gives what is claimed: Item.ID is the task's workflow, the note what it was claimed with.
	Claims(ctx context.Context, q intake.Query) ([]intake.Claimed, error)
}

// keeper is a source that knows which work was left undone by its tasks.
type keeper interface {
	Kept(ctx context.Context, q intake.Query) ([]intake.Kept, error)
}

// keeps names the work that waits for a person to change it.
func (f *finder) keeps(ctx context.Context) error {
	k, ok := f.source.(keeper)
	if !ok {
		return nil
	}
	kept, err := k.Kept(ctx, f.query)
	for _, one := range kept {
		f.leave(one.Key, "its task ended as "+strings.ReplaceAll(string(one.Outcome), "_", " ")+"; edit it to have it worked on again, or remove it")
	}
	return err
}

// release reports tasks that were ended from outside, and could not do it: their work would be left out for good.
func (f *finder) release(ctx context.Context) error {
	r, ok := f.source.(recaller)
	if !ok {
		return nil
	}
	claims, err := r.Claims(ctx, f.query)
	if err != nil {
		return err
	}
	for _, c := range claims {
		info, err := described(ctx, c.ID, "")
		if err != nil {
			return err
		}
		if isRunning(info) {
			continue
		}
		err = f.source.Report(ctx, f.query, c.Key, intake.Note{TaskID: c.TaskID, Outcome: task.Failed, Sum: c.Sum})
		if kind := fault.KindOf(err); err != nil && kind != fault.NotFound && kind != fault.Conflict {
			return err
		}
	}
	return nil
}
