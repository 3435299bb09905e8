package policy

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// badByte names what people and programs would read differently in a script; "" when there is nothing.
func badByte(text string) string {
	if !utf8.ValidString(text) {
		return "bytes that are no UTF-8"
	}
	last := rune(0)
	for _, r := range text {
		if what := badRune(r, last); what != "" {
			return what
		}
		last = r
	}
	return ""
}

func badRune(r, last rune) string {
	switch {
	case r == '\n', r == '\t', r >= ' ' && r < 0x7f:
		return ""
	case r == '\r':
		return "a carriage return"
	case r < ' ', r >= 0x7f && r < 0xa0:
		return "a control character"
	case r == 0xfe0e || r == 0xfe0f:
		if unicode.Is(unicode.So, last) || last == 0x203c || last == 0x2049 { // an emoji's variation selector
			return ""
		}
		return "an invisible character"
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r), unicode.Is(unicode.Variation_Selector, r),
		r >= 0xe0000 && r <= 0xe0fff:
		return "an invisible or direction-changing character"
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0, r == utf8.RuneError:
		return "an invisible character"
	case unicode.Is(unicode.Co, r), unicode.Is(unicode.Noncharacter_Code_Point, r), !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r):
		return "a character without a meaning of its own"
	}
	return ""
}

// strangeSpace reports whether an unquoted text contains a space other than the plain one: it looks like two words and is one.
func strangeSpace(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 && unicode.Is(unicode.Zs, r) })
}
