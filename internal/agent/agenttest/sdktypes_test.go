package agenttest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// schema is a JSON Schema.
type schema = map[string]any

// sdkTypes reads the types of Anthropic's Go SDK, which are generated from the description of the API, as JSON Schemas.
type sdkTypes struct {
	t       testing.TB
	structs map[string]*ast.StructType
	defs    map[string]schema
}

func readSDK(t testing.TB, dir string) *sdkTypes {
	t.Helper()
	s := &sdkTypes{t: t, structs: map[string]*ast.StructType{}, defs: map[string]schema{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no source in %s: %v", dir, err)
	}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if body, ok := spec.Type.(*ast.StructType); ok {
					s.structs[spec.Name.Name] = body
				}
			}
			return true
		})
	}
	return s
}

// define describes a type and all that it refers to.
func (s *sdkTypes) define(name string) {
	if s.defs[name] != nil {
		return
	}
	s.defs[name] = schema{} // types may hold themselves
	body := s.structs[name]
	if slices.ContainsFunc(body.Fields.List, func(f *ast.Field) bool { return len(f.Names) == 0 && fmt.Sprint(f.Type) == "paramUnion" }) {
		s.defs[name] = s.union(body)
		return
	}
	s.defs[name] = s.object(name, body)
}

// object describes a struct. The API refuses fields that it does not know, except where the SDK passes on any.
func (s *sdkTypes) object(name string, body *ast.StructType) schema {
	properties, required := schema{}, []string{}
	d := schema{"type": "object", "additionalProperties": false, "properties": properties}
	for _, f := range body.Fields.List {
		tag := tagOf(f)
		field, _, _ := strings.Cut(tag.Get("json"), ",")
		switch {
		case tag.Get("api") == "extrafields":
			d["additionalProperties"] = true
		case len(f.Names) == 0 || field == "-" || field == "":
		default:
			properties[field] = s.field(f)
			if tag.Get("api") == "required" || tag.Get("default") != "" {
				required = append(required, field)
			}
		}
	}
	for _, add := range documented {
		if add.of == strings.TrimPrefix(name, "Beta") {
			add.to(properties)
		}
	}
	if len(required) > 0 {
		d["required"] = required
	}
	return d
}

// union describes alternatives. Objects are told apart by their type, so that an error is about the one that was meant.
func (s *sdkTypes) union(body *ast.StructType) schema {
	var others, typed []any
	var names []string
	allTell := true
	for _, f := range body.Fields.List {
		if len(f.Names) == 0 {
			continue
		}
		alternative := s.field(f)
		ref, _ := alternative["$ref"].(string)
		kinds, told := s.kindsOf(s.structs[strings.TrimPrefix(ref, "#/$defs/")])
		if kinds == nil {
			others = append(others, alternative)
			continue
		}
		meant := schema{"properties": schema{"type": schema{"enum": kinds}}}
		if told {
			meant["required"] = []string{"type"}
		}
		names, allTell = append(names, kinds...), allTell && told
		typed = append(typed, schema{"if": meant, "then": alternative})
	}
	if len(typed) == 0 {
		return schema{"anyOf": others}
	}
	objects := schema{"type": "object", "properties": schema{"type": schema{"enum": names}}, "allOf": typed}
	if allTell {
		objects["required"] = []string{"type"}
	}
	if len(others) == 0 {
		return objects
	}
	return schema{"anyOf": append(others, objects)}
}

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
