package task

import (
	"strings"
	"unicode"
)

// newline gives every line end the one form, those of other writing systems included.
var newline = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n")

// Visible gives valid text that holds only what people see: what cannot be seen could hide words from the one who approves them.
// Tabs and line ends stay, and every line end is "\n".
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && Hidden(r) {
			return -1
		}
		return r
	}, newline.Replace(strings.ToValidUTF8(s, "\uFFFD")))
}

// Hidden tells what has no look of its own: controls, zero-width characters, those that turn the reading direction, tags, and
// selectors of variants but the one that makes a sign an emoji.
func Hidden(r rune) bool {
	switch {
	case r == '\uFE0F':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	case r >= 0xE0000 && r <= 0xE0FFF: // tags, and all that is to be ignored by default around them
		return true
	}
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}
