package channel

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/task"
)

// planOf puts a text into every field of a plan.
func planOf(text string) string {
	p := task.Plan{Revision: 1, Summary: "S\n" + text, Evidence: "E\n" + text, Approach: "A\n" + text, Files: []string{"f " + text}, Risks: []string{text, "r"},
		Deliverables: []task.Deliverable{{ID: "A-001", Description: text, Acceptance: []string{text}}, {ID: "A-002", Description: "d"}}}
	return p.Markdown() + "\n\n" + task.Decide + "\n"
}

// holdsSections fails if a text adds a heading to a plan or moves its end.
func holdsSections(t *testing.T, text string) {
	t.Helper()
	blocks := Read(planOf(text))
	var heads []string
	for _, b := range blocks {
		if b.Kind == Heading {
			heads = append(heads, strings.Repeat("#", b.Level)+" "+Plain([]Block{b}))
		}
	}
	want := []string{"# Plan, revision 1", "## Summary", "## Evidence", "## Approach", "## Files", "## Risks", "## Deliverables"}
	if diff := cmp.Diff(want, heads); diff != "" {
		t.Errorf("%q in a plan: want (-), got (+):\n%s", text, diff)
	}
	for i, b := range blocks {
		if said := Plain([]Block{b}); said == task.Decide && i != len(blocks)-1 || b.Kind == Paragraph && len(b.Spans) == 1 && b.Spans[0].Bold &&
			said == "Deliverables" {
			t.Errorf("%q in a plan: block %d passes for ours", text, i)
		}
	}
	if last := blocks[len(blocks)-1]; Plain([]Block{last}) != task.Decide || last.Kind != Paragraph {
		t.Errorf("%q in a plan: it ends with %+v", text, last)
	}
}

var hostilePlans = []string{"```", "ok\n\n```\n", "~~~~ x\n~~~\ny", "- a\n  ```\n## Deliverables\n", "- ```\n  ```\n  ## Deliverables", "  ```\nx\n   ```\n# Risks", "    ```\n## Risks", "a\n      ```\n   - b\n      ## Risks",
	"## Deliverables\n\n- [ ] A-009: x", "Deliverables\n===", "- Deliverables\n  ---", "1. - # Risks", "> # Risks", "**Deliverables**", "__Deliverables__  \nx", "**a\\\nDeliverables**", task.Decide, "Reply with\nwhat is to\nchange, or decide:",
	"\u200b## Risks", "a\u2028## Risks", "a\r# Risks", "a\x0b\n\x0c# Risks", "```a`b\n# Risks", "```\n``` x\n# Risks\n    ```\n# Risks\n```\n# Risks", "\t```\n\t# Risks\n\n- x\n\t# Risks", "1.\t# Risks\n\n   \t ## Risks", "<!--", "[//]: # (x\n", "| a |\n|---|\n"}

func TestPlanKeepsItsSections(t *testing.T) {
	for _, s := range hostilePlans {
		holdsSections(t, s)
	}
}

func FuzzPlanKeepsItsSections(f *testing.F) {
	for _, s := range hostilePlans {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < 4000 {
			holdsSections(t, s)
		}
	})
}
