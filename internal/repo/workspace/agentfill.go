package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
)

// inProgress lists the files that a killed merge, rebase or bisect leaves behind.
var inProgress = []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply",
	"sequencer", "BISECT_LOG", "BISECT_START", "BISECT_NAMES", "BISECT_EXPECTED_REV", "index.lock", "HEAD.lock"}

// fill writes the branch, head and index of the agent's git.
func (g *agentGit) fill(ctx context.Context, root *os.Root, head string) error {
	for _, name := range inProgress {
		if err := root.RemoveAll(path.Join(".git", name)); err != nil {
			return err
		}
	}
	ref := path.Join(".git", g.state.branchRef())
	if head == "" {
		if err := root.Remove(ref); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	} else {
		if err := root.MkdirAll(path.Dir(ref), 0o755); err != nil {
			return err
		}
		if err := replace(root, ref, []byte(head+"\n")); err != nil {
			return err
		}
	}
	if err := replace(root, ".git/HEAD", []byte("ref: "+g.state.branchRef()+"\n")); err != nil {
		return err
	}
	if err := g.showBase(root); err != nil {
		return err
	}
	index, err := g.indexFile(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return replace(root, ".git/index", index)
}

// replace writes a new file and renames it over the old one, so that a symbolic link is replaced and not followed.
func replace(root *os.Root, name string, data []byte) error {
	tmp := name + ".longshift"
	if err := root.RemoveAll(tmp); err != nil {
		return err
	}
	if err := root.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	return root.Rename(tmp, name)
}
