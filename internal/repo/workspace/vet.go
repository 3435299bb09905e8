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
)

// The same rules apply to every commit that may be pushed: files that no project commits stay out, sizes are limited, and files assigned
// to Git LFS are pointers. Our own commits and merges are made from the work tree: staging applies the first rule, git's filter the last,
// and vet the limits. Each of the agent's own commits is checked by fit, because a push brings all of them.

// vet checks what a commit of the index would add, before it is made. It returns the large files, and fails for files that are too large
// or that the LFS server would reject.
func (cs *commits) vet(ctx context.Context, before string) (large []string, err error) {
	tree, err := cs.work.run(ctx, "write-tree")
	if err != nil {
		return nil, err
	}
	list, err := broughtFrom(ctx, cs.bare, cs.state.or(before), tree)
	if err != nil {
		return nil, err
	}
	large, err = refuseTooLarge(list)
	if err != nil {
		return nil, err
	}
	kept, err := cs.objects.cleanedOf(ctx, list)
	if err != nil {
		return nil, err
	}
	return large, cs.objects.refuseUnkept(ctx, kept)
}

// refuseTooLarge fails when a file is too large for a commit. It returns the large ones.
func refuseTooLarge(list []blob) (large []string, err error) {
	large, tooLarge := weigh(list)
	if len(tooLarge) > 0 {
		return nil, fault.New(fault.Work, "too large for a commit: %s; at most %d MB", strings.Join(tooLarge, ", "), mostOfAFile>>20).
			WithHint("remove it, or have .gitignore leave it out")
	}
	return large, nil
}

// vetSizes is what vet says of the sizes of files, before git reads them: for a file of gigabytes that takes minutes, and our repository keeps
// what was read. Of files that Git LFS takes, only the pointer is committed.
func (w workTree) vetSizes(ctx context.Context, paths []string) error {
	var list []blob
	for _, path := range paths {
		info, err := os.Lstat(filepath.Join(w.work, path))
		if err == nil && info.Mode().IsRegular() && info.Size() > mostOfAFile {
			list = append(list, blob{path: path, size: info.Size()})
		}
	}
	if len(list) == 0 {
		return nil
	}
	kept, err := w.assignedToLFS(ctx, list)
	if err == nil {
		_, err = refuseTooLarge(slices.DeleteFunc(list, func(b blob) bool { return slices.Contains(kept, b) }))
	}
	return err
}

// suspect reports whether vet has anything to check among staged files. Most commits are spared the extra git calls.
func (cs *commits) suspect(paths []string) bool {
	return cs.objects.any() || slices.ContainsFunc(paths, func(path string) bool {
		info, err := os.Lstat(filepath.Join(cs.place.work(), path))
		return err == nil && info.Size() >= largeFile
	})
}

// gitlink matches a --raw record that turns a path into another repository's commit.
var gitlink = regexp.MustCompile(`(^|\x00):[0-7]{6} 160000 `)

// fit fails, and says why, when one of the agent's commits adds something that a commit of ours would not. Such commits are neither
// rewritten nor rejected: a rewritten commit would not match its message, and the work tree holds everything they contain. A commit of
// ours then takes it from there, under the same rules, and names what it leaves out or refuses.
func (a *adoption) fit(ctx context.Context, head, theirs string, closed func(string) bool) error {
	r := a.theirObjects()
	raw := []string{"log", "--format=", "--raw", "-m", "--root", "--no-renames", "--ignore-submodules=none", "-z"}
	text, err := r.run(ctx, slices.Concat(raw, span(head, theirs))...)
	if err != nil {
		return err
	}
	if gitlink.MatchString(text) {
		return errors.New("one names a commit of another repository, which nobody else may have")
	}
	var touched string
	rawEntries(text, func(path string, _ entry) bool {
		if closed != nil && closed(path) {
			touched = path
		}
		return touched == ""
	})
	if touched != "" {
		return fmt.Errorf("they change what is closed: %s", listed([]string{touched}))
	}
	list, err := r.broughtBy(ctx, span(head, theirs))
	if err != nil {
		return err
	}
	var paths []string
	for _, b := range list {
		paths = append(paths, b.path)
	}
	_, left, err := a.work.weed(ctx, paths)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("they hold what no project commits: %s", listed(junkPlaces(left)))
	}
	if _, tooLarge := weigh(list); len(tooLarge) > 0 {
		return fmt.Errorf("they hold what is too large: %s", strings.Join(tooLarge, ", "))
	}
	if uses, err := usesLFS(ctx, r, theirs); err != nil || !uses {
		return err
	}
	return a.objects.fit(ctx, r, theirs, list)
}
