package task

import (
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// Markdown writes the plan for people and for prompts. PlanFromText reads it back, without revision and statuses. The texts in it are
// a model's: none of them can end its section, pass for another one, or hold characters that people don't see.
func (p Plan) Markdown() string {
	var b strings.Builder
	title := "# Plan"
	if p.Revision > 0 {
		title += ", revision " + strconv.Itoa(p.Revision)
	}
	b.WriteString(title + "\n")
	if p.Verdict != "" && p.Verdict != VerdictWork {
		b.WriteString("\nVerdict: " + start(string(p.Verdict)) + "\n")
	}
	section(&b, "Summary", tame(p.Summary))
	section(&b, "Evidence", tame(p.Evidence))
	section(&b, "Approach", tame(p.Approach))
	section(&b, "Files", bullets(p.Files, asCode))
	section(&b, "Risks", bullets(p.Risks, start))
	section(&b, "Deliverables", p.List())
	return b.String()
}

// List writes the deliverables as a task list, one line each, with the acceptance criteria below.
func (p Plan) List() string {
	var b strings.Builder
	for _, d := range p.Deliverables {
		b.WriteString(d.Line() + "\n")
		for _, a := range d.Acceptance {
			if a = start(a); a != "" { // an empty item below text would make a heading of the text
				b.WriteString("  - " + a + "\n")
			}
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
	line := "- " + box + start(d.ID) + ": " + excerpt.OneLine(Visible(d.Description))
	if d.Status == Blocked {
		line += " (blocked: " + excerpt.OneLine(Visible(d.Reason)) + ")"
	}
	return line
}

func section(b *strings.Builder, name, text string) {
	if text != "" {
		b.WriteString("\n## " + name + "\n\n" + text + "\n")
	}
}

func bullets(list []string, write func(string) string) string {
	var b strings.Builder
	for _, s := range list {
		if s = write(s); s != "" {
			b.WriteString("- " + s + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// asCode writes a path as code. One that could leave it is written as words.
func asCode(s string) string {
	s = excerpt.OneLine(Visible(s))
	if s == "" || strings.Contains(s, "`") {
		return Literally(s)
	}
	return "`" + s + "`"
}
