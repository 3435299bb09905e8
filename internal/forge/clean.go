package forge

import (
	"html"
	"regexp"
	"strings"
	"unicode"
)

// maxRaw is how much of a text Clean reads: twice what a forge takes for one.
const maxRaw = 128 << 10

var (
	openComment = regexp.MustCompile(`^<(?:!--|!\[CDATA\[|![A-Za-z]|\?)`)
	definition  = regexp.MustCompile(`^ {0,3}\[([^\]\n]+)\]:[ \t]*\n?[ \t]*(<[^>\n]*>|\S+)(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?[ \t]*(?:\n|$)`)
	blankLines  = regexp.MustCompile(`\n[ \t]*\n[ \t\n]*\n`)
)

// Clean is a text that a person wrote on a forge as a model may read it: what the page shows, and nothing that it hides. Entities
// are decoded first, for they can spell what is taken out after: characters that cannot be seen or turn the reading direction,
// comments, tags with their attributes (the body of <details> stays), images with their text, titles of links, and definitions of
// links that hold more than an address. Code keeps its tags. The text is cut to most bytes, with a note. It is hygiene, not a
// boundary: what is left is still data, and may lie.
func Clean(text string, most int) string {
	text = seen(html.UnescapeString(clean(text[:min(len(text), maxRaw)])))
	for range 3 { // what was taken out may have kept the parts of another apart
		s := shown{rest: text}
		if next := s.run(); next != text {
			text = next
			continue
		}
		break
	}
	text = blankLines.ReplaceAllString(text, "\n\n")
	return cutBytes(strings.TrimSpace(text), most)
}

// seen takes out the characters that nobody can see.
func seen(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, clean(s))
}

// shown goes through Markdown from left to right, for what begins first decides what the rest is.
type shown struct {
	rest string
	out  strings.Builder
}

func (s *shown) run() string {
	start := true // of a line
	for s.rest != "" {
		if start && (s.fence() || s.define()) {
			continue
		}
		c := s.rest[0]
		start = c == '\n'
		switch {
		case c == '\\' && len(s.rest) > 1 && isPunct(s.rest[1]):
			s.keep(2)
		case c == '`':
			s.code()
		case c == '<' && (s.comment() || s.tag()):
		case c == '!' && s.image():
		case c == ']' && s.title():
		default:
			s.keep(1)
		}
	}
	return s.out.String()
}

// near is what comes next, at most n bytes: a regular expression that is given more takes time for all of it.
func (s *shown) near(n int) string { return s.rest[:min(len(s.rest), n)] }

func (s *shown) keep(n int) {
	s.out.WriteString(s.rest[:n])
	s.rest = s.rest[n:]
}

// fence keeps a fenced block, without comments: in the middle of HTML the page would not take it for one.
func (s *shown) fence() bool {
	line, rest, _ := strings.Cut(s.rest, "\n")
	m := openFence.FindStringSubmatch(line)
	if m == nil {
		return false
	}
	n := len(s.rest) - len(rest)
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		n, rest = n+len(rest)-len(after), after
		if closesFence(dedent(line, m[1]), m[2]) {
			break
		}
	}
	s.out.WriteString(comment.ReplaceAllString(s.rest[:n], " "))
	s.rest = s.rest[n:]
	return true
}

// code keeps a code span. It ends in the same paragraph, or its backticks stand for themselves.
func (s *shown) code() {
	run := len(s.rest) - len(strings.TrimLeft(s.rest, "`"))
	body := s.rest[run:]
	if i := strings.Index(body, "\n\n"); i >= 0 {
		body = body[:i]
	}
	end := closingRun(body, run)
	if end < 0 {
		s.keep(run)
		return
	}
	s.out.WriteString(comment.ReplaceAllString(s.rest[:run+end+run], " "))
	s.rest = s.rest[run+end+run:]
}

// comment drops a comment, a declaration or an instruction to the page. One without an end hides all that follows.
func (s *shown) comment() bool {
	at := openComment.FindString(s.near(16))
	if at == "" {
		return false
	}
	end := map[string]string{"<!--": "-->", "<![CDATA[": "]]>", "<?": "?>"}[at]
	if end == "" {
		end = ">"
	}
	body := s.rest
	if at != "<!--" {
		body = s.near(longTag)
	}
	i := strings.Index(body[len(at):], end)
	switch {
	case i >= 0:
		s.rest = s.rest[len(at)+i+len(end):]
	case at == "<!--":
		s.rest = ""
	default:
		return false
	}
	s.out.WriteByte(' ')
	return true
}

// define drops the definition of a link, which no page shows, unless it is short and holds no more than an address.
func (s *shown) define() bool {
	m := definition.FindStringSubmatch(s.near(longTag))
	if m == nil || strings.HasPrefix(m[1], "^") { // a footnote is shown
		return false
	}
	if to := strings.Trim(m[2], "<>"); len(m[1]) <= 40 && webLink(to) != "" {
		s.out.WriteString("[" + m[1] + "]: " + to + "\n")
	}
	s.rest = s.rest[len(m[0]):]
	return true
}

// CleanLine is a name or a path as one line of at most most bytes, without what nobody can see.
func CleanLine(text string, most int) string {
	const mark = "…"
	text = flat(seen(start(text, most)))
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:max(0, most-len(mark))], "") + mark
}

// CleanEnd is text that is no Markdown, such as a part of a diff, without what nobody can see: the last lines of it, at most most bytes.
func CleanEnd(text string, most int) string {
	text = strings.Trim(seen(end(text, most)), "\n")
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most+len(logCut)+1:]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	return logCut + "\n" + strings.ToValidUTF8(text, "")
}
