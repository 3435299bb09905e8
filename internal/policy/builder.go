package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// builder puts words together from their parts.
type builder struct {
	x        *expander
	st       *state
	whole    bool // no splitting
	assigned bool // tildes count after colons too
	out      []grammar.Word

	cur    grammar.Word
	open   bool // there is a word, maybe an empty one
	bare   bool // everything so far is unquoted literal text
	square bool // an unquoted [ is open
	inside bool // a part has been read
}

// parts reads the parts of a word, or of a piece in double quotes.
func (b *builder) parts(parts []syntax.WordPart, quoted bool) {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if quoted {
				b.literal(unescapeQuoted(p.Value), true)
			} else {
				b.unquoted(p.Value, i == 0)
			}
		case *syntax.SglQuoted:
			b.singleQuoted(p)
		case *syntax.DblQuoted:
			if p.Dollar {
				b.x.verdict.deny("word.translated", `text in $"..." is translated by settings outside; use plain quotes`)
			}
			b.open, b.bare = true, false
			b.parts(p.Parts, true)
			b.inside = true
		case *syntax.ParamExp:
			b.param(p, quoted)
		case *syntax.CmdSubst:
			b.known(b.x.substitute(p, b.st), quoted)
		case *syntax.ArithmExp:
			if p.Unsigned {
				b.x.verdict.deny("node.unknown", "this kind of arithmetic is not bash; use $((...))")
			}
			b.x.arith.check(p.X, b.st)
			b.unknown(grammar.Digits, quoted)
		case *syntax.ProcSubst:
			b.process(p)
		case *syntax.ExtGlob:
			b.x.verdict.deny("word.extglob", "extended patterns such as @(a|b) hide what they run; use plain patterns")
			b.unknown(grammar.Any, false)
		default:
			b.x.verdict.deny("node.unknown", "this piece of a word is not known; write it in a simpler way")
			b.unknown(grammar.Any, false)
		}
	}
}

func (b *builder) singleQuoted(p *syntax.SglQuoted) {
	b.open, b.bare = true, false
	text := p.Value
	if p.Dollar {
		var ok bool
		if text, ok = ansi(text); !ok {
			b.x.verdict.deny("word.escape", "these escapes make bytes that are not text; write the characters themselves")
		}
	}
	b.literal(text, true)
}

// unquoted reads literal text outside quotes: backslashes, globs, a tilde.
func (b *builder) unquoted(text string, first bool) {
	if strings.Contains(text, "<(") || strings.Contains(text, ">(") {
		b.x.verdict.deny("word.process", "inside ${...} the parser takes <( and >( for text, and bash runs the command; write it outside")
	}
	if strangeSpace(text) {
		b.x.verdict.deny("syntax.bytes", "there is an unusual space outside quotes; write a plain space")
	}
	if first && !b.inside || b.assigned {
		text = b.tildes(text, first && !b.inside)
	} else if b.bare && !b.assigned {
		text = b.lateTilde(text)
	}
	if strings.HasSuffix(text, "$") && b.expanded() {
		b.x.verdict.ask("word.dollar", "bash does not split a word with a lone $ at its end as it splits others; quote the $")
	}
	b.rest(text)
}

// expanded reports whether the word contains an expansion so far.
func (b *builder) expanded() bool {
	for _, p := range b.cur.Parts {
		if p.Source != grammar.Literal {
			return true
		}
	}
	return len(b.out) > 0 || b.inside && !b.bare
}

// rest reads unquoted text after its tildes.
func (b *builder) rest(text string) {
	b.inside = true
	start := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			b.literal(text[start:i], false)
			b.bare = false
			if i+1 < len(text) {
				b.literal(text[i+1:i+2], true)
				i++
			}
			start = i + 1
		default:
			b.globbing(text[i])
		}
	}
	b.literal(text[start:], false)
}

// globbing records unquoted characters that make a word a pattern. A lone [ is none.
func (b *builder) globbing(c byte) {
	switch c {
	case '*', '?':
		b.cur.Glob = true
	case '[':
		b.square = true
	case ']':
		b.cur.Glob = b.cur.Glob || b.square
	}
}
