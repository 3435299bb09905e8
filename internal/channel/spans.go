package channel

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// spans returns the text of a block, without surrounding spaces.
func (r *reader) spans(n ast.Node) []Span {
	var out []Span
	r.inline(n, Span{}, &out)
	return trim(merge(out))
}

// inline adds the children of a node. style is a span without text.
func (r *reader) inline(n ast.Node, style Span, out *[]Span) {
	add := func(s string) {
		if s != "" {
			style.Text = s
			*out = append(*out, style)
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			r.words(c, style, add)
		case *ast.String:
			add(oneLine(string(c.Value)))
		case *ast.Emphasis:
			s := style
			s.Bold, s.Italic = s.Bold || c.Level == 2, s.Italic || c.Level == 1
			r.inline(c, s, out)
		case *extast.Strikethrough:
			s := style
			s.Strike = true
			r.inline(c, s, out)
		case *ast.CodeSpan:
			s := style
			s.Mono = true
			r.inline(c, s, out)
		case *ast.Image:
			r.image(c, style, out)
		case *ast.Link:
			r.link(c, style, out)
		case *ast.AutoLink:
			style.Link = web(string(c.URL(r.source)))
			add(oneLine(string(c.Label(r.source))))
			style.Link = ""
		default:
			r.inline(c, style, out)
		}
	}
}

// words adds plain text and the line break after it.
func (r *reader) words(n *ast.Text, style Span, add func(string)) {
	s := string(n.Segment.Value(r.source))
	if !n.IsRaw() && !style.Mono {
		s = unescape(s)
	}
	add(oneLine(s))
	switch {
	case n.HardLineBreak():
		add("\n")
	case n.SoftLineBreak():
		add(" ")
	}
}

// unescape resolves backslash escapes and entities. A backslash prevents an entity.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0:
			i++
			out.WriteByte(s[i])
		case s[i] == '&':
			end := strings.IndexByte(s[i:min(len(s), i+40)], ';')
			if end < 0 {
				out.WriteByte('&')
				continue
			}
			out.WriteString(html.UnescapeString(s[i : i+end+1]))
			i += end
		default:
			out.WriteByte(s[i])
		}
	}
	return out.String()
}

// merge joins adjacent spans of the same style.
func merge(spans []Span) []Span {
	var out []Span
	for i := 0; i < len(spans); {
		style := spans[i]
		style.Text = ""
		var text strings.Builder
		for ; i < len(spans) && alike(spans[i], style); i++ {
			text.WriteString(spans[i].Text)
		}
		style.Text = text.String()
		out = append(out, style)
	}
	return out
}

func alike(s, style Span) bool {
	s.Text = style.Text
	return s == style
}

// trim removes spaces at both ends, and spans of spaces only.
func trim(spans []Span) []Span {
	for len(spans) > 0 {
		s := &spans[0]
		if s.Text = strings.TrimLeft(s.Text, " \n"); s.Text != "" {
			break
		}
		spans = spans[1:]
	}
	for len(spans) > 0 {
		s := &spans[len(spans)-1]
		if s.Text = strings.TrimRight(s.Text, " \n"); s.Text != "" {
			break
		}
		spans = spans[:len(spans)-1]
	}
	return spans
}
