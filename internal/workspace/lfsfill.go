package workspace

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/lfs"
)

// mostFilled is how many bytes of Git LFS are fetched for one work tree: builds and tests need some of it, and nobody waits for a
// collection of films. The smallest come first.
const mostFilled = 1 << 30

// fillLFS fetches the objects that the pointers of a tree stand for, so that a work tree made of it holds the files. A pointer that can't be
// filled stays one, is named, and does not stop the task.
func (o *opened) fillLFS(ctx context.Context, tree string) error {
	o.state.Unfilled = ""
	uses, err := o.bare().usesLFS(ctx, tree)
	if err != nil || !uses {
		return err
	}
	missing, paths, err := o.unfilled(ctx, tree)
	if err != nil || len(missing) == 0 {
		return err
	}
	slices.SortFunc(missing, func(a, b lfs.Pointer) int { return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.ID, b.ID)) })
	n, sum := 0, int64(0)
	for ; n < len(missing) && missing[n].Size <= o.m.mostFilled-sum; n++ {
		sum += missing[n].Size
	}
	failed := o.fetchObjects(ctx, missing[:n])
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var left []string
	for _, p := range missing {
		if !o.sharedLFS().Has(p) {
			left = append(left, paths[p.ID])
		}
	}
	if len(left) > 0 {
		slices.Sort(left)
		o.state.Unfilled = listed(left)
		o.m.log.WarnContext(ctx, "files of Git LFS stay pointers", "task", o.id, "files", o.state.Unfilled, "most", o.m.mostFilled, "error", failed)
	}
	return nil
}

// fillFor is fillLFS for what a step makes of the work tree. Of a file in conflict the agent may bring back either side.
func (o *opened) fillFor(ctx context.Context, s step) error {
	if s.Work == "" {
		return nil
	}
	if s.Merging != nil {
		if err := o.fillLFS(ctx, s.Merging.Base); err != nil {
			return err
		}
	}
	return o.fillLFS(ctx, s.Work)
}

// unfilled gives the pointers of a tree whose objects are not on this host, each once, and the path of one file for each.
func (o *opened) unfilled(ctx context.Context, tree string) (missing []lfs.Pointer, paths map[string]string, err error) {
	text, err := o.bare().run(ctx, "ls-tree", "-r", "-l", "-z", tree)
	if err != nil {
		return nil, nil, fmt.Errorf("list files: %w", err)
	}
	names := map[string]string{}
	var ids []string
	for entry := range strings.SplitSeq(text, "\x00") {
		about, path, _ := strings.Cut(entry, "\t")
		f := strings.Fields(about) // mode type id size
		if len(f) != 4 || !strings.HasPrefix(f[0], "100") || names[f[2]] != "" {
			continue
		}
		if size, err := strconv.Atoi(f[3]); err == nil && size > len(lfs.Start) && size <= lfs.MostPointer {
			names[f[2]], ids = path, append(ids, f[2])
		}
	}
	found, err := o.bare().pointers(ctx, ids)
	paths = map[string]string{}
	for id, p := range found {
		if paths[p.ID] == "" && !o.ownLFS().Has(p) && !o.sharedLFS().Has(p) {
			missing, paths[p.ID] = append(missing, p), names[id]
		}
	}
	return missing, paths, err
}

// fetchObjects brings objects into the store of the repository. Another task of it may be at the same.
func (o *opened) fetchObjects(ctx context.Context, list []lfs.Pointer) error {
	rem, err := o.m.remote(ctx, o.state.Repository)
	if err != nil {
		return err
	}
	server, err := o.lfsServer(ctx, rem)
	if err != nil {
		return err
	}
	release, err := o.m.lock(ctx, "mirror-"+o.state.Mirror)
	if err != nil {
		return err
	}
	defer release()
	list = slices.DeleteFunc(slices.Clone(list), o.sharedLFS().Has)
	return server.Download(ctx, list, o.sharedLFS())
}
