package activities

import (
	"path/filepath"
	"strings"
)

// restorable returns a function that tells which paths may be removed without asking a person: those in the workspace. It was made for the
// task: git can restore the files of the base, each commit restores the submodules, and the task made the rest.
func restorable(root string) func(path string) bool {
	return func(path string) bool { return within(path, root) }
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}
