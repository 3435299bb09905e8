package workfile

import (
	"cmp"
	"context"
	"slices"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
)

// Kept lists the files that wait for a person: a task has ended with their text. sum returns the checksum of a file's text, which is "" if
// nothing is left to do in it.
func (d *MarkedFolder) Kept(ctx context.Context, sum func(key string) (string, error)) (kept []intake.Kept, err error) {
	if err := d.Quiet(ctx); err != nil {
		return nil, err
	}
	all, err := d.Marks.All()
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.Runs() || m.Over || Running(all, m.Key) != nil {
			continue
		}
		now, err := sum(m.Key)
		if err == nil && now == m.Sum {
			kept = append(kept, intake.Kept{Key: m.Key, TaskID: m.TaskID, Outcome: m.Outcome, Ended: m.Ended})
		} else if err != nil && fault.KindOf(err) != fault.NotFound {
			return nil, err
		}
	}
	slices.SortFunc(kept, func(a, b intake.Kept) int { return cmp.Compare(a.Key, b.Key) })
	return kept, nil
}

// Claims lists the files that tasks have claimed.
func (d *MarkedFolder) Claims() (claims []intake.Claimed, err error) {
	all, err := d.Marks.All()
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.Runs() {
			claims = append(claims, intake.Claimed{ID: m.ID, Key: m.Key, Sum: m.Sum, TaskID: m.TaskID})
		}
	}
	slices.SortFunc(claims, func(a, b intake.Claimed) int { return cmp.Compare(a.Key, b.Key) })
	return claims, nil
}
