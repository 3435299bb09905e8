package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/lfs"
)

// What may land is the same whoever commits: what no project commits stays out, weight has bounds, and what .gitattributes keeps in Git
// LFS is a pointer. Our own commits and merges are made of the work tree, where the first is left out on the way in, git's filter sees to
// the last, and vet to the rest. Commits that the agent has made are judged by fit, each of them, for a push brings them all.

// vet looks at what a commit of the index would bring, before it is made. It names large files, and refuses what is too large and what
// the server of Git LFS would not take.
func (o *opened) vet(ctx context.Context, before string) (large []string, err error) {
	tree, err := o.repo.run(ctx, "write-tree")
	if err != nil {
		return nil, err
	}
	list, err := o.broughtFrom(ctx, before, tree)
	if err != nil {
		return nil, err
	}
	large, tooLarge := weigh(list)
	if len(tooLarge) > 0 {
		return nil, fault.New(fault.Work, "too large for a commit: %s; at most %d MB", strings.Join(tooLarge, ", "), mostOfAFile>>20).
			WithHint("remove it, or have .gitignore leave it out")
	}
	kept, err := o.cleanedOf(ctx, list)
	if err != nil {
		return nil, err
	}
	return large, o.refuseUnkept(ctx, kept)
}

// suspect tells whether there is anything for vet to see among files that were staged. It saves git's work at most commits.
func (o *opened) suspect(paths []string) bool {
	return exists(filepath.Join(string(o.ownLFS()), "objects")) || slices.ContainsFunc(paths, func(path string) bool {
		info, err := os.Lstat(filepath.Join(o.place.work(), path))
		return err == nil && info.Size() >= largeFile
	})
}

// gitlink is a change, as --raw shows it, that makes a path the commit of another repository.
var gitlink = regexp.MustCompile(`(^|\x00):[0-7]{6} 160000 `)

// fit says what keeps well-made commits of the agent from being taken as they are: any of them brings what a commit of ours would not.
// They are neither rewritten nor handed back then. A rewritten commit is not what its message says and its author tried, and all that they
// hold is in the work tree: a commit of ours takes it from there, by its own rules, and names what it leaves out or refuses.
func (o *opened) fit(ctx context.Context, head, theirs string) error {
	r := o.theirObjects()
	raw := []string{"log", "--format=", "--raw", "-m", "--root", "--no-renames", "--ignore-submodules=none", "-z"}
	text, err := r.run(ctx, slices.Concat(raw, span(head, theirs))...)
	if err != nil {
		return err
	}
	if gitlink.MatchString(text) {
		return errors.New("one names a commit of another repository, which nobody else may have")
	}
	list, err := r.broughtBy(ctx, span(head, theirs))
	if err != nil {
		return err
	}
	var paths []string
	for _, b := range list {
		paths = append(paths, b.path)
	}
	_, left, err := o.repo.weed(ctx, paths)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("they hold what no project commits: %s", listed(junkPlaces(left)))
	}
	if _, tooLarge := weigh(list); len(tooLarge) > 0 {
		return fmt.Errorf("they hold what is too large: %s", strings.Join(tooLarge, ", "))
	}
	if uses, err := r.usesLFS(ctx, theirs); err != nil || !uses {
		return err
	}
	return o.fitLFS(ctx, r, theirs, list)
}

// fitLFS takes over the objects of the agent's pointers, and finds files that should be pointers and are not.
func (o *opened) fitLFS(ctx context.Context, r repo, theirs string, list []blob) error {
	kept, err := r.keptInLFS(ctx, theirs, list)
	if err != nil {
		return err
	}
	var small []string
	for _, b := range kept {
		if b.size <= lfs.MostPointer {
			small = append(small, b.id)
		}
	}
	found, err := r.pointers(ctx, small)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(o.place.work())
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
		case ok && o.ownLFS().Has(p):
			taken = append(taken, cleaned{b.path, p})
		case !ok || o.sharedLFS().Has(p) || o.bare().has(ctx, b.id): // moved, or brought back: it was a pointer before
		default:
			if err := o.ownLFS().Take(p, root, ".git/lfs"); err != nil {
				return errors.Join(fmt.Errorf("%s is a pointer of Git LFS to nothing", b.path), err)
			}
			taken = append(taken, cleaned{b.path, p})
		}
	}
	return o.refuseUnkept(ctx, taken)
}

// keptInLFS gives those of the files that the attributes of a commit keep in Git LFS.
func (r repo) keptInLFS(ctx context.Context, commit string, list []blob) (kept []blob, err error) {
	index := filepath.Join(r.dir, "adopt-"+commit+".index")
	defer os.Remove(index)
	r = r.with("GIT_INDEX_FILE=" + index)
	if _, err := r.run(ctx, "read-tree", commit); err != nil {
		return nil, err
	}
	var paths strings.Builder
	for _, b := range list {
		paths.WriteString(b.path + "\x00")
	}
	text, err := r.feed(ctx, paths.String(), "check-attr", "--cached", "-z", "--stdin", "filter")
	f := strings.Split(text, "\x00") // path, attribute, value
	for i := 0; i+2 < len(f) && i/3 < len(list); i += 3 {
		if f[i+2] == "lfs" {
			kept = append(kept, list[i/3])
		}
	}
	return kept, err
}
