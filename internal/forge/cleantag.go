package forge

import (
	"regexp"
	"strings"
)

// longTag bounds how far the end of a tag, an image or a link is looked for, so that the work on a hostile text has a bound.
const longTag = 4 << 10

var (
	tagName = regexp.MustCompile(`^</?([A-Za-z][A-Za-z0-9-]*)`)
	// wholeTag is what Markdown takes for a tag: a name and attributes.
	wholeTag = regexp.MustCompile(`^</?[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?)*\s*/?>$`)
	// elements are those of HTML that can hold text in an attribute or hide what is inside; others without attributes stay, for
	// they are more likely a type or a place to fill in.
	elements = regexp.MustCompile(`(?i)^(?:a|abbr|area|article|aside|audio|b|base|blockquote|body|br|button|center|code|col|dd|del|details|` +
		`dfn|div|dl|dt|em|embed|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|` +
		`main|map|mark|meta|nav|noscript|object|ol|option|p|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|` +
		`style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|tt|u|ul|var|video|wbr)$`)
	blocks    = regexp.MustCompile(`(?i)^(?:blockquote|br|dd|details|div|dl|dt|h[1-6]|hr|li|ol|p|pre|section|summary|table|td|th|tr|ul)$`)
	linkTitle = regexp.MustCompile(`^\]\([ \t\n]*(<[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)[ \t\n]+(?:"[^"]*"|'[^']*'|\([^()]*\))[ \t\n]*\)`)
	linkEnd   = regexp.MustCompile(`^(?:\((?:<[^<>\n]*>|"[^"]*"|'[^']*'|\([^()\n]*\)|[^()"'<>])*\)|\[[^\]\n]*\])`)
)

// tag drops a tag and keeps what it is around.
func (s *shown) tag() bool {
	m := tagName.FindStringSubmatch(s.near(64))
	if m == nil {
		return false
	}
	end := tagEnd(s.near(longTag))
	if end < 0 {
		return false
	}
	text, known := s.rest[:end], elements.MatchString(m[1])
	bare := strings.Trim(text[len(m[0]):], " \t\n/>") == ""
	switch {
	case bare && !known:
		return false
	case !wholeTag.MatchString(text) && !(known && strings.ContainsAny(text, `"'=`)):
		return false
	}
	if blocks.MatchString(m[1]) {
		s.out.WriteByte('\n')
	}
	s.rest = s.rest[end:]
	return true
}

// tagEnd finds where a tag ends, or gives -1. An empty line ends the paragraph, and with it what looks like a tag.
func tagEnd(s string) int {
	quote := byte(0)
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n' && i+1 < len(s) && s[i+1] == '\n':
			return -1
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return -1
		case c == '>':
			return i + 1
		}
	}
	return -1
}

// image puts a word in the place of an image: its text is shown to nobody who sees the image.
func (s *shown) image() bool {
	if !strings.HasPrefix(s.rest, "![") {
		return false
	}
	depth, end := 0, -1
	for i := 1; i < min(len(s.rest), longTag) && end < 0; i++ {
		switch c := s.rest[i]; {
		case c == '\\':
			i++
		case c == '\n' && strings.HasPrefix(s.rest[i:], "\n\n"):
			return false
		case c == '[':
			if depth++; depth > 16 {
				return false
			}
		case c == ']':
			if depth--; depth == 0 {
				end = i + 1
			}
		}
	}
	if end < 0 {
		return false
	}
	end += len(linkEnd.FindString(s.rest[end:min(len(s.rest), end+longTag)]))
	s.out.WriteString("(image)")
	s.rest = s.rest[end:]
	return true
}

// title drops the title of a link, which shows only under a mouse.
func (s *shown) title() bool {
	if !strings.HasPrefix(s.rest, "](") {
		return false
	}
	m := linkTitle.FindStringSubmatch(s.near(longTag))
	if m == nil {
		return false
	}
	s.out.WriteString("](" + m[1] + ")")
	s.rest = s.rest[len(m[0]):]
	return true
}
