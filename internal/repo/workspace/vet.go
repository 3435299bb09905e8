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

// What may land is the same whoever commits: what no project commits stays out, weight has bounds, and what .gitattributes keeps in Git
// LFS is a pointer. Our own commits and merges are made of the work tree, where the first is left out on the way in, git's filter sees to
// the last, and vet to the rest. Commits that the agent has made are judged by fit, each of them, for a push brings them all.

// vet looks at what a commit of the index would bring, before it is made. It names large files, and refuses what is too large and what
// the server of Git LFS would not take.
func (cs *commits) vet(ctx context.Context, before string) (large []string, err error) {
	tree, err := cs.repo.run(ctx, "write-tree")
	if err != nil {
		return nil, err
	}
	list, err := broughtFrom(ctx, cs.bare, cs.state.or(before), tree)
	if err != nil {
		return nil, err
	}
	large, tooLarge := weigh(list)
	if len(tooLarge) > 0 {
		return nil, fault.New(fault.Work, "too large for a commit: %s; at most %d MB", strings.Join(tooLarge, ", "), mostOfAFile>>20).
			WithHint("remove it, or have .gitignore leave it out")
	}
	kept, err := cs.objects.cleanedOf(ctx, list)
	if err != nil {
		return nil, err
	}
	return large, cs.objects.refuseUnkept(ctx, kept)
}

// suspect tells whether there is anything for vet to see among files that were staged. It saves git's work at most commits.
func (cs *commits) suspect(paths []string) bool {
	return cs.objects.any() || slices.ContainsFunc(paths, func(path string) bool {
		info, err := os.Lstat(filepath.Join(cs.place.work(), path))
		return err == nil && info.Size() >= largeFile
	})
}

// gitlink is a change, as --raw shows it, that makes a path the commit of another repository.
var gitlink = regexp.MustCompile(`(^|\x00):[0-7]{6} 160000 `)

// fit says what keeps well-made commits of the agent from being taken as they are: any of them brings what a commit of ours would not.
// They are neither rewritten nor handed back then. A rewritten commit is not what its message says and its author tried, and all that they
// hold is in the work tree: a commit of ours takes it from there, by its own rules, and names what it leaves out or refuses.
func (a *adoption) fit(ctx context.Context, head, theirs string) error {
	r := a.theirObjects()
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
	_, left, err := a.repo.weed(ctx, paths)
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
