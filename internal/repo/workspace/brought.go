package workspace

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// blob is a file that a commit adds or changes, as git stores it.
type blob struct {
	path, id string
	size     int64
}

// broughtBy returns the files that commits add or change, each compared with its parents.
func (r repo) broughtBy(ctx context.Context, revs []string) ([]blob, error) {
	args := []string{"log", "--format=", "-r", "-m", "--root", "-z", "--raw", "--no-renames", "--no-abbrev", "--ignore-submodules=none"}
	text, err := r.run(ctx, slices.Concat(args, revs, []string{"--"})...)
	if err != nil {
		return nil, fmt.Errorf("list what commits bring: %w", err)
	}
	return r.sized(ctx, func(yield func(string, entry) bool) { rawEntries(text, yield) })
}

// broughtFrom returns the files of tree that differ from those of before.
func broughtFrom(ctx context.Context, r repo, before, tree string) ([]blob, error) {
	changed, err := differ(ctx, r, before, tree)
	if err != nil {
		return nil, err
	}
	return r.sized(ctx, func(yield func(string, entry) bool) {
		for path, e := range changed {
			if !yield(path, e) {
				return
			}
		}
	})
}

// sized returns the entries that are files, in order, with their sizes.
func (r repo) sized(ctx context.Context, entries func(func(string, entry) bool)) (list []blob, err error) {
	var ids strings.Builder
	for path, e := range entries {
		if e.mode == "100644" || e.mode == "100755" {
			list = append(list, blob{path: path, id: e.id})
			ids.WriteString(e.id + "\n")
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	text, err := r.feed(ctx, ids.String(), "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return nil, fmt.Errorf("look at sizes: %w", err)
	}
	sizes := lines(text)
	if len(sizes) != len(list) {
		return nil, fmt.Errorf("look at sizes: git gave %d for %d files", len(sizes), len(list))
	}
	for i := range list {
		if list[i].size, err = strconv.ParseInt(sizes[i], 10, 64); err != nil {
			return nil, fmt.Errorf("look at sizes: %w", err)
		}
	}
	slices.SortFunc(list, func(a, b blob) int { return strings.Compare(a.path, b.path) })
	return list, nil
}
