package tools

import (
	"go/ast"
	"go/parser"
	"go/token"

	"github.com/longshift/longshift/internal/excerpt"
)

// outlineGo is false for a file that does not parse.
func outlineGo(content []byte) ([]item, bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", content, parser.SkipObjectResolution)
	if err != nil || !file.Package.IsValid() {
		return nil, false
	}
	g := goFile{fset.File(file.Package), content}
	items := []item{g.item(file.Package, file.Name.End(), file.Name.End())}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			head := d.End()
			if d.Body != nil {
				head = d.Body.Lbrace
			}
			items = append(items, g.item(d.Pos(), d.End(), head))
		case *ast.GenDecl:
			items = append(items, g.specs(d)...)
		}
	}
	return items, true
}

type goFile struct {
	file    *token.File
	content []byte
}

// item shows the source from begin to head on one line.
func (g goFile) item(begin, end, head token.Pos) item {
	// Line comments can say that lines have other numbers; they do not count here.
	return item{g.file.PositionFor(begin, false).Line, g.file.PositionFor(end-1, false).Line, excerpt.OneLine(g.source(begin, head))}
}

func (g goFile) source(from, to token.Pos) string {
	size := len(g.content)
	a, b := g.file.Offset(from), g.file.Offset(to)
	return string(g.content[min(a, size):max(min(a, size), min(b, a+2*outlineLine, size))])
}

// specs are the types, constants and variables of a declaration; imports are no part of an outline.
func (g goFile) specs(d *ast.GenDecl) []item {
	var items []item
	for _, spec := range d.Specs {
		begin := spec.Pos()
		if !d.Lparen.IsValid() {
			begin = d.Pos()
		}
		switch s := spec.(type) {
		case *ast.TypeSpec:
			it := g.item(begin, s.End(), s.Name.End())
			it.text = "type " + s.Name.Name + kindOf(s.Type)
			items = append(items, it)
		case *ast.ValueSpec:
			it := g.item(begin, s.End(), s.Names[len(s.Names)-1].End())
			it.text = d.Tok.String() + " " + g.source(s.Pos(), s.Names[len(s.Names)-1].End())
			items = append(items, it)
		}
	}
	return items
}

func kindOf(e ast.Expr) string {
	switch e.(type) {
	case *ast.StructType:
		return " struct"
	case *ast.InterfaceType:
		return " interface"
	case *ast.FuncType:
		return " func"
	}
	return ""
}
