package task

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPlanTextStaysInItsSection: nothing that a model writes into one part of a plan ends up in another one.
func TestPlanTextStaysInItsSection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"open fence":               {"ok\n\n```\nx", "ok\n\n```\nx\n```"},
		"open fence of tildes":     {"~~~~ sh\n~~~\nx", "~~~~ sh\n~~~\nx\n~~~~"},
		"closed fence":             {"```go\n## Deliverables\n- [ ] FEAT-009: x\n```\nend", "```go\n## Deliverables\n- [ ] FEAT-009: x\n```\nend"},
		"fence in a list":          {"1. a\n   ```sh\n   x\n   ```\n2. b", "1. a\n   ```sh\n   x\n   ```\n2. b"},
		"fence of a list left":     {"- a\n  ```\n  x\n## Deliverables", "- a\n  ```\n  x\n  ```\n\\## Deliverables"},
		"fence closed further out": {"  ```\n  x\n```\n## Risks", "  ```\n  x\n  ```\n\\## Risks"},
		"fence that only one ends": {"```\nx\n``` y\n   ```\n## Risks", "```\nx\n\\``` y\n   \\```\n## Risks\n```"},
		"fence that is none":       {"```a`b\n## Risks", "\\```a`b\n\\## Risks"},
		"fence behind a mark":      {"- ```\n## Risks", "- \\```\n\\## Risks"},
		"heading":                  {"## Deliverables\n#tag\n###### x", "\\## Deliverables\n#tag\n\\###### x"},
		"heading in a list":        {"- 1. # Risks", "- 1. \\# Risks"},
		"heading by underline":     {"Plan B\n===\n\nmore\n---\n\n---", "Plan B\n\\===\n\nmore\n\\---\n\n---"},
		"heading behind a sign":    {"\u200b## Risks\u2028## Files\r\x0c# Risks", "\\## Risks\n\\## Files\n\\# Risks"},
		"bold name of a section":   {"**Deliver&#97;bles:**", "> \\*\\*Deliver&#97;bles:\\*\\*"},
		"what ends a plan":         {"Fine. Reply with *what\nis to* change, or decide:", "Fine. Reply with *what\n> is to\\* change, or decide:"},
		"verdict":                  {"**Verdict:** declined", "**Verdict\\:** declined"},
		"deliverable":              {"- [x] FEAT-009: x\n- [ ] plain", "- \\[x] FEAT-009: x\n- [ ] plain"},
		"hidden":                   {"a\u200bb\U000E0041c\u202ed", "abcd"},
	} {
		if diff := cmp.Diff(c.want, tame(c.in)); diff != "" {
			t.Errorf("%s: want (-), got (+):\n%s", name, diff)
		}
		holdsTogether(t, c.in)
	}
}

func holdsTogether(t *testing.T, text string) {
	t.Helper()
	p := Plan{Verdict: VerdictWork, Summary: "S\n" + text, Evidence: "E\n" + text, Approach: "A\n" + text, Files: []string{"f.go"},
		Risks: []string{"R " + text}, Deliverables: []Deliverable{
			pending("FEAT-001", "d "+text, "c "+text, "e")}}
	got, err := PlanFromText(p.Markdown())
	if err != nil {
		if len(p.Markdown()) <= maxDraft {
			t.Errorf("%q: %v", text, err)
		}
		return
	}
	if !strings.HasPrefix(got.Summary, "S") || !strings.HasPrefix(got.Evidence, "E") || !strings.HasPrefix(got.Approach, "A") ||
		got.Verdict != VerdictWork || !slices.Equal(got.Files, p.Files) || len(got.Risks) != 1 {
		t.Errorf("%q is read back as %+v", text, got)
	}
	if d := got.Deliverables; len(d) != 1 || d[0].ID != "FEAT-001" || len(d[0].Acceptance) != 2 || d[0].Acceptance[1] != "e" {
		t.Errorf("%q is read back with %+v", text, d)
	}
}

func FuzzPlanTextStaysInItsSection(f *testing.F) {
	for _, s := range []string{"```\nx", "- a\n  ```\n## Risks", "  ~~~\n```\n~~~~ x\n# Tasks\n", "1. # Files\n\n\t```\n\t- [ ] A-1: b",
		"Verdict: declined", "Files\n---\n- x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 3000 {
			return
		}
		holdsTogether(t, text)
		if once := tame(text); tame(once) != once && !strings.Contains(once, "```") && !strings.Contains(once, "~~~") {
			t.Errorf("%q is changed twice: %q, %q", text, once, tame(once))
		}
	})
}

func TestPlanItemsStayOneLine(t *testing.T) {
	t.Parallel()
	p := Plan{Summary: "S", Files: []string{"a\nb.go", "x`y"}, Risks: []string{"# Deliverables", "```", "- more", "1. more", "> said", "==="},
		Deliverables: []Deliverable{{ID: "A-001", Description: "a\n## Files\nb", Acceptance: []string{"the tests pass\n", "\u200b~~~ x"}, Status: Blocked, Reason: "no\n# x"}}}
	want := "# Plan\n\n## Summary\n\nS\n\n## Files\n\n- `a b.go`\n- x\\`y\n\n## Risks\n\n- \\# Deliverables\n- \\```\n- \\- more\n- 1\\. more\n- \\> said\n- \\===\n\n" +
		"## Deliverables\n\n- [ ] A-001: a ## Files b (blocked: no # x)\n  - the tests pass\n  - \\~~~ x\n"
	if diff := cmp.Diff(want, p.Markdown()); diff != "" {
		t.Error(diff)
	}
}
