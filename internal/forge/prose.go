package forge

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/neutral"
)

var (
	// openFence matches the start of fenced code, also in a quote or a list item.
	openFence = regexp.MustCompile("^([ \t>]*(?:(?:[-*+]|\\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})[ \t]*([A-Za-z0-9+-]*)[^`]*$")
	heading   = regexp.MustCompile(`^((?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(#{1,6}(?:[ \t]|$))`)
	underline = regexp.MustCompile(`^([ \t>]*)(=+|-+)[ \t]*$`)
)

// prose returns at most n bytes of untrusted Markdown with its lists, tables, emphasis and code. Headings lose their rank, so that
// nobody can add a section to the body.
func prose(s string, n int) string {
	lines := strings.Split(cutBytes(strings.TrimSpace(plain(start(s, n/4))), n), "\n")
	var out []string
	for i := 0; i < len(lines); i++ {
		m := openFence.FindStringSubmatch(lines[i])
		if m == nil {
			out = append(out, textLine(lines[i]))
			continue
		}
		var code []string
		for i++; i < len(lines) && !closesFence(dedent(lines[i], m[1]), m[2]); i++ {
			code = append(code, dedent(lines[i], m[1]))
		}
		// At the left margin, and with a fence longer than any inside, every Markdown parser reads it as one block.
		out = append(out, fenced(language(m[3]), strings.Join(code, "\n")))
	}
	return strings.Join(out, "\n")
}

// dedent removes from a line what precedes the fence: blanks in a list item, marks in a quote.
func dedent(s, prefix string) string {
	set := " \t"
	if strings.Contains(prefix, ">") {
		set += ">"
	}
	n := 0
	for n < len(s) && n < len(prefix) && strings.IndexByte(set, s[n]) >= 0 {
		n++
	}
	return s[n:]
}

func closesFence(s, fence string) bool {
	s = strings.TrimSpace(s)
	return len(s) >= len(fence) && strings.Trim(s, fence[:1]) == ""
}

// language returns the name after a fence, unless the forge would draw the block instead of showing it.
func language(name string) string {
	switch strings.ToLower(name) {
	case "mermaid", "geojson", "topojson", "stl", "math", "suggestion":
		return "text"
	}
	return name
}

// textLine is one line outside of fenced code.
func textLine(s string) string {
	switch {
	case heading.MatchString(s):
		m := heading.FindStringSubmatch(s)
		s = strings.Trim(s[len(m[0]):], "# \t")
		return m[1] + "**" + line(strings.ReplaceAll(s, "*", "")) + "**"
	case underline.MatchString(s):
		return underline.ReplaceAllString(s, `$1\$2`)
	}
	return line(s)
}

// line neutralises one line of text except for its code spans. A span that contains a bar is not kept, because in a table the bar ends
// it.
func line(s string) string {
	var b strings.Builder
	for s != "" {
		i := nextTick(s)
		if i < 0 {
			break
		}
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		end := closingRun(s[i+run:], run)
		if end < 0 || strings.Contains(s[i+run:i+run+end], "|") {
			words(&b, s[:i+run])
			s = s[i+run:]
			continue
		}
		words(&b, s[:i])
		apart(&b)
		b.WriteString(neutral.Closers(s[i : i+run+end+run]))
		s = s[i+run+end+run:]
	}
	words(&b, s)
	return b.String()
}

// nextTick returns the index of the first backtick without a backslash before it, or -1.
func nextTick(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '`':
			return i
		}
	}
	return -1
}

// closingRun returns the index of a row of exactly n backticks, or -1.
func closingRun(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

// apart separates two adjacent code spans, whose backticks would otherwise form one row.
func apart(b *strings.Builder) {
	if strings.HasSuffix(b.String(), "`") {
		b.WriteByte(' ')
	}
}
