package workspace

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Limits for one file of a commit.
const (
	largeFile   = 5 << 20  // bytes; files of this size are reported
	mostOfAFile = 50 << 20 // bytes; larger files are refused, as forges do at about this size
)

// junk lists names of folders and files that tools leave behind and that almost no project commits. A project that does commit them has
// some of these names in its index.
var junk = []string{".DS_Store", "Thumbs.db", "desktop.ini", "__pycache__", "node_modules", ".venv", ".tox", ".nox", ".pytest_cache",
	".mypy_cache", ".ruff_cache", ".coverage", ".nyc_output", ".ipynb_checkpoints", ".gradle", ".eggs", "npm-debug.log", "yarn-error.log",
	"nohup.out"}

// junkEnds are suffixes of such file names.
var junkEnds = []string{".pyc", ".pyo", ".swp", ".orig", ".rej", "~"}

// junkName returns the path element that makes it junk, "" for none.
func junkName(path string) string {
	parts := strings.SplitSeq(path, "/")
	for part := range parts {
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

// weed splits new files into those to commit and those that no project commits. Names that the project's index already has are kept.
func (w workTree) weed(ctx context.Context, fresh []string) (keep, left []string, err error) {
	if !slices.ContainsFunc(fresh, func(path string) bool { return junkName(path) != "" }) {
		return fresh, nil, nil
	}
	usual, err := w.usualJunk(ctx)
	if err != nil {
		return nil, nil, err
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

// usualJunk returns the junk names that the project's index has, and "", which every other path has.
func (w workTree) usualJunk(ctx context.Context) (map[string]bool, error) {
	text, err := w.run(ctx, "ls-files", "-z")
	if err != nil {
		return nil, fmt.Errorf("look at the index: %w", err)
	}
	usual := map[string]bool{"": true}
	for path := range strings.SplitSeq(text, "\x00") {
		usual[junkName(path)] = true
	}
	return usual, nil
}

// junkPlaces lists the outermost folders of what was left out, once each.
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

// weigh returns the large files, and those that are too large.
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
