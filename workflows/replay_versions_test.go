package workflows_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Each version that the code asks for has a history that has gone the new way. Without one nothing tells that a later change breaks those
// that are on it.
func TestReplayCoversEveryVersion(t *testing.T) {
	shown := map[string]bool{}
	for _, name := range fixtures(t) {
		for _, m := range marks(t, load(t, name)) {
			shown[m] = true
		}
	}
	highest := versions(t)
	if len(highest) == 0 {
		t.Fatal("no call of workflow.GetVersion was found")
	}
	for _, id := range slices.Sorted(maps.Keys(highest)) {
		mark := fmt.Sprintf("version %s %d", id, highest[id])
		if !shown[mark] {
			t.Errorf("workflow.GetVersion asks for %q, version %d, and no history shows it: add a branch that goes that way to test/record and its "+
				"row to recorded or recordedElsewhere, with the mark %q; then record it by `make record RECORD=\"-only NAME\"`", id, highest[id], mark)
		}
	}
}

// versions reads from the source which changes the workflows ask for, and the highest version of each.
func versions(t *testing.T) map[string]int {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	set, highest := token.NewFileSet(), map[string]int{}
	var parsed []*ast.File
	texts := map[string]string{} // of constants
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
		eachConstant(f, func(name, text string) { texts[name] = text })
	}
	for _, f := range parsed {
		for _, d := range f.Decls {
			eachVersion(d, func(call *ast.CallExpr, names []string) {
				most, err := strconv.Atoi(literal(call.Args[3]))
				for _, name := range names {
					id := texts[name]
					if err != nil || id == "" {
						t.Errorf("%s: name the change by a constant of the package, and its highest version by a number", set.Position(call.Pos()))
					}
					highest[id] = max(highest[id], most)
				}
			})
		}
	}
	return highest
}

// eachConstant visits the constants of a file whose values are texts.
func eachConstant(f *ast.File, visit func(name, text string)) {
	for _, d := range f.Decls {
		if c, ok := d.(*ast.GenDecl); ok && c.Tok == token.CONST {
			for _, s := range c.Specs {
				s := s.(*ast.ValueSpec)
				for i, v := range s.Values {
					if text, err := strconv.Unquote(literal(v)); err == nil {
						visit(s.Names[i].Name, text)
					}
				}
			}
		}
	}
}

// eachVersion visits the calls of GetVersion, with the names that their change goes by: one, or those that its variable is set to.
func eachVersion(d ast.Decl, visit func(call *ast.CallExpr, names []string)) {
	assigned := map[string][]string{}
	ast.Inspect(d, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, to := range a.Lhs {
				assigned[nameOf(to)] = append(assigned[nameOf(to)], nameOf(a.Rhs[i]))
			}
		}
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 4 && nameOf(call.Fun) == "GetVersion" {
			names := assigned[nameOf(call.Args[1])]
			if names == nil {
				names = []string{nameOf(call.Args[1])}
			}
			visit(call, names)
		}
		return true
	})
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok {
		return l.Value
	}
	return ""
}
