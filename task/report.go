package task

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

type ReportKind string

const (
	ReportPlan      ReportKind = "plan"       // Text is the plan in Markdown
	ReportProgress  ReportKind = "progress"   // one deliverable is done, more are left; Text is the commit message
	ReportDone      ReportKind = "done"       // nothing is left; Text is the commit message
	ReportBlocked   ReportKind = "blocked"    // the deliverable is impossible; Text says why
	ReportSpecIssue ReportKind = "spec_issue" // a person must decide; Text is the question
	ReportApproved  ReportKind = "approved"   // the review is positive; Text is the review
	ReportChanges   ReportKind = "changes"    // the review requests changes; Text is the review
	ReportNone      ReportKind = "none"       // the session ended without a report
)

// Report is the result of a session, from its markers and text.
type Report struct {
	Kind  ReportKind `json:"kind"`
	Text  string     `json:"text,omitempty"`
	Notes []string   `json:"notes,omitempty"`

	Findings []string `json:"findings,omitempty"` // what people must look at before the change is merged
}

// Limits of a report, which is kept in the task's history.
const (
	maxReport = 16 << 10
	maxNote   = 2 << 10
	MaxNotes  = 30        // of each kind
	maxDraft  = 128 << 10 // limit of a plan in text form, which is kept only as a Plan
)

// careful lists each role's markers that end a session, the most cautious first. If markers contradict each other, the first in the list
// counts. So a review with both verdicts is not an approval, and a person looks at a doubtful success.
var careful = []struct {
	role  Role
	kinds []MarkerKind
}{
	{Planner, []MarkerKind{SpecIssue, PlanComplete}},
	{Implementer, []MarkerKind{SpecIssue, Blocking, Progress, Done}},
	{Reviewer, []MarkerKind{SpecIssue, RequestChanges, Approved}},
}

// NewReport returns what a session in the role has reported. markers are those of the whole session. text is the text of its last turn,
// which may contain an unfinished marker. Text alone is never a report.
func NewReport(role Role, markers []Marker, text string) Report {
	r := Report{Kind: ReportNone}
	var ends []MarkerKind
	for _, c := range careful {
		if c.role == role {
			ends = c.kinds
		}
	}
	var last *Marker
	for i, m := range markers {
		switch at := slices.Index(ends, m.Kind); {
		case m.Kind == Note:
			r.Notes = append(r.Notes, m.Text)
		case m.Kind == Found:
			r.Findings = append(r.Findings, m.Text)
		case at < 0:
		case last == nil || at <= slices.Index(ends, last.Kind):
			last = &markers[i]
		}
	}
	r.Notes, r.Findings = tidyNotes(r.Notes), tidyNotes(r.Findings)
	if last == nil {
		return r
	}
	for _, kind := range contradicted(markers, ends, last.Kind) {
		r.Notes = append(r.Notes, "The session reported "+string(kind)+" too; "+string(last.Kind)+" counts.")
	}
	r.Kind, r.Text = kindOf(last.Kind), strings.TrimSpace(last.Text)
	switch r.Kind {
	case ReportPlan:
		r.Text = longer(strings.TrimSpace(text), r.Text)
		r.Text = cut(r.Text, maxDraft)
		return r
	case ReportApproved:
		if refuses(r.Text) || refusedVerdict.MatchString(text) || strings.Contains(text, "<"+string(RequestChanges)+">") {
			r.Kind = ReportChanges
		}
	}
	r.Text = cmp.Or(r.Text, strings.TrimSpace(text))
	r.Text = cut(r.Text, maxReport)
	return r
}

// refusedVerdict matches a line outside of markers that contradicts an approval.
var refusedVerdict = regexp.MustCompile(`(?m)^\W*(NOT[ _]APPROVED|REQUEST[ _]CHANGES|CHANGES[ _]REQUESTED)\b`)

func kindOf(k MarkerKind) ReportKind {
	switch k {
	case PlanComplete:
		return ReportPlan
	case Progress:
		return ReportProgress
	case Done:
		return ReportDone
	case Blocking:
		return ReportBlocked
	case SpecIssue:
		return ReportSpecIssue
	case Approved:
		return ReportApproved
	case RequestChanges:
		return ReportChanges
	}
	return ReportNone
}

// contradicted returns the session's other ending markers, each once, the most cautious first.
func contradicted(markers []Marker, ends []MarkerKind, counts MarkerKind) (others []MarkerKind) {
	for _, kind := range ends {
		if kind != counts && slices.ContainsFunc(markers, func(m Marker) bool { return m.Kind == kind }) {
			others = append(others, kind)
		}
	}
	return others
}

func tidyNotes(notes []string) (tidy []string) {
	for _, n := range notes {
		if n = cut(strings.TrimSpace(n), maxNote); n != "" {
			tidy = append(tidy, n)
		}
	}
	return tidy[:min(len(tidy), MaxNotes)]
}

// longer returns the first text, unless it is only a short remark compared with the second.
func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}
