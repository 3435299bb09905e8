package workspace

import (
	"context"
	"slices"
	"strings"
)

// describe completes the result for an existing commit: it updates the agent's git and counts the changes.
func (cs *commits) describe(ctx context.Context, before, id string) (Commit, error) {
	if err := cs.agent.handOver(ctx, id, ""); err != nil {
		return Commit{}, err
	}
	return cs.count(ctx, before, id)
}

// marked is a commit of the task with its marks.
type marked struct {
	id, subject    string
	parents, marks []string
}

// marked lists the task's commits, the newest first.
func (cs *commits) marked(ctx context.Context, head string) (all []marked, err error) {
	if head == "" || head == cs.state.Record.Base {
		return nil, nil
	}
	args := []string{"log", "--format=%H %P%x09%(trailers:key=" + trailer + ",valueonly,separator=%x2C)%x09%s"}
	revs, err := cs.history.own(ctx, head)
	if err != nil {
		return nil, err
	}
	text, err := cs.bare.run(ctx, append(args, revs...)...)
	if err != nil {
		return nil, err
	}
	for _, line := range lines(text) {
		ids, rest, _ := strings.Cut(line, "\t")
		marks, subject, _ := strings.Cut(rest, "\t")
		f := strings.Fields(ids)
		c := marked{id: f[0], parents: f[1:], subject: subject}
		for m := range strings.SplitSeq(marks, ",") {
			c.marks = append(c.marks, strings.TrimSpace(m))
		}
		all = append(all, c)
	}
	return all, nil
}

// find searches the task's commits for one with the mark.
func (cs *commits) find(ctx context.Context, head, mark string, all []marked) (Commit, error) {
	for _, c := range all {
		if !slices.Contains(c.marks, mark) {
			continue
		}
		before, err := cs.history.before(ctx, c.parents)
		if err != nil {
			return Commit{}, err
		}
		if err := cs.agent.handOver(ctx, head, ""); err != nil {
			return Commit{}, err
		}
		return cs.count(ctx, before, c.id)
	}
	return Commit{}, nil
}

// earlier lists the commits after the one that the caller knows, the oldest first, without the one that has the mark itself. It lists none when
// the task's commits, the newest first, do not hold the one that is known.
func (cs *commits) earlier(all []marked, since, mark string) (list []Earlier) {
	found := since == cs.state.Record.Base
	for _, c := range all {
		if c.id == since {
			found = true
			break
		}
		for _, m := range c.marks {
			if key, ours := strings.CutPrefix(m, cs.id+"/"); ours && m != mark {
				list = append(list, Earlier{ID: c.id, Key: key, Subject: c.subject})
			}
		}
	}
	if !found {
		return nil
	}
	slices.Reverse(list)
	return list
}
