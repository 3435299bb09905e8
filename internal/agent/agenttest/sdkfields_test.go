package agenttest

import (
	"fmt"
	"go/ast"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

var anyOfThese = regexp.MustCompile(`Any of ((?:"[^"]*",? ?)+)\.`)

func (s *sdkTypes) field(f *ast.Field) schema {
	if only := tagOf(f).Get("default"); only != "" {
		return schema{"const": only}
	}
	var values []string
	if m := anyOfThese.FindStringSubmatch(strings.Join(strings.Fields(f.Doc.Text()), " ")); m != nil {
		for v := range strings.SplitSeq(m[1], ", ") {
			value, err := strconv.Unquote(v)
			if err != nil {
				s.t.Fatalf("values %s: %v", m[1], err)
			}
			values = append(values, value)
		}
	}
	return s.typed(f.Type, values)
}

var basic = map[string]schema{"string": {"type": "string"}, "bool": {"type": "boolean"}, "int64": {"type": "integer"}, "float64": {"type": "number"}, "any": {}}

// typed describes a type whose strings may have these values only; nil for any.
func (s *sdkTypes) typed(e ast.Expr, values []string) schema {
	switch e := e.(type) {
	case *ast.StarExpr:
		return s.typed(e.X, values)
	case *ast.ArrayType:
		return schema{"type": "array", "items": s.typed(e.Elt, values)}
	case *ast.MapType:
		return schema{"type": "object", "additionalProperties": s.typed(e.Value, nil)}
	case *ast.IndexExpr: // param.Opt
		return s.typed(e.Index, values)
	case *ast.Ident:
		to := s.named[e.Name]
		switch {
		case s.structOf(e.Name) != nil:
			s.define(e.Name)
			return schema{"$ref": "#/$defs/" + e.Name}
		case to != nil && values == nil && !to.Assign.IsValid(): // the constants of an alias are examples
			return s.typed(to.Type, s.values[e.Name])
		case to != nil:
			return s.typed(to.Type, values)
		case values != nil:
			return schema{"type": "string", "enum": values}
		case basic[e.Name] != nil:
			return basic[e.Name]
		}
		return basic["string"]
	case *ast.SelectorExpr:
		if s.named[e.Sel.Name] != nil && fmt.Sprint(e.X) != "constant" { // of another package
			return s.typed(e.Sel, values)
		}
		return basic["string"] // a time or a constant
	}
	s.t.Fatalf("what is a %T %v?", e, e)
	return nil
}

func tagOf(f *ast.Field) reflect.StructTag {
	if f.Tag == nil {
		return ""
	}
	text, _ := strconv.Unquote(f.Tag.Value) // it has been parsed as Go
	return reflect.StructTag(text)
}
