package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/repo/lfs"
	"github.com/longshift/longshift/task"
)

// mostFilled is how many bytes of Git LFS are fetched for one work tree: builds and tests need some of it, and nobody waits for a
// collection of films. The smallest come first.
const mostFilled = 1 << 30

// fill fetches the objects that the pointers of a tree stand for, so that a work tree made of it holds the files. A pointer that can't be
// filled stays one, is named, and does not stop the task.
func (l *lfsObjects) fill(ctx context.Context, tree string) error {
	l.state.Unfilled = ""
	uses, err := usesLFS(ctx, l.bare, tree)
	if err != nil || !uses {
		return err
	}
	missing, paths, err := l.unfilled(ctx, tree)
	if err != nil || len(missing) == 0 {
		return err
	}
	slices.SortFunc(missing, func(a, b lfs.Pointer) int { return cmp.Or(cmp.Compare(a.Size, b.Size), cmp.Compare(a.ID, b.ID)) })
	n, sum := 0, int64(0)
	for ; n < len(missing) && missing[n].Size <= l.most-sum; n++ {
		sum += missing[n].Size
	}
	failed := l.fetch(ctx, missing[:n])
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var left []string
	for _, p := range missing {
		if !l.shared.Has(p) {
			left = append(left, paths[p.ID])
		}
	}
	if len(left) > 0 {
		slices.Sort(left)
		l.state.Unfilled = listed(left)
		l.log.WarnContext(ctx, "files of Git LFS stay pointers", "task", l.id, "files", l.state.Unfilled, "most", l.most, "error", failed)
	}
	return nil
}

// fillFor is fill for what a step makes of the work tree. Of a file in conflict the agent may bring back either side.
func (l *lfsObjects) fillFor(ctx context.Context, s step) error {
	if s.Work == "" {
		return nil
	}
	if s.Merging != nil {
		if err := l.fill(ctx, s.Merging.Base); err != nil {
			return err
		}
	}
	return l.fill(ctx, s.Work)
}

// unfilled gives the pointers of a tree whose objects are not on this host, each once, and the path of one file for each.
func (l *lfsObjects) unfilled(ctx context.Context, tree string) (missing []lfs.Pointer, paths map[string]string, err error) {
	text, err := l.bare.run(ctx, "ls-tree", "-r", "-l", "-z", tree)
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
	found, err := pointers(ctx, l.bare, ids)
	paths = map[string]string{}
	for id, p := range found {
		if paths[p.ID] == "" && !l.own.Has(p) && !l.shared.Has(p) {
			missing, paths[p.ID] = append(missing, p), names[id]
		}
	}
	return missing, paths, err
}

// fetch brings objects into the store of the repository, out of it and of the fork that the task pushes to. Another task may be
// at the same.
func (l *lfsObjects) fetch(ctx context.Context, list []lfs.Pointer) error {
	release, err := l.mirrors.lock(ctx, l.state.Mirror)
	if err != nil {
		return err
	}
	defer release()
	from := []task.Repository{l.state.Repository}
	if l.state.Fork != nil {
		from = append(from, *l.state.Fork)
	}
	var failed []error
	for _, r := range from {
		list = slices.DeleteFunc(slices.Clone(list), l.shared.Has)
		failed = append(failed, l.fetchFrom(ctx, r, list))
	}
	return errors.Join(failed...)
}

func (l *lfsObjects) fetchFrom(ctx context.Context, r task.Repository, list []lfs.Pointer) error {
	rem, err := l.remotes.find(ctx, r)
	if err != nil || len(list) == 0 {
		return err
	}
	server, err := l.server(ctx, rem)
	if err != nil {
		return err
	}
	return server.Download(ctx, list, l.shared)
}
