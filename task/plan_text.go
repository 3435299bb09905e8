package task

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
)

// PlanFromText parses a plan in Markdown, for agents without structured answers. It recognizes the headings Summary, Approach, Files,
// Risks, Evidence, Size and Deliverables (or Tasks), a line "Verdict: ...", and deliverables written as "- [ ] FEAT-001: text", as other
// items under Deliverables, or as headings there. Nested bullets are acceptance criteria. Text under other headings becomes part of the
// approach. A plan for work without deliverables gets exactly one, made from the summary. The result is tidied and validated.
func PlanFromText(markdown string) (Plan, error) {
	if len(markdown) > maxDraft+len(cutMark) {
		return Plan{}, asError(fault.Work, "plan", []mistake{tooLong("", len(markdown), maxDraft)})
	}
	r := planReader{part: opening}
	for line := range strings.Lines(unfenced(markdown)) {
		r.line(strings.TrimRight(line, " \t\r\n"))
	}
	p := r.plan()
	if p.Verdict == VerdictWork && len(p.Deliverables)+len(p.Deprecated) == 0 && p.Summary != "" {
		p.Deliverables = []Deliverable{{ID: numbered("TASK", 1), Description: cut(excerpt.OneLine(p.Summary), maxDescription), Status: Pending}}
	}
	return p, p.Validate()
}

var wholeFence = regexp.MustCompile("(?s)^\\s*(`{3,})(?:markdown|md)?[ \\t]*\n(.*)\n(`{3,})\\s*$")

// unfenced removes a code fence around the whole plan, which some models write.
func unfenced(text string) string {
	if m := wholeFence.FindStringSubmatch(text); m != nil && m[1] == m[3] && !strings.Contains(m[2], m[1]) {
		return m[2]
	}
	return text
}
