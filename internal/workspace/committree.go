package workspace

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
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
	return datedAs(now, now)
}

// datedAs makes a commit bear dates as git writes them with --date=raw.
func datedAs(author, committer string) []string {
	return []string{"GIT_AUTHOR_DATE=@" + author, "GIT_COMMITTER_DATE=@" + committer}
}

// commitTree makes a commit that may be pushed.
func (o *opened) commitTree(ctx context.Context, tree, message string, dates []string, parents ...string) (string, error) {
	var out bytes.Buffer
	err := o.bare().with(dates...).signed(ctx, message, &out, "commit-tree", slices.Concat(asParents(parents), []string{"-F", "-", tree})...)
	return strings.TrimSpace(out.String()), err
}

// innerCommit makes a commit that stays here.
func (o *opened) innerCommit(ctx context.Context, tree, message string, parents ...string) (string, error) {
	return o.bare().with(o.dates()...).feed(ctx, message, slices.Concat([]string{"commit-tree"}, asParents(parents), []string{"-F", "-", tree})...)
}

func asParents(ids []string) (args []string) {
	for _, id := range ids {
		if id != "" {
			args = append(args, "-p", id)
		}
	}
	return args
}
