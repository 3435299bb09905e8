package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// mostMethods is how many methods a type may have. One with more holds several concerns, which are easier to read as types of their own.
const mostMethods = 30

func TestTypesHaveFewMethods(t *testing.T) {
	counted := 0
	for _, p := range packages(t) {
		if isTestSupport(p.ImportPath) {
			continue
		}
		methods := map[string]int{}
		for _, f := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, f), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
					methods[receiver(fn.Recv.List[0].Type)]++
				}
			}
		}
		for name, n := range methods {
			if n > mostMethods {
				t.Errorf("%s.%s has %d methods, and at most %d are read at a glance: give a concern of it a type of its own",
					p.ImportPath, name, n, mostMethods)
			}
		}
		counted += len(methods)
	}
	if counted < 100 {
		t.Errorf("there are %d types with methods; the rule would check nothing", counted)
	}
}

// receiver names the type of a method's receiver, without its pointer and its parameters.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
