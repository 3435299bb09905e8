// Package render cleans what people wrote and renders what they read: pure functions over strings, and a Markdown renderer for answers.
// Every text of others passes through it before it is shown, so that it brings no markup, no mention and no secret with it. It makes
// no calls and knows nothing of rights or of which task is meant.
package render

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/task"
)

// Readable removes characters that nobody sees: control characters, direction overrides, zero-width and tag characters. They could
// tell an agent something that the person did not read. Line ends and tabs stay.
func Readable(s string) string { return strings.TrimSpace(task.Visible(s)) }

// OneLine is the readable text on a single line.
func OneLine(s string) string { return excerpt.OneLine(Readable(s)) }

// Line is a text on one line of at most n bytes.
func Line(s string, n int) string { return excerpt.Clip(OneLine(s), n) }

// Sentence adds a capital and a full stop. A first word that looks like a path, an option or an address keeps its case.
func Sentence(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	word, _, _ := strings.Cut(s, " ")
	if !strings.ContainsAny(word, "-/.:") {
		s = string(unicode.ToUpper(first)) + s[size:]
	}
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "!") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}
