package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPlainPackagesStartNothing: the packages of PLAIN in the Makefile are tested without the race detector, because they start no
// goroutines, or wait for them before they return.
func TestPlainPackagesStartNothing(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	allowed := []string{"internal/repo/workspace/filechange.go", "internal/cli/sender.go"}
	for _, pattern := range strings.Fields(fromMakefile(t, top, "PLAIN")) {
		dir, all := strings.CutSuffix(pattern, "/...")
		files := 0
		err := filepath.WalkDir(filepath.Join(top, dir), func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && !all && name != filepath.Join(top, dir):
				return fs.SkipDir
			case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			files++
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				short := strings.TrimPrefix(filepath.ToSlash(name), "../../")
				if _, starts := n.(*ast.GoStmt); starts && !slices.Contains(allowed, short) {
					t.Errorf("%s starts a goroutine: test its package with the race detector (PLAIN in the Makefile)", short)
				}
				return true
			})
			return nil
		})
		if err != nil || files == 0 {
			t.Errorf("PLAIN in the Makefile names %s: %d files (%v)", pattern, files, err)
		}
	}
}

func fromMakefile(t *testing.T, top, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^` + name + ` := (.+)$`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("the Makefile has no %s", name)
	}
	return string(m[1])
}
