package lineartest

import (
	"encoding/base64"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

// object resolves one of its fields to a JSON value, another object, or a list of objects.
type object func(field string, args map[string]any) (any, error)

// fields is an object of plain values; functions are called with the arguments.
type fields map[string]any

func (f fields) object(kind string) object {
	return func(field string, args map[string]any) (any, error) {
		if field == "__typename" {
			return kind, nil
		}
		v, ok := f[field]
		if !ok {
			return nil, fmt.Errorf("%s.%s is not played", kind, field)
		}
		if call, ok := v.(func(map[string]any) (any, error)); ok {
			return call(args)
		}
		return v, nil
	}
}

// run executes an operation.
func (s *Server) run(op *ast.OperationDefinition, vars map[string]any) (any, error) {
	root := s.query()
	if op.Operation == ast.Mutation {
		root, s.ws.lists = s.mutation(), nil
	}
	return fill(root, op.SelectionSet, vars)
}

// fill resolves a selection.
func fill(o object, set ast.SelectionSet, vars map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for _, sel := range set {
		var inner map[string]any
		var err error
		switch sel := sel.(type) {
		case *ast.FragmentSpread:
			inner, err = fill(o, sel.Definition.SelectionSet, vars)
		case *ast.InlineFragment:
			inner, err = fill(o, sel.SelectionSet, vars)
		case *ast.Field:
			var v any
			if v, err = o(sel.Name, sel.ArgumentMap(vars)); err == nil {
				v, err = value(v, sel.SelectionSet, vars)
			}
			inner = map[string]any{sel.Alias: v}
		}
		if err != nil {
			return nil, err
		}
		maps.Copy(out, inner)
	}
	return out, nil
}

func value(v any, set ast.SelectionSet, vars map[string]any) (any, error) {
	switch v := v.(type) {
	case object:
		if v == nil {
			return nil, nil
		}
		return fill(v, set, vars)
	case []object:
		all := []any{}
		for _, o := range v {
			one, err := fill(o, set, vars)
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
		return all, nil
	case time.Time:
		if v.IsZero() {
			return nil, nil
		}
		return v.UTC().Format("2006-01-02T15:04:05.000Z"), nil
	}
	return v, nil
}

// connection returns a page of a list. Cursors are opaque; they contain the entry's id.
func connection[T any](kind string, args map[string]any, all []T, id func(T) string, show func(T) object) (any, error) {
	first, err := number(args["first"], 50)
	if err != nil || first < 1 || first > MaxPage {
		return nil, complaint{"INPUT_ERROR", "invalid input", fmt.Sprintf("first must be between 1 and %d", MaxPage)}
	}
	for name := range args {
		if !slices.Contains([]string{"first", "after", "filter", "sort"}, name) {
			return nil, fmt.Errorf("argument %q of %s is not played", name, kind)
		}
	}
	from := 0
	if after, ok := args["after"].(string); ok {
		raw, err := base64.RawURLEncoding.DecodeString(after)
		from = slices.IndexFunc(all, func(t T) bool { return id(t) == string(raw) }) + 1
		if err != nil || from == 0 {
			return nil, complaint{"INPUT_ERROR", "invalid input", "Argument Validation Error: after is no cursor"}
		}
	}
	rest := all[from:]
	shown := rest[:min(len(rest), first)]
	nodes, end := []object{}, any(nil)
	for _, t := range shown {
		nodes = append(nodes, show(t))
		end = base64.RawURLEncoding.EncodeToString([]byte(id(t)))
	}
	info := fields{"hasNextPage": len(shown) < len(rest), "endCursor": end}.object("PageInfo")
	return fields{"nodes": nodes, "pageInfo": info}.object(kind), nil
}

// number reads an Int, whose Go type differs between variables and literals.
func number(v any, or int) (int, error) {
	if v == nil {
		return or, nil
	}
	return strconv.Atoi(fmt.Sprint(v))
}

var uuid4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// take reserves an id, which can be used only once.
func (s *Server) take(kind string, v any) (string, error) {
	id, given := v.(string)
	switch {
	case !given:
		id = s.id(kind)
	case !uuid4.MatchString(id):
		return "", complaint{"INPUT_ERROR", "invalid input", "Argument Validation Error: id must be a UUID"}
	case s.ws.taken[id]:
		return "", complaint{"INPUT_ERROR", "invalid input", "Conflict on insert of " + kind + ": an entity with this id already exists"}
	}
	s.ws.taken[id] = true
	return id, nil
}

func itoa(n int) string { return strconv.Itoa(n) }
