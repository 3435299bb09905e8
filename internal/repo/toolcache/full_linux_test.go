package toolcache

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/longshift/longshift/internal/disk/disktest"
	"github.com/longshift/longshift/internal/fault"
)

// Without room no base is made, and a task begins with no caches, never with a part of them.
func TestFullDisk(t *testing.T) {
	dir := disktest.Small(t, 8<<20)
	if dir == "" {
		return
	}
	s := newScene(t, func(c *Config) { c.Dir, c.Tasks = filepath.Join(dir, "caches"), filepath.Join(dir, "tasks") })
	s.data = dir
	own, _ := s.begin("a", "main")
	for _, name := range []string{"1", "2", "3"} {
		must(t, os.MkdirAll(filepath.Join(own, "pip"), 0o700))
		must(t, os.WriteFile(filepath.Join(own, "pip", name), bytes.Repeat([]byte(name), 500_000), 0o600))
	}
	empty := disktest.Fill(t, dir, 1<<20)
	err := s.Keep(t.Context(), own, "repo", "main", true, clean)
	if fault.KindOf(err) != fault.Infra || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("keep on a full disk: %v", err)
	}
	for _, path := range []string{s.base("repo", "main"), s.base("repo", "main") + ".new"} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", path, err)
		}
	}
	empty()
	s.keep("a", "main", true)
	empty = disktest.Fill(t, dir, 1<<20)
	_, list := s.begin("b", "main")
	want(t, "a task that begins on a full disk", list)
	empty()
	_, list = s.begin("c", "main")
	want(t, "one that begins when there is room", list, "pip/1", "pip/2", "pip/3")
}
