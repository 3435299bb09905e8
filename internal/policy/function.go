package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// funcs are the functions that a script has defined: a chain that only grows. A function is judged at each call, with
// the words of the call; one that is never called does nothing.
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

// functions judges functions of the script. The frames are those of the calls around the command that is judged.
type functions struct {
	policy  *Policy
	verdict *collector
	meter   *meter
	joiner  *joiner
	loops   *loops
	run     bodyRunner
	trial   func(run func()) Decision // takes back what run did
	frames  []*frame
}

// bodyRunner judges the body of a function.
type bodyRunner interface {
	statement(s *syntax.Stmt, st *state) flow
}

// frame is a function that is being judged.
type frame struct{ left []*state } // the states in which return leaves it

// define records a definition. A name that means something already is refused: other commands would run the body.
func (fs *functions) define(c *syntax.FuncDecl, st *state) flow {
	name := ""
	if c.Name != nil {
		name = c.Name.Value
	}
	if !fs.policy.ownName(name) || len(c.Names) > 0 || c.Body == nil {
		if c.Body != nil {
			inner := st.copy()
			inner.params, inner.args = true, nil
			fs.run.statement(c.Body, inner)
		}
		fs.verdict.deny("function.name", "a function called %s replaces a program; give it a name of its own or do without", part(name))
		return both(st)
	}
	if !compound(c.Body) {
		fs.verdict.deny("syntax",
			"the body of the function %s is not in braces, and shells read that in different ways; write { ...; }", part(name))
		return both(st)
	}
	fs.definition(c.Body, name, st)
	after := st.copy()
	after.funcs = &funcs{name, c.Body, st.funcs}
	return both(after)
}

// compound reports whether bash accepts a statement as the body of a function.
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

// definition denies a body that would be denied for any words of a call.
func (fs *functions) definition(body *syntax.Stmt, name string, st *state) {
	inner := st.copy()
	inner.params, inner.args, inner.funcs = true, nil, &funcs{name, nil, st.funcs}
	found := fs.trial(func() {
		fs.frames = []*frame{{}}
		fs.run.statement(body, inner)
	})
	if found.Verdict == Deny && found.Rule != "command.dynamic" {
		fs.verdict.refuse(grammar.Deny, found.Rule, found.Reason)
	}
}

// ownName reports whether neither the shell nor a known program has a name.
func (p *Policy) ownName(name string) bool {
	if _, exists := p.programs[name]; exists || builtinNames[name] || strings.HasPrefix(name, "-") || strings.HasSuffix(name, "_handle") {
		return false
	}
	return grammar.IsVariable(strings.ReplaceAll(name, "-", "_"))
}

// call judges the call of a function of this script by its body.
func (fs *functions) call(body *syntax.Stmt, c *syntax.CallExpr, words []grammar.Word, st *state) flow {
	if !fs.meter.step() || !fs.meter.enter() {
		return both(st)
	}
	defer fs.meter.leave()
	defer fs.verdict.restore(fs.verdict.about(""))
	if len(c.Assigns) > 0 {
		fs.verdict.ask("function", "variables before the call of a function are not followed; assign them on a line before")
	}
	name, _ := words[0].Text()
	inner := st.copy()
	inner.params, inner.args = true, words[1:]
	if !exact(inner.args) {
		inner.args = nil
	}
	inner.funcs = &funcs{name, nil, st.funcs}
	fs.frames = append(fs.frames, &frame{})
	around := fs.loops.suspend()
	f := fs.run.statement(body, inner)
	fs.loops.resume(around)
	left := fs.frames[len(fs.frames)-1].left
	fs.frames = fs.frames[:len(fs.frames)-1]
	end := fs.joiner.states(f.ok, f.fail)
	for _, s := range left {
		end = fs.joiner.states(end, s)
	}
	if end == nil {
		return flow{nil, nil, f.out} // it leaves the script
	}
	end = end.copy()
	if end.funcs = st.funcs; changedFunctions(inner, f, left) {
		end.funcs = nil // it has defined others, maybe under the same names
	}
	end.args, end.params = st.args, st.params
	if hasLocals(body) { // their values of before are back then, and not followed
		for b := end.vars; b != nil && b != st.vars && fs.meter.step(); b = b.before {
			end.set(b.name, anyValue())
		}
	}
	return flow{end, end, f.out}
}

// changedFunctions reports whether functions were defined between the start of a call and one of its ends.
func changedFunctions(start *state, f flow, left []*state) bool {
	for _, end := range append([]*state{f.ok, f.fail}, left...) {
		if end != nil && end.funcs != start.funcs {
			return true
		}
	}
	return false
}

// hasLocals reports whether a function has variables of its own.
func hasLocals(body *syntax.Stmt) bool {
	found := false
	syntax.Walk(body, func(n syntax.Node) bool {
		d, ok := n.(*syntax.DeclClause)
		found = found || ok && d.Variant.Value != "export" && d.Variant.Value != "readonly"
		return !found
	})
	return found
}

// leave records the state in which return leaves a function. It is false outside of functions.
func (fs *functions) leave(st *state) bool {
	n := len(fs.frames)
	if n > 0 {
		fs.frames[n-1].left = append(fs.frames[n-1].left, st)
	}
	return n > 0
}
