package activities

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// mostExpanded limits the entries of folders that the patterns of one command are compared with, and so the time and memory of that: with
// links to the folder that they lie in, a pattern of a few parts matches millions of paths.
const mostExpanded = 20_000

// expansion looks for the files that patterns match. It enters links as the shell does, but none that leads out of the tree.
type expansion struct {
	ctx   context.Context
	tree  *os.Root
	left  int // entries that may still be looked at
	found []string
}

// expand adds to the names the files of the tree that match those of them that are patterns. It returns false when there is too much to look
// at, or when the context ends.
func expand(ctx context.Context, tree *os.Root, root string, names []string) (all []string, ok bool) {
	e := expansion{ctx: ctx, tree: tree, left: mostExpanded}
	for _, name := range names {
		all = append(all, name)
		rel, err := filepath.Rel(root, name)
		if err != nil || !isPattern(rel) || !filepath.IsLocal(rel) {
			continue
		}
		e.match(".", strings.Split(rel, "/"))
	}
	for _, f := range e.found {
		all = append(all, filepath.Join(root, f))
	}
	slices.Sort(all)
	return slices.Compact(all), e.left >= 0 && ctx.Err() == nil
}

func isPattern(part string) bool { return strings.ContainsAny(part, "*?[") }

// match finds what a pattern, given as its parts, matches below a folder. A malformed part matches nothing.
func (e *expansion) match(dir string, parts []string) {
	i := slices.IndexFunc(parts, isPattern)
	if i < 0 {
		e.pay(1)
		e.found = append(e.found, path.Join(dir, path.Join(parts...)))
		return
	}
	dir = path.Join(dir, path.Join(parts[:i]...))
	for _, d := range e.entries(dir) {
		if e.done() {
			return
		}
		matched, _ := path.Match(parts[i], d.Name())
		last := i == len(parts)-1
		if mayEnter := d.IsDir() || d.Type()&fs.ModeSymlink != 0; matched && (last || mayEnter) {
			e.match(path.Join(dir, d.Name()), parts[i+1:])
		}
	}
}

func (e *expansion) pay(entries int) { e.left -= entries }

func (e *expansion) done() bool { return e.left < 0 || e.ctx.Err() != nil }

// entries reads a folder until it has more entries than may be looked at. What is no folder has none; a pipe doesn't block.
func (e *expansion) entries(dir string) (all []fs.DirEntry) {
	f, err := e.tree.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	for !e.done() {
		some, err := f.ReadDir(1000)
		e.pay(len(some))
		all = append(all, some...)
		if err != nil || len(some) == 0 {
			return all
		}
	}
	return nil
}
