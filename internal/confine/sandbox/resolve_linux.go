package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

const maxLinks = 40

// writtenFolders lists the real paths of folders that confined programs may have written, now or in an earlier session.
// Symbolic links below them are never followed.
type writtenFolders []string

// outermost returns the outermost folder of them that contains path, or "".
func (w writtenFolders) outermost(path string) string {
	best := ""
	for _, root := range w {
		if within(path, root) && (best == "" || len(root) < len(best)) {
			best = root
		}
	}
	return best
}

func within(path, root string) bool {
	return path == root || root == "/" || strings.HasPrefix(path, root+"/")
}

// resolve walks path from the root directory. It returns the real path of the part that exists, and the missing
// components. It follows links outside of those folders, since the host's administrator has set them.
func (w writtenFolders) resolve(path string) (real string, missing []string, err error) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", nil, fault.New(fault.Input, "sandbox: path %q is not absolute", path)
	}
	cur, todo, links := "/", components(filepath.Clean(path)), 0
	for len(todo) > 0 {
		name := todo[0]
		if name == ".." {
			cur, todo = filepath.Dir(cur), todo[1:]
			continue
		}
		next := filepath.Join(cur, name)
		info, err := os.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			return cur, todo, nil
		} else if err != nil {
			return "", nil, fault.New(fault.Infra, "sandbox: look at %s: %w", path, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			cur, todo = next, todo[1:]
			continue
		}
		if w.outermost(cur) != "" {
			return "", nil, linkError(path, next)
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return "", nil, fault.New(fault.Infra, "sandbox: %s: too many symbolic links: %w", path, errors.Join(err, fs.ErrInvalid))
		}
		if filepath.IsAbs(target) {
			cur = "/"
		}
		todo = append(components(target), todo[1:]...)
	}
	return cur, nil, nil
}

// linkError is the error for a link that an agent may have planted: following it would mount whatever it points to.
func linkError(path, link string) error {
	msg := "sandbox: %s is a symbolic link"
	args := []any{link}
	if path != link {
		msg, args = "sandbox: %s lies behind the symbolic link %s", []any{path, link}
	}
	return fault.New(fault.Denied, msg, args...).
		WithHint("remove the link from the worktree, or do not ask for this path to be mounted")
}

func components(path string) []string {
	var out []string
	for c := range strings.SplitSeq(path, "/") {
		if c != "" && c != "." {
			out = append(out, c)
		}
	}
	return out
}
