package forge

import (
	"regexp"
	"strings"
)

var (
	isDetails = regexp.MustCompile(`(?i)^<(/?)details(?:[\s/>]|$)`)
	isOpen    = regexp.MustCompile(`(?i)^<details\s+open(?:=(?:""|"open"))?\s*>$`)
)

// stripHTML returns the text of HTML as a browser shows it, without tags and comments. whole is false when the HTML ends inside a tag
// or comment, or when parsers would not agree on where one ends: shown is then the text before it.
func stripHTML(s string) (shown string, whole bool) {
	var b strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			b.WriteString(s)
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		switch n := htmlEnd(s); {
		case n < 0:
			return b.String(), false
		case n == 0:
			b.WriteByte('<')
			s = s[1:]
		default:
			b.WriteString(tagText(s[:n]))
			s = s[n:]
		}
	}
	return b.String(), true
}

// htmlEnd returns where the comment or tag at the start of s ends: 0 when there is none, -1 when its end is ambiguous.
func htmlEnd(s string) int {
	switch {
	case strings.HasPrefix(s, "<!--"):
		n := strings.Index(s[4:], "-->")
		body := s[4:]
		if n < 0 || strings.HasPrefix(body, ">") || strings.HasPrefix(body, "->") || strings.Contains(body[:n], "--!>") {
			return -1
		}
		return 4 + n + 3
	case strings.HasPrefix(s, "<![CDATA["):
		return clearEnd(s, "]]>")
	case strings.HasPrefix(s, "<?"):
		return clearEnd(s, "?>")
	case strings.HasPrefix(s, "<!"), strings.HasPrefix(s, "</") && len(s) > 2 && !isLetter(s[2]):
		return clearEnd(s, ">")
	case len(s) > 1 && isLetter(s[1]), strings.HasPrefix(s, "</") && len(s) > 2:
		return htmlTagEnd(s)
	}
	return 0
}

// clearEnd finds the end of a construct that some parsers end earlier. It is unambiguous only when no tag lies in between.
func clearEnd(s, end string) int {
	n := strings.Index(s, end)
	if n < 0 || strings.Contains(s[1:n], "<") {
		return -1
	}
	return n + len(end)
}

// htmlTagEnd finds the end of a tag. A quote begins a value only after "=".
func htmlTagEnd(s string) int {
	quote, value := byte(0), false
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i + 1
		case c == '=':
			value = true
		case value && (c == '"' || c == '\''):
			quote, value = c, false
		case c != ' ' && c != '\t' && c != '\n':
			value = false
		}
	}
	return -1
}

// tagText returns the replacement for a tag or a comment. A short name without attributes stays, because it is more likely a type
// parameter or a placeholder.
func tagText(tag string) string {
	m := tagName.FindStringSubmatch(tag)
	if m == nil {
		return " "
	}
	bare := strings.Trim(tag[len(m[0]):], " \t\n/>") == ""
	switch details := isDetails.FindStringSubmatch(tag); {
	case details != nil && details[1] != "":
		return "\n(end of what can be folded)\n"
	case details != nil && isOpen.MatchString(tag):
		return "\n(unfolded)\n"
	case details != nil:
		return "\n(folded)\n"
	case bare && !elements.MatchString(m[1]) && len(m[1]) <= 24 && strings.Count(m[1], "-") <= 1:
		return tag
	case blocks.MatchString(m[1]):
		return "\n"
	}
	return ""
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
