package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Bounds of one file of a commit.
const (
	largeFile   = 5 << 20  // bytes; a file of that size is named
	mostOfAFile = 50 << 20 // bytes; more is refused, as forges do from about there on
)

// junk are names of folders and files that tools leave behind and that no project commits, but for the few that do: those have some
// of the name in their index already.
var junk = []string{".DS_Store", "Thumbs.db", "desktop.ini", "__pycache__", "node_modules", ".venv", ".tox", ".nox", ".pytest_cache", ".mypy_cache",
	".ruff_cache", ".coverage", ".nyc_output", ".ipynb_checkpoints", ".gradle", ".eggs"}

// junkEnds are ends of the names of such files.
var junkEnds = []string{".pyc", ".pyo", ".swp", "~"}

// junkName gives the part of a path that makes it junk, "" for none.
func junkName(path string) string {
	parts := strings.Split(path, "/")
	for _, part := range parts {
		if slices.Contains(junk, part) {
			return part
		}
	}
	for _, end := range junkEnds {
		if strings.HasSuffix(path, end) {
			return end
		}
	}
	return ""
}

// weed parts new files into those that belong into a commit and those that no project commits. Names that the project has in its index
// belong.
func (r repo) weed(ctx context.Context, fresh []string) (keep, left []string, err error) {
	if !slices.ContainsFunc(fresh, func(path string) bool { return junkName(path) != "" }) {
		return fresh, nil, nil
	}
	text, err := r.run(ctx, "ls-files", "-z")
	if err != nil {
		return nil, nil, fmt.Errorf("look at the index: %w", err)
	}
	usual := map[string]bool{"": true}
	for path := range strings.SplitSeq(text, "\x00") {
		usual[junkName(path)] = true
	}
	for _, path := range fresh {
		if usual[junkName(path)] {
			keep = append(keep, path)
		} else {
			left = append(left, path)
		}
	}
	return keep, left, nil
}

// junkPlaces names what was left out by its outermost folders, once each.
func junkPlaces(left []string) (places []string) {
	for _, path := range left {
		name := junkName(path)
		if before, _, found := strings.Cut("/"+path+"/", "/"+name+"/"); found {
			path = strings.TrimPrefix(before+"/"+name, "/")
		}
		if !slices.Contains(places, path) {
			places = append(places, path)
		}
	}
	return places
}

// weigh names large files, and those that are too large.
func weigh(list []blob) (large, tooLarge []string) {
	for _, b := range list {
		if b.size < largeFile {
			continue
		}
		line := fmt.Sprintf("%s (%d MB)", b.path, b.size>>20)
		if large = append(large, line); b.size > mostOfAFile {
			tooLarge = append(tooLarge, line)
		}
	}
	return slices.Compact(large), slices.Compact(tooLarge)
}
