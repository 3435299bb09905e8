package activities

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
)

// restorable tells which paths of a workspace may go without a person. It was made for the task: what the base has, git brings
// back, and the rest was made here. Only what lies in submodules is another repository's. The paths are looked up when the first
// one is asked about.
func (r *sessionRun) restorable(ctx context.Context) func(path string) bool {
	submodules := sync.OnceValues(func() ([]string, error) { return r.tree.Submodules(context.WithoutCancel(ctx)) })
	return func(path string) bool {
		foreign, err := submodules()
		if err != nil {
			r.host.Log.WarnContext(ctx, "what git can bring back is not known, so people decide on what is removed", "error", err)
			return false
		}
		for _, name := range foreign {
			at := filepath.Join(r.tree.Dir(), name)
			if within(path, at) || within(at, path) {
				return false
			}
		}
		return within(path, r.tree.Dir())
	}
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+string(filepath.Separator))
}
