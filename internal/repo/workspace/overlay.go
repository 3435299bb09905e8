package workspace

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// entry is a file of a tree; its mode is 000000 where there is none.
type entry struct{ mode, id string }

// differ gives the paths in which two trees differ, with what the second has there.
func differ(ctx context.Context, r repo, a, b string) (map[string]entry, error) {
	text, err := r.run(ctx, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none", a, b)
	if err != nil {
		return nil, err
	}
	out := map[string]entry{}
	rawEntries(text, func(path string, e entry) bool { out[path] = e; return true })
	return out, nil
}

// rawRecords reads what git prints of differences with --raw and -z: of each its modes, ids and letter, and its path, or two of a rename.
// What else git prints comes as it is, without a path.
func rawRecords(text string, yield func(about, paths []string) bool) {
	for text != "" {
		line, rest, _ := strings.Cut(text, "\x00")
		text = rest
		about, record := strings.CutPrefix(line, ":") // "mode mode id id letter"
		if !record {
			if !yield([]string{line}, nil) {
				return
			}
			continue
		}
		f := strings.Fields(about)
		paths := make([]string, 1, 2)
		paths[0], text, _ = strings.Cut(text, "\x00")
		if len(f) == 5 && f[4][0] == 'R' {
			var to string
			to, text, _ = strings.Cut(text, "\x00")
			paths = append(paths, to)
		}
		if !yield(f, paths) {
			return
		}
	}
}

// rawEntries gives what stands at each path afterwards, of differences in which renames are not looked for.
func rawEntries(text string, yield func(path string, after entry) bool) {
	rawRecords(text, func(about, paths []string) bool {
		return len(about) != 5 || yield(paths[0], entry{about[1], about[3]})
	})
}

// overlay gives the tree that the work tree gets by a merge: what was merged, and on it the changes that were not
// committed, where the merge has touched nothing. Those that are in its way are named.
func (x *index) overlay(ctx context.Context, head string, m *merging) (work string, gaveWay []string, err error) {
	if m.Before, err = x.snapshot(ctx, head, nil, nil); err != nil {
		return "", nil, err
	}
	changed, err := differ(ctx, x.bare, head, m.Before)
	if err != nil || len(changed) == 0 {
		return m.Tree, nil, err
	}
	touched, err := differ(ctx, x.bare, head, m.Tree)
	if err != nil {
		return "", nil, err
	}
	taken := map[string]bool{} // touched files and the folders they are in
	for name := range touched {
		for ; name != "." && !taken[name]; name = path.Dir(name) {
			taken[name] = true
		}
	}
	var entries strings.Builder
	for name, e := range changed {
		if there, ok := touched[name]; ok && there == e {
			continue
		}
		if taken[name] || within(name, touched) {
			gaveWay = append(gaveWay, name)
			continue
		}
		fmt.Fprintf(&entries, "%s %s\t%s\x00", strings.Replace(e.mode, "000000", "0", 1), e.id, name)
	}
	slices.Sort(gaveWay)
	work, err = x.patch(ctx, m.Tree, entries.String())
	return work, gaveWay, err
}

// within tells whether a folder above the path is one of the files.
func within(name string, files map[string]entry) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, ok := files[dir]; ok {
			return true
		}
	}
	return false
}

// patch puts entries, as update-index reads them, into a tree.
func (x *index) patch(ctx context.Context, tree, entries string) (string, error) {
	if entries == "" {
		return tree, nil
	}
	f, err := os.CreateTemp(x.place.git(), "snapshot-*.index")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	f.Close()
	if err := os.Remove(f.Name()); err != nil { // git takes no empty file for an index
		return "", err
	}
	r := x.bare.with("GIT_INDEX_FILE=" + f.Name())
	if _, err := r.run(ctx, "read-tree", tree); err != nil {
		return "", err
	}
	if _, err := r.feed(ctx, entries, "update-index", "-z", "--add", "--replace", "--index-info"); err != nil {
		return "", err
	}
	return r.run(ctx, "write-tree")
}
