package task

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlanFromText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       Plan
	}{
		{"task list", `# Plan

## Summary
Add a greeting.

## Approach
1. Write the test.
2. Write the function.

## Files
- ` + "`greet.go`" + `: the function
- greet_test.go - the test

## Risks
- Names may be empty.

## Deliverables
- [ ] FEAT-001: Greet exists
  - go test passes
  - an empty name
    gives "Hello"
- [x] **DOC-002**: README tells of it

## Testing
Run go test.
`, Plan{Verdict: VerdictWork, Summary: "Add a greeting.", Approach: "1. Write the test.\n2. Write the function.\n\nTesting:\nRun go test.",
			Files: []string{"greet.go", "greet_test.go"}, Risks: []string{"Names may be empty."},
			Deliverables: []Deliverable{pending("FEAT-001", "Greet exists", "go test passes", `an empty name gives "Hello"`), pending("DOC-002", "README tells of it")}}},
		{"headings", `Fix the parser.

## Tasks
### Task 1: Read empty files
Now they crash.
**Acceptance criteria:**
- no crash
- [ ] an error that names the file

### FIX-7: Say the line
`, Plan{Verdict: VerdictWork, Summary: "Fix the parser.", Deliverables: []Deliverable{
			pending("TASK-001", "Read empty files Now they crash.", "no crash", "an error that names the file"), pending("FIX-007", "Say the line")}}},
		{"plain items", "## Goal\nTwo things\n## Deliverables\n1. First\n   - a\n2. Second\n\nThat is all.\n",
			Plan{Verdict: VerdictWork, Summary: "Two things", Approach: "That is all.", Deliverables: []Deliverable{pending("TASK-001", "First", "a"), pending("TASK-002", "Second")}}},
		{"list without heading", "Do it.\n\n- [ ] FEAT-001: a\n  - ok\n- [ ] FEAT-002: b\n\n## Notes\nnone",
			Plan{Verdict: VerdictWork, Summary: "Do it.", Approach: "Notes:\nnone", Deliverables: []Deliverable{pending("FEAT-001", "a", "ok"), pending("FEAT-002", "b")}}},
		{"no deliverables", "Rename the\nflag.\n\nIt is in main.go.", Plan{Verdict: VerdictWork, Summary: "Rename the\nflag.", Approach: "It is in main.go.",
			Deliverables: []Deliverable{pending("TASK-001", "Rename the flag.")}}},
		{"code is not read", "Do it.\n\n```\n# Deliverables\n- [ ] FEAT-001: no\n```\n\n## Deliverables\n- [ ] FEAT-002: yes\n",
			Plan{Verdict: VerdictWork, Summary: "Do it.", Approach: "```\n# Deliverables\n- [ ] FEAT-001: no\n```", Deliverables: []Deliverable{pending("FEAT-002", "yes")}}},
		{"all of it in a fence", "\n```markdown\n## Summary\nDo it.\n\n## Deliverables\n- [ ] FEAT-002: yes\n```\n",
			Plan{Verdict: VerdictWork, Summary: "Do it.", Deliverables: []Deliverable{pending("FEAT-002", "yes")}}},
		{"already done", "**Verdict:** already_done\n\n## Summary\nThe flag is there.\n\n## Evidence\nmain.go:12 defines it.\n",
			Plan{Verdict: VerdictAlreadyDone, Summary: "The flag is there.", Evidence: "main.go:12 defines it.", Deliverables: []Deliverable{}}},
		{"declined without evidence", "Verdict: declined\nThe task asks for a secret.",
			Plan{Verdict: VerdictDeclined, Summary: "The task asks for a secret.", Evidence: "The task asks for a secret.", Deliverables: []Deliverable{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := PlanFromText(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlanFromTextRefusesNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \n\n", "# Plan\n\n## Summary\n"} {
		if p, err := PlanFromText(text); err == nil {
			t.Errorf("%q became %+v", text, p)
		}
	}
}

// What Markdown writes, PlanFromText reads.
func TestPlanTextRoundTrip(t *testing.T) {
	t.Parallel()
	p := Plan{Verdict: VerdictWork, Summary: "S.\nMore.", Approach: "One.\n\n- two\n- three", Files: []string{"a b.go"}, Risks: []string{"r: s"},
		Deliverables: []Deliverable{proving("a  'b' | c \\d", pending("FEAT-001", "d: e", "f", "g")), proving("x", pending("DOC_X-1000", "h"))}}
	got, err := PlanFromText(p.Markdown())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlanMarkdown(t *testing.T) {
	t.Parallel()
	p := Plan{Revision: 3, Verdict: VerdictWork, Summary: "S", Approach: "A", Files: []string{"f.go"}, Risks: []string{"r"},
		Deliverables: []Deliverable{{ID: "A-001", Description: "a", Acceptance: []string{"x"}, Status: Passed}, {ID: "A-002", Description: "b", Status: Blocked, Reason: "no network"}, pending("A-003", "c")}}
	want := "# Plan, revision 3\n\n## Summary\n\nS\n\n## Approach\n\nA\n\n## Files\n\n- `f.go`\n\n## Risks\n\n- r\n\n## Deliverables\n\n" +
		"- [x] A-001: a\n  - x\n- [ ] A-002: b (blocked: no network)\n- [ ] A-003: c\n"
	if diff := cmp.Diff(want, p.Markdown()); diff != "" {
		t.Error(diff)
	}
}

func FuzzPlanFromText(f *testing.F) {
	f.Add("# Plan\n\n## Summary\nx\n## Deliverables\n- [ ] A-1: b\n  - c\n### Task 1: d\n```\n- e\n")
	f.Add("1. a\n   - b\n- [ ] X-000001: c\n\tVerdict: declined")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := PlanFromText(text)
		if err != nil {
			return
		}
		if p.Verdict == VerdictWork && (len(p.Deliverables) == 0 || len(p.Deliverables) > MaxDeliverables) || p.size() > maxPlan {
			t.Fatalf("out of bounds: %+v", p)
		}
		for _, d := range p.Deliverables {
			if !deliverableID.MatchString(d.ID) || d.Description == "" || strings.Contains(d.Description, "\n") {
				t.Fatalf("bad deliverable %+v", d)
			}
		}
	})
}
