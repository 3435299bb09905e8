package forge

import (
	"strings"

	"github.com/longshift/longshift/internal/neutral"
)

// words renders text without code: code spans around what a forge acts upon, escapes for what could start markup.
func words(b *strings.Builder, s string) {
	s = dropEscapes(s)
	from := 0
	for _, at := range neutral.Acts(s) {
		escape(b, s[from:at[0]])
		apart(b)
		b.WriteString("`" + s[at[0]:at[1]] + "`")
		from = at[1]
	}
	escape(b, s[from:])
}

// titleLine puts what acts into code spans and leaves the rest: a title is not Markdown, so escapes would be visible.
func titleLine(s string) string {
	s = strings.ReplaceAll(s, "`", "'")
	var b strings.Builder
	from := 0
	for _, at := range neutral.Acts(s) {
		b.WriteString(s[from:at[0]])
		apart(&b)
		b.WriteString("`" + s[at[0]:at[1]] + "`")
		from = at[1]
	}
	return b.String() + s[from:]
}

// dropEscapes removes backslashes behind which something would be missed that the reader will see. Those that only keep a character
// from being markup stay.
func dropEscapes(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && keepsEscape(s[i+1:]) {
			b.WriteString(s[i : i+2])
			i++
			continue
		}
		if i+1 < len(s) && isPunct(s[i+1]) {
			continue
		}
		b.WriteString(`\\`) // a literal backslash
	}
	return b.String()
}

// keepsEscape tells whether the character at the start of s can stay escaped: no name, number or address can follow from it.
func keepsEscape(s string) bool {
	if strings.IndexByte("#-.", s[0]) >= 0 {
		return len(s) == 1 || !isAlnum(s[1])
	}
	return strings.IndexByte(`\*_~|>=+`, s[0]) >= 0
}

// escape renders text that contains nothing to act upon.
func escape(b *strings.Builder, s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s): // an escape that dropEscapes kept
			b.WriteString(s[i : i+2])
			i++
		case c == '<':
			b.WriteString("&lt;")
		case c == '&' && entity.MatchString(s[i:]):
			b.WriteString("&amp;")
		case c == '[' || c == ']' || c == '`' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isPunct(c byte) bool { return c > ' ' && c < 0x7f && !isAlnum(c) }
