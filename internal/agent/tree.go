package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrOutside is wrapped by the error of InTree for a path that leads out of the tree.
var ErrOutside = errors.New("leads out of the workspace")

// InTree resolves a path's symbolic links, as far as the path exists, and returns where it leads: a clean path relative to dir, "." for
// dir itself. A relative path starts at dir; dir may itself be reached through a link. It is an error if the path is empty, leads out of
// the tree (ErrOutside), ends in a dangling link (a write would create its target), or can't be resolved.
//
// The answer can be outdated at once, because anybody who can write in the tree can change a link. Only a sandbox reliably keeps a path
// out of reach.
func InTree(dir, path string) (rel string, err error) {
	if path == "" {
		return "", errors.New("the path is missing")
	}
	if strings.ContainsRune(path, 0) {
		return "", errors.New("the path holds a zero byte")
	}
	if !filepath.IsAbs(path) {
		// Not Join: it would drop "link/.." before the link is followed.
		path = dir + string(filepath.Separator) + path
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("follow the workspace: %w", err)
	}
	real, err := follow(path)
	if err != nil {
		return "", fmt.Errorf("follow the path: %w", err)
	}
	rel, err = filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("path %q %w", path, ErrOutside)
	}
	return rel, nil
}

// follow resolves symbolic links as far as the path exists. The rest contains no links, so a ".." in it is refused rather than guessed.
func follow(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	path = strings.TrimRight(path, string(filepath.Separator))
	if _, err := os.Lstat(path); err == nil {
		return "", errors.New("it ends in a link to what does not exist")
	}
	parent, name := filepath.Split(path)
	if parent == "" || parent == path {
		return "", err
	}
	if name == ".." || name == "." {
		return "", errors.New("it goes up from what does not exist")
	}
	dir, err := follow(parent)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, name), nil
}
