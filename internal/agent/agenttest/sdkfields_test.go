package agenttest

import (
	"go/ast"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// kindsOf are the types by which an object tells what it is, nil for one that has none, and whether it must.
func (s *sdkTypes) kindsOf(body *ast.StructType) (kinds []string, told bool) {
	if body == nil {
		return nil, false
	}
	for _, f := range body.Fields.List {
		tag := tagOf(f)
		if name, _, _ := strings.Cut(tag.Get("json"), ","); name != "type" {
			continue
		}
		if only := tag.Get("default"); only != "" {
			return []string{only}, true
		}
		kinds, _ = s.field(f)["enum"].([]string)
		return kinds, tag.Get("api") == "required"
	}
	return nil, false
}

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
		switch {
		case s.structs[e.Name] != nil:
			s.define(e.Name)
			return schema{"$ref": "#/$defs/" + e.Name}
		case values != nil:
			return schema{"type": "string", "enum": values}
		case basic[e.Name] != nil:
			return basic[e.Name]
		}
		return basic["string"]
	case *ast.SelectorExpr:
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
