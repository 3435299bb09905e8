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

// mostFilled limits the bytes of Git LFS that are fetched for one work tree. Builds and tests need some of the objects, but a task must
// not wait for gigabytes of media. The smallest come first.
const mostFilled = 1 << 30

// fill fetches the objects of a tree's pointers, so that a work tree made from it holds the files. A file whose object can't be fetched
// stays a pointer and is reported; the task continues.
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

// fillFor is fill for the result of a step. It fetches both sides of a file in conflict, because the agent may check out either.
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

// unfilled returns each pointer of a tree whose object is not on this host, with the path of one file that has it.
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

// fetch downloads objects from the repository, or from the fork that the task pushes to, into the repository's store. Another task may do
// the same at the same time.
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
