package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/repo/lfs"
)

// fit copies the objects of the agent's pointers and fails on files that should be pointers and are not.
func (l *lfsObjects) fit(ctx context.Context, r repo, theirs string, list []blob) error {
	kept, err := keptInLFS(ctx, r, theirs, list)
	if err != nil {
		return err
	}
	var small []string
	for _, b := range kept {
		if b.size <= lfs.MostPointer {
			small = append(small, b.id)
		}
	}
	found, err := pointers(ctx, r, small)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(l.place.work())
	if err != nil {
		return err
	}
	defer root.Close()
	var taken []cleaned
	for _, b := range kept {
		p, ok := found[b.id]
		switch {
		case !ok && b.size > 0:
			return fmt.Errorf("%s should be a pointer of Git LFS and is not", b.path)
		case ok && l.own.Has(p):
			taken = append(taken, cleaned{b.path, p})
		case !ok || l.shared.Has(p):
		default:
			if here, err := l.bare.has(ctx, b.id); err != nil {
				return err
			} else if here { // renamed or restored: it was a pointer before
				continue
			}
			if err := l.own.Take(p, root, ".git/lfs"); err != nil {
				return errors.Join(fmt.Errorf("%s is a pointer of Git LFS to nothing", b.path), err)
			}
			taken = append(taken, cleaned{b.path, p})
		}
	}
	return l.refuseUnkept(ctx, taken)
}

// keptInLFS returns the files that a commit's attributes assign to Git LFS.
func keptInLFS(ctx context.Context, r repo, commit string, list []blob) (kept []blob, err error) {
	index := filepath.Join(r.dir, "adopt-"+commit+".index")
	defer os.Remove(index)
	r = r.with("GIT_INDEX_FILE=" + index)
	if _, err := r.run(ctx, "read-tree", commit); err != nil {
		return nil, err
	}
	return r.assignedToLFS(ctx, list, "--cached")
}

// assignedToLFS returns the files that the attributes of the work tree, or with "--cached" those of the index, assign to Git LFS.
func (r repo) assignedToLFS(ctx context.Context, list []blob, of ...string) (kept []blob, err error) {
	var paths strings.Builder
	for _, b := range list {
		paths.WriteString(b.path + "\x00")
	}
	text, err := r.feed(ctx, paths.String(), slices.Concat([]string{"check-attr", "-z", "--stdin"}, of, []string{"filter"})...)
	f := strings.Split(text, "\x00") // path, attribute, value
	for i := 0; i+2 < len(f) && i/3 < len(list); i += 3 {
		if f[i+2] == "lfs" {
			kept = append(kept, list[i/3])
		}
	}
	return kept, err
}
