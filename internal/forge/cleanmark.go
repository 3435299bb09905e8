package forge

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/neutral"
)

// What stands in a text while it is worked on: code is taken out, and blocks are kept apart. No text of others holds these.
const (
	codeMark = "\x00" // on both sides of the number of a piece of code
	edge     = "\x01" // a paragraph, a heading or a cell begins here: nothing reaches over it
)

var marks = regexp.MustCompile(codeMark + `\d+` + codeMark + `|` + edge)

// decoded is a text whose entities are characters: they can spell what is taken out.
func decoded(s string) string {
	return betweenMarks(s, func(part string) string { return neutral.Clean(html.UnescapeString(part)) })
}

// betweenMarks changes what stands between marks.
func betweenMarks(s string, change func(string) string) string {
	var b strings.Builder
	at := 0
	for _, m := range marks.FindAllStringIndex(s, -1) {
		b.WriteString(change(s[at:m[0]]) + s[m[0]:m[1]])
		at = m[1]
	}
	return b.String() + change(s[at:])
}

// restore puts the code back, and takes the edges away.
func (l *laid) restore(s string) string {
	return marks.ReplaceAllStringFunc(s, func(m string) string {
		n, err := strconv.Atoi(strings.Trim(m, codeMark))
		if err != nil || n >= len(l.code) {
			return ""
		}
		return l.code[n]
	})
}
