package forge

import (
	"regexp"
	"strings"
)

// longTag limits how far to search for the end of a tag, an image or a link, so that the work on hostile text is bounded.
const longTag = 4 << 10

var (
	openComment = regexp.MustCompile(`^<(?:!--|!\[CDATA\[|![A-Za-z]|\?)`)
	tagName     = regexp.MustCompile(`^</?([A-Za-z][A-Za-z0-9-]*)`)
	// wholeTag matches what Markdown takes for a tag: a name and attributes.
	wholeTag = regexp.MustCompile(`^</?[A-Za-z][A-Za-z0-9-]*` +
		`(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?)*\s*/?>$`)
	// elements matches the elements of HTML that can hold text in an attribute or hide their content. Other names without attributes
	// stay, because they are more likely a type parameter or a placeholder.
	elements = regexp.MustCompile(`(?i)^(?:a|abbr|area|article|aside|audio|b|base|blockquote|body|br|button|center|code|col|dd|del|details|` +
		`dfn|div|dl|dt|em|embed|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|` +
		`main|map|mark|meta|nav|noscript|object|ol|option|p|picture|pre|q|s|samp|script|section|select|small|source|span|strike|strong|` +
		`style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|time|title|tr|tt|u|ul|var|video|wbr)$`)
	blocks = regexp.MustCompile(`(?i)^(?:blockquote|br|dd|details|div|dl|dt|h[1-6]|hr|li|ol|p|pre|section|summary|table|td|th|tr|ul)$`)
)

// dropTags removes what a reader of the source takes for comments and tags although the page shows it: entities can spell them.
func dropTags(text string) string {
	s := tagged{rest: text}
	for s.rest != "" {
		switch c := s.rest[0]; {
		case c == '\\' && len(s.rest) > 1 && isPunct(s.rest[1]):
			s.keep(2)
		case c == '<' && (s.comment() || s.tag()):
		default:
			n := strings.IndexAny(s.rest[1:], "\\<")
			if n < 0 {
				n = len(s.rest) - 1
			}
			s.keep(1 + n)
		}
	}
	return s.out.String()
}

// tagged scans a text from left to right.
type tagged struct {
	rest    string
	out     strings.Builder
	endless string // end of a declaration that does not occur in the rest of the text
}

// near returns the next bytes, at most n: a regular expression would otherwise take time for the whole rest.
func (s *tagged) near(n int) string { return s.rest[:min(len(s.rest), n)] }

func (s *tagged) keep(n int) {
	s.out.WriteString(s.rest[:n])
	s.rest = s.rest[n:]
}

// comment removes a comment, a declaration or a processing instruction. One without an end hides everything after it.
func (s *tagged) comment() bool {
	at := openComment.FindString(s.near(16))
	if at == "" {
		return false
	}
	end := map[string]string{"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}[at]
	if end == "" {
		end = ">"
	}
	i := -1
	if s.endless != end { // an end that is missing from here on is missing further on
		i = strings.Index(s.rest[len(at):], end)
	}
	switch {
	case i >= 0:
		s.rest = s.rest[len(at)+i+len(end):]
	case at == "<!--":
		s.rest = ""
	default:
		s.endless = end
		return false
	}
	s.out.WriteByte(' ')
	return true
}

// tag removes a tag and keeps its content.
func (s *tagged) tag() bool {
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
	s.out.WriteString(tagText(text))
	s.rest = s.rest[end:]
	return true
}

// tagEnd returns where a tag ends, or -1. An empty line ends the paragraph, and with it what looks like a tag.
func tagEnd(s string) int {
	quote := byte(0)
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n' && i+1 < len(s) && s[i+1] == '\n', c == edge[0]:
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
