package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/repo/git"
)

// shape is everything in a git directory of ours that could make git run something or look elsewhere. We know every
// byte of it, so it is compared before each use and put right when somebody has changed it.
type shape struct {
	format     string   // sha1 or sha256
	branch     string   // what HEAD names; "" leaves HEAD alone
	alternates []string // object folders of others
	shallow    string   // where history ends, as git writes it; "" when all of it is there
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

// foreign are files that git would follow, and that a git directory of ours never has.
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

// enforce makes the folder of that shape. It returns the files it had to change in one that was there before.
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

// ref reads a ref of ours, "" when there is none.
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

// setRef moves a ref when it still is at old; "" means that it must not be there.
func (r repo) setRef(ctx context.Context, name, id, old string) error {
	if old == "" {
		old = strings.Repeat("0", len(id))
	}
	_, err := r.run(ctx, "update-ref", name, id, old)
	return err
}

// isID tells whether text is a full object id.
func isID(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// has tells whether the object is there, without asking anybody else for it.
func (r repo) has(ctx context.Context, id string) bool {
	_, err := r.run(ctx, "cat-file", "-e", id)
	return err == nil
}

// isAncestor tells whether a is b or comes before it.
func (r repo) isAncestor(ctx context.Context, a, b string) (bool, error) {
	if a == b {
		return true, nil
	}
	_, err := r.run(ctx, "merge-base", "--is-ancestor", a, b)
	var e *git.Error
	if errors.As(err, &e) && e.Exit.Code == 1 {
		return false, nil
	}
	return err == nil, err
}
