// Package compose checks what docker-compose.temporal.yml and the image's Dockerfile promise, without a container engine:
// the compose specification's own loader and schema, BuildKit's own Dockerfile parser, and rules of ours on top of them.
// It starts no container and asks no registry, so it can't tell whether a tag is there to be pulled.
package compose

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v4"
)

// Stack is the compose file, with its overlays, and the repository around it.
type Stack struct {
	Root    string // the repository's root, absolute
	Project *types.Project

	variables []string // what the files take from the operator's environment, as written
}

// Load reads compose files as `docker compose -f a -f b` does, every profile included and no variable set. The first
// error of the specification's schema, of a merge or of a reference is returned.
func Load(ctx context.Context, root string, files ...string) (*Stack, error) {
	s := &Stack{Root: root}
	details := types.ConfigDetails{WorkingDir: root, Environment: types.Mapping{}}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read compose file: %w", err)
		}
		var tree map[string]any
		if err := yaml.Unmarshal(content, &tree); err != nil {
			return nil, fmt.Errorf("parse %s: %w", filepath.Base(file), err)
		}
		s.variables = append(s.variables, interpolated(tree)...)
		details.ConfigFiles = append(details.ConfigFiles, types.ConfigFile{Filename: file, Content: content})
	}
	project, err := loader.LoadWithContext(ctx, details, func(o *loader.Options) { o.Profiles = []string{"*"} })
	if err != nil {
		return nil, fmt.Errorf("load compose files: %w", err)
	}
	s.Project = project
	return s, nil
}

// Check gives every broken promise of the stack.
func (s *Stack) Check() []error {
	var broken []error
	for _, check := range []func(*Stack) []error{
		images, versions, lifecycles, dependencies, secrets, reach, containment, limits, volumes, variables, settings, shells,
	} {
		broken = append(broken, check(s)...)
	}
	return broken
}

// services calls one check per service, in the order of their names.
func (s *Stack) services(check func(types.ServiceConfig) []error) []error {
	var broken []error
	for _, name := range slices.Sorted(maps.Keys(s.Project.Services)) {
		for _, err := range check(s.Project.Services[name]) {
			broken = append(broken, fmt.Errorf("service %s: %w", name, err))
		}
	}
	return broken
}

// oneShot tells whether others wait for the service to end.
func (s *Stack) oneShot(name string) bool {
	for _, other := range s.Project.Services {
		if other.DependsOn[name].Condition == types.ServiceConditionCompletedSuccessfully {
			return true
		}
	}
	return false
}

// ours tells whether the service runs our image.
func ours(service types.ServiceConfig) bool { return service.Build != nil }

// when gives the error if the condition holds, for lists of rules.
func when(broken bool, format string, args ...any) error {
	if !broken {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// each drops the rules that hold.
func each(rules ...error) []error {
	return slices.DeleteFunc(rules, func(err error) bool { return err == nil })
}
