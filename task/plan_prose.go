package task

import (
	"html"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// Decide is the last line of a plan that people decide on.
const Decide = "Reply with what is to change, or decide:"

// tamer sanitizes a model's Markdown line by line. It defuses what would end its section or imitate one of ours: headings, verdicts,
// items with the id of a deliverable, code that is not closed. Everything stays readable. Where PlanFromText and a Markdown reader could
// disagree on what is code, it writes a form on which both agree.
type tamer struct {
	out    []string
	fence  string // fence that has opened the current code, "" outside of code
	indent int    // indentation of that fence, in columns
	said   string // text of this paragraph so far, without markup
}

// tame sanitizes the text for a section.
func tame(text string) string {
	var t tamer
	for line := range strings.SplitSeq(Visible(text), "\n") {
		line = strings.TrimRight(line, " \t")
		width, rest := indentOf(line)
		if t.fence != "" && rest != "" && width < t.indent {
			end := closes(rest, t.fence)
			t.leave() // the end of a list ends code inside it
			if end {
				continue
			}
		}
		if t.fence != "" {
			t.inside(line, width, rest)
		} else {
			t.outside(line, width, rest)
		}
	}
	t.leave()
	return strings.Join(t.out, "\n")
}

// leave ends the current code.
func (t *tamer) leave() {
	if t.fence != "" {
		t.out = append(t.out, strings.Repeat(" ", t.indent)+t.fence)
	}
	t.fence, t.said = "", ""
}

// inside handles a line of code. Only a fence directly below the opening one ends the code; other possible ends are defused.
func (t *tamer) inside(line string, width int, rest string) {
	switch run := fenceOf(rest); {
	case width == t.indent && closes(rest, t.fence):
		t.leave()
		return
	case strings.HasPrefix(run, t.fence):
		line = before(line, rest) + `\` + rest
	}
	t.out = append(t.out, line)
}

// outside handles a line of text.
func (t *tamer) outside(line string, width int, rest string) {
	run := fenceOf(rest)
	if run != "" && (run[0] == '~' || !strings.Contains(rest[len(run):], "`")) {
		t.fence, t.indent = run, width
		t.out = append(t.out, line)
		return
	}
	words := rest
	for m := marker.FindString(words); m != ""; m = marker.FindString(words) {
		words = words[len(m):]
	}
	last := ""
	if len(t.out) > 0 {
		last = t.out[len(t.out)-1]
	}
	item := itemLine.FindStringSubmatch(line)
	tamed := line
	switch {
	case heading.MatchString(words), fenceOf(words) != "", underline.MatchString(rest) && last != "":
		tamed = before(line, words) + `\` + words
	case verdictLine.MatchString(rest):
		tamed = strings.Replace(line, ":", `\:`, 1)
	case item != nil && item[2] != "" && idAndText.MatchString(strings.TrimSpace(item[3])):
		tamed = strings.Replace(line, "[", `\[`, 1)
	case words == rest && t.mimics(rest):
		tamed = before(line, rest) + "> " + Literally(rest)
	}
	t.out = append(t.out, tamed)
}

// mimics reports whether a line, or the paragraph up to it, imitates our own text: the name of a section, or the end of a plan.
func (t *tamer) mimics(rest string) bool {
	said := strings.ToLower(strings.Join(wordsIn.FindAllString(html.UnescapeString(rest), -1), " "))
	if t.said = strings.TrimSpace(t.said + " " + said); said == "" {
		t.said = ""
	}
	_, section := partOf(said)
	if strings.HasPrefix(rest, ">") || strings.HasPrefix(rest, `\#`) || !section && !strings.Contains(t.said, ours) {
		return false
	}
	t.said = ""
	return true
}

// start formats text for the start of an item: one line that begins no heading, code or further list.
func start(text string) string {
	s := excerpt.OneLine(Visible(text))
	if heading.MatchString(s) || fenceOf(s) != "" || marker.MatchString(s+" ") || strings.HasPrefix(s, ">") || underline.MatchString(s) {
		i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) // a backslash escapes only punctuation
		return s[:i] + `\` + s[i:]
	}
	return s
}

var (
	marker    = regexp.MustCompile(`^(?:[-*+]|\d{1,9}[.)])[ \t]+`)
	heading   = regexp.MustCompile(`^#{1,6}([ \t]|$)`)
	underline = regexp.MustCompile(`^(=+|-+)$`)
	wordsIn   = regexp.MustCompile(`[\p{L}\p{N}]+`)
	ours      = strings.ToLower(strings.Join(wordsIn.FindAllString(Decide, 6), " "))
)

// indentOf splits a line into its indentation in columns and the rest.
func indentOf(line string) (columns int, rest string) {
	rest = strings.TrimLeft(line, " \t")
	for _, r := range before(line, rest) {
		columns++
		if r == '\t' {
			columns = (columns + 3) / 4 * 4
		}
	}
	return columns, rest
}

// before returns the line without the given end.
func before(line, end string) string { return line[:len(line)-len(end)] }

// fenceOf returns the fence at the start of a text.
func fenceOf(s string) string {
	for _, sign := range []string{"`", "~"} {
		if run := before(s, strings.TrimLeft(s, sign)); len(run) >= 3 {
			return run
		}
	}
	return ""
}

// closes reports whether a line is a fence that closes the code.
func closes(rest, fence string) bool {
	run := fenceOf(rest)
	return run == rest && strings.HasPrefix(run, fence)
}
