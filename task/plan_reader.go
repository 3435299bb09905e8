package task

import (
	"regexp"
	"strconv"
	"strings"
)

// planPart is a part of a plan in text form.
type planPart int

const (
	opening planPart = iota // before the first known heading
	inSummary
	inApproach
	inFiles
	inRisks
	inEvidence
	inSize
	inDeprecated
	inDeliverables
)

// planReader parses a plan line by line.
type planReader struct {
	part   planPart
	level  int    // level of the heading Deliverables
	indent int    // indentation of the current deliverable, -1 for a heading
	fence  string // fence that closes the open code
	out    Plan
	text   [inDeliverables + 1][]string // lines of the parts in prose
	at     *Deliverable                 // the current deliverable, the last of out
}

var (
	headingLine = regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*$`)
	verdictLine = regexp.MustCompile(`(?i)^[\s>*_-]*verdict[\s*_]*:[\s*_]*(work|already[_ ]done|declined)\b`)
	itemLine    = regexp.MustCompile(`^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(\[[ xX]\]\s+)?(.*)$`)
	idAndText   = regexp.MustCompile(`^[\s*` + "`" + `\[]*([A-Za-z][A-Za-z0-9_]{0,19}-\d{1,6})[\s*` + "`" + `\]]*` +
		`(?:[:.)–—-]+|\s)[\s*]*(.+)$`)
	taskHeading = regexp.MustCompile(`(?i)^(?:task|deliverable|step)\s+\d{1,3}\s*[:.)–—-]+\s*(.+)$`)
	fenceLine   = regexp.MustCompile("^\\s*(`{3,}|~{3,})")
	labelOnly   = regexp.MustCompile(`(?i)^[*_]*(acceptance( criteria)?|done when|verification)[*_]*:?[*_]*$`)
	wholeNumber = regexp.MustCompile(`\d{1,9}`)
	proofInItem = regexp.MustCompile("^[*_]*Proof[*_]*:[*_]* *`([^`]+)`$")
	pathInItem  = regexp.MustCompile("`([^`]+)`")
)

func (r *planReader) line(s string) {
	if m := fenceLine.FindStringSubmatch(s); m != nil || r.fence != "" {
		r.inFence(s, m)
		return
	}
	if m := headingLine.FindStringSubmatch(s); m != nil {
		r.heading(len(m[1]), m[2])
		return
	}
	if m := verdictLine.FindStringSubmatch(s); m != nil {
		r.out.Verdict = Verdict(strings.ReplaceAll(strings.ToLower(m[1]), " ", "_"))
		return
	}
	if m := itemLine.FindStringSubmatch(s); m != nil && r.item(len(m[1]), m[2] != "", strings.TrimSpace(m[3])) {
		return
	}
	r.prose(s)
}

// inFence keeps lines of code unchanged: they contain no headings or items.
func (r *planReader) inFence(s string, m []string) {
	switch {
	case r.fence == "":
		r.fence = m[1]
	case m != nil && strings.HasPrefix(m[1], r.fence):
		r.fence = ""
	}
	r.prose(s)
}

func (r *planReader) heading(level int, title string) {
	title = strings.Trim(title, "*_ ")
	m := idAndText.FindStringSubmatch(title)
	if m != nil && looseID.MatchString(m[1]) && (r.part == inDeliverables || deliverableID.MatchString(m[1])) {
		r.deliverable(-1, m[1], m[2])
		if r.part != inDeliverables {
			r.part, r.level = inDeliverables, level-1
		}
		return
	}
	if m := taskHeading.FindStringSubmatch(title); m != nil {
		r.deliverable(-1, "", m[1])
		r.part, r.level = inDeliverables, level-1
		return
	}
	part, known := partOf(title)
	switch {
	case known:
		r.part, r.level, r.at = part, level, nil
	case r.part == inDeliverables && level > r.level && r.at != nil && labelOnly.MatchString(title):
	case r.part == inDeliverables && level > r.level:
		r.deliverable(-1, "", title)
	case r.part == opening && level == 1: // the title of the plan
	default:
		r.part, r.at = inApproach, nil
		r.prose(title + ":")
	}
}

func partOf(title string) (planPart, bool) {
	switch strings.TrimRight(strings.ToLower(title), ": ") {
	case "summary", "goal", "overview":
		return inSummary, true
	case "approach", "implementation", "implementation details", "how":
		return inApproach, true
	case "files", "files to change", "files changed":
		return inFiles, true
	case "risks", "risks and open questions":
		return inRisks, true
	case "evidence", "reason", "why":
		return inEvidence, true
	case "size":
		return inSize, true
	case "deprecated", "deprecated deliverables":
		return inDeprecated, true
	case "deliverables", "tasks", "plan items":
		return inDeliverables, true
	}
	return 0, false
}

// item handles a list item if it has a meaning here.
func (r *planReader) item(indent int, box bool, text string) bool {
	m := idAndText.FindStringSubmatch(text)
	nested := r.at != nil && indent > r.indent
	switch {
	case box && m != nil && (!nested || r.indent < 0):
		r.deliverable(indent, m[1], m[2])
		if r.part != inDeliverables {
			r.part, r.level = inDeliverables, 6 // no heading below it starts a deliverable
		}
	case r.part == inDeliverables && nested:
		if m := proofInItem.FindStringSubmatch(text); m != nil {
			r.at.Proof = m[1]
		} else if !labelOnly.MatchString(text) {
			r.at.Acceptance = append(r.at.Acceptance, text)
		}
	case r.part == inDeliverables && m != nil:
		r.deliverable(indent, m[1], m[2])
	case r.part == inDeliverables:
		r.deliverable(indent, "", text)
	case r.part == inFiles:
		r.out.Files = append(r.out.Files, pathOf(text))
	case r.part == inRisks:
		r.out.Risks = append(r.out.Risks, text)
	case r.part == inDeprecated:
		r.out.Deprecated = append(r.out.Deprecated, strings.Trim(text, "*`[] "))
	case r.part == inSize:
		r.out.Split = append(r.out.Split, text)
	default:
		return false
	}
	return true
}

func (r *planReader) deliverable(indent int, id, text string) {
	r.out.Deliverables = append(r.out.Deliverables, Deliverable{ID: id, Description: strings.Trim(text, "* ")})
	r.at, r.indent = &r.out.Deliverables[len(r.out.Deliverables)-1], indent
}

func (r *planReader) prose(s string) {
	switch {
	case r.at != nil && labelOnly.MatchString(strings.TrimSpace(s)):
	case r.at != nil && r.part == inDeliverables && r.indent < 0:
		r.at.Description = more(r.at.Description, s)
	case r.at != nil && r.part == inDeliverables && strings.TrimLeft(s, " \t") != s: // continuation of the item
		if n := len(r.at.Acceptance); n > 0 {
			r.at.Acceptance[n-1] = more(r.at.Acceptance[n-1], s)
		} else {
			r.at.Description = more(r.at.Description, s)
		}
	case r.part == inDeliverables:
		r.add(inApproach, s)
	default:
		r.add(r.part, s)
	}
}

// more appends a line to a text, unless the text will be cut anyway.
func more(text, line string) string {
	if len(text) > maxDescription {
		return text
	}
	return text + " " + line
}

// add appends a line and collapses empty lines.
func (r *planReader) add(part planPart, s string) {
	if n := len(r.text[part]); s != "" || n > 0 && r.text[part][n-1] != "" {
		r.text[part] = append(r.text[part], s)
	}
}

// pathOf returns the path in an item such as "`a.go`: add x" or "a.go - add x".
func pathOf(text string) string {
	if m := pathInItem.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	first, _, _ := strings.Cut(text, " ")
	return strings.TrimRight(first, ":,;")
}

func (r *planReader) plan() Plan {
	p := r.out
	prose := func(part planPart) string { return strings.TrimSpace(strings.Join(r.text[part], "\n")) }
	p.Summary, p.Approach, p.Evidence = prose(inSummary), prose(inApproach), prose(inEvidence)
	p.Lines, _ = strconv.Atoi(wholeNumber.FindString(prose(inSize)))
	if before := prose(opening); p.Summary == "" {
		p.Summary, _, _ = strings.Cut(before, "\n\n")
		p.Approach = strings.TrimSpace(strings.TrimPrefix(before, p.Summary) + "\n\n" + p.Approach)
	}
	if p.Summary == "" && len(p.Deliverables) > 0 {
		p.Summary = p.Deliverables[0].Description
	}
	p = p.Tidy()
	if p.Verdict != VerdictWork && p.Evidence == "" {
		p.Evidence = strings.TrimSpace(p.Summary + "\n\n" + p.Approach)
	}
	return p
}
