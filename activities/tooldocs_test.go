package activities

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/task"
)

var update = flag.Bool("update", false, "write docs/tools.md")

// TestToolsReference holds docs/tools.md to the tools that sessions of Longshift's own agent have.
func TestToolsReference(t *testing.T) {
	const file = "../docs/tools.md"
	want := toolsReference(t)
	if *update {
		must(t, os.WriteFile(file, []byte(want), 0o644))
	}
	got, err := os.ReadFile(file)
	must(t, err)
	if string(got) != want {
		t.Error("docs/tools.md differs from what sessions are offered; run `go test ./activities -run TestToolsReference -update`")
	}
}

func toolsReference(t *testing.T) string {
	t.Helper()
	roles := map[string][]string{}
	var all []transcript.Tool
	for _, role := range []task.Role{task.Implementer, task.Planner, task.Reviewer} {
		for _, tool := range offered(role, limitsOf(task.NativeSettings{})) {
			if roles[tool.Name] == nil {
				all = append(all, tool)
			}
			roles[tool.Name] = append(roles[tool.Name], string(role))
		}
	}
	var b strings.Builder
	b.WriteString(toolsHead)
	for _, tool := range all {
		of := strings.Join(roles[tool.Name], ", ")
		if len(roles[tool.Name]) == 3 {
			of = "every role"
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\nClass: %s. For: %s.\n%s", tool.Name, tool.Text, classOf(tool.Name), of, argumentsOf(t, tool))
	}
	return b.String()
}

const toolsHead = `# Tools of the native agent

What sessions of ` + "`agent: native`" + ` can do, as their model is told of it. This page is made from the program.

Each result is a JSON object with ` + "`success`" + `, and with ` + "`error`" + ` when that is false: what was wrong, and what to do instead. Paths are
relative to the workspace; none leads out of it. The rules for commands and paths ([security](security.md)) hold for every call, and each is in
the command log. Calls of one answer that only read are made side by side, at most ten; all others in their order, one at a time. A call whose
class is ` + "`write`" + ` is in no session of a planner or a reviewer, and ` + "`run_command`" + ` can't write there.
`

// argumentsOf is a table of the arguments of a tool.
func argumentsOf(t *testing.T, tool transcript.Tool) string {
	t.Helper()
	var schema struct {
		Required   []string
		Properties map[string]struct {
			Type        any
			Description string
			Enum        []string
		}
	}
	must(t, json.Unmarshal(tool.Schema, &schema))
	if len(schema.Properties) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n| argument | type | what |\n|---|---|---|\n")
	names := slices.SortedFunc(maps.Keys(schema.Properties), func(x, y string) int {
		return cmp.Or(index(schema.Required, x)-index(schema.Required, y), strings.Compare(x, y))
	})
	for _, name := range names {
		p := schema.Properties[name]
		what := p.Description
		if len(p.Enum) > 0 {
			what = strings.TrimPrefix(strings.TrimSuffix(what, ".")+"; one of "+strings.Join(p.Enum, ", "), "; ")
		}
		if !slices.Contains(schema.Required, name) {
			what = strings.TrimSuffix("optional; "+what, "; ")
		}
		fmt.Fprintf(&b, "| `%s` | %v | %s |\n", name, p.Type, strings.ReplaceAll(what, "|", "\\|"))
	}
	return b.String()
}

// index puts what is required first, in its order.
func index(list []string, name string) int {
	if n := slices.Index(list, name); n >= 0 {
		return n
	}
	return len(list)
}
