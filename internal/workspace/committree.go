package workspace

import (
	"context"
	"strconv"
)

// count tells what a commit has changed.
func (o *opened) count(ctx context.Context, before, id string) (Commit, error) {
	text, err := o.bare().run(ctx, "diff-tree", "--shortstat", "-r", o.or(before), id)
	c := Commit{ID: id, Created: true}
	c.Files, c.Added, c.Deleted = shortstat(text)
	return c, err
}

// dates make commits bear the time of our clock.
func (o *opened) dates() []string {
	now := strconv.FormatInt(o.m.config.Now().Unix(), 10) + " +0000"
	return []string{"GIT_AUTHOR_DATE=" + now, "GIT_COMMITTER_DATE=" + now}
}

func (o *opened) commitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", "-F", "-"}
	for _, parent := range parents {
		if parent != "" {
			args = append(args, "-p", parent)
		}
	}
	return o.bare().with(o.dates()...).feed(ctx, message, append(args, tree)...)
}
