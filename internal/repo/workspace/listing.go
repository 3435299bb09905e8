package workspace

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
)

// listing holds the refs that a remote advertises.
type listing struct {
	head   string            // name of the default branch, "" when there is none
	refs   map[string]string // by full name
	format string
}

func (l listing) branches() []string {
	var out []string
	for name := range l.refs {
		if b, ok := strings.CutPrefix(name, "refs/heads/"); ok {
			out = append(out, b)
		}
	}
	slices.Sort(out)
	return out
}

// list asks the remote for the named refs, or for all branches when there are no names.
func (r remote) list(ctx context.Context, names ...string) (listing, error) {
	args := []string{"ls-remote", "--symref", "--", r.url, "HEAD"}
	if len(names) == 0 {
		names = []string{"refs/heads/*"}
	}
	text, err := r.call(ctx, r.by.neutral(), append(args, names...)...)
	if err != nil {
		return listing{}, err
	}
	l := listing{refs: map[string]string{}, format: "sha1"}
	for line := range strings.Lines(text) {
		id, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if target, ok := strings.CutPrefix(id, "ref: refs/heads/"); ok && name == "HEAD" {
			l.head = target
			continue
		}
		if !isID(id) || strings.HasSuffix(name, "^{}") {
			continue
		}
		if len(id) == 64 {
			l.format = "sha256"
		}
		l.refs[name] = id
	}
	return l, nil
}

// atHead chooses a base branch when the remote's HEAD is detached: a branch at that commit, main or master before others, or else one of
// these two.
func (l listing) atHead() string {
	at, usual := "", ""
	for _, b := range l.branches() {
		named := b == "main" || b == "master" && usual == ""
		if named {
			usual = b
		}
		if l.refs["refs/heads/"+b] == l.refs["HEAD"] && (named || at == "") {
			at = b
		}
	}
	return cmp.Or(at, usual)
}

// rivals returns patterns of the refs beside which git can't make a branch: its parent folders, and what is in a folder of its own name.
func rivals(branch string) []string {
	patterns := []string{"refs/heads/" + branch + "/*"}
	for dir := path.Dir(branch); dir != "."; dir = path.Dir(dir) {
		patterns = append(patterns, "refs/heads/"+dir)
	}
	return patterns
}

// rival returns the ref of the listing beside which git can't make the branch, "" for none.
func (l listing) rival(branch string) string {
	for _, b := range l.branches() {
		if strings.HasPrefix(branch, b+"/") || strings.HasPrefix(b, branch+"/") {
			return "refs/heads/" + b
		}
	}
	return ""
}

// unbornBranch asks an empty repository for the branch of its first commit.
func (r remote) unbornBranch(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp(r.by.dir, emptyPrefix)
	if err != nil {
		return "", disk.Fault(fmt.Errorf("look at the empty repository: %w", err), r.by.dir)
	}
	defer os.RemoveAll(dir)
	to := filepath.Join(dir, "git")
	if _, err := r.call(ctx, r.by.neutral(), "clone", "--quiet", "--bare", "--template=", "--", r.url, to); err != nil {
		return "", err
	}
	head, err := os.ReadFile(filepath.Join(to, "HEAD"))
	if name, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/"); ok && err == nil {
		return name, nil
	}
	return "main", nil
}

// noBase is the fault for a base branch that does not exist. It names those that do.
func noBase(rem remote, base string, there []string) error {
	const most = 20
	list := strings.Join(there[:min(len(there), most)], ", ")
	if len(there) > most {
		list += fmt.Sprintf(" and %d more", len(there)-most)
	}
	if base == "" {
		return fault.New(fault.Input, "field base is empty, and %s has no default branch; its branches: %s", rem.name, list).
			WithHint("name the base branch")
	}
	return fault.New(fault.Input, "field base names %q, which is not a branch of %s; its branches: %s", base, rem.name, list).
		WithHint("give one of them, or leave base out for the default branch")
}
