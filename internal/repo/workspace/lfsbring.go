package workspace

import (
	"context"
	"fmt"
	"slices"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/lfs"
)

// An object is stored on this host before a commit with its pointer exists, and uploaded before a ref with that commit is pushed,
// checkpoints included. So another host that takes over a task always finds complete objects.

// cleaned is a file that git stores as a pointer and whose content comes from the task.
type cleaned struct {
	path string
	lfs.Pointer
}

// cleanedOf returns the cleaned files among the files of commits.
func (l *lfsObjects) cleanedOf(ctx context.Context, list []blob) (out []cleaned, err error) {
	if !l.any() {
		return nil, nil
	}
	var ids []string
	for _, b := range list {
		if b.size <= lfs.MostPointer {
			ids = append(ids, b.id)
		}
	}
	found, err := pointers(ctx, l.bare, ids)
	for _, b := range list {
		if p, ok := found[b.id]; ok && l.own.Has(p) {
			out = append(out, cleaned{b.path, p})
		}
	}
	return out, err
}

func pointersOf(list []cleaned) (out []lfs.Pointer) {
	for _, c := range list {
		if !slices.Contains(out, c.Pointer) {
			out = append(out, c.Pointer)
		}
	}
	return out
}

// refuseUnkept fails when the server would reject the cleaned objects, because no push could succeed. The agent can then do without them.
// When the server is down, the push tries again.
func (l *lfsObjects) refuseUnkept(ctx context.Context, list []cleaned) error {
	if len(list) == 0 {
		return nil
	}
	rem, err := l.remotes.find(ctx, l.state.home())
	if err != nil {
		return err
	}
	server, err := l.server(ctx, rem)
	if err == nil {
		err = server.Offer(ctx, pointersOf(list))
	}
	if k := fault.KindOf(err); k != fault.Denied && k != fault.NotFound {
		return ctx.Err()
	}
	var paths []string
	for _, c := range list {
		paths = append(paths, c.path)
	}
	return fault.New(fault.Work, "kept in Git LFS by .gitattributes, and can't be brought there: %s: %w", listed(paths), err).
		WithHint("do without a change of them, and say in the report what should change")
}

// bring uploads the objects that were cleaned in commits about to be pushed.
func (l *lfsObjects) bring(ctx context.Context, rem remote, list []update) error {
	if !l.any() {
		return nil
	}
	var found []cleaned
	for _, u := range list {
		if u.to == "" || u.ref == fenceRef(l.id) {
			continue
		}
		some, err := l.cleanedIn(ctx, u.to)
		if err != nil {
			return err
		}
		found = append(found, some...)
	}
	if len(found) == 0 {
		return nil
	}
	server, err := l.server(ctx, rem)
	if err == nil {
		err = server.Upload(ctx, pointersOf(found), l.own)
	}
	if err != nil {
		return fmt.Errorf("bring objects of Git LFS to %s: %w", rem.name, err)
	}
	return nil
}

// cleanedIn returns the cleaned files in the task's own commits.
func (l *lfsObjects) cleanedIn(ctx context.Context, head string) ([]cleaned, error) {
	revs, err := l.history.own(ctx, head)
	if err != nil {
		return nil, err
	}
	list, err := l.bare.broughtBy(ctx, revs)
	if err != nil {
		return nil, err
	}
	return l.cleanedOf(ctx, list)
}
