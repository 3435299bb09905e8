package workspace

import (
	"context"
	"fmt"
	"strings"
)

// Submodules lists the folders of other repositories that the last commit names. Our git holds nothing of what is in them, so
// it can't bring it back.
func (t *Tree) Submodules(ctx context.Context) (paths []string, err error) {
	err = t.reading(ctx, func(o *opened) error {
		head, err := o.head(ctx)
		if err != nil || head == "" {
			return err
		}
		text, err := o.bare().run(ctx, "ls-tree", "-r", "-z", head)
		for entry := range strings.SplitSeq(text, "\x00") {
			if about, path, ok := strings.Cut(entry, "\t"); ok && strings.HasPrefix(about, "160000 ") {
				paths = append(paths, path)
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list the submodules: %w", err)
	}
	return paths, nil
}
