package agenttest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
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
