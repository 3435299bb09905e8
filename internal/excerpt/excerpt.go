// Package excerpt puts text on one line, cuts it to a number of bytes, and says how many there are of something. It knows neither
// markup nor which characters are hidden or would steer a terminal: callers remove these first. It is pure and imports only the standard
// library, so that workflows and the contract packages may use it.
package excerpt

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const mark = "…"

// Cut returns the first n bytes of s, or up to three fewer, so that no character is cut in two.
func Cut(s string, n int) string {
	n = max(n, 0)
	if len(s) <= n {
		return s
	}
	for i := n; i >= 0 && i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i]
		}
	}
	return s[:n] // no UTF-8
}

// Clip cuts s to n bytes, an ellipsis at its end included.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(Cut(s, n-len(mark)), " ") + mark
}

// OneLine joins all words of s by single blanks.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Line is s on one line of at most n bytes.
func Line(s string, n int) string { return Clip(OneLine(s), n) }

// FirstLine returns the first line of s that is not blank.
func FirstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(s)
}

// Tail returns the last n bytes of s, or up to three fewer, behind an ellipsis where something was left out.
func Tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[len(s)-n:]
	for i := range min(len(s), utf8.UTFMax) {
		if utf8.RuneStart(s[i]) {
			return mark + " " + s[i:]
		}
	}
	return mark + " " + s
}

// Count is "1 file", "7 files".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
