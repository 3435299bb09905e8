package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// tildes reads the tildes of unquoted text that begins a word (first), or is part of a value, and returns the rest.
func (b *builder) tildes(text string, first bool) string {
	if first {
		b.bare = true
		if strings.HasPrefix(text, "~") {
			text = b.home(text)
		} else if name, rest, ok := strings.Cut(text, "="); ok && !b.whole && grammar.IsVariable(name) && strings.HasPrefix(rest, "~") {
			// NAME=~/x: bash expands it in the words of every command.
			b.rest(name + "=")
			text = b.home(rest)
		}
	}
	if !b.assigned && !assignment(b.cur, text) {
		return text
	}
	for {
		i := strings.Index(text, ":~")
		if i < 0 {
			return text
		}
		b.rest(text[:i+1])
		text = b.home(text[i+1:])
	}
}

// lateTilde reads NAME=~ where the parser has split the text.
func (b *builder) lateTilde(text string) string {
	before := grammar.Word{Parts: b.cur.Parts}.Prefix()
	if strings.HasPrefix(text, "~") && (strings.HasSuffix(before, "=") || strings.HasSuffix(before, ":") && assignment(b.cur, "")) {
		return b.home(text)
	}
	return text
}

func assignment(w grammar.Word, text string) bool {
	name, _, ok := strings.Cut(w.Prefix()+text, "=")
	return ok && grammar.IsVariable(name)
}

// home reads a tilde prefix, and marks the word when it is not known.
func (b *builder) home(text string) string {
	end := strings.IndexAny(text, "/:")
	if end < 0 {
		end = len(text)
	}
	switch name := text[:end]; {
	case name == "~" && b.x.policy.c.Home != "":
		b.literal(b.x.policy.c.Home, true)
	case name == "~+" && len(b.st.cwd) == 1 && !b.st.cwd[0].below:
		b.literal(b.st.cwd[0].path, true)
	default:
		b.cur.Tilde = true
		b.literal(name, true)
	}
	b.bare = true
	return text[end:]
}

// ansi reads the escapes of $'...'. It is false when the result is more than printable text, tabs and newlines.
func ansi(text string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c != '\\' || i+1 == len(text) {
			b.WriteByte(c)
			continue
		}
		i++
		switch c = text[i]; c {
		case 'a', 'b', 'e', 'E', 'f', 'n', 'r', 't', 'v':
			b.WriteByte(map[byte]byte{'a': 7, 'b': 8, 'e': 27, 'E': 27, 'f': 12, 'n': '\n', 'r': '\r', 't': '\t', 'v': 11}[c])
		case '\\', '\'', '"', '?':
			b.WriteByte(c)
		case 'x':
			i = number(&b, text, i+1, 2, 16)
		case 'u':
			i = number(&b, text, i+1, 4, 16)
		case 'U':
			i = number(&b, text, i+1, 8, 16)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			i = number(&b, text, i, 3, 8)
		default:
			return "", false // \c, and what bash leaves unchanged
		}
	}
	s := b.String()
	for _, r := range s {
		if r == 0 {
			return "", false
		}
		if r == 27 || r == '\r' || r == 7 {
			continue // colours, and what "tr -d" is for: data
		}
		if badByte(string(r)) != "" {
			return "", false
		}
	}
	return s, true
}

// number reads up to n digits at i and writes the character. It returns the index of the last digit.
func number(b *strings.Builder, text string, i, n, base int) int {
	v, at := 0, i
	for ; at < len(text) && at < i+n; at++ {
		d := strings.IndexByte("0123456789abcdef", text[at]|0x20)
		if text[at] < 'A' {
			d = strings.IndexByte("0123456789", text[at])
		}
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
	}
	switch {
	case at == i:
		b.WriteByte(0) // no digits: refused by the caller
	case n > 3:
		b.WriteRune(rune(v))
	default:
		b.WriteByte(byte(v))
	}
	return at - 1
}
