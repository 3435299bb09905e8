package neutral

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/plaintext"
)

// most is the maximum length of a message in bytes.
const most = 8_000

var (
	// trailing matches lines that could be read as trailers. Prose has no such word before a colon, except in titles
	// such as "go-git: x".
	trailing = regexp.MustCompile(`(?m)^([ \t>*+-]*[A-Za-z0-9][A-Za-z0-9-]*-)([A-Za-z0-9]*[ \t]*:)`)
	// patching matches lines at which programs that read a commit as a mail end the message and expect a patch. Git
	// finds no trailers after such a line either.
	patching = regexp.MustCompile(`(?m)^(?:---|diff -|Index: |From [0-9a-f]{7,64} )`)
	empty    = regexp.MustCompile(`\n{3,}`)
)

// Message returns a commit message without side effects. Commit messages have no markup to quote text with, so a space
// is inserted into anything that takes effect: "closes # 7", "@ everyone", "Signed-off- by: Ann". Callers add their own
// trailers afterwards. A neutral message is returned unchanged, except for surrounding empty lines.
func Message(s string) string {
	s = Clean(plaintext.Of(s[:min(len(s), 2*most)]))
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, strings.TrimRight(line, " \t\n"))
	}
	s = cut(empty.ReplaceAllString(strings.TrimSpace(strings.Join(lines, "\n")), "\n\n"))
	s = Orders(broken(s))
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i] + trailing.ReplaceAllString(s[i:], "$1 $2")
	}
	return patching.ReplaceAllString(s, " $0")
}

func cut(s string) string {
	if len(s) <= most {
		return s
	}
	return excerpt.Cut(s, most) + "\n(cut)"
}

// broken inserts a space after the mark of every active part. It continues right after the space, since an address may
// contain a name.
func broken(s string) string {
	var b strings.Builder
	from := 0
	for at, ok := next(s, 0, -1); ok; at, ok = next(s, from, -1) {
		m := mark.FindStringSubmatchIndex(s[at[0]:])
		end := at[0] + max(m[3], m[5])
		b.WriteString(s[from:end] + " ")
		from = end
	}
	return b.String() + s[from:]
}
