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

// TestHeavyTestsAreRun: the Makefile leaves the tests of HEAVY out where it runs all packages with the race detector, and runs them in
// the packages of HEAVY_IN without it. One of such a name anywhere else would never run.
func TestHeavyTestsAreRun(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	names, dirs := strings.Split(fromMakefile(t, top, "HEAVY"), "|"), strings.Fields(fromMakefile(t, top, "HEAVY_IN"))
	found := map[string]bool{}
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || !slices.Contains(names, f.Name.Name) {
				continue
			}
			found[f.Name.Name] = true
			if dir := "./" + strings.TrimPrefix(filepath.ToSlash(filepath.Dir(name)), "../../"); !slices.Contains(dirs, dir) {
				t.Errorf("%s is in %s, which HEAVY_IN in the Makefile does not name: it would never run", f.Name.Name, dir)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !found[name] {
			t.Errorf("HEAVY in the Makefile names %s, which is no test", name)
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
