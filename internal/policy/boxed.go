package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// codeFromInput judges, where a sandbox stands, the code that a program reads from its standard input. It is false when
// nothing can be said of it.
func (j *judge) codeFromInput(m *grammar.Match, st *state) bool {
	switch in := st.in; {
	case in.kind == fileInput:
		j.lookedAt(st) // as if the file were named behind the program
		return true
	case in.kind == noInput || in.text == nil:
		return false
	case shells[m.Rule]:
		text, ok := in.text.Text()
		if ok {
			j.ownScript(m, text, st)
		}
		return ok
	default:
		j.wired(knownText(*in.text), st)
		return knownText(*in.text) != string(hole)
	}
}

var shells = nameSet("bash sh dash ash")

// inBox tells whether the name of a program is, whatever its unknown pieces, a path in the tree or in the private /tmp.
func (j *judge) inBox(w grammar.Word) bool {
	text, ok := pathText(w)
	if !ok || !j.p.c.Boxed || leadsUp(text) || w.Source() == grammar.Literal {
		return false
	}
	return strings.HasPrefix(text, "/tmp/") && j.p.c.PrivateTmp || strings.HasPrefix(text, j.p.c.Root+"/") || strings.HasPrefix(text, "./")
}

// local judges a program of the tree or of the private /tmp.
func (j *judge) local(name grammar.Word, args []grammar.Word, st *state) flow {
	j.takesAll(append([]grammar.Word{name}, args...), st)
	j.path(name, Execute, st, "path")
	j.notMade(name, st)
	j.script0(part(name.String()), args, st)
	return flow{st, st, out{some: true, src: grammar.Any}}
}

// comesBack tells whether all that a program takes away may go without a person: the caller says so for its paths. What names
// no path works on the whole tree.
func (j *judge) comesBack(m *grammar.Match, st *state) bool {
	named := false
	for _, u := range m.Uses {
		if u.Kind == grammar.Remove || u.Via == "-delete" {
			named = true
			if !j.scratch(u.Word) && !j.returns(u.Word, st) {
				return false
			}
		}
	}
	return named || j.returns(grammar.Lit(j.p.c.Root), st)
}

// returns tells whether what a word names may go without a person.
func (j *judge) returns(w grammar.Word, st *state) bool {
	places := j.resolve(w, st)
	if !j.p.c.Boxed || j.restorable == nil || len(places) == 0 {
		return false
	}
	for _, p := range places {
		if !j.p.within(p.path) || !j.restorable(p.path) {
			return false
		}
	}
	return true
}

// documentText gives the text of a here-document as the program reads it.
func (j *judge) documentText(rd *syntax.Redirect, st *state) grammar.Word {
	b := &builder{j: j, st: st, whole: true}
	b.parts(rd.Hdoc.Parts, true)
	if !written(rd.Word) || rd.Word.Lit() == "" { // a quoted mark: nothing in it is expanded
		if text := rd.Hdoc.Lit(); text != "" {
			return grammar.Lit(text)
		}
	}
	if b.open {
		return b.one()
	}
	return grammar.Lit("")
}

// spoken gives what a program prints as the text that the next one reads.
func (j *judge) spoken(o out) *grammar.Word {
	if !o.some || o.src != grammar.Literal || len(o.text) == 0 {
		return nil
	}
	return j.heard(grammar.Word{Parts: o.text})
}

// heard gives the text on standard input, for where somebody looks it through.
func (j *judge) heard(w grammar.Word) *grammar.Word {
	if !j.p.c.Boxed {
		return nil
	}
	return &w
}
