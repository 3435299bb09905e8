package workspace

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

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

// indexFile returns our index. While a merge waits, the index has all three stages of the files in conflict, so that the agent's git
// shows them as unmerged and can check out either side.
func (g *agentGit) indexFile(ctx context.Context) ([]byte, error) {
	var sides strings.Builder
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
	if sides.Len() == 0 {
		return os.ReadFile(filepath.Join(g.place.git(), "index"))
	}
	copied, err := copyIndex(g.place.git())
	if err != nil {
		return nil, err
	}
	defer os.Remove(copied)
	if _, err := g.bare.with("GIT_INDEX_FILE="+copied).feed(ctx, sides.String(), "update-index", "-z", "--index-info"); err != nil {
		return nil, err
	}
	return os.ReadFile(copied)
}
