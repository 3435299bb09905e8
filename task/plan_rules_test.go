package task

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
)

func with(d Deliverable, s Status, reason string) Deliverable {
	d.Status, d.Reason = s, reason
	return d
}

func TestPlanGoesThroughItsDeliverables(t *testing.T) {
	t.Parallel()
	p := Plan{Revision: 1, Deliverables: []Deliverable{pending("A-001", "a"), pending("A-002", "b")}}
	start := p
	if d, ok := p.Next(); !ok || d.ID != "A-001" || p.AllBlocked() {
		t.Fatal("a fresh plan starts with its first deliverable")
	}
	p, _ = p.WithStatus("A-001", Blocked, "no\nnetwork")
	if d, _ := p.Next(); d.ID != "A-002" || p.AllBlocked() || p.Deliverables[0].Reason != "no network" {
		t.Fatalf("after a block: %+v", p)
	}
	all, _ := p.WithStatus("A-002", Blocked, "x")
	if _, ok := all.Next(); ok || !all.AllBlocked() {
		t.Fatal("all blocked")
	}
	p, _ = p.WithStatus("A-002", Passed, "ignored")
	if _, ok := p.Next(); ok || p.AllBlocked() || p.Deliverables[1].Reason != "" {
		t.Fatal("all that is not blocked has passed")
	}
	if diff := cmp.Diff([]Deliverable{pending("A-001", "a"), pending("A-002", "b")}, start.Deliverables); diff != "" {
		t.Errorf("the first plan was changed: %s", diff)
	}
	if (Plan{}).AllBlocked() {
		t.Error("a plan without deliverables is not blocked")
	}
}

func TestWithStatusRefuses(t *testing.T) {
	t.Parallel()
	p := Plan{Deliverables: []Deliverable{pending("A-001", "a")}}
	for _, tt := range []struct {
		id string
		s  Status
	}{{"A-002", Passed}, {"A-001", "done"}} {
		if _, err := p.WithStatus(tt.id, tt.s, ""); fault.KindOf(err) != fault.Input || fault.HintOf(err) == "" {
			t.Errorf("%v: got %v", tt, err)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	a, b, c := pending("A-001", "a", "x"), pending("A-002", "b"), pending("A-003", "c")
	passedA, passedB := with(a, Passed, ""), with(b, Passed, "")
	tests := []struct {
		name           string
		old, new, want []Deliverable
	}{
		{"after an edit nothing is kept", []Deliverable{a, b}, []Deliverable{b, c}, []Deliverable{b, c}},
		{"what has passed is kept, first", []Deliverable{passedA, b}, []Deliverable{c}, []Deliverable{passedA, c}},
		{"word for word again stays passed", []Deliverable{passedA, passedB}, []Deliverable{b, c, a}, []Deliverable{passedA, passedB, c}},
		{"other criteria open it again", []Deliverable{passedA}, []Deliverable{pending("A-001", "a", "x", "y")}, []Deliverable{pending("A-001", "a", "x", "y")}},
		{"another proof opens it again", []Deliverable{passedA}, []Deliverable{proving("p", a)}, []Deliverable{proving("p", a)}},
		{"an id keeps its meaning", []Deliverable{passedA, passedB}, []Deliverable{pending("A-001", "other"), pending("A-002", "more")},
			[]Deliverable{passedA, passedB, pending("A-003", "other"), pending("A-004", "more")}},
		{"a blocked one is tried anew", []Deliverable{with(a, Blocked, "r")}, []Deliverable{a}, []Deliverable{a}},
		{"a blocked one is dropped", []Deliverable{with(a, Blocked, "r")}, []Deliverable{b}, []Deliverable{b}},
	}
	for _, tt := range tests {
		got := Merge(Plan{Revision: 4, Summary: "old", Deliverables: tt.old}, Plan{Summary: "new", Deliverables: tt.new})
		if diff := cmp.Diff(Plan{Revision: 5, Summary: "new", Deliverables: tt.want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// A new number is not that of something that an earlier task has recorded.
func TestMergeTakesNoRecordedID(t *testing.T) {
	t.Parallel()
	old := Plan{Deliverables: []Deliverable{with(pending("A-001", "a"), Passed, "")}}
	got := Merge(old, Plan{Deliverables: []Deliverable{pending("A-001", "other")}}, "A-001", "A-002", "A-007", "B-009")
	if id := got.Deliverables[1].ID; id != "A-008" {
		t.Errorf("the new one is %s", id)
	}
}

// A plan after a review keeps what is blocked, and what it deprecates.
func TestKeeping(t *testing.T) {
	t.Parallel()
	old := Plan{Deprecated: []string{"X-001: old", "X-002: older"}, Deliverables: []Deliverable{with(pending("A-001", "a"), Passed, ""),
		with(pending("A-002", "b"), Blocked, "no network"), with(pending("A-003", "c"), Blocked, "no"), pending("A-004", "d")}}
	next := Plan{Deprecated: []string{"X-002: older"}, Deliverables: []Deliverable{pending("A-003", "c"), pending("A-005", "e")}}
	got := Merge(old, next).Keeping(old, "A-001 is wrong.")
	var list []string
	for _, d := range got.Deliverables {
		list = append(list, d.ID+" "+string(d.Status)+" "+d.Reason)
	}
	want := []string{"A-001 passed ", "A-003 pending ", "A-005 pending ", "A-002 blocked no network"}
	if !slices.Equal(list, want) || !slices.Equal(got.DeprecatedIDs(), []string{"X-002", "X-001"}) {
		t.Errorf("%q, deprecated %q", list, got.Deprecated)
	}
	if got := Merge(old, next).Keeping(old, "X-001 is needed still."); !slices.Equal(got.DeprecatedIDs(), []string{"X-002"}) {
		t.Errorf("what the review speaks of is dropped all the same: %q", got.Deprecated)
	}
	if diff := cmp.Diff(got, got.Keeping(got, "")); diff != "" {
		t.Errorf("again: %s", diff)
	}
	wanted := Plan{Deprecated: []string{"X-002: older"}, Deliverables: []Deliverable{pending("X-001", "old"), pending("A-003", "c")}}
	if got := Merge(old, wanted).Keeping(old, "the old one is needed still."); !slices.Equal(got.DeprecatedIDs(), []string{"X-002"}) {
		t.Errorf("what is to be done is dropped all the same: %q", got.Deprecated)
	}
}

// What has not passed is left out by a plan that has it by no name, and does not drop it.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	all := []Deliverable{with(pending("A-001", "a"), Passed, ""), with(pending("A-002", "b"), Blocked, "no network"),
		with(pending("A-003", "c"), Blocked, "no"), pending("A-004", "d"), pending("A-005", "e"), pending("A-006", "f"), pending("A-008", "g")}
	p := Plan{Deprecated: []string{"A-008: g"}, Deliverables: []Deliverable{pending("A-003", "c"), pending("A-005", "more"), pending("A-007", "f")}}
	if diff := cmp.Diff([]Deliverable{all[1], all[3]}, p.LeftOut(all)); diff != "" {
		t.Errorf("left out: %s", diff)
	}
}

// The change of a task holds the files of what has passed, also after a plan that names others.
func TestMergeKeepsNamedFiles(t *testing.T) {
	t.Parallel()
	old := Plan{Files: []string{"a.go", "b.go: why", "/docs/", "d `e f.md`"}, Deliverables: []Deliverable{pending("A-001", "a")}}
	next := Plan{Files: []string{"c.go", "a.go"}}
	if got := Merge(old, next); !slices.Equal(got.Files, next.Files) {
		t.Errorf("nothing has passed: %q", got.Files)
	}
	old.Deliverables[0].Status = Passed
	merged := Merge(old, next)
	want := []string{"a.go", "b.go: why", "b.go", "docs", "d `e f.md`", "e f.md", "c.go"}
	if got := merged.NamedFiles(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (*Plan)(nil).Opened(); got != nil {
		t.Errorf("no plan names %q", got)
	}
}

func TestMergeIsBounded(t *testing.T) {
	t.Parallel()
	p := Plan{}
	for round := range 5 {
		var next Plan
		for i := range 30 {
			next.Deliverables = append(next.Deliverables, pending(numbered("R", round*30+i+1), "d"))
		}
		p = Merge(p, next)
		if len(p.Deliverables) > MaxDeliverables {
			t.Fatalf("%d deliverables", len(p.Deliverables))
		}
		if _, _, left := p.Counts(); left != 30 {
			t.Fatalf("%d to do, want 30", left)
		}
		for i := range p.Deliverables {
			p.Deliverables[i].Status = Passed
		}
	}
}

// An id that means something else already is never given again.
func TestBesideOthers(t *testing.T) {
	t.Parallel()
	p := Plan{Deliverables: []Deliverable{pending("FEAT-001", "a"), pending("FIX-001", "b"), pending("FEAT-003", "c"), pending("FEAT-002", "d")}}
	got := p.Beside([]string{"FEAT-001", "FEAT-002", "FEAT-007"})
	var ids []string
	for _, d := range got.Deliverables {
		ids = append(ids, d.ID+d.Description)
	}
	if text := strings.Join(ids, " "); text != "FEAT-008a FIX-001b FEAT-003c FEAT-009d" || p.Deliverables[0].ID != "FEAT-001" {
		t.Errorf("%s, and the original has %s", text, p.Deliverables[0].ID)
	}
}

// What a plan deprecates is read as it is written, in both forms, and is no work by itself.
func TestDeprecated(t *testing.T) {
	t.Parallel()
	p, err := DecodePlan([]byte(`{"verdict":"work","summary":"Less","deprecated":["feat-1"," FEAT-002 : it  beeps "],"deliverables":[]}`))
	if err != nil || strings.Join(p.DeprecatedIDs(), " ") != "FEAT-001 FEAT-002" || p.Deprecated[1] != "FEAT-002: it beeps" {
		t.Fatalf("%+v, %v", p, err)
	}
	got, err := PlanFromText("Verdict: work\n\n" + p.Markdown())
	if err != nil || strings.Join(got.Deprecated, "|") != strings.Join(p.Deprecated, "|") || len(got.Deliverables) != 0 {
		t.Errorf("read back as %+v, %v", got, err)
	}
	if _, err := DecodePlan([]byte(`{"verdict":"work","summary":"Less","deprecated":["the beeping"],"deliverables":[]}`)); err == nil || !strings.Contains(err.Error(), `deprecated has "the beeping"`) {
		t.Errorf("%v", err)
	}
	if p = p.WithoutSpec(); len(p.Deprecated) != 0 {
		t.Errorf("without a specification it deprecates %q", p.Deprecated)
	}
}
