package workspace

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// whole are the diff options that show every change as text, whatever attributes say.
var whole = []string{"--patch", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames"}

// Outgoing writes every change of the task's commits as patches, commit by commit, each after a line with its id: everything that a push
// would publish, even if a later commit reverts it. Of a merge of the base branch, only the difference from git's automatic merge is
// written, because the remote has the rest already.
func (d Diffs) Outgoing(ctx context.Context, to io.Writer) error {
	return wrap("show the changes to push", d.at.reading(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if err != nil || head == "" || head == o.state.Record.Base {
			return err
		}
		if err := o.history.patches(ctx, head, to); err != nil {
			return err
		}
		return o.objects.show(ctx, head, to)
	}))
}

func (h *history) patches(ctx context.Context, head string, to io.Writer) error {
	plain, merges, err := h.sortCommits(ctx, head)
	if err != nil {
		return err
	}
	r, log := h.bare, slices.Concat([]string{"log", "--format=commit %H", "--diff-merges=separate", "--root"}, whole)
	if len(merges) == 0 {
		revs, err := h.own(ctx, head)
		if err != nil {
			return err
		}
		return r.pipe(ctx, nil, to, append(log, revs...)...)
	}
	if len(plain) > 0 {
		ids := []byte(strings.Join(plain, "\n") + "\n")
		if err := r.pipe(ctx, ids, to, append(log, "--no-walk=unsorted", "--stdin")...); err != nil {
			return err
		}
	}
	for _, ids := range merges {
		before, err := h.before(ctx, ids[1:])
		if err == nil {
			_, err = fmt.Fprintln(to, "commit", ids[0])
		}
		if err == nil {
			err = r.pipe(ctx, nil, to, slices.Concat([]string{"diff-tree", "-r"}, whole, []string{before, ids[0]})...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Messages returns the full messages of the commits that Outgoing writes, with authors' names, by commit id.
func (d Diffs) Messages(ctx context.Context) (map[string]string, error) {
	messages := map[string]string{}
	err := d.at.reading(ctx, func(o *opened) error {
		head, err := o.branch.head(ctx)
		if err != nil || head == "" || head == o.state.Record.Base {
			return err
		}
		revs, err := o.history.own(ctx, head)
		if err != nil {
			return err
		}
		text, err := o.bare.run(ctx, append([]string{"log", "-z", "--format=%H%n%an <%ae>%n%B"}, revs...)...)
		for entry := range strings.SplitSeq(text, "\x00") {
			if id, message, ok := strings.Cut(entry, "\n"); ok {
				messages[id] = message
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the messages of the commits to push: %w", err)
	}
	return messages, nil
}

// Uncommit removes the commits that were not pushed yet from the branch. Their content stays in the work tree. A merge of the base branch
// among them waits again for the next Commit.
func (t *Tree) Uncommit(ctx context.Context) error {
	return wrap("take commits back", t.at.locked(ctx, func(o *opened) error {
		to := cmp.Or(o.state.Record.Checkpoint, o.state.Record.Base)
		if base, err := o.merges.after(ctx, to); err != nil {
			return err
		} else if base != "" {
			return o.merges.undo(ctx, to, base)
		}
		head, err := o.branch.head(ctx)
		if err != nil {
			return err
		}
		if err := o.branch.move(ctx, to); err != nil {
			return err
		}
		if _, err := o.work.run(ctx, "read-tree", o.state.or(to)); err != nil { // otherwise the index would still hold what was staged
			return err
		}
		return o.agent.handOver(ctx, to, head)
	}))
}
