package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unraced are the files of plain packages that start goroutines or share memory although no test runs them with the race detector, and why
// that is good enough.
var unraced = map[string]string{
	"internal/repo/workspace/filechange.go": "it waits for the goroutine before it returns, and the two share a channel alone",
	"internal/repo/workspace/attempt.go":    "it is one flag, which is only set",
	"internal/cli/sender.go":                "it waits for the goroutine, which only prints, before it goes on",
	"internal/policy/grammar/option.go":     "the tests of internal/policy run it with the detector",
}

// TestPlainPackagesStartNothing: the packages of PLAIN in the Makefile are tested without the race detector, because they start no
// goroutines. Those that hold locks are in LOCKED, too, and have tests for it.
func TestPlainPackagesStartNothing(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..")
	locked := strings.Fields(fromMakefile(t, "LOCKED"))
	needed := map[string]bool{}
	for _, pattern := range strings.Fields(fromMakefile(t, "PLAIN")) {
		for _, file := range sources(t, top, pattern) {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(top, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			starts, shares := concurrency(parsed)
			if unraced[file] != "" {
				needed[file] = starts != "" || shares != ""
				continue
			}
			if starts != "" {
				t.Errorf("%s starts a goroutine by %s: take its package out of PLAIN in the Makefile, or say in unraced why not", file, starts)
			}
			if shares != "" && !slices.Contains(locked, "./"+path.Dir(file)) {
				t.Errorf("%s uses %s: name its package in LOCKED in the Makefile and write a test ...AtOnce, or say in unraced why not", file, shares)
			}
		}
	}
	for file := range unraced {
		if !needed[file] {
			t.Errorf("unraced names %s, which needs no reason any more", file)
		}
	}
}

// TestLockedPackagesHaveTests: a package of LOCKED without a test of that name would be run and show nothing.
func TestLockedPackagesHaveTests(t *testing.T) {
	top := filepath.Join("..", "..")
	for _, dir := range strings.Fields(fromMakefile(t, "LOCKED")) {
		tests, err := filepath.Glob(filepath.Join(top, dir, "*_test.go"))
		if err != nil || !slices.ContainsFunc(tests, func(name string) bool {
			return regexp.MustCompile(`(?m)^func Test\w*AtOnce\(`).MatchString(read(t, strings.TrimPrefix(name, top)))
		}) {
			t.Errorf("%s is in LOCKED in the Makefile and has no test whose name ends with AtOnce (%v)", dir, err)
		}
	}
}

// sources gives the Go files that a pattern of the Makefile stands for, without tests.
func sources(t *testing.T, top, pattern string) (files []string) {
	t.Helper()
	dir, all := strings.CutSuffix(pattern, "/...")
	err := filepath.WalkDir(filepath.Join(top, dir), func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && !all && name != filepath.Join(top, dir):
			return fs.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			files = append(files, strings.TrimPrefix(filepath.ToSlash(name), "../../"))
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Errorf("the Makefile names %s: %d files (%v)", pattern, len(files), err)
	}
	return files
}

// concurrency tells by what a file starts goroutines, and what it shares between them; "" for nothing. Pools, and what is made once, need
// no lock of ours.
func concurrency(file *ast.File) (starts, shares string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			starts = "go"
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Go" || f.Sel.Name == "AfterFunc") {
				starts = f.Sel.Name
			}
		case *ast.SelectorExpr:
			from, _ := n.X.(*ast.Ident)
			lock := slices.Contains([]string{"Mutex", "RWMutex", "Map", "Cond"}, n.Sel.Name)
			if from != nil && (from.Name == "atomic" || from.Name == "sync" && lock) {
				shares = from.Name + "." + n.Sel.Name
			}
		}
		return true
	})
	return starts, shares
}

func fromMakefile(t *testing.T, name string) string {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + ` := (.+)$`).FindStringSubmatch(read(t, "Makefile"))
	if m == nil {
		t.Fatalf("the Makefile has no %s", name)
	}
	return m[1]
}
