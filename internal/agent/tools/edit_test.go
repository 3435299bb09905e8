package tools

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/longshift/longshift/internal/usertest"
)

func TestEditFile(t *testing.T) {
	for name, c := range map[string]struct{ content, old, new, want, lines string }{
		"one line":              {"a\nb\nc\n", "b", "B", "a\nB\nc\n", "2"},
		"several lines":         {"a\nb\nc\nd\n", "b\nc\n", "x\ny\nz\n", "a\nx\ny\nz\nd\n", "2-4"},
		"removed":               {"a\nb\nc", "b\n", "", "a\nc", "2"},
		"at the end":            {"a\nb", "b", "b\n", "a\nb\n", "2"},
		"windows":               {"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n", "1-3"},
		"windows, one line":     {"a\r\nb\r\n", "b", "b\nc", "a\r\nb\r\nc\r\n", "2-3"},
		"windows, as it is":     {"a\r\nb\r\n", "a\r\nb", "x\ny", "x\ny\r\n", "1-2"},
		"mostly windows":        {"a\r\nb\r\nc\nd\r\n", "c\nd", "x\ny", "a\r\nb\r\nx\ny\r\n", "3-4"},
		"unix with one windows": {"a\nb\nc\r\n", "a\nb", "x\ny", "x\ny\nc\r\n", "1-2"},
		"other bytes stay":      {"caf\xe9\nb\n", "b", "é", "caf\xe9\né\n", "2"},
	} {
		f := newFolder(t, map[string]string{"ä/a b.txt": c.content})
		a := f.ok("edit_file", with("path", "ä/a b.txt", "old", c.old, "new", c.new))
		equal(t, name, []any{f.get("ä/a b.txt"), a["replaced"], a["path"], a["lines"]}, []any{c.want, 1, "ä/a b.txt", c.lines})
	}
}

func TestEditFileEverywhere(t *testing.T) {
	f := newFolder(t, map[string]string{"a": "x = x + x\n", "b": "aaa", "run.sh": "echo\n"})
	f.fails("edit_file", with("path", "a", "old", "x", "new", "y"), "more than once, at lines 1, 1, 1", "replace_all")
	f.fails("edit_file", with("path", "b", "old", "aa", "new", "y"), "more than once")
	a, r := f.call("edit_file", with("path", "a", "old", "x", "new", "y", "replace_all", true))
	equal(t, "all", []any{f.get("a"), a["replaced"], a["lines"], r.Line, r.Wrote}, []any{"y = y + y\n", 3, nil, "edit_file a: 3 places",
		[]string{"a"}})
	must(t, os.Chmod(filepath.Join(f.dir, "run.sh"), 0o750))
	f.ok("edit_file", with("path", "run.sh", "old", "echo", "new", "ls"))
	info, err := os.Stat(filepath.Join(f.dir, "run.sh"))
	must(t, err)
	equal(t, "mode", info.Mode().String(), "-rwxr-x---")
}

func TestEditFileRefuses(t *testing.T) {
	t.Parallel()
	text := "func one() {\n\treturn 1\n}\n\nfunc two() {\n\tif x  {\n\t\treturn 2\n\t}\n}\n"
	f := newFolder(t, map[string]string{"a.go": text, "nul": "a\x00b", "big": strings.Repeat("x\n", 2<<20), "dir/": "", "l": "-> a.go"})
	f.fails("edit_file", with("path", "a.go", "old", "", "new", "x"), "old is empty")
	f.fails("edit_file", with("path", "a.go", "old", "x", "new", "x"), "are the same")
	f.fails("edit_file", with("path", "a.go", "old", "if x {\n    return 2\n}\n", "new", "x"),
		"only in white space:\nL6: \tif x  {\nL7: \t\treturn 2\nL8: \t}\n")
	f.fails("edit_file", with("path", "a.go", "old", "func twoo() {\n", "new", "x"), "the nearest text is:\nL5: func two() {\n")
	f.fails("edit_file", with("path", "a.go", "old", "func two() {\n\tif y {\n\t\treturn 2\n", "new", "x"),
		"is:\nL5: func two() {\nL6: \tif x  {\nL7: \t\treturn 2\n")
	f.fails("edit_file", with("path", "a.go", "old", "日本語", "new", "x"), "nothing in the file is like it")
	f.fails("edit_file", with("path", "nul", "old", "a", "new", "x"), "binary")
	f.fails("edit_file", with("path", "gone", "old", "a", "new", "x"), "does not exist")
	f.fails("edit_file", with("path", "dir", "old", "a", "new", "x"), "is a folder")
	f.fails("edit_file", with("path", "l", "old", "x", "new", "y"), `a link to "a.go"; give that path`)
	f.fails("edit_file", with("path", "big", "old", "x", "new", "xy", "replace_all", true), "would have 6291456 bytes")
	f.fails("edit_file", with("path", "big", "old", "x", "new", strings.Repeat("y", 1<<20), "replace_all", true),
		"more than the 4194304 of a file")
	f.put("big", strings.Repeat("x\n", 2<<20)+"x")
	f.fails("edit_file", with("path", "big", "old", "xx", "new", "y"), "has 4194305 bytes")
	f.put("a.go", strings.Repeat(strings.Repeat("long ", 200)+"\n", 50))
	a, _ := f.call("edit_file", with("path", "a.go", "old", strings.Repeat(strings.Repeat("long  ", 200)+"\n", 50), "new", "x"))
	if n := len(a.failed()); n > 1300 {
		t.Errorf("the nearest text has %d bytes", n)
	}
}

func TestWriteFile(t *testing.T) {
	t.Parallel()
	f := newFolder(t, map[string]string{"a.sh": "old", "dir/": ""})
	must(t, os.Chmod(filepath.Join(f.dir, "a.sh"), 0o700))
	a, r := f.call("write_file", with("path", "new/ü x/b.txt", "content", "one\ntwo\n"))
	equal(t, "created", []any{f.get("new/ü x/b.txt"), a["created"], a["bytes"], a["path"], r.Line}, []any{"one\ntwo\n", true, 8,
		"new/ü x/b.txt", "write_file new/ü x/b.txt: created, 2 lines"})
	a = f.ok("write_file", with("path", "a.sh", "content", ""))
	equal(t, "replaced", []any{f.get("a.sh"), a["created"]}, []any{"", false})
	for name, want := range map[string]string{"a.sh": "-rwx------", "new/ü x/b.txt": "-rw-r--r--", "new/ü x": "drwxr-xr-x"} {
		info, err := os.Stat(filepath.Join(f.dir, name))
		must(t, err)
		equal(t, name, info.Mode().String(), want)
	}
	f.fails("write_file", with("path", "dir", "content", "x"), "is a folder")
	f.ok("write_file", with("path", "most", "content", strings.Repeat("x", 4<<20)))
	f.fails("write_file", with("path", "x/more", "content", strings.Repeat("x", 4<<20+1)), "more than the 4194304")
	f.fails("write_source_file", with("path", "a.sh", "content", "x"), "exists; change it with edit_file")
	f.ok("write_source_file", with("path", "src/a.go", "content", "package src\n"))
	for name := range f.all() {
		if strings.Contains(name, Temporary) {
			t.Errorf("%s was left", name)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if usertest.NotRoot(t) {
		return
	}
	f := newFolder(t, map[string]string{"ro/a": "x", "locked/a": "x"})
	must(t, os.Chmod(filepath.Join(f.dir, "ro"), 0o555))
	must(t, os.Chmod(filepath.Join(f.dir, "locked/a"), 0))
	defer os.Chmod(filepath.Join(f.dir, "ro"), 0o755)
	defer os.Chmod(filepath.Join(f.dir, "locked/a"), 0o644)
	for _, call := range []string{with("path", "ro/a", "content", "y"), with("path", "ro/b", "content", "y"), with("path", "ro/c/d", "content",
		"y")} {
		if r := f.Do(context.Background(), "write_file", json.RawMessage(call)); !r.Failed || !strings.Contains(string(r.Content),
			"permission denied") {
			t.Errorf("%s: %s", call, r.Content)
		}
	}
	if r := f.Do(context.Background(), "read_file", json.RawMessage(`{"path":"locked/a"}`)); !strings.Contains(string(r.Content),
		"permission denied") {
		t.Errorf("%s", r.Content)
	}
}

func TestPlanAndDone(t *testing.T) {
	f, ctx := newFolder(t, map[string]string{"a": "one two"}), context.Background()
	call := json.RawMessage(with("path", "a", "old", "one", "new", "three"))
	changes, err := f.Plan(ctx, "edit_file", call)
	must(t, err)
	equal(t, "plan", changes, []Change{{"a", hash([]byte("one two")), hash([]byte("three two"))}})
	if f.get("a") != "one two" || f.Done(changes) {
		t.Error("planning has changed the file, or the change seems made")
	}
	f.ok("edit_file", string(call))
	if !f.Done(changes) {
		t.Error("the change was made")
	}
	f.put("a", "other")
	if f.Done(changes) {
		t.Error("the file is in another state")
	}
	created, err := f.Plan(ctx, "write_file", json.RawMessage(with("path", "b/c", "content", "x")))
	must(t, err)
	equal(t, "created", created, []Change{{"b/c", "", hash([]byte("x"))}})
	for tool, says := range map[string]string{"edit_file": "old is not in", "read_file": "nothing to plan"} {
		args := map[string]string{"edit_file": string(call), "read_file": `{"path":"a"}`}[tool]
		if _, err := f.Plan(ctx, tool, json.RawMessage(args)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", tool, err)
		}
	}
}

// TestChangedMeanwhile has the files change between the plan of a call and its writing.
func TestChangedMeanwhile(t *testing.T) {
	for name, meddle := range map[string]func(*folder){
		"content": func(f *folder) { f.put("a", "changed") },
		"deleted": func(f *folder) { must(t, os.Remove(filepath.Join(f.dir, "a"))) },
		"folder": func(f *folder) {
			must(t, os.Remove(filepath.Join(f.dir, "a")))
			f.put("a/b", "x")
		},
		"created": func(f *folder) { f.put("new/file", "x") },
	} {
		f := newFolder(t, map[string]string{"a": "one"})
		var changes []change
		for path, content := range map[string]string{"a": "two", "new/file": "y", "other/file": "z"} {
			p, err := f.writable(path)
			must(t, err)
			c, err := f.replace(p, []byte(content))
			must(t, err)
			changes = append(changes, c)
		}
		meddle(f)
		before := f.all()
		if err := f.commit(context.Background(), changes); err == nil || !strings.Contains(err.Error(), "changed by something else meanwhile") {
			t.Errorf("%s: %v", name, err)
		}
		equal(t, name, f.all(), before)
	}
}

// TestEditingAtOnce edits one file from several sides; each edit must be in it at the end.
func TestEditingAtOnce(t *testing.T) {
	var content strings.Builder
	for i := range 8 {
		content.WriteString("line " + strconv.Itoa(i) + ".\n")
	}
	f := newFolder(t, map[string]string{"a": content.String()})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			call := with("path", "a", "old", "line "+strconv.Itoa(i)+".", "new", "done "+strconv.Itoa(i)+".")
			if r := f.Do(context.Background(), "edit_file", json.RawMessage(call)); r.Failed {
				t.Errorf("%s", r.Content)
			}
		})
	}
	all.Wait()
	equal(t, "all edits", f.get("a"), strings.ReplaceAll(content.String(), "line", "done"))
}

// TestWriteKeepsLineEnds: a file with the line ends of Windows keeps them, whatever the model writes. Others stay as they are written.
func TestWriteKeepsLineEnds(t *testing.T) {
	f := newFolder(t, map[string]string{"dos.txt": "a\r\nb\r\n", "unix.txt": "a\nb\n", "data": "a\x00\r\n"})
	for _, name := range []string{"dos.txt", "unix.txt", "data", "new.txt"} {
		f.ok("write_file", `{"path":"`+name+`","content":"a\nc\n"}`)
	}
	equal(t, "written", []any{f.get("dos.txt"), f.get("unix.txt"), f.get("data"), f.get("new.txt")}, []any{"a\r\nc\r\n", "a\nc\n", "a\nc\n", "a\nc\n"})
}
