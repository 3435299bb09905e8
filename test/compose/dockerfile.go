package compose

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
	"mvdan.cc/sh/v3/syntax"
)

// Image is a Dockerfile and the build context that its instructions see.
type Image struct {
	root    string
	stages  []instructions.Stage
	ignored *patternmatcher.PatternMatcher
}

// ParseImage reads a Dockerfile with BuildKit's parser, and a .dockerignore file as the client reads it.
func ParseImage(root string, dockerfile, dockerignore []byte) (*Image, error) {
	tree, err := parser.Parse(bytes.NewReader(dockerfile))
	if err != nil {
		return nil, fmt.Errorf("parse Dockerfile: %w", err)
	}
	stages, _, err := instructions.Parse(tree.AST, nil)
	if err != nil {
		return nil, fmt.Errorf("parse Dockerfile: %w", err)
	}
	patterns, err := ignorefile.ReadAll(bytes.NewReader(dockerignore))
	if err != nil {
		return nil, fmt.Errorf("parse .dockerignore: %w", err)
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		return nil, fmt.Errorf("parse .dockerignore: %w", err)
	}
	return &Image{root: root, stages: stages, ignored: ignored}, nil
}

// Check gives every broken promise of the Dockerfile.
func (i *Image) Check() []error {
	var broken []error
	for n, stage := range i.stages {
		broken = append(broken, i.base(n)...)
		for _, command := range stage.Commands {
			for _, err := range i.command(n, command) {
				broken = append(broken, fmt.Errorf("line %d: %w", command.Location()[0].Start.Line, err))
			}
		}
	}
	return append(append(broken, i.context()...), i.final()...)
}

// base checks what a stage starts from: an exact image, and the Go release that go.mod names.
func (i *Image) base(n int) []error {
	name := i.stages[n].BaseName
	if i.stage(name, n) || name == "scratch" {
		return nil
	}
	broken := each(exactImage(name))
	if tag, ok := strings.CutPrefix(name, "golang:"); ok {
		gomod, err := os.ReadFile(filepath.Join(i.root, "go.mod"))
		if err != nil {
			return append(broken, fmt.Errorf("read the Go release: %w", err))
		}
		want := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(gomod)
		broken = append(broken, each(when(want == nil || !strings.HasPrefix(tag, string(want[1])+"-"), "base %s is not the release that go.mod names", name))...)
	}
	return broken
}

// stage tells whether an earlier stage has the name.
func (i *Image) stage(name string, before int) bool {
	return slices.ContainsFunc(i.stages[:before], func(s instructions.Stage) bool { return s.Name != "" && s.Name == name })
}

func (i *Image) command(n int, command instructions.Command) []error {
	switch c := command.(type) {
	case *instructions.AddCommand:
		return each(when(true, "ADD fetches and unpacks by itself; use COPY"))
	case *instructions.CopyCommand:
		if c.From != "" {
			return each(when(!i.stage(c.From, n), "COPY --from=%s: no earlier stage has this name", c.From))
		}
		var broken []error
		for _, source := range c.SourcePaths {
			broken = append(broken, each(missing(filepath.Join(i.root, source)), i.excluded(source))...)
		}
		return broken
	case *instructions.RunCommand:
		line := strings.Join(c.CmdLine, " ")
		return each(
			parses(strings.NewReader(line), syntax.LangPOSIX, "RUN"),
			when(strings.Contains(line, "npm install"), "npm install takes what is newest; use npm ci and the lock file"),
			when(regexp.MustCompile(`\b(curl|wget)\b`).MatchString(line), "fetches a file that nothing pins"),
		)
	case *instructions.EnvCommand:
		return i.environment(c.Env)
	case *instructions.ArgCommand:
		var broken []error
		for _, arg := range c.Args {
			broken = append(broken, each(when(secretName.MatchString(arg.Key), "ARG %s: the image's history would keep a secret", arg.Key))...)
		}
		return broken
	}
	return nil
}

func (i *Image) excluded(source string) error {
	ignored, err := i.ignored.MatchesOrParentMatches(path.Clean(source))
	if err != nil {
		return fmt.Errorf("match .dockerignore: %w", err)
	}
	return when(ignored, ".dockerignore leaves out %s", source)
}

func (i *Image) environment(pairs instructions.KeyValuePairs) []error {
	known, err := KnownVariables(i.root)
	if err != nil {
		return []error{err}
	}
	var broken []error
	for _, pair := range pairs {
		broken = append(broken, each(
			when(secretName.MatchString(pair.Key), "ENV %s would keep a secret in the image", pair.Key),
			when(strings.HasPrefix(pair.Key, "LONGSHIFT_") && !known.Variables[pair.Key], "ENV %s: the worker does not read such a variable", pair.Key),
		)...)
	}
	return broken
}
