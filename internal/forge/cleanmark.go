package forge

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/neutral"
)

// Marks that a text contains while it is being cleaned: they stand for code that was removed, and separate blocks. lines removes them
// from the texts of others.
const (
	codeMark = "\x00" // on both sides of the number of a piece of code
	edge     = "\x01" // start of a paragraph, heading or table cell: no construct extends over it
)

var marks = regexp.MustCompile(codeMark + `\d+` + codeMark + `|` + edge)

// decoded replaces the entities of a text with their characters, because they can spell what has to be removed.
func decoded(s string) string {
	return betweenMarks(s, func(part string) string { return neutral.Clean(html.UnescapeString(part)) })
}

// betweenMarks applies a change to the text between marks.
func betweenMarks(s string, change func(string) string) string {
	var b strings.Builder
	at := 0
	for _, m := range marks.FindAllStringIndex(s, -1) {
		b.WriteString(change(s[at:m[0]]) + s[m[0]:m[1]])
		at = m[1]
	}
	return b.String() + change(s[at:])
}

// restore puts the code back and removes the edges.
func (l *laid) restore(s string) string {
	return marks.ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.Atoi(strings.Trim(m, codeMark))
		if err != nil || n >= len(l.code) {
			return ""
		}
		return l.code[n]
	})
}
