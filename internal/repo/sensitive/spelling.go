package sensitive

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/longshift/longshift/task"
)

// fold gives a path as the most careless of file systems reads it: case does not count, nor what can't be seen, nor dots and blanks at the
// end of a name. What is a control file on somebody's machine is found whatever it is called here.
func fold(p string) string {
	p = strings.Map(func(r rune) rune {
		if hidden(r) {
			return -1
		}
		return r
	}, p)
	parts := strings.Split(strings.ToLower(strings.ToUpper(p)), "/") // to upper case first: that joins the two forms of s and k
	for i, part := range parts {
		if trimmed := strings.TrimRight(part, ". "); trimmed != "" {
			parts[i] = trimmed
		}
	}
	return strings.Join(parts, "/")
}

// hidden tells what nobody sees in a name, or would read in another order. A blank is seen.
func hidden(r rune) bool { return r != ' ' && (!unicode.IsPrint(r) || task.Hidden(r) || r == '\uFE0F') }

// shown writes out every hidden character, and bytes that are none, and cuts the text to n bytes.
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

// spelling looks at the name that a change brings.
func (i *inspection) spelling() {
	if !i.there() || i.was() && !i.renamed() {
		return
	}
	if !utf8.ValidString(i.Path) || strings.ContainsFunc(i.Path, hidden) {
		i.add(Names, "%s, and its name has characters that nobody sees", i.how())
	}
}

// leadsOut says why a link is worth a look, "" when it is none.
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

// within tells whether a path is a folder of this name, or in one.
func within(p, folder string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == folder {
			return true
		}
	}
	return false
}

// binary tells by git's own rule whether content is no text.
func binary(content []byte) bool {
	return strings.IndexByte(string(content[:min(len(content), 8000)]), 0) >= 0
}
