package policy

import (
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const maxBraces = 512 // words that the braces of one word may become

// expander expands words as bash does, and judges what that runs or evaluates.
type expander struct {
	policy  *Policy
	verdict *collector
	meter   *meter
	arith   *arithmetic
	nesting *nesting
	run     statementRunner
	piped   out // what the last <( ) prints
}

// statementRunner judges the commands of a substitution.
type statementRunner interface {
	statements(list []*syntax.Stmt, st *state) flow
}

// all expands shell words as bash does: braces, tildes, parameters, substitutions, splitting, globs.
func (x *expander) all(list []*syntax.Word, st *state) []grammar.Word {
	all := make([]grammar.Word, 0, len(list))
	for _, w := range list {
		all = append(all, x.fields(w, st)...)
	}
	return all
}

// fields expands one word to the words that a program sees.
func (x *expander) fields(w *syntax.Word, st *state) []grammar.Word {
	if !x.meter.step() {
		return nil
	}
	switch w.Lit() {
	case "!!", "!$", "!*", "!^", "!#":
		x.verdict.ask("word.history", "an interactive shell would put an earlier command here; quote it, or write what is meant")
	}
	braced := *w
	if !syntax.SplitBraces(&braced) {
		return x.expand(w.Parts, st)
	}
	if shortParam(w) {
		// Braces are expanded as text, before parameters are read: $x{a,b} is $xa and $xb.
		x.verdict.ask("word.braces", "a variable next to braces is not expanded as it looks; write ${x}, or write the words out")
	}
	var all []grammar.Word
	n := 0
	for one, err := range expand.BracesSeq(nil, &braced) {
		if n++; err != nil || n > maxBraces {
			x.verdict.deny("word.braces", "these braces become more than %d words; write a loop instead", maxBraces)
			return all
		}
		all = append(all, x.expand(one.Parts, st)...)
	}
	return all
}

// shortParam reports whether a word holds $x without braces of its own.
func shortParam(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if p, ok := p.(*syntax.ParamExp); ok && p.Short {
			return true
		}
	}
	return false
}

// single expands a word where bash does not split it: a value, a here-string, a case word, the file of a redirect.
func (x *expander) single(w *syntax.Word, st *state, assignment bool) grammar.Word {
	if w == nil {
		return grammar.Lit("")
	}
	x.meter.step()
	b := &builder{x: x, st: st, whole: true, assigned: assignment}
	b.parts(w.Parts, false)
	return b.one()
}

func (x *expander) expand(parts []syntax.WordPart, st *state) []grammar.Word {
	b := &builder{x: x, st: st}
	b.parts(parts, false)
	b.end()
	return b.out
}

// document returns the text of a here-document as the program reads it.
func (x *expander) document(rd *syntax.Redirect, st *state) grammar.Word {
	b := &builder{x: x, st: st, whole: true}
	b.parts(rd.Hdoc.Parts, true)
	if !isLiteral(rd.Word) || rd.Word.Lit() == "" { // a quoted delimiter: nothing in the text is expanded
		if text := rd.Hdoc.Lit(); text != "" {
			return grammar.Lit(text)
		}
	}
	if b.open {
		return b.one()
	}
	return grammar.Lit("")
}
