package workspace

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Outgoing writes every change that the task's commits hold, commit by commit, as patches: what a push would make known,
// also where a later commit takes it back. Files are shown as text whatever attributes say about them.
func (t *Tree) Outgoing(ctx context.Context, to io.Writer) error {
	err := t.reading(ctx, func(o *opened) error {
		head, err := o.head(ctx)
		if err != nil || head == "" || head == o.state.Record.Base {
			return err
		}
		args := []string{"log", "--format=", "--patch", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
			"--diff-merges=separate", "--root"}
		return o.bare().pipe(ctx, nil, to, append(args, span(o.state.Record.Base, head)...)...)
	})
	if err != nil {
		return fmt.Errorf("show what is to be pushed: %w", err)
	}
	return nil
}

// OutgoingMessages gives the whole messages of the task's commits, authors' names included, by commit.
func (t *Tree) OutgoingMessages(ctx context.Context) (map[string]string, error) {
	messages := map[string]string{}
	err := t.reading(ctx, func(o *opened) error {
		head, err := o.head(ctx)
		if err != nil || head == "" || head == o.state.Record.Base {
			return err
		}
		text, err := o.bare().run(ctx, append([]string{"log", "-z", "--format=%H%n%an <%ae>%n%B"}, span(o.state.Record.Base, head)...)...)
		for entry := range strings.SplitSeq(text, "\x00") {
			if id, message, ok := strings.Cut(entry, "\n"); ok {
				messages[id] = message
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the messages of what is to be pushed: %w", err)
	}
	return messages, nil
}

// Uncommit takes back the commits that the remote has not been given yet. What they hold stays in the work tree.
func (t *Tree) Uncommit(ctx context.Context) error {
	err := t.locked(ctx, func(o *opened) error {
		to := o.state.Record.Checkpoint
		if to == "" {
			to = o.state.Record.Base
		}
		if err := o.moveBranch(ctx, to); err != nil {
			return err
		}
		if _, err := o.repo.run(ctx, "read-tree", o.or(to)); err != nil { // the index would still hold what was staged
			return err
		}
		return o.handOver(ctx, to)
	})
	if err != nil {
		return fmt.Errorf("take commits back: %w", err)
	}
	return nil
}
