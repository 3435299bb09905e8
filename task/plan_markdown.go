package task

import (
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// Markdown formats the plan for people and prompts. PlanFromText parses it, except for revision and statuses. Its texts are by a model
// and are sanitized: they can't end their section, imitate another one, or contain invisible characters.
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
	section(&b, "Size", strings.TrimSpace(p.Size()+"\n\n"+bullets(p.Split, start)))
	section(&b, "Deprecated", bullets(p.Deprecated, start))
	section(&b, "Deliverables", p.List())
	return b.String()
}

// List formats the deliverables as a task list, one line each, with the acceptance criteria below.
func (p Plan) List() string {
	var b strings.Builder
	for _, d := range p.Deliverables {
		b.WriteString(d.Line() + "\n")
		for _, a := range d.Acceptance {
			if a = start(a); a != "" { // an empty item below text would turn the text into a heading
				b.WriteString("  - " + a + "\n")
			}
		}
		if d.Proof != "" {
			b.WriteString("  - Proof: " + asCommand(d.Proof) + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// Line formats the deliverable as one item of a task list.
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

// asCommand formats a command as code, unchanged unless it could end the code.
func asCommand(s string) string {
	if strings.ContainsAny(s, "`\n") {
		return asCode(s)
	}
	return "`" + Visible(s) + "`"
}

// asCode formats a path as code, or as plain text if it could end the code.
func asCode(s string) string {
	s = excerpt.OneLine(Visible(s))
	if s == "" || strings.Contains(s, "`") {
		return Literally(s)
	}
	return "`" + s + "`"
}
