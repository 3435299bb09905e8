package task

import (
	"strconv"
	"strings"
)

// Markdown writes the plan for people and for prompts. PlanFromText reads it back, without revision and statuses.
func (p Plan) Markdown() string {
	var b strings.Builder
	title := "# Plan"
	if p.Revision > 0 {
		title += ", revision " + strconv.Itoa(p.Revision)
	}
	b.WriteString(title + "\n")
	if p.Verdict != "" && p.Verdict != VerdictWork {
		b.WriteString("\nVerdict: " + string(p.Verdict) + "\n")
	}
	section(&b, "Summary", p.Summary)
	section(&b, "Evidence", p.Evidence)
	section(&b, "Approach", p.Approach)
	section(&b, "Files", bullets(p.Files, "`"))
	section(&b, "Risks", bullets(p.Risks, ""))
	section(&b, "Deliverables", p.List())
	return b.String()
}

// List writes the deliverables as a task list, one line each, with the acceptance criteria below.
func (p Plan) List() string {
	var b strings.Builder
	for _, d := range p.Deliverables {
		b.WriteString(d.Line() + "\n")
		for _, a := range d.Acceptance {
			b.WriteString("  - " + a + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// Line writes the deliverable as one item of a task list.
func (d Deliverable) Line() string {
	box := "[ ] "
	if d.Status == Passed {
		box = "[x] "
	}
	line := "- " + box + d.ID + ": " + d.Description
	if d.Status == Blocked {
		line += " (blocked: " + d.Reason + ")"
	}
	return line
}

func section(b *strings.Builder, name, text string) {
	if text != "" {
		b.WriteString("\n## " + name + "\n\n" + text + "\n")
	}
}

func bullets(list []string, quote string) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString("- " + quote + s + quote + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}
