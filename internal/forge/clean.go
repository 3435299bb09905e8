package forge

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/neutral"
)

// maxRaw is how much of a text Clean reads: twice what a forge takes for one.
const maxRaw = 128 << 10

var blankLines = regexp.MustCompile(`\n[ \t]*\n[ \t\n]*\n`)

// Clean is a text that a person wrote on a forge as a model may read it: what the page shows, and nothing that it hides. It takes out
// characters that cannot be seen or turn the reading direction, comments, tags with their attributes, images with their text, titles of
// links and what stands in their addresses behind the path, definitions of links, footnotes that nothing refers to, all but a word behind
// the fence of code, and math that may hide something. What is folded is marked as such. Code keeps its tags, where the page takes it
// for code. What entities spell is taken out as well. The text is cut to most bytes, with a note. It is hygiene, not a boundary: what is
// left is still data, and may lie.
func Clean(text string, most int) string {
	text, l := lay(lines(text[:min(len(text), maxRaw)]))
	text = decoded(dropNotes(dropMath(dropTags(dropLinks(text, l.refs)))))
	for range 3 { // what was taken out may have kept the parts of another apart
		next := dropMath(dropTags(dropLinks(text, nil)))
		if next == text {
			break
		}
		text = next
	}
	text = blankLines.ReplaceAllString(l.restore(text), "\n\n")
	return cutBytes(strings.TrimSpace(text), most)
}

// lines makes text valid UTF-8 with plain line ends, and frees it of what would be taken for our own marks. Nothing else is taken out
// before the text is parsed, for the page parses it as well.
func lines(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.NewReplacer("\r", "\n", codeMark, "\x03", edge, "\x03").Replace(s)
}

// CleanLine is a name or a path as one line of at most most bytes, without what nobody can see.
func CleanLine(text string, most int) string {
	return excerpt.Line(neutral.Clean(start(text, most)), most)
}

// CleanEnd is text that is no Markdown, such as a part of a diff, without what nobody can see: the last lines of it, at most most bytes.
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
