package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// inProgress lists the files that a killed merge, rebase or bisect leaves behind.
var inProgress = []string{"MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply",
	"sequencer", "BISECT_LOG", "BISECT_START", "BISECT_NAMES", "BISECT_EXPECTED_REV", "index.lock", "HEAD.lock"}

// fill writes the branch, head and index of the agent's git.
func (g *agentGit) fill(ctx context.Context, root *os.Root, head, givenUp string) error {
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
	index, err := g.indexShown(ctx, root, head, givenUp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return replaceAt(root, ".git/index", index.data, index.written)
}

// replace writes a new file and renames it over the old one, so that a symbolic link is replaced and not followed.
func replace(root *os.Root, name string, data []byte) error {
	return replaceAt(root, name, data, time.Time{})
}

// replaceAt is replace for a file that gets the time of an earlier one. The zero time means now.
func replaceAt(root *os.Root, name string, data []byte, written time.Time) error {
	tmp := name + ".longshift"
	if err := root.RemoveAll(tmp); err != nil {
		return err
	}
	if err := root.WriteFile(tmp, data, 0o644); err != nil {
		return err
	}
	if err := root.Chtimes(tmp, time.Time{}, written); err != nil {
		return err
	}
	return root.Rename(tmp, name)
}

// showBase moves the agent's remote-tracking ref of the base branch to where the round started, or to the base commit merged last.
func (g *agentGit) showBase(root *os.Root) error {
	rec := g.state.Record
	tip := rec.Trunk
	if n := len(rec.Merged); n > 0 {
		tip = rec.Merged[n-1]
	}
	if tip == "" {
		return nil
	}
	ref := path.Join(".git/refs/remotes/origin", rec.BaseBranch)
	if err := root.MkdirAll(path.Dir(ref), 0o755); err != nil {
		return err
	}
	return replace(root, ref, []byte(tip+"\n"))
}

// indexShown returns our index, and in it the ignored files of what is given up. While a merge waits, the index has all three stages of
// the files in conflict, so that the agent's git shows them as unmerged and can check out either side.
func (g *agentGit) indexShown(ctx context.Context, root *os.Root, head, givenUp string) (indexFile, error) {
	var sides strings.Builder
	if err := g.keepForced(ctx, root, head, givenUp, &sides); err != nil {
		return indexFile{}, err
	}
	if m := g.state.Merging; m != nil {
		none := strings.Repeat("0", len(m.Tree))
		for _, c := range m.conflicts() {
			fmt.Fprintf(&sides, "0 %s\t%s\x00", none, c.path)
		}
		for _, c := range m.conflicts() {
			if c.stage != "0" {
				fmt.Fprintf(&sides, "%s %s %s\t%s\x00", c.mode, c.id, c.stage, c.path)
			}
		}
	}
	x, err := readIndex(filepath.Join(g.place.git(), "index"))
	if sides.Len() == 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return x, err
	}
	copied, err := x.temporary(g.place.git())
	if err != nil {
		return indexFile{}, err
	}
	defer os.Remove(copied)
	if _, err := g.bare.with("GIT_INDEX_FILE="+copied).feed(ctx, sides.String(), "update-index", "-z", "--index-info"); err != nil {
		return indexFile{}, err
	}
	x.data, err = os.ReadFile(copied)
	return x, err
}
