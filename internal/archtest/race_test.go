package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestUnracedPackagesAreSequential holds what lets the Makefile test some packages without the race detector: they start no goroutine,
// share nothing between any, and so there is nothing in them that it could find.
func TestUnracedPackagesAreSequential(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	makefile, err := os.ReadFile(filepath.Join(top, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^UNRACED := (.+)$`).FindSubmatch(makefile)
	if m == nil {
		t.Fatal("the Makefile names no packages that are tested without the race detector")
	}
	for _, dir := range strings.Fields(string(m[1])) {
		files, err := filepath.Glob(filepath.Join(top, dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no files: %v", dir, err)
		}
		for _, name := range files {
			sequential(t, name)
		}
	}
}

func sequential(t *testing.T, name string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range file.Imports {
		if path := strings.Trim(i.Path.Value, `"`); path == "sync" || strings.HasPrefix(path, "sync/") || strings.HasPrefix(path, "net") && path != "net/url" {
			t.Errorf("%s imports %s: test it with the race detector, see UNRACED in the Makefile", name, path)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.GoStmt, *ast.ChanType:
			t.Errorf("%s: something runs beside something else: test it with the race detector, see UNRACED in the Makefile", set.Position(n.Pos()))
		}
		return true
	})
}
