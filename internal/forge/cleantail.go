package forge

import (
	"strings"
)

// linkTail reads what follows the text of a link: an address in parentheses, with or without a title. n is its length, 0 when there is
// none. It reads each byte of a text a bounded number of times, however many such tails the text seems to have.
func linkTail(s string) (to string, n int) {
	if !strings.HasPrefix(s, "(") {
		return "", 0
	}
	at := 1 + blanks(s[1:])
	to, k := target(s[at:])
	if k < 0 {
		return "", 0
	}
	at += k
	gap := blanks(s[at:])
	at += gap
	if gap > 0 {
		at += titleLength(s[at:])
		at += blanks(s[at:])
	}
	if !strings.HasPrefix(s[at:], ")") {
		return "", 0
	}
	return to, at + 1
}

// blanks counts blanks, over at most one line end. In a quote the next line begins with a mark.
func blanks(s string) int {
	n := len(s) - len(strings.TrimLeft(s, " \t"))
	if !strings.HasPrefix(s[n:], "\n") || strings.HasPrefix(s[n:], "\n\n") {
		return n
	}
	return len(s) - len(strings.TrimLeft(s[n+1:], " \t>"))
}

// target reads an address: in angle brackets, or without blanks and with balanced parentheses. k is its length, -1 for none.
func target(s string) (to string, k int) {
	pointed, depth := strings.HasPrefix(s, "<"), 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			i++
		case pointed && (c == '\n' || c == '<' && i > 0), c == edge[0]:
			return "", -1
		case pointed && c == '>':
			return s[1:i], i + 1
		case pointed:
		case c <= ' ', c == ')' && depth == 0:
			return s[:i], i
		case c == '(':
			if depth++; depth > 32 {
				return "", -1
			}
		case c == ')':
			depth--
		}
	}
	return "", -1
}

// titleLength returns the length of a title at the start of s, 0 for none. A title does not extend beyond its paragraph.
func titleLength(s string) int {
	if s == "" || strings.IndexByte(`"'(`, s[0]) < 0 {
		return 0
	}
	end := map[byte]string{'"': `"\`, '\'': `'\`, '(': `()\`}[s[0]]
	for i := 1; i < len(s); i++ {
		j := strings.IndexAny(s[i:], end+edge+"\n")
		if j < 0 {
			return 0
		}
		i += j
		switch c := s[i]; {
		case c == '\\':
			i++
		case c == edge[0], c == '(', c == '\n' && strings.HasPrefix(s[i:], "\n\n"):
			return 0
		case c != '\n':
			return i + 1
		}
	}
	return 0
}
