package watch

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake/workfile"
	"github.com/longshift/longshift/task"
)

// backlog is a folder of Markdown files in a repository on this machine. Each file is work.
type backlog struct {
	repo task.Repository
	path string // below the repository, with slashes
}

// defaultBacklog is the folder of a backlog where no other is named.
const defaultBacklog = "backlog"

func backlogFolder(path string) string {
	if path == "" {
		return defaultBacklog
	}
	return filepath.ToSlash(filepath.Clean(path))
}

// isOrder tells whether a file of this name may be work.
func isOrder(name string) bool {
	return strings.EqualFold(filepath.Ext(name), ".md") && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "-")
}

// is tells whether a repository and a path below it name this folder.
func (b backlog) is(repository, path string) bool {
	return backlogFolder(path) == b.path && samePath(repository, b.repo.Path)
}

// samePath tells whether two names lead to the same folder.
func samePath(a, b string) bool {
	if a == b {
		return true
	}
	x, err := filepath.EvalSymlinks(a)
	y, errs := filepath.EvalSymlinks(b)
	return err == nil && errs == nil && x == y
}

// files lists the names that may be work. It is empty for a folder that can't be read, which the next poll reports.
func (b backlog) files() []string {
	f, err := workfile.Open(b.repo, b.path)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, err := f.Names()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(names, func(n string) bool { return !isOrder(n) })
}

// after tells whether a file is gone, or differs from the text with the sum.
func (b backlog) after(name, sum string) (removed, edited bool) {
	f, err := workfile.Open(b.repo, b.path)
	if err != nil {
		return false, false
	}
	defer f.Close()
	file, err := f.Read(name)
	if err != nil {
		return fault.KindOf(err) == fault.NotFound, false
	}
	return false, file.Sum() != sum
}
