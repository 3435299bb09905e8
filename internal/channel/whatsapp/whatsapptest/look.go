package whatsapptest

import (
	"regexp"
	"strings"
)

// The apps format a text if the marks touch it on the inside, and have no ASCII letter or digit on the outside.
var (
	fenced = regexp.MustCompile("(?s)```(.+?)```")
	marked = []*regexp.Regexp{
		regexp.MustCompile(`(^|[^a-zA-Z0-9])\*([^\s*](?:[^*\n]*[^\s*])?)\*($|[^a-zA-Z0-9])`),
		regexp.MustCompile(`(^|[^a-zA-Z0-9])_([^\s_](?:[^_\n]*[^\s_])?)_($|[^a-zA-Z0-9])`),
		regexp.MustCompile(`(^|[^a-zA-Z0-9])~([^\s~](?:[^~\n]*[^\s~])?)~($|[^a-zA-Z0-9])`),
		regexp.MustCompile("(^|[^a-zA-Z0-9])`([^`\n]+)`($|[^a-zA-Z0-9])"),
	}
	listed  = regexp.MustCompile(`(?m)^(?:> ?|[*-] )`)
	looksAs = strings.NewReplacer("∗", "*", "＿", "_", "∼", "~", "ˋ", "`")
)

// Look returns what people see of a text: without marks, and with look-alikes replaced by the characters that they
// resemble. code has the code blocks, and live counts the effective marks.
func Look(s string) (text string, code []string, live int) {
	var b strings.Builder
	rest := s
	for {
		at := fenced.FindStringSubmatchIndex(rest)
		if at == nil {
			break
		}
		before, inside := rest[:at[0]], rest[at[2]:at[3]]
		rest = rest[at[1]:]
		live++
		if (before == "" && b.Len() == 0 || strings.HasSuffix(before, "\n\n")) && (rest == "" || strings.HasPrefix(rest, "\n\n")) {
			code = append(code, looksAs.Replace(inside))
		}
		b.WriteString(unmark(before, &live))
		b.WriteString(inside)
	}
	b.WriteString(unmark(rest, &live))
	return looksAs.Replace(b.String()), code, live
}

func unmark(s string, live *int) string {
	*live += len(listed.FindAllString(s, -1))
	s = listed.ReplaceAllString(s, "")
	for changed := true; changed; {
		changed = false
		for _, m := range marked {
			if m.MatchString(s) {
				*live++
				s, changed = m.ReplaceAllString(s, "$1$2$3"), true
			}
		}
	}
	return s
}
