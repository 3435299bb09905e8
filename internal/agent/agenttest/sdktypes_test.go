package agenttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// schema is a JSON Schema.
type schema = map[string]any

// sdkTypes reads the types of a Go SDK, which are generated from the description of an API, as JSON Schemas.
type sdkTypes struct {
	t          testing.TB
	named      map[string]*ast.TypeSpec
	values     map[string][]string     // of types that are strings, by their constants
	variants   map[string][]*ast.Field // of unions in answers, by their methods
	documented []documentation
	nulls      bool // whether fields that may be left out may be null, too
	defs       map[string]schema
}

// readSDK reads files of the SDK, which may be of several packages.
func readSDK(t testing.TB, dir string, patterns ...string) *sdkTypes {
	t.Helper()
	s := &sdkTypes{t: t, named: map[string]*ast.TypeSpec{}, values: map[string][]string{}, variants: map[string][]*ast.Field{}, defs: map[string]schema{}}
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no source in %s: %v", dir, err)
		}
		for _, path := range files {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				s.declared(d)
			}
		}
	}
	return s
}

func (s *sdkTypes) declared(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		s.variant(d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if s.named[spec.Name.Name] != nil {
					s.t.Fatalf("there are two %s", spec.Name.Name)
				}
				s.named[spec.Name.Name] = spec
			case *ast.ValueSpec:
				s.constant(spec)
			}
		}
	}
}

func (s *sdkTypes) constant(spec *ast.ValueSpec) {
	of, ok := spec.Type.(*ast.Ident)
	if !ok || len(spec.Values) != 1 {
		return
	}
	if is, ok := spec.Values[0].(*ast.BasicLit); ok && is.Kind == token.STRING {
		text, _ := strconv.Unquote(is.Value) // it has been parsed as Go
		s.values[of.Name] = append(s.values[of.Name], text)
	}
}

func (s *sdkTypes) structOf(name string) *ast.StructType {
	if spec := s.named[name]; spec != nil {
		body, _ := spec.Type.(*ast.StructType)
		return body
	}
	return nil
}

// define describes a struct and all that it refers to.
func (s *sdkTypes) define(name string) {
	if s.defs[name] != nil {
		return
	}
	s.defs[name] = schema{} // types may hold themselves
	body := s.structOf(name)
	switch {
	case body == nil:
		s.t.Fatalf("there is no struct %s", name)
	case embeds(body, "paramUnion"):
		s.defs[name] = s.union(body.Fields.List)
	case s.variants[name] != nil:
		s.defs[name] = s.union(s.variants[name])
	default:
		s.defs[name] = s.object(name, body)
	}
}

func embeds(body *ast.StructType, name string) bool {
	return slices.ContainsFunc(body.Fields.List, func(f *ast.Field) bool {
		is, ok := f.Type.(*ast.Ident)
		return ok && len(f.Names) == 0 && is.Name == name
	})
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
			needed := tag.Get("api") == "required" || tag.Get("default") != ""
			if needed {
				required = append(required, field)
			}
			if tag.Get("api") == "nullable" || s.nulls && (!needed && embeds(body, "paramObj") || needed && isOpt(f.Type)) {
				orNull(field)(properties)
			}
		}
	}
	for _, add := range s.documented {
		if add.of == strings.TrimPrefix(name, "Beta") {
			add.to(properties)
		}
	}
	if len(required) > 0 {
		d["required"] = required
	}
	return d
}

// isOpt tells a param.Opt. It is needed for what must be there only where that may be null.
func isOpt(e ast.Expr) bool {
	_, ok := e.(*ast.IndexExpr)
	return ok
}
