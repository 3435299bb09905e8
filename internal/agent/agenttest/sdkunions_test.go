package agenttest

import (
	"go/ast"
	"slices"
	"strings"
)

// variant notes what a union of an answer may be: it has a method for each, named As.
func (s *sdkTypes) variant(f *ast.FuncDecl) {
	if f.Recv == nil || !strings.HasPrefix(f.Name.Name, "As") || len(f.Type.Params.List) > 0 || f.Type.Results == nil {
		return
	}
	of, ok := f.Recv.List[0].Type.(*ast.Ident)
	if result := f.Type.Results.List[0]; ok && len(result.Names) > 0 { // that of AsAny, which is one of them, has no name
		s.variants[of.Name] = append(s.variants[of.Name], result)
	}
}

// alike are alternatives that an object may mean with the same type.
type alike struct {
	types []string
	told  bool // an object must have its type
	all   []any
}

func (a alike) like(b alike) bool {
	return !a.told && !b.told || slices.ContainsFunc(a.types, func(one string) bool { return slices.Contains(b.types, one) })
}

func (a alike) with(b alike) alike {
	for _, one := range b.types {
		if !slices.Contains(a.types, one) {
			a.types = append(a.types, one)
		}
	}
	return alike{a.types, a.told && b.told, append(a.all, b.all...)}
}

// union describes alternatives. Objects are told apart by their type, or else their role, so that an error is about the one that was meant.
func (s *sdkTypes) union(alternatives []*ast.Field) schema {
	by := "role"
	if slices.ContainsFunc(alternatives, func(f *ast.Field) bool { return s.tells(f, "type") }) {
		by = "type"
	}
	var others []any
	var groups []alike
	for _, f := range alternatives {
		if len(f.Names) == 0 {
			continue
		}
		as := s.field(f)
		types, told := s.typesOf(s.structOf(refOf(as)), by)
		if types == nil {
			others = append(others, as)
			continue
		}
		one := alike{types, told, []any{as}}
		groups = slices.DeleteFunc(groups, func(a alike) bool {
			if a.like(one) {
				one = a.with(one)
				return true
			}
			return false
		})
		groups = append(groups, one)
	}
	if len(groups) == 0 {
		return schema{"anyOf": others}
	}
	objects := toldApart(by, groups)
	if len(others) == 0 {
		return objects
	}
	return schema{"anyOf": append(others, objects)}
}

func (s *sdkTypes) tells(f *ast.Field, by string) bool {
	types, _ := s.typesOf(s.structOf(refOf(s.field(f))), by)
	return types != nil
}

// toldApart describes objects by the value of a field.
func toldApart(by string, groups []alike) schema {
	var names []string
	var each []any
	allTell := true
	for _, a := range groups {
		meant := schema{"properties": schema{by: schema{"enum": a.types}}}
		if a.told {
			meant["required"] = []string{by}
		}
		then := a.all[0]
		if len(a.all) > 1 {
			then = schema{"anyOf": a.all}
		}
		names, allTell = append(names, a.types...), allTell && a.told
		each = append(each, schema{"if": meant, "then": then})
	}
	objects := schema{"type": "object", "properties": schema{by: schema{"enum": names}}, "allOf": each}
	if allTell {
		objects["required"] = []string{by}
	}
	return objects
}

// typesOf are the values of a field by which an object tells what it is, nil for one that has none, and whether it must.
func (s *sdkTypes) typesOf(body *ast.StructType, by string) (types []string, told bool) {
	if body == nil {
		return nil, false
	}
	for _, f := range body.Fields.List {
		tag := tagOf(f)
		if name, _, _ := strings.Cut(tag.Get("json"), ","); name != by {
			continue
		}
		if only := tag.Get("default"); only != "" {
			return []string{only}, true
		}
		types, _ = s.field(f)["enum"].([]string)
		return types, tag.Get("api") == "required"
	}
	return nil, false
}

func refOf(of schema) string {
	ref, _ := of["$ref"].(string)
	return strings.TrimPrefix(ref, "#/$defs/")
}
