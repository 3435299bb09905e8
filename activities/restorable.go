package activities

import (
	"path/filepath"
	"strings"
)

// restorable tells which paths of a workspace may go without a person. It was made for the task: what the base has, git brings
// back, what lies in its submodules is put back with each commit, and the rest was made here.
func restorable(root string) func(path string) bool {
	return func(path string) bool { return within(path, root) }
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}
