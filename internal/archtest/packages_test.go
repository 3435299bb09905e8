package archtest

import (
	"errors"
	"go/build"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// packages are those of the root module. They are read here and not by `go list`, so that `go test` sees which files and folders were read,
// and checks the rules again when one has changed or come.
func packages(t *testing.T) []*build.Package {
	t.Helper()
	all, err := walked()
	if err != nil {
		t.Fatalf("read the packages: %v", err)
	}
	if len(all) < 15 {
		t.Fatalf("there are %d packages; the rules would check nothing", len(all))
	}
	return all
}

var walked = sync.OnceValues(func() (all []*build.Package, err error) {
	top := filepath.Join("..", "..")
	err = filepath.WalkDir(top, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if dir != top {
			_, notModule := os.Stat(filepath.Join(dir, "go.mod"))
			if notModule == nil || slices.Contains([]string{"testdata", "node_modules", "bin"}, name) || name[0] == '.' || name[0] == '_' {
				return fs.SkipDir
			}
		}
		p, err := build.ImportDir(dir, 0)
		if none := (*build.NoGoError)(nil); errors.As(err, &none) {
			return nil
		}
		rel, _ := filepath.Rel(top, dir)
		p.ImportPath = path.Join(module, filepath.ToSlash(rel))
		all = append(all, p)
		return err
	})
	return all, err
})
