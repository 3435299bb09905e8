package workfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// folder is a folder of a work tree, with a file.
func folder(t *testing.T, text string) (*Folder, string) {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{".git", "notes"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "notes", "a.md")
	put(t, path, text)
	f, err := Open(task.Repository{Text: dir, Path: dir}, "notes")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f, path
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// saved writes a file like an editor that replaces the old file by a new one.
func saved(t *testing.T, path, text string) {
	t.Helper()
	put(t, path+"~", text)
	if err := os.Rename(path+"~", path); err != nil {
		t.Fatal(err)
	}
}

// files returns all files of a folder with their texts.
func files(t *testing.T, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("files %q, want %q", got, want)
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s says %q, want %q", name, got[name], text)
		}
	}
}

// TestEditBetweenSteps lets an editor write at each moment of a change. kept is what must stand in the end.
func TestEditBetweenSteps(t *testing.T) {
	type state map[string]string
	for _, c := range []struct {
		name, step string
		edit       func(t *testing.T, path string, opened *os.File)
		removed    state // after Remove
		replaced   state // after Replace
	}{
		{"nobody", "", nil, state{}, state{"a.md": "new"}},
		{"a new file before the move", "rename", func(t *testing.T, path string, _ *os.File) { saved(t, path, "edit") }, state{"a.md": "edit"}, state{"a.md": "edit"}},
		{"in place before the move", "rename", func(t *testing.T, path string, _ *os.File) { put(t, path, "edit") }, state{"a.md": "edit"}, state{"a.md": "edit"}},
		{"taken away before the move", "rename", func(t *testing.T, path string, _ *os.File) { os.Remove(path) }, state{}, state{}},
		{"a new file after the move", "compare", func(t *testing.T, path string, _ *os.File) { saved(t, path, "edit") }, state{"a.md": "edit"}, state{"a.md": "edit"}},
		{"through an open file after the move", "compare", write, state{"a.md": "edit"}, state{"a.md": "edit"}},
		{"both after the move", "compare", func(t *testing.T, path string, f *os.File) { write(t, path, f); saved(t, path, "other") },
			state{"a.md": "other", "a-kept-1.md": "edit"}, state{"a.md": "other", "a-kept-1.md": "edit"}},
		{"through an open file after the compare", "drop", write, state{"a.md": "edit"}, state{"a.md": "edit"}},
		{"through an open file at the end", "late", write, state{"a.md": "edit"}, state{"a.md": "edit"}},
		{"a new file at the end", "late", func(t *testing.T, path string, _ *os.File) { saved(t, path, "edit") }, state{"a.md": "edit"}, state{"a.md": "edit"}},
		{"both at the end", "late", func(t *testing.T, path string, f *os.File) { write(t, path, f); saved(t, path, "other") },
			state{"a.md": "other", "a-kept-1.md": "edit"}, state{"a.md": "other", "a-kept-1.md": "edit"}},
	} {
		run := func(t *testing.T, change func(f *Folder) (bool, error), want state, mayBeDone bool) {
			f, path := folder(t, "old")
			opened, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer opened.Close()
			did := false
			f.step = func(at string) {
				if at == c.step && !did {
					did = true
					c.edit(t, path, opened)
				}
			}
			done, err := change(f)
			if err != nil || done && !mayBeDone { // done is the old text's end, whatever stands there since
				t.Errorf("done %v, %v", done, err)
			}
			if !did && c.step != "" {
				t.Fatalf("there is no step %q", c.step)
			}
			same(t, files(t, path), want)
		}
		mayBeDone := c.step == "" || c.name == "a new file at the end"
		mayBeRemoved := mayBeDone || c.name == "a new file after the move"
		t.Run(c.name+", remove", func(t *testing.T) {
			run(t, func(f *Folder) (bool, error) { return f.Remove("a.md", []byte("old")) }, c.removed, mayBeRemoved)
		})
		t.Run(c.name+", replace", func(t *testing.T) {
			run(t, func(f *Folder) (bool, error) { return f.Replace("a.md", []byte("old"), []byte("new")) }, c.replaced, mayBeDone)
		})
	}
}

// TestWithoutHardLinks: some file systems have none.
func TestWithoutHardLinks(t *testing.T) {
	f, path := folder(t, "old")
	f.hardLink = func(string, string) error { return syscall.EPERM }
	if done, err := f.Replace("a.md", []byte("old"), []byte("new")); !done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	same(t, files(t, path), map[string]string{"a.md": "new"})
	f.step = func(at string) {
		if at == "compare" {
			put(t, filepath.Join(filepath.Dir(path), aside, "a.md"), "edit")
			put(t, path, "other")
		}
	}
	if done, err := f.Remove("a.md", []byte("new")); done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	same(t, files(t, path), map[string]string{"a.md": "other", "a-kept-1.md": "edit"})
	if done, err := f.Replace("a.md", []byte("other"), []byte("new")); done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
}

// write writes like an editor that keeps the file open.
func write(t *testing.T, _ string, opened *os.File) {
	t.Helper()
	if err := opened.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if _, err := opened.WriteAt([]byte("edit"), 0); err != nil {
		t.Fatal(err)
	}
}

func TestReplaceKeepsMode(t *testing.T) {
	f, path := folder(t, "old")
	if err := os.Chmod(path, 0o604); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"new", ""} {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if done, err := f.Replace("a.md", before, []byte(text)); !done || err != nil {
			t.Fatalf("%v, %v", done, err)
		}
		same(t, files(t, path), map[string]string{"a.md": text})
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o604 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	}
}

// TestInTheWay: a folder that is not ours is not used, and a link in its place is not followed.
func TestInTheWay(t *testing.T) {
	elsewhere := t.TempDir()
	for name, block := range map[string]func(path string) error{
		"file": func(path string) error { return os.WriteFile(path, nil, 0o644) },
		"link": func(path string) error { return os.Symlink(elsewhere, path) },
	} {
		t.Run(name, func(t *testing.T) {
			f, path := folder(t, "old")
			if err := block(filepath.Join(filepath.Dir(path), aside)); err != nil {
				t.Fatal(err)
			}
			for _, change := range []func() (bool, error){
				func() (bool, error) { return f.Remove("a.md", []byte("old")) },
				func() (bool, error) { return f.Replace("a.md", []byte("old"), []byte("new")) },
			} {
				if _, err := change(); fault.KindOf(err) != fault.Denied || !strings.Contains(err.Error(), "notes/"+aside) {
					t.Errorf("got %v", err)
				}
			}
			if err := f.Recover(func(string, File, bool) bool { return true }); err != nil {
				t.Error(err)
			}
			if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
				t.Errorf("%q, %v", data, err)
			}
		})
	}
	if entries, _ := os.ReadDir(elsewhere); len(entries) > 0 {
		t.Errorf("%d files behind the link", len(entries))
	}
}

func TestFault(t *testing.T) {
	f, path := folder(t, "old")
	_, err := f.Read("b.md")
	if fault.KindOf(err) != fault.NotFound || strings.Contains(err.Error(), f.Repository) || !strings.Contains(err.Error(), "notes/b.md") {
		t.Errorf("got %v", err)
	}
	if done, err := f.Remove("b.md", nil); done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	f.Close()
	if _, err := f.Read("a.md"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("closed: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestLock(t *testing.T) {
	m := NewMarks(t.TempDir(), "x")
	release, err := m.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := m.Lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("locked twice: %v", err)
	}
	release()
	release, err = m.Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release()
}

func TestMarks(t *testing.T) {
	state := t.TempDir()
	m := NewMarks(state, "x")
	if all, err := m.All(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	if entries, _ := os.ReadDir(state); len(entries) != 0 {
		t.Error("looking has made something")
	}
	one := Mark{ID: "backlog:a:b:c", Key: "b.md", Sum: "c", TaskID: "t1", Began: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)}
	two := one
	two.ID, two.Sum, two.Outcome, two.Ended = "backlog:a:b:d", "d", task.Failed, one.Began.Add(time.Hour)
	for _, x := range []Mark{one, two, one} {
		if err := m.Put(x); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(state, "x", ".mark-half"), "{") // left by a crash
	all, err := NewMarks(state, "x").All()
	if err != nil || !slices.Equal(all, []Mark{one, two}) {
		t.Errorf("%+v, %v", all, err)
	}
	for range 2 {
		if err := m.Drop(one.ID); err != nil {
			t.Error(err)
		}
	}
	if all, _ := m.All(); len(all) != 1 {
		t.Errorf("%+v", all)
	}
}
