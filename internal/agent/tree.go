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

// InTree tells where in the tree below dir a path leads once its symbolic links are followed, as far as it exists: a clean
// relative path, "." for dir itself. A relative path starts at dir; dir may itself be reached through a link. It is an error when
// the path is empty, leads out (ErrOutside), ends in a link to what does not exist (a write would create that), or can't be followed.
//
// The answer holds for the moment: who can write in the tree can change a link after it. What must not be reached needs a sandbox.
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

// follow resolves symbolic links as far as the path exists; the rest of it is to be made. What does not exist can hold no link,
// so a ".." in that part is refused rather than guessed.
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
