package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder is a workspace in a temporary folder.
type folder struct {
	*Workspace
	t   testing.TB
	dir string
}

// newFolder writes files: a name that ends in a slash is a folder, a content that begins with "-> " the target of a link.
func newFolder(t testing.TB, files map[string]string) *folder {
	t.Helper()
	f := &folder{&Workspace{}, t, filepath.Join(t.TempDir(), "work space ü")}
	must(t, os.Mkdir(f.dir, 0o755))
	root, err := os.OpenRoot(f.dir)
	must(t, err)
	t.Cleanup(func() { root.Close() })
	f.Root = root
	for _, name := range slices.Sorted(maps.Keys(files)) {
		f.put(name, files[name])
	}
	return f
}

func (f *folder) put(name, content string) {
	f.t.Helper()
	full := filepath.Join(f.dir, name)
	if strings.HasSuffix(name, "/") {
		must(f.t, os.MkdirAll(full, 0o755))
		return
	}
	must(f.t, os.MkdirAll(filepath.Dir(full), 0o755))
	if target, ok := strings.CutPrefix(content, "-> "); ok {
		must(f.t, os.Symlink(target, full))
		return
	}
	must(f.t, os.WriteFile(full, []byte(content), 0o644))
}

func (f *folder) get(name string) string {
	f.t.Helper()
	b, err := os.ReadFile(filepath.Join(f.dir, name))
	must(f.t, err)
	return string(b)
}

// all returns everything in the folder and beside it, with modes and contents.
func (f *folder) all() map[string]string {
	f.t.Helper()
	all := map[string]string{}
	base := filepath.Dir(f.dir)
	must(f.t, filepath.WalkDir(base, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		says := info.Mode().String()
		switch {
		case info.Size() > 1<<20:
			says += fmt.Sprint(info.Size(), info.ModTime())
		case d.Type().IsRegular():
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			says += " " + string(b)
		case d.Type()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(name)
			says += " -> " + target
		}
		rel, _ := filepath.Rel(base, name)
		all[rel] = says
		return nil
	}))
	return all
}

// answer is what a model gets.
type answer map[string]any

func (a answer) failed() string { s, _ := a["error"].(string); return s }

// call runs a tool and checks what is true of every call.
func (f *folder) call(tool, arguments string) (answer, Result) {
	f.t.Helper()
	before := f.all()
	r := f.Do(context.Background(), tool, json.RawMessage(arguments))
	a := answer{}
	if err := json.Unmarshal(r.Content, &a); err != nil {
		f.t.Fatalf("%s %s: %v in %s", tool, arguments, err, r.Content)
	}
	if success, ok := a["success"].(bool); !ok || success == r.Failed || r.Failed != (a.failed() != "") {
		f.t.Errorf("%s %s: success or error is wrong: %s", tool, arguments, r.Content)
	}
	if r.Failed && (len(r.Wrote) > 0 || !maps.Equal(before, f.all())) {
		f.t.Errorf("%s %s failed, but changed something: %v", tool, arguments, r.Wrote)
	}
	if strings.Contains(r.Line+a.failed(), f.dir) || strings.ContainsAny(r.Line, "\n\x1b") || r.Line == "" || len(r.Line) > lineBytes {
		f.t.Errorf("%s %s: line %q, error %q", tool, arguments, r.Line, a.failed())
	}
	return a, r
}

func (f *folder) ok(tool, arguments string) answer {
	f.t.Helper()
	a, r := f.call(tool, arguments)
	if r.Failed {
		f.t.Fatalf("%s %s: %s", tool, arguments, a.failed())
	}
	return a
}

// fails checks that an error says all of some texts.
func (f *folder) fails(tool, arguments string, says ...string) {
	f.t.Helper()
	a, r := f.call(tool, arguments)
	for _, s := range says {
		if !r.Failed || !strings.Contains(a.failed(), s) {
			f.t.Errorf("%s %s: %q, want an error with %q", tool, arguments, r.Content, s)
		}
	}
}

// with makes arguments of pairs of a name and a value.
func with(pairs ...any) string {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	g, _ := json.Marshal(got)
	w, _ := json.Marshal(want)
	if string(g) != string(w) {
		t.Errorf("%s: %s, want %s", what, g, w)
	}
}
