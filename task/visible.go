package task

import (
	"strings"
	"unicode"
)

// newline normalizes line ends, including those of Unicode.
var newline = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n")

// Visible returns valid UTF-8 text without invisible characters, which could hide words from the person who approves the text. Tabs stay,
// and every line end becomes "\n".
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && Hidden(r) {
			return -1
		}
		return r
	}, newline.Replace(strings.ToValidUTF8(s, "\uFFFD")))
}

// Hidden reports whether a character is invisible: controls, zero-width characters, direction marks, tags, and variation selectors except
// the one for emoji.
func Hidden(r rune) bool {
	switch {
	case r == '\uFE0F':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	case r >= 0xE0000 && r <= 0xE0FFF: // tags, and the default-ignorable characters around them
		return true
	}
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

var markup = strings.NewReplacer("\n", " ", "\r", " ", `\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "|", `\|`,
	"<", `\<`, "[", `\[`, "`", "\\`", "$", `\$`)

// Literally escapes text by a model or a person for a page of Temporal Web, where even dollar signs are markup for formulas. The result
// is one line.
func Literally(words string) string { return markup.Replace(words) }

// Fenced puts text into a Markdown code block that it can't close.
func Fenced(words string) string {
	fence := "```"
	for strings.Contains(words, fence) {
		fence += "`"
	}
	return fence + "\n" + words + "\n" + fence + "\n"
}
