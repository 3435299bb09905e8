package backlog

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/workfile"
)

// Kept lists the files that wait for a person. Editing a file makes it new work.
func (s *Source) Kept(ctx context.Context, q intake.Query) (kept []intake.Kept, err error) {
	d, err := s.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if err := d.Quiet(ctx); err != nil {
		return nil, fmt.Errorf("backlog: %w", err)
	}
	all, err := d.Marks.All()
	if err != nil {
		return nil, fmt.Errorf("backlog: %w", err)
	}
	for _, m := range all {
		if m.Runs() || workfile.Running(all, m.Key) != nil {
			continue
		}
		f, err := d.read(m.Key)
		if err == nil && f.Sum() == m.Sum {
			kept = append(kept, intake.Kept{Key: m.Key, TaskID: m.TaskID, Outcome: m.Outcome, Ended: m.Ended})
		} else if err != nil && fault.KindOf(err) != fault.NotFound {
			return nil, fmt.Errorf("backlog: %w", err)
		}
	}
	slices.SortFunc(kept, func(a, b intake.Kept) int { return cmp.Compare(a.Key, b.Key) })
	return kept, nil
}

// Claims lists the files that tasks have claimed.
func (s *Source) Claims(ctx context.Context, q intake.Query) (claims []intake.Claimed, err error) {
	d, err := s.open(ctx, q)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	all, err := d.Marks.All()
	if err != nil {
		return nil, fmt.Errorf("backlog: %w", err)
	}
	for _, m := range all {
		if m.Runs() {
			claims = append(claims, intake.Claimed{ID: m.ID, Key: m.Key, Sum: m.Sum, TaskID: m.TaskID})
		}
	}
	slices.SortFunc(claims, func(a, b intake.Claimed) int { return cmp.Compare(a.Key, b.Key) })
	return claims, nil
}
