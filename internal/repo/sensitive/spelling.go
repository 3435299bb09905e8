package sensitive

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/longshift/longshift/task"
)

// fold normalizes a path as the most lenient file system would: it ignores case, invisible characters, and trailing dots and blanks of a
// name. So a control file on somebody's machine is found under any spelling.
func fold(p string) string {
	p = strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, p)
	parts := strings.Split(strings.ToLower(strings.ToUpper(p)), "/") // to upper case first, which unifies the variants of s and k
	for i, part := range parts {
		if trimmed := strings.TrimRight(part, ". "); trimmed != "" {
			parts[i] = trimmed
		}
	}
	return strings.Join(parts, "/")
}

// hidden reports whether a character is invisible in a name or changes its reading order. A blank is visible.
func hidden(r rune) bool { return r != ' ' && (!unicode.IsPrint(r) || task.Hidden(r) || r == '\uFE0F') }

// shown escapes invisible characters and invalid bytes, and cuts the text to n bytes.
func shown(s string, n int) string {
	var b strings.Builder
	for at, r := range s {
		one := string(r)
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[at:], one):
			one = fmt.Sprintf(`\x%02x`, s[at])
		case hidden(r):
			one = fmt.Sprintf(`\u{%x}`, r)
		}
		if b.Len()+len(one) > n-len("…") {
			return b.String() + "…"
		}
		b.WriteString(one)
	}
	return b.String()
}

// spelling checks the new name for hidden characters.
func (i *inspection) spelling() {
	if !i.there() || i.was() && !i.renamed() {
		return
	}
	if !utf8.ValidString(i.Path) || strings.ContainsFunc(i.Path, hidden) {
		i.add(Names, "%s, and its name has characters that nobody sees", i.how())
	}
}

// leadsOut returns why a link is suspicious, "" when it is not.
func leadsOut(at, target string) string {
	to := strings.ReplaceAll(target, `\`, "/")
	clean := path.Join(path.Dir(at), to)
	switch {
	case path.IsAbs(to), len(to) > 1 && to[1] == ':':
		return "which is an absolute path"
	case clean == "..", strings.HasPrefix(clean, "../"):
		return "which is outside of the repository"
	case within(fold(clean), ".git"):
		return "which is git's own folder"
	}
	return ""
}

// within reports whether a path is the folder or lies in it.
func within(p, folder string) bool {
	return slices.Contains(strings.Split(p, "/"), folder)
}

// binary applies git's own rule for binary content.
func binary(content []byte) bool {
	return bytes.IndexByte(content[:min(len(content), 8000)], 0) >= 0
}
