package task

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewReport(t *testing.T) {
	t.Parallel()
	m := func(kind MarkerKind, text string) Marker { return Marker{Kind: kind, Text: text} }
	list := func(all ...Marker) []Marker { return all }
	tests := []struct {
		name    string
		role    Role
		markers []Marker
		text    string
		want    Report
	}{
		{"plan", Planner, list(m(PlanComplete, "ready")), "# Plan\n\nthe plan", Report{Kind: ReportPlan, Text: "# Plan\n\nthe plan"}},
		{"plan inside the marker", Planner, list(m(PlanComplete, "# Plan\n\nthe plan")), "Here:", Report{Kind: ReportPlan, Text: "# Plan\n\nthe plan"}},
		{"a plan without its marker is no report", Planner, nil, "# Plan\n\nthe plan", Report{Kind: ReportNone}},
		{"spec issue beats the plan", Planner, list(m(SpecIssue, "which?"), m(PlanComplete, "")), "p",
			Report{Kind: ReportSpecIssue, Text: "which?", Notes: []string{"The session reported PLAN_COMPLETE too; SPEC_ISSUE counts."}}},
		{"progress", Implementer, list(m(Note, "n1"), m(Progress, "feat: x"), m(Note, "n2")), "", Report{Kind: ReportProgress, Text: "feat: x", Notes: []string{"n1", "n2"}}},
		{"done", Implementer, list(m(Done, "feat: y")), "", Report{Kind: ReportDone, Text: "feat: y"}},
		{"the last of a kind", Implementer, list(m(Done, "one"), m(Done, "two")), "", Report{Kind: ReportDone, Text: "two"}},
		{"done and progress", Implementer, list(m(Progress, "p"), m(Done, "d")), "",
			Report{Kind: ReportProgress, Text: "p", Notes: []string{"The session reported DONE too; PROGRESS counts."}}},
		{"blocked beats done", Implementer, list(m(Blocking, "no key"), m(Done, "d")), "",
			Report{Kind: ReportBlocked, Text: "no key", Notes: []string{"The session reported DONE too; BLOCKED counts."}}},
		{"markers of another role", Implementer, list(m(Approved, "yes")), "", Report{Kind: ReportNone}},
		{"only notes", Implementer, list(m(Note, "n")), "All done!", Report{Kind: ReportNone, Notes: []string{"n"}}},
		{"approved", Reviewer, list(m(Approved, "all hold")), "I read it.", Report{Kind: ReportApproved, Text: "all hold"}},
		{"approved without words", Reviewer, list(m(Approved, "")), "I read it.", Report{Kind: ReportApproved, Text: "I read it."}},
		{"changes", Reviewer, list(m(RequestChanges, "a.go")), "", Report{Kind: ReportChanges, Text: "a.go"}},
		{"both verdicts", Reviewer, list(m(RequestChanges, "a.go"), m(Approved, "ok")), "",
			Report{Kind: ReportChanges, Text: "a.go", Notes: []string{"The session reported APPROVED too; REQUEST_CHANGES counts."}}},
		{"approved, but its text refuses", Reviewer, list(m(Approved, "Not approved: tests fail")), "", Report{Kind: ReportChanges, Text: "Not approved: tests fail"}},
		{"approved, but the text refuses", Reviewer, list(m(Approved, "ok")), "Verdict\n**NOT APPROVED**", Report{Kind: ReportChanges, Text: "ok"}},
		{"approved, with unfinished changes", Reviewer, list(m(Approved, "ok")), "<REQUEST_CHANGES> a.go", Report{Kind: ReportChanges, Text: "ok"}},
		{"a story of refusal is not one", Reviewer, list(m(Approved, "ok")), "I would not approve a missing test, but it is there.", Report{Kind: ReportApproved, Text: "ok"}},
		{"text alone", Reviewer, nil, "APPROVED", Report{Kind: ReportNone}},
		{"text alone, refused", Reviewer, nil, "NOT APPROVED", Report{Kind: ReportNone}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, NewReport(tt.role, tt.markers, tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestReportIsBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1<<20)
	var all []Marker
	for range 100 {
		all = append(all, Marker{Note, long})
	}
	r := NewReport(Implementer, append(all, Marker{Done, long}), long)
	n := len(r.Text)
	for _, s := range r.Notes {
		n += len(s)
	}
	if n > 100<<10 || !strings.HasSuffix(r.Text, cutMark) {
		t.Errorf("a report of %d bytes", n)
	}
}
