package acceptance

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// archive is a small repository and what a task makes of it.
type archive struct {
	name  string
	base  map[string]string // path to content
	meant map[string]string // what differs when the task is done
}

// load reads testdata/name.txtar.
func load(name string) archive {
	a, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
	if err != nil {
		panic(err)
	}
	r := archive{name, map[string]string{}, map[string]string{}}
	for _, f := range a.Files {
		if path, ok := strings.CutPrefix(f.Name, "base/"); ok {
			r.base[path] = string(f.Data)
		} else if path, ok := strings.CutPrefix(f.Name, "meant/"); ok {
			r.meant[path] = string(f.Data)
		} else {
			panic(name + ".txtar: " + f.Name + " is neither in base/ nor in meant/")
		}
	}
	return r
}

// write makes the files of a tree.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for path, content := range files {
		file := filepath.Join(dir, path)
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte(content), 0o644))
	}
}

// merged is a tree with changes on top.
func merged(files, changes map[string]string) map[string]string {
	all := maps.Clone(files)
	maps.Copy(all, changes)
	return all
}
