package workspace

import (
	"context"
	"strings"
)

// describe completes the result for an existing commit: it updates the agent's git and counts the changes.
func (cs *commits) describe(ctx context.Context, before, id string) (Commit, error) {
	if err := cs.agent.handOver(ctx, id); err != nil {
		return Commit{}, err
	}
	return cs.count(ctx, before, id)
}

// find searches the task's commits for one with the mark.
func (cs *commits) find(ctx context.Context, head, mark string) (Commit, error) {
	if head == "" || head == cs.state.Record.Base {
		return Commit{}, nil
	}
	args := []string{"log", "--format=%H %P,%(trailers:key=" + trailer + ",valueonly,separator=%x2C)"}
	revs, err := cs.history.own(ctx, head)
	if err != nil {
		return Commit{}, err
	}
	text, err := cs.bare.run(ctx, append(args, revs...)...)
	if err != nil {
		return Commit{}, err
	}
	for _, line := range lines(text) {
		ids, marks, _ := strings.Cut(line, ",")
		for m := range strings.SplitSeq(marks, ",") {
			if strings.TrimSpace(m) != mark {
				continue
			}
			f := strings.Fields(ids)
			before, err := cs.history.before(ctx, f[1:])
			if err != nil {
				return Commit{}, err
			}
			if err := cs.agent.handOver(ctx, head); err != nil {
				return Commit{}, err
			}
			return cs.count(ctx, before, f[0])
		}
	}
	return Commit{}, nil
}
