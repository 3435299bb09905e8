package base

import (
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// allAre makes a judge that assigns a kind to every operand if one of the flags is given, or always without flags.
func allAre(k grammar.Kind, flags ...string) func(*grammar.Match) {
	return func(m *grammar.Match) {
		if len(flags) > 0 && !m.Has(flags...) {
			return
		}
		for _, i := range m.Operands() {
			m.Uses[i].Kind = k
		}
	}
}

// lastIs makes a judge that assigns a kind to the last operand, unless one of the flags is given.
func lastIs(k grammar.Kind, unless ...string) func(*grammar.Match) {
	return func(m *grammar.Match) {
		at := m.Operands()
		if len(at) == 0 || len(unless) > 0 && m.Has(unless...) {
			return
		}
		last := &m.Uses[at[len(at)-1]]
		if last.Word.Many { // it may be the last of several, or all of them
			m.Use(k, last.Word, "")
			return
		}
		last.Kind = k
	}
}

// changes makes a judge for tools that print by default and change files with one of the flags.
func changes(flags ...string) func(*grammar.Match) {
	return func(m *grammar.Match) {
		if !m.Has(flags...) {
			return
		}
		m.Class = grammar.Change
		for _, i := range m.Operands() {
			if m.Uses[i].Kind == grammar.Read || m.Uses[i].Kind == grammar.List {
				m.Uses[i].Kind = grammar.Write
			}
		}
	}
}

// patternFirst makes a judge for "PATTERN FILE...": the first operand is the pattern, unless an option gave it.
func patternFirst(given ...string) func(*grammar.Match) {
	return func(m *grammar.Match) {
		for n, i := range m.Operands() {
			switch {
			case n > 0 || m.Has(given...):
				m.Uses[i].Kind = grammar.Read
			case m.Uses[i].Word.Many && m.Uses[i].Word.Source() != grammar.Digits:
				m.Uses[i].Kind = grammar.Read // pattern and files in one expansion
			default:
				m.Uses[i].Kind = grammar.Data
			}
		}
	}
}

// plain makes a judge that marks the output as one plain token if ok.
func plain(ok func(m *grammar.Match) bool) func(*grammar.Match) {
	return func(m *grammar.Match) {
		if ok(m) {
			m.Yields = grammar.YieldsPlain
		}
	}
}

// constant returns the text of a word that is literal apart from unknown numbers, which become 1. Programs inside a word (sed,
// awk, jq) can still be judged with a line number in them.
func constant(w grammar.Word) (string, bool) {
	if w.Glob || w.Tilde || w.Many && w.Source() != grammar.Digits {
		return "", false
	}
	var b strings.Builder
	for _, p := range w.Parts {
		switch p.Source {
		case grammar.Literal:
			b.WriteString(p.Text)
		case grammar.Digits:
			b.WriteByte('1')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// leadsOut reports whether the known beginning of a word is a path from the root or contains "..".
func leadsOut(w grammar.Word) bool {
	text := w.Prefix()
	return strings.HasPrefix(text, "/") || w.Tilde || slices.Contains(strings.Split(text, "/"), "..")
}
