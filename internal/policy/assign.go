package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// assigner judges assignments, and sets the variables.
type assigner struct {
	verdict *collector
	env     *environment
	words   *expander
	arith   *arithmetic
}

// assign judges NAME=value and sets the variable. With exported, later programs see it.
func (s *assigner) assign(a *syntax.Assign, st *state, exported bool) {
	if a.Name == nil || a.Naked && !exported {
		s.verdict.ask("assign.unknown", "this assignment is not written out; write NAME=value")
		return
	}
	name := a.Name.Value
	if a.Index != nil {
		s.arith.check(a.Index, st)
		if a.Value != nil {
			s.words.single(a.Value, st, true)
		}
		s.env.assignable(name, "assign")
		st.set(name, value{array: true, list: []grammar.Word{{Parts: []grammar.Part{{Source: grammar.Any}}, Many: true}}})
		return
	}
	if a.Array != nil {
		s.env.assignable(name, "assign")
		st.set(name, s.array(a, st))
		return
	}
	if a.Naked {
		if envRules[name] == nil {
			s.env.assignable(name, "export")
		}
		if v, ok := st.get(name); ok { // what the script has not set is exported already, or not there
			s.env.exported(name, grammar.Word{Parts: v.parts}, st)
		}
		return
	}
	w := s.words.single(withoutSelf(name, a.Value, st), st, true)
	v := value{parts: w.Parts}
	if w.Tilde {
		v = anyValue()
	}
	if a.Append {
		old := s.words.lookup(name, st)
		if old.array {
			v = anyValue()
		} else {
			v = value{parts: append(append([]grammar.Part(nil), old.parts...), v.parts...)}
		}
	}
	v.parts = merged(v.parts)
	if exported {
		s.env.exported(name, grammar.Word{Parts: v.parts, Tilde: w.Tilde}, st)
	} else {
		s.env.assigned(name, v)
	}
	st.set(name, v)
}

// merged joins neighbouring literal pieces.
func merged(parts []grammar.Part) []grammar.Part {
	var out []grammar.Part
	for _, p := range parts {
		if n := len(out); n > 0 && p.Source == grammar.Literal && out[n-1].Source == grammar.Literal {
			out[n-1].Text += p.Text
			continue
		}
		out = append(out, p)
	}
	return out
}

// array judges NAME=(a b c).
func (s *assigner) array(a *syntax.Assign, st *state) value {
	v := value{array: true}
	if a.Append {
		if old, ok := st.get(a.Name.Value); ok && old.array {
			v.list = append(v.list, old.list...)
		} else {
			v.list = append(v.list, grammar.Word{Parts: []grammar.Part{{Source: grammar.Any}}, Many: true})
		}
	}
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			s.arith.check(e.Index, st)
			v.list = append(v.list, grammar.Word{Parts: []grammar.Part{{Source: grammar.Any}}, Many: true})
		}
		if e.Value != nil {
			for _, w := range s.words.fields(e.Value, st) {
				if w.Tilde {
					w = grammar.Word{Parts: []grammar.Part{{Source: grammar.Any}}, Many: w.Many}
				}
				v.list = append(v.list, w)
			}
		}
	}
	return v
}

// prefix judges NAME=value before a command. It holds for that command alone.
func (s *assigner) prefix(a *syntax.Assign, c *syntax.CallExpr, st *state) {
	if a.Name == nil || a.Index != nil || a.Array != nil || a.Append {
		s.verdict.ask("env.form", "before a command only NAME=value is known; write it so")
		return
	}
	w := s.words.single(withoutSelf(a.Name.Value, a.Value, st), st, true)
	if a.Name.Value == "IFS" && c.Args[0].Lit() == "read" {
		return // it only says how read splits a line
	}
	s.env.exported(a.Name.Value, w, st)
}

// withoutSelf drops ":$PYTHONPATH" from PYTHONPATH=src:$PYTHONPATH. The old value comes from the trusted environment as
// long as the script has not set it.
func withoutSelf(name string, w *syntax.Word, st *state) *syntax.Word {
	if name != "PYTHONPATH" || w == nil {
		return w
	}
	if _, set := st.get(name); set {
		return w
	}
	if q, ok := w.Parts[0].(*syntax.DblQuoted); ok && len(w.Parts) == 1 && !q.Dollar && endsInSelf(name, q.Parts) {
		c := *q
		c.Parts = q.Parts[:len(q.Parts)-1]
		return &syntax.Word{Parts: []syntax.WordPart{&c}}
	}
	if endsInSelf(name, w.Parts) {
		return &syntax.Word{Parts: w.Parts[:len(w.Parts)-1]}
	}
	return w
}

// endsInSelf reports whether the parts end in ":$name" or ":${name:-}".
func endsInSelf(name string, parts []syntax.WordPart) bool {
	n := len(parts)
	if n < 2 {
		return false
	}
	before, ok := parts[n-2].(*syntax.Lit)
	p, also := parts[n-1].(*syntax.ParamExp)
	if !ok || !also || !strings.HasSuffix(before.Value, ":") || p.Param == nil || p.Param.Value != name ||
		p.Excl || p.Length || p.Index != nil || p.Slice != nil || p.Repl != nil {
		return false
	}
	return p.Exp == nil || p.Exp.Word == nil && (p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull)
}
