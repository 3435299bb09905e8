package task

import (
	"html"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
)

// Decide is the line that ends a plan where people are asked to decide about it.
const Decide = "Reply with what is to change, or decide:"

// tamer goes through Markdown of a model's, line by line, and takes from it what would end its section or pass for one of ours:
// headings, verdicts, items with the id of a deliverable, code that stays open. All of it stays to be read. Where PlanFromText and
// a reader of Markdown could differ about what is code, it writes what both read alike.
type tamer struct {
	out    []string
	fence  string // the signs that opened the code around, "" outside of code
	indent int    // of that fence, in columns
	said   string // by this paragraph so far, without markup
}

// tame gives the text for a section.
func tame(text string) string {
	var t tamer
	for line := range strings.SplitSeq(Visible(text), "\n") {
		line = strings.TrimRight(line, " \t")
		width, rest := indentOf(line)
		if t.fence != "" && rest != "" && width < t.indent {
			end := closes(rest, t.fence)
			t.leave() // a list that ends, ends the code in it
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

// leave ends the code around.
func (t *tamer) leave() {
	if t.fence != "" {
		t.out = append(t.out, strings.Repeat(" ", t.indent)+t.fence)
	}
	t.fence, t.said = "", ""
}

// inside takes a line of code. Only a fence right below the one that opened it ends code; others that might are defused.
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

// outside takes a line of text.
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

// mimics tells whether a line says what we say: the name of a section, or what ends a plan, over some lines too.
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

// start makes text for the start of an item: one line that begins no heading, code or further list there.
func start(text string) string {
	s := excerpt.OneLine(Visible(text))
	if heading.MatchString(s) || fenceOf(s) != "" || marker.MatchString(s+" ") || strings.HasPrefix(s, ">") || underline.MatchString(s) {
		i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) // a backslash counts before signs only
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

// indentOf gives how many columns a line is set in, and what stands there.
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

// before gives what stands in front of the end of a line.
func before(line, end string) string { return line[:len(line)-len(end)] }

// fenceOf gives the signs of a fence that a text begins with.
func fenceOf(s string) string {
	for _, sign := range []string{"`", "~"} {
		if run := before(s, strings.TrimLeft(s, sign)); len(run) >= 3 {
			return run
		}
	}
	return ""
}

// closes tells whether a line is a fence that ends code.
func closes(rest, fence string) bool {
	run := fenceOf(rest)
	return run == rest && strings.HasPrefix(run, fence)
}
