package whatsapp

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// alike maps WhatsApp's formatting characters to similar ones. They can't be escaped, and a zero-width character may not
// stop every app from formatting; another character does.
var alike = map[rune]rune{'*': '∗', '_': '＿', '~': '∼', '`': 'ˋ'}

// defuse replaces formatting characters in untrusted text. One between two letters or digits stays: there it has no
// effect, and names such as max_retries can be copied.
func defuse(s string) string {
	return around(s, func(r rune) string { return string(alike[r]) })
}

// maxTarget is the maximum length of a clickable address; it must fit into a message.
const maxTarget = 2500

// target escapes formatting characters in a link, whose address must stay the same. It returns "" if that makes it too
// long; the address is then shown as text.
func target(link string) string {
	shown := around(link, func(r rune) string { return fmt.Sprintf("%%%02X", r) })
	if len(shown) > maxTarget {
		return ""
	}
	return shown
}

// around replaces each character that may be formatting.
func around(s string, with func(rune) string) string {
	if !strings.ContainsAny(s, "*_~`") {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		_, sign := alike[r]
		if sign && !(i > 0 && plain(s[i-1]) && i+1 < len(s) && plain(s[i+1])) {
			b.WriteString(with(r))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// plain reports whether every app takes a byte for a letter or digit.
func plain(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// ends matches what would end code too early.
var ends = regexp.MustCompile("``+|^`|`$")

// code removes backquotes that would end the code. The text must not be empty.
func code(s string) string {
	s = ends.ReplaceAllStringFunc(s, func(ticks string) string { return strings.Repeat("ˋ", len(ticks)) })
	if s == "" {
		return " "
	}
	return s
}
