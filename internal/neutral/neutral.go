// Package neutral removes side effects from text that a model or a stranger wrote, before a forge, git or a terminal
// reads it: it drops invisible characters, and inserts a space into anything that would close an issue, mention a user,
// command a CI server or pose as a trailer. It knows nothing about markup or where the text is used, and may import
// internal/excerpt and internal/plaintext only.
package neutral

import (
	"regexp"
	"strings"
	"unicode"
)

// Clean returns valid UTF-8 with plain line ends, without control characters, invisible characters and bidirectional
// controls.
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
	// acting matches what a forge acts on: addresses, references to issues, merge requests, epics and commits of other
	// projects, and mentions.
	acting = regexp.MustCompile(`(?i)(?:https?|ftp)://[^\s<>"|\\\[\]` + "`" + `]+|www\.[^\s<>"|\\\[\]` + "`" + `]+` +
		`|(?:[\w.-]+(?:/[\w.-]+)?)?[#!&]\d+[a-z0-9]*|[a-z0-9]*G[HL]-\d+|[\w.-]+/[\w.-]+@[0-9a-f]{7,64}|@[a-z0-9](?:[\w./-]*[a-z0-9])?`)
	// mark matches the part of it that is required for the effect.
	mark = regexp.MustCompile(`(?i)(://|www\.|@)|([#!&]|G[HL]-)\d`)
)

// Acts returns start and end of the parts of a text that a forge acts on, from left to right. E-mail addresses and shell
// redirections such as 2>&1 don't count.
func Acts(s string) [][2]int {
	var found [][2]int
	for at, ok := next(s, 0, -1); ok; at, ok = next(s, at[1], at[1]) {
		found = append(found, at)
	}
	return found
}

// next returns the first match after from. The previous match, which ended at last, will be separated from the following
// text, so it is no part of an address.
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

// closer matches a keyword that closes an issue, with its reference.
var closer = regexp.MustCompile(`(?i)((?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w.-]+/[\w.-]+)?)(#|GH-|https?://)(\w)`)

// Closers inserts a space into each keyword that closes an issue. It repeats the search, since one match may hide
// another.
func Closers(s string) string {
	for closer.MatchString(s) {
		s = closer.ReplaceAllString(s, "$1$2 $3")
	}
	return s
}

// orders match directives that forges and CI servers obey anywhere in a commit message, and so in a pull request that
// becomes one: skip checks, reference an issue, name an author, and Longshift's own marker.
var orders = regexp.MustCompile(`(?i)(\[)((?:(?:skip|no)[ _-]\w[\w -]{0,30}|\w[\w -]{0,30}[ _-]skip)\]|` +
	`(?:issue|work_item|epic|vulnerability|feature_flag):)|(\*\*\*)(NO_CI)|([a-z0-9-]*-)(by[ \t]*:)|(skip-)(checks[ \t]*:)|` +
	`(longshift-)(task[ \t]*:)`)

// Orders inserts a space into each directive.
func Orders(s string) string { return orders.ReplaceAllString(s, "$1$3$5$7$9 $2$4$6$8$10") }
