package workspace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// commit concludes the waiting merge with one commit of the whole work tree and both parents. Commits that the agent has made meanwhile
// are not kept, because they contain the base branch's changes as if they were the agent's. Excluded files are left out of the merge,
// except those in conflict.
func (ms *merges) commit(ctx context.Context, head, mark string, s CommitSpec) (Commit, error) {
	m := ms.state.Merging
	found, err := ms.work.stage(ctx, head, m.Tree, s.Exclude, ms.commits.narrow(ctx, head, s))
	if err != nil {
		return Commit{}, err
	}
	if err := ms.stageConflicts(ctx, m); err != nil {
		return Commit{}, err
	}
	tree, err := ms.work.run(ctx, "write-tree")
	if err != nil {
		return Commit{}, err
	}
	if err := ms.refuseMarkers(ctx, m, tree); err != nil {
		return Commit{}, err
	}
	if err := ms.refuseUndone(ctx, head, m); err != nil {
		return Commit{}, err
	}
	large, err := ms.commits.vet(ctx, m.Tree)
	if err != nil {
		return Commit{}, err
	}
	id, err := ms.maker.commitTree(ctx, tree, withTrailer(s.Message, mark), ms.maker.dates(), head, m.Base)
	if err != nil {
		return Commit{}, err
	}
	ms.state.addMerged(m.Base)
	if err := ms.steps.begin(ctx, step{Head: id}); err != nil {
		return Commit{}, err
	}
	c, err := ms.commits.count(ctx, m.Tree, id)
	c.LeftOut, c.Large = found.leftOut(), large
	return c, err
}

// stageConflicts stages files in conflict even if they are excluded, because each conflict must be resolved.
func (ms *merges) stageConflicts(ctx context.Context, m *merging) error {
	for some := range slices.Chunk(m.paths(), 500) {
		c, err := ms.work.changesOf(ctx, some)
		if err == nil {
			err = ms.work.updateIndex(ctx, c.removed, "--force-remove")
		}
		if err == nil {
			err = ms.work.updateIndex(ctx, c.paths, "--add", "--remove", "--replace")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// refuseMarkers fails when a file that was in conflict still has conflict markers.
func (ms *merges) refuseMarkers(ctx context.Context, m *merging, tree string) error {
	var left []string
	for some := range slices.Chunk(m.paths(), 500) {
		r := ms.bare.with("GIT_LITERAL_PATHSPECS=1")
		text, err := r.run(ctx, append([]string{"ls-tree", "-r", "-z", tree, "--"}, some...)...)
		if err != nil {
			return err
		}
		for line := range strings.SplitSeq(text, "\x00") {
			about, path, _ := strings.Cut(line, "\t")
			f := strings.Fields(about)
			if len(f) != 3 || f[1] != "blob" || !slices.Contains(some, path) {
				continue
			}
			marked, err := ms.marked(ctx, m, path, f[2])
			if err != nil {
				return err
			}
			if marked {
				left = append(left, path)
			}
		}
	}
	if len(left) == 0 {
		return nil
	}
	return fault.New(fault.Work, "conflict markers are left in %s", listed(left)).
		WithHint("settle the conflict with %s there and take the markers out", ms.state.Record.BaseBranch)
}

// listed joins file names on one line and quotes unusual ones.
func listed(paths []string) string {
	const most = 20
	var out []string
	for _, p := range paths[:min(len(paths), most)] {
		if q := strconv.Quote(p); q != `"`+p+`"` {
			p = q
		}
		out = append(out, p)
	}
	if len(paths) > most {
		out = append(out, fmt.Sprintf("and %d more", len(paths)-most))
	}
	return strings.Join(out, ", ")
}

// marked reports whether a file has conflict markers that neither side has.
func (ms *merges) marked(ctx context.Context, m *merging, path, id string) (bool, error) {
	now, err := ms.markers(ctx, id)
	if err != nil || len(now) == 0 {
		return false, err
	}
	for _, c := range m.conflicts() {
		if c.path != path || c.stage != "2" && c.stage != "3" || c.mode == "160000" {
			continue
		}
		theirs, err := ms.markers(ctx, c.id)
		if err != nil {
			return false, err
		}
		for line, n := range theirs {
			now[line] -= n
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(now)), func(n int) bool { return n > 0 }), nil
}

func (ms *merges) markers(ctx context.Context, blob string) (map[string]int, error) {
	w := &markerLines{found: map[string]int{}}
	err := ms.bare.pipe(ctx, nil, w, "cat-file", "blob", blob)
	if err == nil {
		err = ms.objects.contentOf(ctx, blob, w) // two pointers in conflict that were turned into content
	}
	w.end()
	return w.found, err
}

// refuseUndone fails when the work tree has none of the changes that merged without conflict. The merge was then undone, for example by
// `git reset --hard`, and its commit would revert the base branch's work.
func (ms *merges) refuseUndone(ctx context.Context, head string, m *merging) error {
	came, err := differ(ctx, ms.bare, head, m.Tree)
	if err != nil {
		return err
	}
	for _, path := range m.paths() {
		delete(came, path)
	}
	if len(came) == 0 {
		return nil
	}
	now, err := ms.index.snapshot(ctx, head, nil, nil)
	if err != nil {
		return err
	}
	changed, err := differ(ctx, ms.bare, head, now)
	if err != nil {
		return err
	}
	for path := range came {
		if _, ok := changed[path]; ok {
			return nil
		}
	}
	return fault.New(fault.Work, "the merge of %s was undone in the work tree: nothing of what it brought is left",
		ms.state.Record.BaseBranch).WithHint("give the merge up and start it again")
}
