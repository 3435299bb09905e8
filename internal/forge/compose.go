package forge

import (
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/excerpt"
)

// titleWidth is how much of a title lists of pull requests and commits show.
const titleWidth = 72

// Compose writes the title and the Markdown body of a pull request. The title keeps to one line of 72 characters, the body stays
// under MaxBody with room for the hidden mark. The same summary always gives the same text.
func Compose(s Summary) (title, body string) {
	const room = MaxBody - 2_000
	for scale := 1; ; scale *= 2 {
		body = s.body(limits{8_000 / scale, 600 / scale, max(1, 60/scale)})
		if len(body) <= room || scale > 256 {
			return s.title(), cutBytes(body, room)
		}
	}
}

// limits bound the untrusted parts of a body. They are halved until the body fits.
type limits struct {
	text int // bytes of a long text
	line int // characters of a line
	rows int // rows of a list
}

// title shortens before it neutralises, because half of a code span would not be one.
func (s Summary) title() string {
	text := "Changes by Longshift"
	for _, t := range []string{s.Title, s.Overview, s.Task} {
		t = strings.TrimLeft(strings.TrimSpace(plain(start(t, MaxTitle))), "#>*- \t")
		if first, _, _ := strings.Cut(t, "\n"); excerpt.OneLine(first) != "" {
			text = excerpt.OneLine(first)
			break
		}
	}
	for n := titleWidth; n > 1; n-- {
		if t := titleLine(cutRunes(text, n)); utf8.RuneCountInString(t) <= titleWidth {
			return t
		}
	}
	return "Changes by Longshift"
}

func (s Summary) body(l limits) string {
	var parts []string
	add := func(heading string, lines ...string) {
		text := strings.Join(lines, "\n")
		if strings.TrimSpace(text) == "" {
			return
		}
		if heading != "" {
			text = "### " + heading + "\n\n" + text
		}
		parts = append(parts, text)
	}
	add("", s.warning(l)...)
	add("", s.opening(l)...)
	add("Look here first", s.look(l)...)
	add("Proof", s.proof(l)...)
	if r := s.Review; r != nil && !r.Approved {
		add("Review", s.review(l))
	}
	add("", s.folded(l))
	add("", s.figures()...)
	if s.Followed {
		add("", "**To ask for changes**, review this pull request, or write a comment that begins with `/longshift`. Longshift works on it "+
			"until this is merged or closed.")
	}
	return strings.Join(parts, "\n\n")
}
