package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/excerpt"
)

// Submodules are filled from a .gitmodules that people have written and the commit ids in the commit's tree. Their content belongs to other
// repositories: it is there to be built and read, gets into no commit of ours, and is restored whenever it differs, so changes that an agent
// makes there do not last. Everything can be fetched again from our commit and the mirrors, so nothing can be lost.

// Limits of what is fetched for one commit.
const (
	mostSubmodules   = 500
	deepestSubmodule = 10
	fillWithin       = 6 * time.Minute
)

// submodule is a folder of the work tree that holds another repository's files.
type submodule struct {
	Path   string `json:"path"`             // relative to the top of the work tree
	In     string `json:"in,omitempty"`     // path of the submodule whose .gitmodules names it; "" for the top
	Name   string `json:"name"`             // name in that .gitmodules
	URL    string `json:"url"`              // address without a login
	Commit string `json:"commit"`           //
	Mirror string `json:"mirror,omitempty"` // directory name of its mirror
	Why    string `json:"why,omitempty"`    // why it is empty; "" when it is filled
	LFS    bool   `json:"lfs,omitempty"`    // its .gitattributes name Git LFS, whose files stay pointers
}

// submodules is the recorded result of filling the submodules of one tree.
type submodules struct {
	Of   string      `json:"of"` // id of the submodules' description: the same id needs no new search
	List []submodule `json:"list,omitempty"`
}

func (f submodules) full() []submodule {
	return slices.DeleteFunc(slices.Clone(f.List), func(s submodule) bool { return s.Why != "" })
}

// empty lists the submodules that could not be filled, with the reason.
func (f submodules) empty() (list []string) {
	for _, s := range f.List {
		if s.Why != "" {
			list = append(list, s.Path+" ("+s.Why+")")
		}
	}
	return list
}

// pointers lists the submodules whose files of Git LFS are pointers.
func (f submodules) pointers() (list []string) {
	for _, s := range f.full() {
		if s.LFS {
			list = append(list, s.Path)
		}
	}
	return list
}

// key is a short name for the submodule that is safe as a directory name.
func (s submodule) key() string {
	sum := sha256.Sum256([]byte(s.Path))
	return hex.EncodeToString(sum[:8])
}

// submoduleTree fills the submodules of the work tree.
type submoduleTree struct {
	core
	branch  *branch
	history *history
	mirrors *mirrors
	remotes *remotes
}

// fill brings the submodules to the state of the last commit or of a waiting merge. again retries those that failed before. A submodule
// that can't be fetched is not an error: its folder stays empty, and it is reported.
func (t *submoduleTree) fill(ctx context.Context, again bool) error {
	head, err := t.branch.head(ctx)
	if err != nil {
		return err
	}
	tree := t.state.under(head)
	modules, err := t.modules(ctx, tree)
	if err != nil {
		return fmt.Errorf("look for addresses of submodules: %w", err)
	}
	of, links, err := links(ctx, t.bare, modules, tree)
	if err != nil {
		return fmt.Errorf("look for submodules: %w", err)
	}
	if of == t.state.Submodules.Of && !(again && len(t.state.Submodules.empty()) > 0) {
		return t.putBack(ctx)
	}
	next := submodules{Of: of}
	switch {
	case strings.HasPrefix(of, unreadable): // the present content stays
		next.List = append(t.state.Submodules.full(), submodule{Path: ".gitmodules", Why: "git can't read it"})
	case len(links) > 0:
		if next.List, err = t.fetch(ctx, links); err != nil {
			return fmt.Errorf("fetch the submodules: %w", err)
		}
	}
	t.state.Submodules = next
	if err := t.state.save(); err != nil {
		return err
	}
	return t.putBack(ctx)
}

// putBack checks out every submodule that is not at its recorded state.
func (t *submoduleTree) putBack(ctx context.Context) error {
	if len(t.state.Submodules.List) == 0 {
		return nil
	}
	root, err := os.OpenRoot(t.place.work())
	if err != nil {
		return fmt.Errorf("open work tree: %w", err)
	}
	defer root.Close()
	failed := map[string]bool{}
	for i, s := range t.state.Submodules.List { // outer ones come before those nested in them
		if s.Why != "" {
			continue
		}
		err := errors.New("it lies in one that is empty")
		if !failed[s.In] {
			err = t.checkOut(ctx, root, s)
		}
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil || momentary(err):
			return fmt.Errorf("check out the submodule %s: %w", s.Path, err)
		}
		t.log.WarnContext(ctx, "a submodule can't be checked out", "task", t.id, "submodule", s.Path, "error", err)
		failed[s.Path] = true
		t.state.Submodules.List[i].Why = excerpt.Line("it can't be checked out: "+err.Error(), 300)
		if err := errors.Join(emptyFolder(root, s.Path), root.RemoveAll(s.gitDir())); err != nil {
			return fmt.Errorf("empty the submodule %s: %w", s.Path, err)
		}
	}
	if len(failed) > 0 {
		if err := t.state.save(); err != nil {
			return err
		}
	}
	return t.register(root)
}

// Submodules is what other packages need to know about a workspace's submodules.
type Submodules struct {
	GitFiles []string // absolute paths of the .git files in filled submodules
	Empty    []string // submodules that could not be fetched, with the reason
	Pointers []string // filled submodules whose files of Git LFS are pointers
}

// Submodules returns those of the last commit.
func (t *Tree) Submodules(ctx context.Context) (out Submodules, err error) {
	err = t.at.reading(ctx, func(o *opened) error {
		for _, s := range o.state.Submodules.full() {
			out.GitFiles = append(out.GitFiles, filepath.Join(o.place.work(), s.Path, ".git"))
		}
		out.Empty, out.Pointers = o.state.Submodules.empty(), o.state.Submodules.pointers()
		return nil
	})
	return out, err
}
