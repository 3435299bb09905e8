package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// merging is a merge of the base branch that waits for its commit. Everything but Before can be computed from the branch's last commit
// and Base.
type merging struct {
	Base   string `json:"base"`
	Tree   string `json:"tree"`            // tree of git's automatic merge, with conflict markers in the files
	Before string `json:"before"`          // tree of the work tree before the merge
	Files  []byte `json:"files,omitempty"` // files in conflict: "mode id stage\tpath" and NUL; paths need not be UTF-8
}

// conflict is one side of a file in conflict. Stage 1 is the common ancestor, 2 ours, 3 theirs; 0 only names the path.
type conflict struct{ mode, id, stage, path string }

func (m *merging) conflicts() (list []conflict) {
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(m.Files), "\x00"), "\x00") {
		about, path, ok := strings.Cut(entry, "\t")
		if f := strings.Fields(about); ok && len(f) == 3 {
			list = append(list, conflict{f[0], f[1], f[2], path})
		}
	}
	return list
}

// paths returns the paths in conflict, in order.
func (m *merging) paths() []string {
	var list []string
	for _, c := range m.conflicts() {
		list = append(list, c.path)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// mergeTrees merges two commits into a tree and changes nothing else. It runs in the bare repository, so the repository's attributes have
// no effect, and only our configuration could name merge drivers; it names none.
func (h *history) mergeTrees(ctx context.Context, ours, theirs string) (merging, error) {
	r := h.bare.with("GIT_ATTR_SOURCE=" + h.state.emptyTree())
	text, err := r.run(ctx, "merge-tree", "--write-tree", "--messages", "-z", ours, theirs)
	switch {
	case git.ExitCode(err) == 129:
		return merging{}, fault.New(fault.Input, "the git of this host can't merge: %w", err).WithHint("install git 2.38 or newer")
	case err != nil && !(git.ExitCode(err) == 1 && text != ""):
		return merging{}, err
	}
	tree, rest, _ := strings.Cut(text, "\x00")
	if !isID(tree) {
		return merging{}, fmt.Errorf("git merge-tree: %.60q is not a tree", tree)
	}
	m := merging{Tree: tree}
	if err == nil {
		return m, nil
	}
	// When there are messages, an empty field always follows the entries.
	if files, messages, ok := strings.Cut("\x00"+rest, "\x00\x00"); ok && files != "" {
		m.Files = []byte(files[1:] + "\x00")
	} else {
		m.Files = namedInMessages(messages)
	}
	if len(m.Files) == 0 {
		return merging{}, errors.New("git merge-tree: a conflict without a path")
	}
	return m, nil
}

// namedInMessages returns the paths of conflicts that have no file. Each message is a count of paths, the paths, a kind and a text.
func namedInMessages(text string) (files []byte) {
	f := strings.Split(text, "\x00")
	for len(f) > 0 {
		n := 0
		if _, err := fmt.Sscanf(f[0], "%d", &n); err != nil || len(f) < n+3 {
			break
		}
		if strings.HasPrefix(f[n+1], "CONFLICT") {
			for _, path := range f[1 : n+1] {
				files = append(files, "0 0 0\t"+path+"\x00"...)
			}
		}
		f = f[n+3:]
	}
	return files
}

// named merges the base's commit into head. The names become the labels of conflict markers.
func (ms *merges) named(ctx context.Context, head, base string) (*merging, error) {
	r := ms.bare
	const ours = "ours"
	theirs := "remotes/origin/" + cmp.Or(ms.state.Record.BaseBranch, "base") // unknown when the state was lost
	for _, u := range [][2]string{{ours, head}, {theirs, base}} {
		if _, err := r.run(ctx, "update-ref", "refs/"+u[0], u[1]); err != nil {
			return nil, err
		}
	}
	m, err := ms.history.mergeTrees(ctx, ours, theirs)
	for _, name := range []string{ours, theirs} {
		_, failed := r.run(ctx, "update-ref", "-d", "refs/"+name)
		err = errors.Join(err, failed)
	}
	if err != nil {
		return nil, err
	}
	m.Base = base
	m.Before, err = ms.branch.treeOf(ctx, head)
	return &m, err
}

// fetchBase fetches the base branch into the mirror and returns its tip.
func (ms *merges) fetchBase(ctx context.Context) (string, error) {
	rem, err := ms.remotes.find(ctx, ms.state.Repository)
	if err != nil {
		return "", err
	}
	branch := ms.state.Record.BaseBranch
	l, err := rem.list(ctx, "refs/heads/"+branch)
	if err != nil {
		return "", err
	}
	tip := l.refs["refs/heads/"+branch]
	if tip == "" {
		return "", baseGone(rem, branch)
	}
	if tip, err = ms.mirrors.base(ctx, rem, ms.state.Mirror, ms.state.Format, branch, tip); err != nil {
		return "", err
	}
	return tip, ms.mirrors.keep(ctx, ms.state.Mirror, ms.id, tip)
}

func baseGone(rem remote, branch string) error {
	return fault.New(fault.NotFound, "the base branch %q is not on %s any more", branch, rem.name).
		WithHint("give the pull request another base branch, or close it")
}

// related makes sure that both commits share history.
func (ms *merges) related(ctx context.Context, head, base string) error {
	common, err := common(ctx, ms.bare, head, base)
	if err == nil && common == "" {
		err = fault.New(fault.Changed, "the base branch %q and the branch %q have no commit in common",
			ms.state.Record.BaseBranch, ms.state.Record.Branch).WithHint("the base branch was made anew; start the task anew too")
	}
	return err
}

// common returns the merge base of two commits, "" when there is none.
func common(ctx context.Context, r repo, a, b string) (string, error) {
	id, err := r.run(ctx, "merge-base", a, b)
	if git.ExitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimSpace(id), err
}
