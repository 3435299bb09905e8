package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// funcs are the functions that a script has defined: a chain that only grows. A function is judged where it is called, with
// the words it is called with: what is never called does nothing.
type funcs struct {
	name   string
	body   *syntax.Stmt // nil while the function itself runs: it may not call itself
	before *funcs
}

func (f *funcs) find(name string) *syntax.Stmt {
	for ; f != nil; f = f.before {
		if f.name == name {
			return f.body
		}
	}
	return nil
}

// frame is a function that is being judged.
type frame struct{ left []*state } // the states in which return leaves it

// function notes a definition. A name that means something already is refused: other commands would run the body.
func (j *judge) function(c *syntax.FuncDecl, st *state) flow {
	name := ""
	if c.Name != nil {
		name = c.Name.Value
	}
	if !j.ownName(name) || len(c.Names) > 0 || c.Body == nil {
		if c.Body != nil {
			inner := st.copy()
			inner.params, inner.args = true, nil
			j.statement(c.Body, inner)
		}
		j.deny("function.name", "a function called %s stands in for something else; give it a name of its own or do without", part(name))
		return both(st)
	}
	if !compound(c.Body) {
		j.deny("syntax", "the body of the function %s is not in braces, and shells read that in different ways; write { ...; }", part(name))
		return both(st)
	}
	j.definition(c.Body, name, st)
	after := st.copy()
	after.funcs = &funcs{name, c.Body, st.funcs}
	return both(after)
}

// compound tells whether a statement is one that bash takes for the body of a function.
func compound(s *syntax.Stmt) bool {
	if s.Negated || s.Background || s.Coprocess {
		return false
	}
	switch s.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell:
		return true
	}
	return false
}

// definition denies a body that no call could make good. What depends on the words of a call is left to the call.
func (j *judge) definition(body *syntax.Stmt, name string, st *state) {
	before := *j
	inner := st.copy()
	inner.params, inner.args, inner.funcs = true, nil, &funcs{name, nil, st.funcs}
	j.best = Decision{Verdict: Allow}
	j.frames = []*frame{{}}
	j.statement(body, inner)
	found, budget := j.best, j.budget
	*j = before
	j.budget = budget
	if found.Verdict == Deny && found.Rule != "command.dynamic" {
		j.refuse(grammar.Deny, found.Rule, found.Reason)
	}
}

// ownName tells whether a name means nothing to the shell, and is none of a program that is known.
func (j *judge) ownName(name string) bool {
	if _, exists := j.p.programs[name]; exists || builtins[name] || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "_handle") {
		return false
	}
	return grammar.IsVariable(strings.ReplaceAll(name, "-", "_"))
}

// callFunction judges the call of a function of this script by its body.
func (j *judge) callFunction(body *syntax.Stmt, c *syntax.CallExpr, words []grammar.Word, st *state) flow {
	if !j.step() || !j.enter() {
		j.depth--
		return both(st)
	}
	at := j.at
	defer func() { j.depth--; j.at = at }()
	if len(c.Assigns) > 0 {
		j.ask("function", "variables before the call of a function are not followed; assign them on a line before")
	}
	name, _ := words[0].Text()
	inner := st.copy()
	inner.params, inner.args = true, words[1:]
	if !exact(inner.args) {
		inner.args = nil
	}
	inner.funcs = &funcs{name, nil, st.funcs}
	j.frames = append(j.frames, &frame{})
	loops := j.loops
	j.loops = nil // break does not reach the loops around a call
	f := j.statement(body, inner)
	j.loops = loops
	left := j.frames[len(j.frames)-1].left
	j.frames = j.frames[:len(j.frames)-1]
	end := j.join(f.ok, f.fail)
	for _, s := range left {
		end = j.join(end, s)
	}
	if end == nil {
		return flow{nil, nil, f.out} // it leaves the script
	}
	end = end.copy()
	if end.funcs = st.funcs; changedFunctions(inner, f, left) {
		end.funcs = nil // it has defined others, maybe under the same names
	}
	end.args, end.params = st.args, st.params
	if hasLocals(body) { // after it they hold again what they held before
		for b := end.vars; b != nil && b != st.vars && j.step(); b = b.before {
			end.set(b.name, anyValue())
		}
	}
	return flow{end, end, f.out}
}

// changedFunctions tells whether functions were defined between the start of a call and one of its ends.
func changedFunctions(start *state, f flow, left []*state) bool {
	for _, end := range append([]*state{f.ok, f.fail}, left...) {
		if end != nil && end.funcs != start.funcs {
			return true
		}
	}
	return false
}

// hasLocals tells whether a function has variables of its own.
func hasLocals(body *syntax.Stmt) bool {
	found := false
	syntax.Walk(body, func(n syntax.Node) bool {
		d, ok := n.(*syntax.DeclClause)
		found = found || ok && d.Variant.Value != "export" && d.Variant.Value != "readonly"
		return !found
	})
	return found
}

// returned notes the state in which a function is left.
func (j *judge) returned(st *state) {
	if n := len(j.frames); n > 0 {
		j.frames[n-1].left = append(j.frames[n-1].left, st)
	}
}
