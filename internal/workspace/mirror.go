package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

// A mirror is a bare repository that all tasks of one repository borrow objects from. Nothing in it is ever pruned.

func (m *Manager) mirrorName(r task.Repository, address string) string {
	sum := sha256.Sum256([]byte(address))
	return strings.TrimPrefix(r.Slug()+"-", "-") + hex.EncodeToString(sum[:6]) + ".git"
}

func (m *Manager) mirror(name string) repo { return repo{m: m, dir: filepath.Join(m.mirrors(), name)} }

// openMirror makes the mirror when it isn't there. The caller holds its lock.
func (m *Manager) openMirror(ctx context.Context, name, format string) (repo, error) {
	r := m.mirror(name)
	shallow, err := r.shallow()
	if err != nil {
		return r, err
	}
	changed, err := shape{format: format, branch: "none", shallow: shallow}.enforce(r.dir)
	if len(changed) > 0 {
		m.log.WarnContext(ctx, "put a mirror's configuration right", "mirror", name, "files", changed)
	}
	if err != nil {
		return r, err
	}
	// With the lock held, a half pack is what a killed fetch left.
	half, _ := filepath.Glob(filepath.Join(r.dir, "objects", "pack", "tmp_*"))
	for _, f := range half {
		os.Remove(f)
	}
	return r, nil
}

// shallow gives where history ends in a mirror of a shallow clone, as git has written it; "" when all of it is there.
func (r repo) shallow() (string, error) {
	data, err := os.ReadFile(filepath.Join(r.dir, "shallow"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read where a shallow history ends: %w", err)
	}
	return string(data), nil
}

// listing is what a remote says it has.
type listing struct {
	head   string            // name of its default branch, "" when it has none
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

// list asks the remote for refs; with no names for all of its branches.
func (m *Manager) list(ctx context.Context, rem remote, names ...string) (listing, error) {
	args := []string{"ls-remote", "--symref", "--", rem.url, "HEAD"}
	if len(names) == 0 {
		names = []string{"refs/heads/*"}
	}
	text, err := m.neutral().call(ctx, rem, append(args, names...)...)
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

// mirrored names a branch's ref in the mirror, flat, so that "a" and "a/b" can follow each other on the remote.
func mirrored(branch string) string { return "refs/mirror/" + url.PathEscape(branch) }

// mirrorBase brings the base branch into the mirror and keeps its commit there for the task.
func (m *Manager) mirrorBase(ctx context.Context, rem remote, name, format, branch, tip string) (string, error) {
	release, err := m.lock(ctx, "mirror-"+name)
	if err != nil {
		return "", err
	}
	defer release()
	r, err := m.openMirror(ctx, name, format)
	if err != nil || branch == "" {
		return "", err
	}
	ref := mirrored(branch)
	have, err := r.ref(ctx, ref)
	if err == nil && have == tip {
		return tip, nil
	}
	_, err = r.call(ctx, rem, "fetch", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance",
		"--update-shallow", "--force", "--", rem.url, "+refs/heads/"+branch+":"+ref)
	if err != nil {
		return "", fmt.Errorf("fetch %s: %w", branch, err)
	}
	return r.ref(ctx, ref)
}

// atHead chooses the base of a repository that has a commit checked out and no branch: the branch at that commit, or else the one
// that most repositories call theirs.
func (l listing) atHead() string {
	usual := ""
	for _, b := range l.branches() {
		if l.refs["refs/heads/"+b] == l.refs["HEAD"] {
			return b
		}
		if b == "main" || b == "master" && usual == "" {
			usual = b
		}
	}
	return usual
}

// unbornBranch asks an empty repository which branch its first commit is to be on.
func (m *Manager) unbornBranch(ctx context.Context, rem remote) (string, error) {
	dir, err := os.MkdirTemp(m.mirrors(), ".empty-")
	if err != nil {
		return "", disk.Fault(fmt.Errorf("look at the empty repository: %w", err), m.mirrors())
	}
	defer os.RemoveAll(dir)
	to := filepath.Join(dir, "git")
	if _, err := m.neutral().call(ctx, rem, "clone", "--quiet", "--bare", "--template=", "--", rem.url, to); err != nil {
		return "", err
	}
	head, err := os.ReadFile(filepath.Join(to, "HEAD"))
	if name, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: refs/heads/"); ok && err == nil {
		return name, nil
	}
	return "main", nil
}

// noBase says which branches there are in place of the one that was named.
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
