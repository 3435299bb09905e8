package whatsapp

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// alike are signs that look like those that WhatsApp formats by. There is no way to escape one, and nothing says that a sign of
// no width would stop every app from reading it as a mark; another sign surely does.
var alike = map[rune]rune{'*': '∗', '_': '＿', '~': '∼', '`': 'ˋ'}

// defuse takes from untrusted text what would format it. Between two letters or digits a sign stays: there it is no mark, and
// names such as max_retries can be copied.
func defuse(s string) string {
	return around(s, func(r rune) string { return string(alike[r]) })
}

// maxTarget is the longest address that can be tapped; it must leave room in a message.
const maxTarget = 2500

// target does the same to a link, whose address must stay what it is. It gives nothing when that makes it too long: then the address
// can only be shown as words.
func target(link string) string {
	shown := around(link, func(r rune) string { return fmt.Sprintf("%%%02X", r) })
	if len(shown) > maxTarget {
		return ""
	}
	return shown
}

// around replaces each sign that may be a mark where it stands.
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

// plain are the letters that every app takes for one.
func plain(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// ends is what would end code too early.
var ends = regexp.MustCompile("``+|^`|`$")

// code keeps all of it but those. It must not be empty.
func code(s string) string {
	s = ends.ReplaceAllStringFunc(s, func(ticks string) string { return strings.Repeat("ˋ", len(ticks)) })
	if s == "" {
		return " "
	}
	return s
}
