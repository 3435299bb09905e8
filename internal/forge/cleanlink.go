package forge

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

const maxTarget = 200 // bytes

var (
	autoLink = regexp.MustCompile(`^<[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*>`)
	// placeForm matches the fragment of an address that leads to lines or to a comment.
	placeForm = regexp.MustCompile(`^(?:L\d+(?:-L\d+)?|issuecomment-\d+|discussion_r\d+|pullrequestreview-\d+)$`)
)

// linked scans a text without code and tags, and removes from its links what the page does not show: images with their alternative
// text, titles, and everything in an address after the path.
type linked struct {
	rest    string
	out     []byte
	open    []bracket
	passive int            // the first so many brackets can't be links, because they contain one
	refs    parser.Context // addresses by name; may be nil
}

type bracket struct {
	at    int // in out
	image bool
}

func dropLinks(text string, refs parser.Context) string {
	l := linked{rest: text, refs: refs}
	for l.rest != "" {
		switch c := l.rest[0]; {
		case c == '\\' && len(l.rest) > 1 && isPunct(l.rest[1]):
			l.keep(2)
		case c == edge[0] || c == '\n' && strings.HasPrefix(l.rest, "\n\n"):
			l.open, l.passive = l.open[:0], 0
			l.keep(1)
		case c == '<':
			l.keep(max(1, len(autoLink.FindString(l.rest[:min(len(l.rest), longTag)]))))
		case c == '!' && strings.HasPrefix(l.rest, "![") && !strings.HasPrefix(l.rest, "![^"):
			l.open = append(l.open, bracket{len(l.out), true})
			l.keep(2)
		case c == '[':
			l.open = append(l.open, bracket{len(l.out), false})
			l.keep(1)
		case c == ']' && len(l.open) > 0:
			l.close()
		default:
			n := strings.IndexAny(l.rest[1:], "\\\n<![]"+edge)
			if n < 0 {
				n = len(l.rest) - 1
			}
			l.keep(1 + n)
		}
	}
	return string(l.out)
}

func (l *linked) keep(n int) {
	l.out = append(l.out, l.rest[:n]...)
	l.rest = l.rest[n:]
}

// close handles the end of the last open bracket.
func (l *linked) close() {
	b := l.open[len(l.open)-1]
	l.open = l.open[:len(l.open)-1]
	passive := !b.image && len(l.open) < l.passive
	l.passive = min(l.passive, len(l.open))
	to, n := linkTail(l.rest[1:])
	link := n > 0
	if !link {
		to, n, link = l.byName(l.out[b.at:])
	}
	switch {
	case b.image:
		l.out = append(l.out[:b.at], "(image)"...)
		l.rest = l.rest[1+n:]
	case !link || passive:
		l.keep(1)
	default:
		l.out = append(append(append(l.out, "]("...), cutTarget(to)...), ')')
		l.rest = l.rest[1+n:]
		l.passive = len(l.open)
	}
}

// byName finds the address of [text][name], [name][] or [name]. n is the length of the second bracket.
func (l *linked) byName(before []byte) (to string, n int, ok bool) {
	name := ""
	if len(before) <= 1000 {
		name = strings.TrimLeft(string(before), "!")[1:]
	}
	if rest := l.rest[1:]; strings.HasPrefix(rest, "[") {
		if end := strings.IndexAny(rest[1:min(len(rest), 1000)], "[]"+edge); end >= 0 && rest[1+end] == ']' {
			n = end + 2
			if end > 0 {
				name = rest[1 : 1+end]
			}
		}
	}
	if l.refs == nil || name == "" {
		return "", n, false
	}
	ref, ok := l.refs.Reference(util.ToLinkReference([]byte(name)))
	if !ok {
		return "", n, false
	}
	return string(ref.Destination()), n, true
}

// cutTarget keeps the part of an address that says where it leads: scheme, host and path, at most 200 bytes.
func cutTarget(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Opaque != "" || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return "…"
	}
	place := ""
	if placeForm.MatchString(u.Fragment) {
		place = "#" + u.Fragment
	}
	if u.User != nil {
		u.User = nil
		to = u.String()
	}
	if i := strings.IndexAny(to, "?#"); i >= 0 {
		to = to[:i]
	}
	return CleanLine(to+place, maxTarget)
}
