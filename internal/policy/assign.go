package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// assign judges NAME=value and notes the value. With exported, later programs see it.
func (j *judge) assign(a *syntax.Assign, st *state, exported bool) {
	if a.Name == nil || a.Naked && !exported {
		j.ask("assign.unknown", "this assignment is not written out; write NAME=value")
		return
	}
	name := a.Name.Value
	if a.Index != nil {
		j.arithmetic(a.Index, st)
		if a.Value != nil {
			j.single(a.Value, st, true)
		}
		j.assignable(name, "assign")
		st.set(name, value{array: true, list: []grammar.Word{{Parts: []grammar.Part{{Source: grammar.Any}}, Many: true}}})
		return
	}
	if a.Array != nil {
		j.assignable(name, "assign")
		st.set(name, j.array(a, st))
		return
	}
	if a.Naked {
		if envRules[name] == nil {
			j.assignable(name, "export")
		}
		if v, ok := st.get(name); ok { // what the script has not set is exported already, or not there
			j.variable(name, grammar.Word{Parts: v.parts}, st)
		}
		return
	}
	w := j.single(withoutSelf(name, a.Value, st), st, true)
	v := value{parts: w.Parts}
	if w.Tilde {
		v = anyValue()
	}
	if a.Append {
		old := j.lookup(name, st)
		if old.array {
			v = anyValue()
		} else {
			v = value{parts: append(append([]grammar.Part(nil), old.parts...), v.parts...)}
		}
	}
	v.parts = merged(v.parts)
	if exported {
		j.variable(name, grammar.Word{Parts: v.parts, Tilde: w.Tilde}, st)
	} else {
		j.assigned(name, v)
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

// assigned judges a plain assignment: a variable that is exported already changes for later programs too.
func (j *judge) assigned(name string, v value) {
	if shellOwn(name) {
		j.deny("env.name", "%s changes how the shell or every program works; leave it as it is", part(name))
		return
	}
	if f, ok := envRules[name]; ok {
		if text, lit := v.text(); !lit || !f(j, text) {
			j.ask("env.value", "this value of %s changes what programs load or run; leave it out", part(name))
		}
		return
	}
	if dangerous(name) {
		j.ask("env.name", "%s changes what programs load or run; use another name for a variable of your own", part(name))
	}
}

// array judges NAME=(a b c).
func (j *judge) array(a *syntax.Assign, st *state) value {
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
			j.arithmetic(e.Index, st)
			v.list = append(v.list, grammar.Word{Parts: []grammar.Part{{Source: grammar.Any}}, Many: true})
		}
		if e.Value != nil {
			for _, w := range j.fields(e.Value, st) {
				if w.Tilde {
					w = grammar.Word{Parts: []grammar.Part{{Source: grammar.Any}}, Many: w.Many}
				}
				v.list = append(v.list, w)
			}
		}
	}
	return v
}

// assignable judges a name that a builtin or a loop writes to.
func (j *judge) assignable(name, rule string) {
	if !grammar.IsVariable(name) {
		j.deny(rule+".name", "%q is no plain name of a variable; bash would evaluate it", part(name))
		return
	}
	if shellOwn(name) || dangerous(name) || envRules[name] != nil {
		j.deny("env.name", "%s changes what programs load or run; use another name for a variable of your own", part(name))
	}
}

// prefix judges NAME=value before a command. It holds for that command alone.
func (j *judge) prefix(a *syntax.Assign, c *syntax.CallExpr, st *state) {
	if a.Name == nil || a.Index != nil || a.Array != nil || a.Append {
		j.ask("env.form", "before a command only NAME=value is known; write it so")
		return
	}
	w := j.single(withoutSelf(a.Name.Value, a.Value, st), st, true)
	if a.Name.Value == "IFS" && c.Args[0].Lit() == "read" {
		return // how one line is cut
	}
	j.variable(a.Name.Value, w, st)
}

// withoutSelf gives PYTHONPATH=src:$PYTHONPATH without what it was before: that comes from the surroundings, which are
// trusted, as long as the script has not set it.
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

// endsInSelf tells whether the parts end in ":$name" or ":${name:-}".
func endsInSelf(name string, parts []syntax.WordPart) bool {
	n := len(parts)
	if n < 2 {
		return false
	}
	before, ok := parts[n-2].(*syntax.Lit)
	p, also := parts[n-1].(*syntax.ParamExp)
	if !ok || !also || !strings.HasSuffix(before.Value, ":") || p.Param == nil || p.Param.Value != name || p.Excl || p.Length || p.Index != nil || p.Slice != nil || p.Repl != nil {
		return false
	}
	return p.Exp == nil || p.Exp.Word == nil && (p.Exp.Op == syntax.DefaultUnset || p.Exp.Op == syntax.DefaultUnsetOrNull)
}
