package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// literal adds text to the word.
func (b *builder) literal(text string, quoted bool) {
	if quoted {
		b.open, b.bare = true, false
	}
	if text == "" {
		return
	}
	b.open, b.inside = true, true
	if n := len(b.cur.Parts); n > 0 && b.cur.Parts[n-1].Source == grammar.Literal {
		b.cur.Parts[n-1].Text += text
		return
	}
	b.cur.Parts = append(b.cur.Parts, grammar.Part{Text: text})
}

// unknown adds a piece whose text is not known.
func (b *builder) unknown(s grammar.Source, quoted bool) {
	b.add(grammar.Part{Source: s}, quoted)
}

func (b *builder) add(p grammar.Part, quoted bool) {
	b.open, b.inside, b.bare = true, true, false
	b.cur.Parts = append(b.cur.Parts, p)
	if !quoted && !b.whole && (p.Source != grammar.Digits || p.Text == ownJob) { // $! is empty before the first job
		b.cur.Many = true
	}
}

// known adds the result of an expansion. Outside quotes, literal text is split and may hold globs.
func (b *builder) known(parts []grammar.Part, quoted bool) {
	b.inside, b.bare = true, false
	if quoted {
		b.open = true
	}
	for _, p := range parts {
		switch {
		case p.Source != grammar.Literal:
			b.add(p, quoted)
		case quoted || b.whole:
			b.literal(p.Text, true)
		default:
			b.split(p.Text)
		}
	}
}

// split cuts unquoted literal text at blanks, as bash does after an expansion.
func (b *builder) split(text string) {
	start := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ' ', '\t', '\n':
			b.literal(text[start:i], false)
			b.end()
			start = i + 1
		case '\\':
			b.cur.Glob = true
		default:
			b.globbing(text[i])
		}
	}
	b.literal(text[start:], false)
}

// end closes the word.
func (b *builder) end() {
	if b.open {
		b.out = append(b.out, b.one())
	}
	b.cur, b.open, b.bare, b.square = grammar.Word{}, false, false, false
}

// one returns the current word.
func (b *builder) one() grammar.Word {
	w := b.cur
	if w.Glob && b.whole {
		w.Glob = false // no file names are looked up here
	}
	if w.Glob {
		w.Many = true
		for i, p := range w.Parts {
			if p.Source == grammar.Literal {
				w.Parts[i].Source = grammar.Tree
			}
		}
	}
	if w.Parts == nil {
		w.Parts = []grammar.Part{{}}
	}
	return w
}

func unescapeQuoted(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && strings.IndexByte("$`\"\\\n", text[i+1]) >= 0 {
			i++
			if text[i] == '\n' {
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
