package policy

import (
	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

const maxBraces = 512 // words that the braces of one word may become

// words expands shell words as bash does: braces, tildes, parameters, substitutions, splitting, globs.
func (j *judge) words(list []*syntax.Word, st *state) []grammar.Word {
	all := make([]grammar.Word, 0, len(list))
	for _, w := range list {
		all = append(all, j.fields(w, st)...)
	}
	return all
}

// fields expands one word to the words that a program sees.
func (j *judge) fields(w *syntax.Word, st *state) []grammar.Word {
	if !j.step() {
		return nil
	}
	switch w.Lit() {
	case "!!", "!$", "!*", "!^", "!#":
		j.ask("word.history", "an interactive shell would put an earlier command here; quote it, or write what is meant")
	}
	braced := *w
	if !syntax.SplitBraces(&braced) {
		return j.expand(w.Parts, st)
	}
	if shortParam(w) {
		// Braces are expanded as text, before parameters are read: $x{a,b} is $xa and $xb.
		j.ask("word.braces", "a variable next to braces is not read as it looks; write ${x}, or write the words out")
	}
	var all []grammar.Word
	n := 0
	for one, err := range expand.BracesSeq(nil, &braced) {
		if n++; err != nil || n > maxBraces {
			j.deny("word.braces", "these braces become more than %d words; write a loop instead", maxBraces)
			return all
		}
		all = append(all, j.expand(one.Parts, st)...)
	}
	return all
}

// shortParam tells whether a word holds $x without braces of its own.
func shortParam(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if p, ok := p.(*syntax.ParamExp); ok && p.Short {
			return true
		}
	}
	return false
}

// single expands a word where bash does not split it: a value, a here-string, a case word, the file of a redirect.
func (j *judge) single(w *syntax.Word, st *state, assignment bool) grammar.Word {
	if w == nil {
		return grammar.Lit("")
	}
	j.step()
	b := &builder{j: j, st: st, whole: true, assigned: assignment}
	b.parts(w.Parts, false)
	return b.one()
}

func (j *judge) expand(parts []syntax.WordPart, st *state) []grammar.Word {
	b := &builder{j: j, st: st}
	b.parts(parts, false)
	b.end()
	return b.out
}
