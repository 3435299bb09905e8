package tools

import (
	"path"
	"strconv"
	"strings"
)

// patchName reads a name of a patch: git quotes those with special characters as C does, and diff adds a time behind a tab.
func patchName(s string) string {
	s = strings.TrimSuffix(s, "\r")
	if strings.HasPrefix(s, `"`) {
		name, _, _ := quotedName(s)
		return name
	}
	s, _, _ = strings.Cut(s, "\t")
	return strings.TrimRight(s, " ")
}

// quotedName returns the name in quotes that a text begins with, and what is behind it. In names, C and Go know the same escapes.
func quotedName(s string) (name, rest string, ok bool) {
	quoted, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", false
	}
	name, err = strconv.Unquote(quoted)
	return name, s[len(quoted):], err == nil
}

// gitNames reads the names of a line diff --git. Without quotes it is clear where the second begins only if both are the same.
func gitNames(s string) (from, to string) {
	s = strings.TrimSuffix(s, "\r")
	if a, rest, ok := quotedName(s); ok {
		return withoutPrefix(a, patchName(strings.TrimPrefix(rest, " ")))
	}
	for i := range len(s) {
		if s[i] != ' ' {
			continue
		}
		if from, to = withoutPrefix(s[:i], patchName(s[i+1:])); from == to {
			return from, to
		}
	}
	return "", ""
}

// withoutPrefix removes a/ and b/, or what else stands before the same name twice. A file that is not there is "".
func withoutPrefix(from, to string) (string, string) {
	none := "/dev/null"
	prefixA, a, okA := strings.Cut(from, "/")
	prefixB, b, okB := strings.Cut(to, "/")
	switch {
	case from == none && to == none:
		return "", ""
	case from == none:
		return "", strings.TrimPrefix(to, "b/")
	case to == none:
		return strings.TrimPrefix(from, "a/"), ""
	case okA && okB && !path.IsAbs(from) && prefixA != prefixB && (a == b || prefixA == "a" && prefixB == "b"):
		return a, b
	}
	return from, to
}
