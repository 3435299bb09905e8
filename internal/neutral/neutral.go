// Package neutral takes the effect out of text that a model or a stranger wrote, before a forge, git or a terminal reads it: what nobody
// can see goes, and what would close an issue, call somebody, steer a CI server or claim to be a trailer is found and broken by a blank.
// It knows nothing of markup and of where the text will stand; internal/plaintext is all that it imports.
package neutral

import (
	"regexp"
	"strings"
	"unicode"
)

// Clean makes text valid UTF-8 with plain line ends, without control characters and without those that nobody can see or that turn the
// reading direction.
func Clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r', r == '\u2028', r == '\u2029', r == '\u0085':
			return '\n'
		case unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
			return -1
		}
		return r
	}, s)
}

var (
	// acting finds what a forge acts upon: addresses, references to issues, merge requests, epics and commits elsewhere, names.
	acting = regexp.MustCompile(`(?i)(?:https?|ftp)://[^\s<>"|\\\[\]` + "`" + `]+|www\.[^\s<>"|\\\[\]` + "`" + `]+` +
		`|(?:[\w.-]+(?:/[\w.-]+)?)?[#!&]\d+[a-z0-9]*|[a-z0-9]*G[HL]-\d+|[\w.-]+/[\w.-]+@[0-9a-f]{7,64}|@[a-z0-9](?:[\w./-]*[a-z0-9])?`)
	// mark is the part of it without which nothing happens.
	mark = regexp.MustCompile(`(?i)(://|www\.|@)|([#!&]|G[HL]-)\d`)
)

// Acts finds the parts of a text that a forge acts upon, from left to right, as start and end. E-mail addresses are none, and neither
// are the file descriptors of a shell, such as 2>&1.
func Acts(s string) [][2]int {
	var found [][2]int
	for at, ok := next(s, 0, -1); ok; at, ok = next(s, at[1], at[1]) {
		found = append(found, at)
	}
	return found
}

// next finds the first one behind from. What ended at last will stand apart from what follows, so it is no part of an address.
func next(s string, from, last int) ([2]int, bool) {
	for from < len(s) {
		at := acting.FindStringIndex(s[from:])
		if at == nil {
			break
		}
		start, end := from+at[0], from+at[1]
		switch before := s[max(0, start-1)]; {
		case start == 0 || start == last:
		case s[start] == '@' && isAlnum(before), s[start] == '&' && (before == '>' || before == '<'):
			from = start + 1
			continue
		}
		return [2]int{start, start + len(strings.TrimRight(s[start:end], ".,;:!?)'*_~"))}, true
	}
	return [2]int{}, false
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// closer finds an order to close an issue.
var closer = regexp.MustCompile(`(?i)((?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+/[\w.-]+)?)(#|GH-|https?://)(\w)`)

// Closers puts a blank into each order to close. More than one round, for one order may have hidden another.
func Closers(s string) string {
	for closer.MatchString(s) {
		s = closer.ReplaceAllString(s, "$1$2 $3")
	}
	return s
}

// orders are what forges and CI servers obey wherever it stands in a commit message, and so in a pull request that becomes one: to run no
// checks, to name an issue, to write somebody down as an author, and our own mark.
var orders = regexp.MustCompile(`(?i)(\[)((?:(?:skip|no)[ _-]\w[\w -]{0,30}|\w[\w -]{0,30}[ _-]skip)\]|(?:issue|work_item|epic|vulnerability|feature_flag):)` +
	`|(\*\*\*)(NO_CI)|([a-z0-9-]*-)(by[ \t]*:)|(skip-)(checks[ \t]*:)|(longshift-)(task[ \t]*:)`)

// Orders puts a blank into each of them.
func Orders(s string) string { return orders.ReplaceAllString(s, "$1$3$5$7$9 $2$4$6$8$10") }
