package forge

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/neutral"
)

// maxRaw is how many bytes of a text Clean reads: twice what a forge accepts for one.
const maxRaw = 128 << 10

var blankLines = regexp.MustCompile(`\n[ \t]*\n[ \t\n]*\n`)

// Clean prepares a text that a person wrote on a forge for a model: it keeps what the page shows and removes what the page hides.
// Removed are invisible characters and those that change the reading direction, comments, tags and their attributes, images with their
// alternative text, titles of links, everything after the path of a link's address, link definitions, footnotes that nothing refers to,
// everything but the language after the fence of a code block, and math that may hide something. The same holds for what entities
// spell. Collapsed sections are marked as such. Code keeps its tags where the page renders it as code. The text is cut to most bytes,
// with a note. This is hygiene and no boundary: the result is still untrusted data.
func Clean(text string, most int) string {
	text, l := lay(lines(text[:min(len(text), maxRaw)]))
	text = decoded(dropNotes(dropMath(dropTags(dropLinks(text, l.refs)))))
	for range 3 { // removing one construct can join the parts of another
		next := dropMath(dropTags(dropLinks(text, nil)))
		if next == text {
			break
		}
		text = next
	}
	text = blankLines.ReplaceAllString(l.restore(text), "\n\n")
	return cutBytes(strings.TrimSpace(text), most)
}

// lines makes text valid UTF-8 with \n line ends, and removes what could be mistaken for the marks of this package. It removes nothing
// else, because the text is parsed after it as the page would parse it.
func lines(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.NewReplacer("\r", "\n", codeMark, "\x03", edge, "\x03").Replace(s)
}

// CleanLine returns a name or a path as one line of at most most bytes, without invisible characters.
func CleanLine(text string, most int) string {
	return excerpt.Line(neutral.Clean(start(text, most)), most)
}

// CleanEnd returns the last lines of a text that is not Markdown, such as part of a diff: at most most bytes, without invisible
// characters.
func CleanEnd(text string, most int) string {
	text = strings.Trim(neutral.Clean(end(text, most)), "\n")
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most+len(logCut)+1:]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	return logCut + "\n" + strings.ToValidUTF8(text, "")
}
