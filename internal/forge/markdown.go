package forge

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/neutral"
)

// Text from a model or an issue is data. GitHub acts on the *rendered* text of a pull request: it notifies @names, links #numbers, and
// closes issues after words like "fixes". A backslash or an entity does not prevent that, because rendering removes both; a code span
// does. So whatever could act is put into a code span, whatever could start HTML, a link or an entity is escaped, and code stays as it
// is only where this package has delimited it.

var (
	comment = regexp.MustCompile(`(?s)<!--.*?-->`)
	entity  = regexp.MustCompile(`^&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
)

// plain returns a text without HTML comments and without whatever could act in code, for use in a commit message, which has no code
// spans. A blank replaces each comment, so that the text around it can't form a new one.
func plain(s string) string {
	return neutral.Orders(comment.ReplaceAllString(neutral.Clean(s), " "))
}

// start and end return twice as much of a text as n characters can take, so that the work on a huge one is bounded.
func start(s string, n int) string { return s[:min(len(s), 8*n+200)] }
func end(s string, n int) string   { return s[max(0, len(s)-8*n-200):] }

// cutBytes shortens text to at most n bytes, at the end of a line where one is near, and says so.
func cutBytes(s string, n int) string {
	const mark = "\n(cut)"
	if len(s) <= n {
		return s
	}
	s = s[:max(0, n-len(mark))]
	for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-utf8.UTFMax):]) && !utf8.RuneStart(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	s = strings.ToValidUTF8(s, "")
	if i := strings.LastIndexByte(s, '\n'); i > len(s)*3/4 {
		s = s[:i]
	}
	return s + mark
}

// starter matches what would make a line a heading, a list, a quote or a rule.
var starter = regexp.MustCompile(`^(#{1,6}(?: |$)|[-+*](?: |$)|>|[-=*_]{2,}$|={1,}$|\d{1,9}[.)](?: |$))`)

// phrase turns untrusted text into one line of Markdown of at most n characters.
func phrase(s string, n int) string {
	s = cutRunes(excerpt.OneLine(plain(start(s, n))), n)
	if at := starter.FindString(s); at != "" {
		i := len(strings.TrimRight(at, " ")) - 1 // the mark itself, or the dot after a number
		if at[0] < '0' || at[0] > '9' {
			i = 0
		}
		return line(s[:i]) + `\` + s[i:i+1] + line(s[i+1:])
	}
	return line(s)
}

// span turns untrusted text into one code span of at most n characters.
func span(s string, n int) string {
	s = neutral.Closers(cutRunes(excerpt.OneLine(plain(start(s, n))), n))
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if len(fence) > 1 || strings.HasPrefix(s, "`") {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// block turns untrusted text into a fenced block of at most n bytes. It keeps the last lines, because the end of an output says most.
func block(s string, n int) string {
	s = strings.Trim(plain(end(s, n/4)), "\n")
	if len(s) > n {
		s = strings.ToValidUTF8(s[len(s)-n:], "")
		if i := strings.IndexByte(s, '\n'); i >= 0 {
			s = s[i+1:]
		}
		s = "(cut)\n" + s
	}
	return fenced("text", s)
}

func fenced(info, s string) string {
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	return fence + info + "\n" + neutral.Closers(s) + "\n" + fence
}

// longestRun returns the length of the longest row of backticks.
func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
