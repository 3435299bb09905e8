package workspace

import (
	"context"
	"fmt"
	"path"
	"strings"
)

// changes is how the work tree differs from the index, and whether the index differs from the last commit.
type changes struct {
	paths    []string
	removed  []string
	embedded []string // git repositories inside the work tree, by their top folders
	junk     []string // new files that no project commits
	made     []string // what setup and checks have made; see made
	staged   bool
}

// changes looks for them. Submodules and embedded repositories are never looked into: their configuration is the agent's.
func (r repo) changes(ctx context.Context, exclude []string) (c changes, err error) {
	where := []string{"."}
	if !plain(exclude) {
		for _, e := range exclude {
			where = append(where, ":(exclude)"+e)
		}
	}
	return r.changesIn(ctx, where, exclude)
}

// changesOf looks for them in some files alone.
func (r repo) changesOf(ctx context.Context, names []string) (changes, error) {
	var where []string
	for _, name := range names {
		where = append(where, ":(literal)"+name)
	}
	return r.changesIn(ctx, where, nil)
}

func (r repo) changesIn(ctx context.Context, where, exclude []string) (c changes, err error) {
	args := []string{"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all", "--"}
	text, err := r.run(ctx, append(args, where...)...)
	if err != nil {
		return c, fmt.Errorf("look for changes: %w", err)
	}
	var fresh []string
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
		}
	}
	fresh, c.junk, err = r.weed(ctx, fresh)
	c.paths = append(c.paths, fresh...)
	return c, err
}

// leftOut names what stays out of a commit.
func (c changes) leftOut() []string {
	out := append(c.embedded, junkPlaces(c.junk)...)
	for _, path := range c.made {
		out = append(out, path+" (made by setup or the check)")
	}
	return out
}

// plain tells whether the pathspecs are nothing but names of files and folders.
func plain(specs []string) bool { return !strings.ContainsAny(strings.Join(specs, ""), "*?[\\:") }

func isExcluded(name string, exclude []string) bool {
	for _, e := range exclude {
		if e = path.Clean(e); name == e || strings.HasPrefix(name, e+"/") {
			return true
		}
	}
	return false
}

// stage makes the index what parent has, plus everything in the work tree that is not excluded or ignored, and that narrow, where it
// is given, does not take out. The index is most often what head has already, for it was committed last.
func (r repo) stage(ctx context.Context, head, parent string, exclude []string, narrow func(*changes) error) (changes, error) {
	align := func() error {
		if parent == "" {
			_, err := r.run(ctx, "read-tree", "--empty")
			return err
		}
		_, err := r.run(ctx, "read-tree", "-i", "-m", parent) // whatever the work tree holds by now
		return err
	}
	sure := parent == head && plain(exclude)
	if !sure {
		if err := align(); err != nil {
			return changes{}, err
		}
	}
	c, err := r.changes(ctx, exclude)
	if err == nil && sure && c.staged {
		if err = align(); err == nil {
			c, err = r.changes(ctx, exclude)
		}
	}
	if err == nil && narrow != nil {
		err = narrow(&c)
	}
	if err != nil {
		return c, err
	}
	// Removed first, and by name alone: a link may be in the place of the folder they were in.
	err = r.updateIndex(ctx, c.removed, "--force-remove")
	if err == nil {
		err = r.updateIndex(ctx, c.paths, "--add", "--remove", "--replace")
	}
	return c, err
}

func (r repo) updateIndex(ctx context.Context, paths []string, options ...string) error {
	if len(paths) == 0 {
		return nil
	}
	args := append([]string{"update-index", "-z"}, options...)
	_, err := r.feed(ctx, strings.Join(paths, "\x00")+"\x00", append(args, "--stdin")...)
	return err
}
