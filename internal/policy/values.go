package policy

import (
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// joinValues returns what is known of a variable that has one of two values.
func (p *Policy) joinValues(a, b value) value {
	if a.array || b.array {
		return joinArrays(p, a, b)
	}
	if slices.Equal(a.parts, b.parts) {
		return a
	}
	return sourceValue(worse(p.source(a.parts), p.source(b.parts)))
}

func joinArrays(p *Policy, a, b value) value {
	src := grammar.Source(grammar.Digits)
	for _, v := range []value{a, b} {
		if !v.array {
			src = worse(src, p.source(v.parts))
		}
		for _, w := range v.list {
			src = worse(src, p.source(w.Parts))
		}
	}
	return value{array: true, list: []grammar.Word{{Parts: []grammar.Part{{Source: src}}, Many: true}}}
}

// worse returns the source of which less is known; neither is Literal.
func worse(a, b grammar.Source) grammar.Source {
	order := []grammar.Source{grammar.Digits, grammar.Plain, grammar.Tree, grammar.Any}
	for i := len(order) - 1; i >= 0; i-- {
		if a == order[i] || b == order[i] {
			return order[i]
		}
	}
	return grammar.Any
}

// source returns what is known of a text without its exact words: digits, one plain token, an ordinary name inside the tree,
// or nothing.
func (p *Policy) source(parts []grammar.Part) grammar.Source {
	var b strings.Builder
	worst := grammar.Source(grammar.Digits)
	for _, part := range parts {
		switch part.Source {
		case grammar.Literal:
			b.WriteString(part.Text)
		case grammar.Digits:
			b.WriteByte('1')
		case grammar.Plain:
			b.WriteByte('x')
			worst = worse(worst, grammar.Plain)
		case grammar.Tree:
			if part.Text == "" {
				part.Text = "x"
			}
			b.WriteString(part.Text)
			worst = worse(worst, grammar.Tree)
		default:
			return grammar.Any
		}
	}
	text := b.String()
	switch {
	case isDigits(text) && worst == grammar.Digits:
		return grammar.Digits
	case plainToken(text) && worst != grammar.Tree && p.ordinary(text):
		return grammar.Plain
	case p.ordinary(text):
		return grammar.Tree
	}
	return grammar.Any
}

// ordinary reports whether a text is a relative path inside the current folder that nothing protects.
func (p *Policy) ordinary(text string) bool {
	if text == "" || strings.ContainsAny(text[:1], "-/~+") || hasControl(text) {
		return false
	}
	for _, seg := range strings.Split(text, "/") {
		if seg == ".." || seg != "." && strings.HasPrefix(seg, ".") && strings.ContainsAny(seg, "*?[") {
			return false
		}
	}
	return p.guarded(clean("/" + text)[1:], Write) == nil && p.guarded(clean("/" + text)[1:], Read) == nil
}

func isDigits(t string) bool {
	return t != "" && len(t) < 19 && strings.Trim(t, "0123456789") == ""
}

// isInteger accepts integers with or without a minus sign.
func isInteger(t string) bool { return isDigits(strings.TrimPrefix(t, "-")) }

// plainToken accepts one word of letters, digits and punctuation of versions and dates.
func plainToken(t string) bool {
	for i, c := range []byte(t) {
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z', c >= '0' && c <= '9', c == '_':
		case strings.IndexByte(".-:+@%,", c) >= 0 && i > 0:
		default:
			return false
		}
	}
	return t != "" && !strings.Contains(t, "..")
}

func hasControl(t string) bool {
	return strings.ContainsFunc(t, func(r rune) bool { return r < ' ' || r == 0x7f })
}
