package term

import (
	"regexp"
	"strings"
)

// secondColumn finds where the text of a line in columns begins, such as that of a flag.
var secondColumn = regexp.MustCompile(`^ +\S.*?  +(\S)`)

// Help fits the help of a command to the terminal, where there is one: paragraphs are broken anew, and what stands in a second column stays
// there. Examples are left as they are, because people copy them.
func (p *Printer) Help(about, usage string) string {
	about = strings.TrimSpace(about)
	columns := p.Columns()
	if columns == 0 {
		return about + "\n\n" + usage
	}
	var lines []string
	for _, paragraph := range paragraphs(about) {
		lines = append(lines, wrap(paragraph, columns, len(paragraph)-len(strings.TrimLeft(paragraph, " "))))
	}
	lines = append(lines, "")
	examples := false
	for _, line := range strings.Split(strings.TrimSuffix(usage, "\n"), "\n") {
		examples = line == "Examples:" || examples && line != ""
		if !examples {
			line = wrap(line, columns, hanging(line, columns))
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") + "\n"
}

// Facts is what the function of that name makes, fitted to the terminal, where there is one.
func (p *Printer) Facts(title string, pairs ...string) string {
	lines, columns := strings.Split(Facts(title, pairs...), "\n"), p.Columns()
	for i, line := range lines {
		if columns > 0 {
			lines[i] = wrap(line, columns, hanging(line, columns))
		}
	}
	return strings.Join(lines, "\n")
}

// paragraphs joins lines that belong together. Empty lines and indented ones divide.
func paragraphs(text string) []string {
	var all []string
	for _, line := range strings.Split(text, "\n") {
		last := len(all) - 1
		if last >= 0 && all[last] != "" && line != "" && !strings.HasPrefix(line, " ") && !strings.HasPrefix(all[last], " ") {
			all[last] += " " + line
			continue
		}
		all = append(all, line)
	}
	return all
}

// hanging is how far the rest of a broken line is indented.
func hanging(line string, columns int) int {
	indent := len(line) - len(strings.TrimLeft(line, " ")) + 2
	if at := secondColumn.FindStringSubmatchIndex(line); at != nil && at[2]+20 <= columns {
		indent = at[2]
	}
	return indent
}
