package archtest

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/longshift/longshift/workflows"
)

// TestTreeOfArchitecture holds the map in ARCHITECTURE.md to the packages and to the files of workflows.
func TestTreeOfArchitecture(t *testing.T) {
	_, rest, _ := strings.Cut(read(t, "ARCHITECTURE.md"), "```\n")
	tree, _, closed := strings.Cut(rest, "```\n")
	flows, others, ok := strings.Cut(tree, "\nactivities/")
	if !closed || !ok {
		t.Fatal("ARCHITECTURE.md has lost its tree")
	}
	lines := strings.Split(others, "\n")
	for _, p := range packages(t) {
		dir := strings.TrimPrefix(p.ImportPath, module+"/")
		if len(p.GoFiles) == 0 || isTestSupport(p.ImportPath) || !strings.HasPrefix(dir, "internal/") {
			continue
		}
		if !hasPackage(lines, dir) {
			t.Errorf("the tree in ARCHITECTURE.md lacks %s", dir)
		}
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "workflows", "*.go"))
	if err != nil || len(files) < 40 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		if base := filepath.Base(f); !strings.HasSuffix(base, "_test.go") && !names(flows, base) {
			t.Errorf("the tree in ARCHITECTURE.md lacks workflows/%s", base)
		}
	}
}

func names(text, name string) bool {
	return regexp.MustCompile(`(?m)(^|[ (/])` + regexp.QuoteMeta(name) + `([/ ,;.:)]|$)`).MatchString(text)
}

// hasPackage tells whether a package has a line of its own in the tree, at its place, or is named in what is said of its parent.
func hasPackage(tree []string, dir string) bool {
	upTo := func(end func(line string) bool) []string {
		if i := slices.IndexFunc(tree[1:], end); i >= 0 {
			return tree[:i+1]
		}
		return tree
	}
	for depth, name := range strings.Split(dir, "/") {
		indent := strings.Repeat("  ", depth)
		deeper := func(line string) bool { return strings.HasPrefix(line, indent+" ") }
		at := slices.IndexFunc(tree, func(line string) bool { return strings.HasPrefix(line, indent+name+"/") })
		if at < 0 {
			parent := upTo(func(line string) bool { return strings.HasPrefix(line, indent) && !deeper(line) })
			return names(strings.Join(parent, "\n"), filepath.Base(dir))
		}
		tree = tree[at:]
		tree = upTo(func(line string) bool { return !deeper(line) })
	}
	return true
}

// registry notes which workflows are registered.
type registry struct {
	worker.WorkflowRegistry
	names []string
}

func (r *registry) RegisterWorkflowWithOptions(_ any, o workflow.RegisterOptions) {
	r.names = append(r.names, o.Name)
}

// TestWorkflowsInDocs holds the page about Temporal to the workflows that there are.
func TestWorkflowsInDocs(t *testing.T) {
	r := &registry{}
	workflows.Register(r)
	page := read(t, "docs", "temporal.md")
	slices.Sort(r.names)
	for _, name := range r.names {
		if !strings.Contains(page, "| `"+name+"` |") && !strings.Contains(page, "type `"+name+"`") {
			t.Errorf("docs/temporal.md does not name the workflow %s", name)
		}
	}
}
