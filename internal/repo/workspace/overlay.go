package workspace

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// entry is a file of a tree. Its mode is 000000 when the file does not exist.
type entry struct{ mode, id string }

// differ returns the paths in which two trees differ, with the entries of the second.
func differ(ctx context.Context, r repo, a, b string) (map[string]entry, error) {
	text, err := r.run(ctx, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none", a, b)
	if err != nil {
		return nil, err
	}
	out := map[string]entry{}
	rawEntries(text, func(path string, e entry) bool { out[path] = e; return true })
	return out, nil
}

// rawRecords parses the output of git diff with --raw and -z. It yields each record's modes, ids and letter with its path, or both paths
// of a rename. Other output is yielded as it is, without a path.
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

// rawEntries yields the new entry of each path in a raw diff without rename detection.
func rawEntries(text string, yield func(path string, after entry) bool) {
	rawRecords(text, func(about, paths []string) bool {
		return len(about) != 5 || yield(paths[0], entry{about[1], about[3]})
	})
}

// overlay returns the tree for the work tree after a merge: the merged tree, with uncommitted changes on top where the merge has changed
// nothing. It also returns the paths whose changes the merge replaces.
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
	taken := map[string]bool{} // changed files and the folders above them
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

// within reports whether a folder above the path is one of the files.
func within(name string, files map[string]entry) bool {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, ok := files[dir]; ok {
			return true
		}
	}
	return false
}

// patch applies entries, in the format of update-index, to a tree.
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
	if err := os.Remove(f.Name()); err != nil { // git does not accept an empty file as an index
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
