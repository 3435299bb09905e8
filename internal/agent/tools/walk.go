package tools

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// walk goes through a folder and those in it, in the order of the paths, and follows no links. It opens each folder from the one above, so that
// none leads elsewhere that is replaced by a link during the walk.
type walk struct {
	tree      *Tree
	ctx       context.Context
	base      string           // slash path of the folder
	depth     int              // how many folders below each other are read
	keepGit   bool             // show .git, which is never entered
	gitignore bool             // leave out what .gitignore files say
	visit     func(found) bool // false ends the walk

	seen      int
	truncated bool // not all was looked at
	ended     bool
}

// found is an entry of a folder.
type found struct {
	path string // relative to the root
	rel  string // relative to the folder where the walk began
	kind fs.FileMode
	in   *os.Root // the folder that it is in, open during the visit
}

func (e found) name() string { return path.Base(e.path) }

// run fails if the first folder can't be read; of the others, what can't be read is left out.
func (k *walk) run() error {
	var rules []rule
	if k.gitignore {
		for dir := range parents(k.base) {
			rules = append(rules, k.tree.rulesOf(dir)...)
		}
	}
	in, err := k.tree.descend(k.base)
	if err != nil {
		return cause("list", k.base, err)
	}
	defer in.Close()
	if err := k.folder(in, k.base, ".", 1, rules); err != nil {
		return cause("list", k.base, err)
	}
	if k.ctx.Err() != nil {
		return errStopped
	}
	return nil
}

func (k *walk) folder(in *os.Root, dir, rel string, depth int, rules []rule) error {
	if k.seen > k.tree.limits().Walked {
		return nil
	}
	entries, err := k.entries(in)
	if err != nil {
		return err
	}
	if k.gitignore {
		rules = append(rules[:len(rules):len(rules)], ignoreFile(in, dir)...)
	}
	for _, d := range entries {
		if k.ended || k.ctx.Err() != nil {
			return nil
		}
		e := found{path.Join(dir, d.Name()), path.Join(rel, d.Name()), d.Type(), in}
		isGit := strings.EqualFold(d.Name(), ".git")
		if isGit && !k.keepGit || !k.tree.mayRead(e.path) || ignored(rules, e.path, d.IsDir()) {
			continue
		}
		if !k.visit(e) {
			k.ended = true
			return nil
		}
		switch {
		case !d.IsDir() || isGit:
		case depth < k.depth:
			k.below(e, depth+1, rules)
		case k.depth > 1:
			k.truncated = true
		}
	}
	return nil
}

// below walks through a folder in a folder. One that was replaced since it was listed is left out.
func (k *walk) below(e found, depth int, rules []rule) {
	in, err := enter(e.in, e.name())
	if err != nil {
		return
	}
	defer in.Close()
	_ = k.folder(in, e.path, e.rel, depth, rules)
}

// entries reads a folder in the order of the paths that are in it, for which a folder's name ends in a slash.
func (k *walk) entries(in *os.Root) ([]fs.DirEntry, error) {
	f, err := in.OpenFile(".", os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []fs.DirEntry
	for {
		part, err := f.ReadDir(1000)
		all = append(all, part...)
		k.seen += len(part)
		if k.seen > k.tree.limits().Walked {
			k.truncated = true
			break
		}
		if err != nil || len(part) == 0 || k.ctx.Err() != nil {
			break // the end, or what can be had of a folder that vanishes meanwhile
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return cmp.Compare(sortName(a), sortName(b)) })
	return all, nil
}

func sortName(d fs.DirEntry) string {
	if d.IsDir() {
		return d.Name() + "/"
	}
	return d.Name()
}

// parents are the folders above a folder, the root first.
func parents(dir string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		if dir == "." || !yield(".") {
			return
		}
		for i, c := range dir {
			if c == '/' && !yield(dir[:i]) {
				return
			}
		}
	}
}
