package workspace

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/repo/git"
)

// shape describes every file in one of our git directories that could make git run a program or read elsewhere. We know their exact
// content, so it is compared before each use and restored when it was changed.
type shape struct {
	format     string   // sha1 or sha256
	branch     string   // branch that HEAD names; "" leaves HEAD alone
	alternates []string // object directories of other repositories
	shallow    string   // content of git's shallow file; "" when the history is complete
}

func (s shape) files() map[string]string {
	version, extensions := "0", ""
	if s.format == "sha256" {
		version, extensions = "1", "[extensions]\n\tobjectFormat = sha256\n"
	}
	files := map[string]string{
		"config": "[core]\n\trepositoryformatversion = " + version + "\n\tfilemode = true\n\tbare = true\n" + extensions,
	}
	if s.branch != "" {
		files["HEAD"] = "ref: refs/heads/" + s.branch + "\n"
	}
	if s.shallow != "" {
		files["shallow"] = s.shallow
	}
	if len(s.alternates) > 0 {
		files["objects/info/alternates"] = strings.Join(s.alternates, "\n") + "\n"
	}
	return files
}

// foreign lists files that git would follow and that our git directories never have.
func (s shape) foreign() []string {
	list := []string{"commondir", "gitdir", "config.worktree", "info/attributes", "info/grafts", "info/sparse-checkout"}
	if s.shallow == "" {
		list = append(list, "shallow")
	}
	if len(s.alternates) == 0 {
		list = append(list, "objects/info/alternates")
	}
	return list
}

// enforce gives the directory this shape. It returns the files that it had to change in an existing directory.
func (s shape) enforce(dir string) (changed []string, err error) {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/longshift"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return nil, disk.Fault(fmt.Errorf("make git folder: %w", err), filepath.Dir(dir))
		}
	}
	for name, want := range s.files() {
		path := filepath.Join(dir, name)
		have, err := os.ReadFile(path)
		if err == nil && bytes.Equal(have, []byte(want)) && isRegular(path) {
			continue
		}
		if err == nil {
			changed = append(changed, name)
		}
		if err := writeFile(path, []byte(want)); err != nil {
			return changed, err
		}
	}
	for _, name := range s.foreign() {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return changed, fmt.Errorf("clean git folder: %w", err)
		}
	}
	return changed, nil
}

func isRegular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// ref reads one of our refs, "" when there is none.
func (r repo) ref(ctx context.Context, name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil { // not there, or packed
		return r.run(ctx, "for-each-ref", "--format=%(objectname)", name)
	}
	id := strings.TrimSpace(string(data))
	if !isID(id) {
		return "", fmt.Errorf("ref %s in %s is damaged", name, r.dir)
	}
	return id, nil
}

// setRef moves a ref if it is still at old; "" means that it must not exist.
func (r repo) setRef(ctx context.Context, name, id, old string) error {
	old = cmp.Or(old, strings.Repeat("0", len(id)))
	_, err := r.run(ctx, "update-ref", name, id, old)
	return err
}

// isID tells whether text is a full object id.
func isID(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// has reports whether the object with this full id is in the repository, without fetching it.
func (r repo) has(ctx context.Context, id string) (bool, error) {
	if !isID(id) {
		return false, nil
	}
	_, err := r.run(ctx, "cat-file", "-e", id)
	if git.ExitCode(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// unlessHas returns the error of keeping a commit elsewhere, which does not matter when the repository has the commit itself.
func (r repo) unlessHas(ctx context.Context, id string, failed error) error {
	if failed == nil {
		return nil
	}
	here, err := r.has(ctx, id)
	if here {
		return nil
	}
	return errors.Join(failed, err)
}

// isAncestor reports whether a is b or an ancestor of b.
func (r repo) isAncestor(ctx context.Context, a, b string) (bool, error) {
	if a == b {
		return true, nil
	}
	_, err := r.run(ctx, "merge-base", "--is-ancestor", a, b)
	if e, ok := errors.AsType[*git.Error](err); ok && e.Exit.Code == 1 {
		return false, nil
	}
	return err == nil, err
}
