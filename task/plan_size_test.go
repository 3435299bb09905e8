package task

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMeasured(t *testing.T) {
	t.Parallel()
	p := Plan{Lines: 1200, Split: []string{"The parser", "Its users"}}
	for _, c := range []struct {
		plan  Plan
		most  int
		size  string
		split int
	}{
		{p, 800, "about 1200 lines, more than the 800 of pullRequest.maxLines; it could be split into these tasks:", 2},
		{p, 1200, "about 1200 lines", 0},
		{p, 0, "about 1200 lines", 0},
		{Plan{Lines: 801}, 800, "about 801 lines, more than the 800 of pullRequest.maxLines; the planner proposes no split", 0},
		{Plan{Split: []string{"x"}}, 800, "", 0},
		{p.Measured(800), 2000, "about 1200 lines", 0},
	} {
		got := c.plan.Measured(c.most)
		if got.Size() != c.size || len(got.Split) != c.split {
			t.Errorf("%+v against %d: %q, %q", c.plan, c.most, got.Size(), got.Split)
		}
	}
}

// The size survives the way through text, by which agents without structured answers plan.
func TestSizeInText(t *testing.T) {
	t.Parallel()
	p := Plan{Verdict: VerdictWork, Summary: "S", Lines: 1200, Split: []string{"The parser", "# Its users"}, Deliverables: []Deliverable{pending("FEAT-001", "d")}}
	text := p.Measured(800).Markdown()
	if want := "\n## Size\n\nabout 1200 lines, more than the 800 of pullRequest.maxLines; it could be split into these tasks:\n\n" +
		"- The parser\n- \\# Its users\n\n## Deliverables\n"; !strings.Contains(text, want) {
		t.Errorf("got %s", text)
	}
	p.Split[1] = `\# Its users`
	if got, err := PlanFromText(text); err != nil || cmp.Diff(p, got) != "" {
		t.Errorf("read back: %v\n%s", err, cmp.Diff(p, got))
	}
	if got, err := PlanFromText("Add sums\n\n## Size\n120\n## Deliverables\n- [ ] FIX-001: d\n"); err != nil || got.Lines != 120 || got.Summary != "Add sums" {
		t.Errorf("%+v, %v", got, err)
	}
	if huge := (Plan{Lines: 1 << 40, Split: make([]string, 99)}).Tidy(); huge.Lines != maxLines || len(huge.Split) != 0 {
		t.Errorf("%+v", huge)
	}
}
