package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// mostListed limits the bytes of a list of files, which the worker holds in memory.
const mostListed = 64 << 20

// changes says how the work tree differs from the index, and whether the index differs from the last commit.
type changes struct {
	paths    []string
	fresh    int // how many of paths, at their end, the index does not have
	removed  []string
	embedded []string // top folders of embedded git repositories
	junk     []string // new files that no project commits
	made     []string // files made by setup and check commands; see made
	closed   []string // files that the task may not change; see undoClosed
	staged   bool

	unreadable []string // changed files that a program has closed to their owner, with size and time; only for trees that are no commits
}

// changes finds the changes of the work tree. It never looks into submodules and embedded repositories, because the agent controls their
// configuration.
func (w workTree) changes(ctx context.Context, exclude []string) (c changes, err error) {
	return w.changesIn(ctx, allBut(exclude), exclude)
}

// allBut returns the pathspecs for everything but what is excluded. Names are not among them: isExcluded is quicker.
func allBut(exclude []string) []string {
	where := []string{"."}
	if !plain(exclude) {
		for _, e := range exclude {
			where = append(where, ":(exclude)"+e)
		}
	}
	return where
}

// changesOf finds the changes of the named files only.
func (w workTree) changesOf(ctx context.Context, names []string) (changes, error) {
	var where []string
	for _, name := range names {
		where = append(where, ":(literal)"+name)
	}
	return w.changesIn(ctx, where, nil)
}

func (w workTree) changesIn(ctx context.Context, where, exclude []string) (c changes, err error) {
	args := []string{"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all", "--"}
	text, err := w.bounded().run(ctx, append(args, where...)...)
	if errors.Is(err, git.ErrTooMuch) {
		return c, fault.New(fault.Work, "too many new and changed files: a list of them has more than %d MB: %w", w.runner.most>>20, err).
			WithHint("remove those that are not part of the work, or have .gitignore leave them out")
	}
	if err != nil {
		return c, fmt.Errorf("look for changes: %w", err)
	}
	var fresh []string
	blobs := map[string]string{} // of changed files whose kind and mode are those of the index
	for entry := range strings.SplitSeq(text, "\x00") {
		kind, rest, _ := strings.Cut(entry, " ")
		f := strings.SplitN(rest, " ", 8)
		ordinary := kind == "1" && len(f) == 8
		c.staged = c.staged || kind == "u" || ordinary && f[0][0] != '.'
		switch {
		case kind == "?" && strings.HasSuffix(rest, "/"):
			c.embedded = append(c.embedded, strings.TrimSuffix(rest, "/"))
		case kind == "?" && !isExcluded(rest, exclude):
			fresh = append(fresh, rest)
		case !ordinary || f[1][0] != 'N' || isExcluded(f[7], exclude):
		case f[0][1] == 'D':
			c.removed = append(c.removed, f[7])
		case f[0][1] != '.':
			c.paths = append(c.paths, f[7])
			if f[3] == f[4] && strings.HasPrefix(f[3], "100") {
				blobs[f[7]] = f[6]
			}
		}
	}
	if c.paths, err = w.withoutUntouched(c.paths, blobs); err != nil {
		return c, err
	}
	fresh, c.junk, err = w.weed(ctx, fresh)
	c.paths, c.fresh = append(c.paths, fresh...), len(fresh)
	return c, err
}

// leftOut lists what the commit does not include.
func (c changes) leftOut() []string {
	out := append(junkPlaces(c.junk), c.apart()...)
	for _, path := range c.made {
		out = append(out, path+" (made by setup or the check)")
	}
	for _, path := range c.closed {
		out = append(out, path+" (closed by the settings; the change was undone)")
	}
	return out
}

// apart lists the git repositories in the work.
func (c changes) apart() (out []string) {
	for _, path := range c.embedded {
		out = append(out, path+" (a git repository of its own)")
	}
	return out
}

// plain reports whether the pathspecs are only names of files and folders.
func plain(specs []string) bool { return !strings.ContainsAny(strings.Join(specs, ""), "*?[\\:") }

func isExcluded(name string, exclude []string) bool {
	return slices.ContainsFunc(exclude, func(e string) bool { return strings.HasPrefix(name+"/", path.Clean(e)+"/") })
}

// stage fills the index with the content of parent and everything in the work tree that is not excluded, ignored or removed by narrow. What
// an agent has staged does not count as ignored. Usually the index matches head already, because head was committed from it.
func (w workTree) stage(ctx context.Context, head, parent string, exclude []string, narrow func(*changes) error) (changes, error) {
	align := func() error {
		if parent == "" {
			_, err := w.run(ctx, "read-tree", "--empty")
			return err
		}
		_, err := w.run(ctx, "read-tree", "-i", "-m", parent) // whatever the work tree holds
		return err
	}
	sure := parent == head && plain(exclude)
	if !sure {
		if err := align(); err != nil {
			return changes{}, err
		}
	}
	c, err := w.changes(ctx, exclude)
	if err == nil && sure && c.staged {
		if err = align(); err == nil {
			c, err = w.changes(ctx, exclude)
		}
	}
	if err == nil {
		err = w.addForced(ctx, parent, exclude, &c)
	}
	if err == nil && narrow != nil {
		err = narrow(&c)
	}
	if err != nil {
		return c, err
	}
	// Removals come first, and only by name: a link may have replaced the folder.
	err = w.updateIndex(ctx, c.removed, "--force-remove")
	if err == nil {
		err = w.updateIndex(ctx, c.paths, "--add", "--remove", "--replace")
	}
	return c, err
}

func (w workTree) updateIndex(ctx context.Context, paths []string, options ...string) error {
	if len(paths) == 0 {
		return nil
	}
	args := append([]string{"update-index", "-z"}, options...)
	_, err := w.feed(ctx, strings.Join(paths, "\x00")+"\x00", append(args, "--stdin")...)
	return err
}
