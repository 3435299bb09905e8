package workspace

import (
	"context"
	"path/filepath"
	"strings"
)

// opened is a workspace within one operation: its state is fresh.
type opened struct {
	*Tree
	state state
	repo  repo // with the work tree; bare() is for commands that need none
}

func (t *Tree) opened(st state) *opened {
	o := &opened{Tree: t, state: st, repo: repo{m: t.m, dir: t.place.git(), work: t.place.work()}}
	o.repo.lfs = filters("ours", string(o.ownLFS()), string(o.sharedLFS()))
	return o
}

// bare is the git folder without the work tree, and so without the work tree's .gitattributes.
func (o *opened) bare() repo {
	r := o.repo
	r.work, r.lfs = "", nil
	return r
}

func (o *opened) borrowed() []string {
	return []string{filepath.Join(o.place.git(), "objects"), filepath.Join(o.m.mirror(o.state.Mirror).dir, "objects")}
}

// enforce makes sure that our git folder holds what we have written into it.
func (o *opened) enforce(ctx context.Context) error {
	shallow, err := o.m.mirror(o.state.Mirror).shallow()
	if err != nil {
		return err
	}
	s := shape{format: o.state.Format, branch: o.state.Record.Branch, alternates: o.borrowed()[1:], shallow: shallow}
	changed, err := s.enforce(o.place.git())
	if len(changed) > 0 {
		o.m.log.WarnContext(ctx, "put the git folder of a task right", "task", o.id, "files", changed)
	}
	return err
}

func (o *opened) branchRef() string { return "refs/heads/" + o.state.Record.Branch }

// head is the last commit, "" when there is none.
func (o *opened) head(ctx context.Context) (string, error) {
	return o.bare().ref(ctx, o.branchRef())
}

func (o *opened) save() error { return o.place.writeState(o.state) }

// emptyTree is the name of the tree with nothing in it.
func (o *opened) emptyTree() string { return emptyTree(o.state.Format) }

func emptyTree(format string) string {
	if format == "sha256" {
		return "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
	}
	return "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
}

// or gives the commit, or the empty tree in its place.
func (o *opened) or(commit string) string {
	if commit == "" {
		return o.emptyTree()
	}
	return commit
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
