package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/internal/usertest"
)

// Folders that a program has closed to their owner, as module caches are, go like any other, in submodules too. Those that stay are opened,
// and keep what their mode says to others.
func TestClosedFoldersAreCleaned(t *testing.T) {
	if usertest.NotRoot(t) {
		return
	}
	remote := gittest.NewBare(t, map[string]string{"a.txt": "1\n", ".gitignore": "bin/\n", "dir/b.txt": "1\n"})
	part := gittest.NewBare(t, map[string]string{"part.txt": "part\n"})
	withSubmodule(t, remote, "part", part, part)
	b := newBench(t, remote)
	_, tree := b.prepare("t-1", 1)
	dir, head := tree.Dir(), agent(t, tree, "rev-parse", "HEAD")
	before, err := tree.Fingerprint(t.Context())
	must(t, err)
	must(t, os.Chmod(dir, 0o750|os.ModeSetgid))
	closed := []string{"bin/k8s", "new/cache/module", "new/cache", "dir"}
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"restore", func() error { return tree.Restore(t.Context(), before) }},
		{"a step", func() error {
			return tree.at.locked(t.Context(), func(o *opened) error {
				return o.steps.begin(t.Context(), step{Head: head, Work: head, Clean: true})
			})
		}},
		{"check out", func() error {
			closed = append(closed, "part/new")
			gittest.Write(t, dir, map[string]string{"part/new/x": "x\n"})
			return tree.CheckOut(t.Context())
		}},
	} {
		gittest.Write(t, dir, map[string]string{"bin/k8s/x": "x\n", "new/cache/module/x": "x\n", "dir/new.txt": "x\n"})
		for _, name := range closed {
			must(t, os.Chmod(filepath.Join(dir, name), 0o555|os.ModeSetgid))
		}
		if err := c.do(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if left := agent(t, tree, "status", "--porcelain"); left != "" {
			t.Errorf("%s leaves %s", c.name, left)
		}
		for name, want := range map[string]fs.FileMode{".": 0o750, "dir": 0o755} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != fs.ModeDir|fs.ModeSetgid|want {
				t.Errorf("%s leaves %s as %v, %v", c.name, name, info.Mode(), err)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "bin/k8s/x")); (err == nil) != (c.name != "check out") {
			t.Errorf("%s: the ignored file: %v", c.name, err)
		}
		for _, name := range closed { // some are there only when a step has failed
			_ = os.Chmod(filepath.Join(dir, name), 0o755)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "part/new")); err == nil {
		t.Error("new files stay in the submodule")
	}
}
