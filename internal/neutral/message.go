package neutral

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/plaintext"
)

// most is how long a message may be, in bytes.
const most = 8_000

var (
	// trailing finds a line that could be read as a trailer. Prose has no such word in front of a colon, but for titles such as "go-git: x".
	trailing = regexp.MustCompile(`(?m)^([ \t>*+-]*[A-Za-z0-9][A-Za-z0-9-]*-)([A-Za-z0-9]*[ \t]*:)`)
	// patching finds where programs that read a commit as a mail take the message for over and a patch for begun. Behind such a line git
	// finds no trailer either.
	patching = regexp.MustCompile(`(?m)^(?:---|diff -|Index: |From [0-9a-f]{7,64} )`)
	empty    = regexp.MustCompile(`\n{3,}`)
)

// Message is a commit message that only says something. A message has no markup in which text could be set apart, so what acts in it gets
// a blank behind its mark: "closes # 7", "@ everyone", "Signed-off- by: Ann". Trailers are for the caller to add. What is neutral already
// comes back as it was, without empty lines around it.
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

// broken puts a blank behind the mark of everything that acts. It goes on right behind that blank, for an address may hold a name.
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
