package compose

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/compose-spec/compose-go/v2/types"
)

// Known is what the worker reads from its environment, as its source says.
type Known struct {
	Variables map[string]bool
	Roles     map[string]bool
}

// temporal are the variables of Temporal's client that we set.
var temporal = []string{"TEMPORAL_ADDRESS", "TEMPORAL_NAMESPACE"}

// KnownVariables reads the tags of the worker's configuration. A secret has a variable for its file, too.
func KnownVariables(root string) (Known, error) {
	known := Known{Variables: map[string]bool{}, Roles: map[string]bool{}}
	for _, name := range temporal {
		known.Variables[name] = true
	}
	notTests := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), filepath.Join(root, "internal", "config"), notTests, 0)
	if err != nil {
		return Known{}, fmt.Errorf("read the worker's configuration: %w", err)
	}
	for _, p := range packages {
		ast.Inspect(p, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				known.field(n)
			case *ast.ValueSpec:
				known.role(n)
			}
			return true
		})
	}
	if len(known.Variables) == len(temporal) || len(known.Roles) == 0 {
		return Known{}, fmt.Errorf("no variables and roles found in internal/config")
	}
	return known, nil
}

func (k Known) field(field *ast.Field) {
	if field.Tag == nil {
		return
	}
	tag, err := strconv.Unquote(field.Tag.Value)
	if err != nil {
		return
	}
	name := reflect.StructTag(tag).Get("envconfig")
	if name == "" {
		return
	}
	k.Variables[name] = true
	if kind, ok := field.Type.(*ast.Ident); ok && kind.Name == "Secret" {
		k.Variables[name+"_FILE"], k.Variables[name+"_FD"] = true, true
	}
}

func (k Known) role(spec *ast.ValueSpec) {
	kind, ok := spec.Type.(*ast.Ident)
	if !ok || kind.Name != "Role" {
		return
	}
	for _, value := range spec.Values {
		if literal, ok := value.(*ast.BasicLit); ok {
			if role, err := strconv.Unquote(literal.Value); err == nil {
				k.Roles[role] = true
			}
		}
	}
}

// settings checks that every variable we give to a worker is one that it reads, and that its role is one there is.
func settings(s *Stack) []error {
	known, err := KnownVariables(s.Root)
	if err != nil {
		return []error{err}
	}
	return s.services(func(service types.ServiceConfig) []error {
		if !ours(service) {
			return nil
		}
		var broken []error
		for _, name := range slices.Sorted(maps.Keys(service.Environment)) {
			broken = append(broken, each(when(!known.Variables[name], "%s: the worker does not read such a variable", name))...)
		}
		role := service.Environment["LONGSHIFT_ROLE"]
		return append(broken, each(
			when(role == nil || !known.Roles[*role], "LONGSHIFT_ROLE is not one of %v", slices.Sorted(maps.Keys(known.Roles))),
			when(service.Environment["TEMPORAL_ADDRESS"] == nil, "TEMPORAL_ADDRESS is not set"),
		)...)
	})
}

// variable is what compose replaces in a value; $$ is a dollar sign.
var variable = regexp.MustCompile(`\$(?:\$|\w+|\{[^}]*\})`)

// interpolated gives the variables in the values of a compose file.
func interpolated(tree any) []string {
	var found []string
	switch tree := tree.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			found = append(found, interpolated(tree[name])...)
		}
	case []any:
		for _, item := range tree {
			found = append(found, interpolated(item)...)
		}
	case string:
		found = slices.DeleteFunc(variable.FindAllString(tree, -1), func(v string) bool { return v == "$$" })
	}
	return found
}

// withDefault is a variable that has one, be it empty.
var withDefault = regexp.MustCompile(`^\$\{\w+:?-`)

// variables checks that the stack starts without any setting: what an operator may set has a default.
func variables(s *Stack) []error {
	var broken []error
	for _, v := range s.variables {
		broken = append(broken, each(
			when(!withDefault.MatchString(v), "variable %s has no default; write ${NAME:-value}", v),
			when(secretName.MatchString(v), "variable %s would carry a secret; take it from a file", v),
		)...)
	}
	return broken
}
