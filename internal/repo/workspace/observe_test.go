package workspace

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Only tests use these functions.

// Status reports whether there is something to commit, and returns the last commit. Excluded paths don't count; a waiting merge
// does.
func (t *Tree) Status(ctx context.Context, exclude ...string) (dirty bool, head string, err error) {
	err = t.at.reading(ctx, func(o *opened) error {
		if head, err = o.branch.head(ctx); err != nil {
			return err
		}
		now, err := o.index.snapshot(ctx, head, exclude, o.index.withoutMade(ctx, head))
		if err != nil {
			return err
		}
		before, err := o.branch.treeOf(ctx, head)
		dirty = now != before || o.state.Merging != nil
		return err
	})
	return dirty, head, err
}

// LogEntry is one commit.
type LogEntry struct {
	ID      string
	Author  string
	Time    time.Time
	Subject string
	Body    string // the rest of the message, trailers included
}

// Log lists the commits after from ("" for all), newest first, at most 1000. Commits that came in with a merge of the base
// branch are left out when from is a commit.
func (t *Tree) Log(ctx context.Context, from string) (list []LogEntry, err error) {
	err = t.at.reading(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if err != nil || head == "" || head == from {
			return err
		}
		args := []string{"log", "-z", "-n1000", "--format=%H%x00%an%x00%at%x00%s%x00%b"}
		revs, err := o.history.ownAfter(ctx, from, head)
		if err != nil {
			return err
		}
		text, err := o.bare.run(ctx, append(args, revs...)...)
		if err != nil {
			return err
		}
		f := strings.Split(text, "\x00")
		for i := 0; i+4 < len(f); i += 5 {
			at, _ := strconv.ParseInt(f[i+2], 10, 64)
			list = append(list, LogEntry{ID: f[i], Author: f[i+1], Time: time.Unix(at, 0).UTC(), Subject: f[i+3], Body: strings.TrimSpace(f[i+4])})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list commits: %w", err)
	}
	return list, nil
}
