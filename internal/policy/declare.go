package policy

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// declare judges export, declare, local, readonly and typeset.
func (s *assigner) declare(c *syntax.DeclClause, st *state) flow {
	after := st.copy()
	kind := c.Variant.Value
	exported := kind == "export"
	if kind == "nameref" {
		s.verdict.deny("declare.nameref", "a name reference is evaluated when it is used; use the variable itself")
	}
	plain := 0
	for _, a := range c.Args {
		if a.Naked && a.Name == nil {
			e, named := s.option(kind, a, after, exported)
			exported = exported || e
			if named {
				plain++
			}
			continue
		}
		plain++
		if exported {
			s.assign(a, after, true)
		} else if a.Naked {
			s.env.assignable(a.Name.Value, kind)
			after.set(a.Name.Value, literalValue(""))
		} else {
			s.assign(a, after, false)
		}
	}
	if plain == 0 {
		s.verdict.ask("declare.print", "%s without names prints the whole environment; name the variable you need", kind)
	}
	return both(after)
}

// option judges a word of declare that is no plain assignment: an option, or a name in quotes. It reports whether later names
// are exported, and whether this was a name.
func (s *assigner) option(kind string, a *syntax.Assign, st *state, exported bool) (export, named bool) {
	w := s.words.single(a.Value, st, true)
	text, ok := w.Text()
	if !ok {
		s.verdict.ask("declare.unknown", "what %s is given is not written out; write NAME=value", kind)
		return false, true
	}
	if len(text) > 1 && (text[0] == '-' || text[0] == '+') {
		for _, c := range text[1:] {
			switch c {
			case 'x':
				export = text[0] == '-'
			case 'r', 'g', 'a', 'A':
			case '-':
			default:
				s.verdict.deny("declare.option",
					"option %s of %s evaluates, prints or changes more than a value; use a plain assignment", part(text), kind)
			}
		}
		return export, false
	}
	eq := 0
	for eq < len(text) && text[eq] != '=' {
		eq++
	}
	if !grammar.IsVariable(text[:eq]) {
		s.verdict.deny("declare.name", "%q is no plain name of a variable; bash would evaluate it", part(text))
		return false, true
	}
	if eq < len(text) {
		v := grammar.Lit(text[eq+1:])
		if exported {
			s.env.exported(text[:eq], v, st)
		} else {
			s.env.assigned(text[:eq], value{parts: v.Parts})
		}
		st.set(text[:eq], value{parts: v.Parts})
	} else {
		s.env.assignable(text, kind)
	}
	return false, true
}
