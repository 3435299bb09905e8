package forgetest

import (
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"
)

type graphAnswer struct {
	vars map[string]any
	err  error
}

func (a *graphAnswer) object(set ast.SelectionSet, from node) map[string]any {
	out := map[string]any{}
	for _, s := range set {
		f, ok := s.(*ast.Field)
		if !ok {
			a.err = fmt.Errorf("a fragment: %T", s)
			continue
		}
		v, known := from[f.Name]
		if !known {
			a.err = fmt.Errorf("field %s", f.Name)
			continue
		}
		if do, ok := v.(field); ok {
			v = do(f.ArgumentMap(a.vars))
		}
		if v == nil && f.Definition.Type.NonNull {
			a.err = fmt.Errorf("field %s is null", f.Name)
		}
		out[f.Alias] = a.value(f.SelectionSet, v)
	}
	return out
}

func (a *graphAnswer) value(set ast.SelectionSet, v any) any {
	switch v := v.(type) {
	case node:
		return a.object(set, v)
	case []node:
		list := []any{}
		for _, n := range v {
			list = append(list, a.object(set, n))
		}
		return list
	}
	return v
}
