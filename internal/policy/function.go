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
	after := st.copy()
	after.funcs = &funcs{name, c.Body, st.funcs}
	return both(after)
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
	f := j.statement(body, inner)
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
	end.args, end.params, end.funcs = st.args, st.params, st.funcs
	if hasLocals(body) { // after it they hold again what they held before
		for b := end.vars; b != nil && b != st.vars && j.step(); b = b.before {
			end.set(b.name, anyValue())
		}
	}
	return flow{end, end, f.out}
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

// shifted takes the first word of a function away.
func shifted(args []grammar.Word, st *state) *state {
	after := st.copy()
	if len(args) == 0 && len(after.args) > 0 {
		after.args = after.args[1:]
	} else if after.args != nil {
		after.args = nil
	}
	return after
}

// argument gives $1 of a function that is called.
func argument(name string, st *state) (value, bool) {
	if st.args == nil || !isDigits(name) || name == "0" || len(name) > 1 {
		return value{}, false
	}
	n := number0(name)
	if n > len(st.args) {
		return literalValue(""), true
	}
	w := st.args[n-1]
	if w.Tilde || w.Glob {
		return value{}, false
	}
	return value{parts: w.Parts}, true
}

// ownArguments tells whether a word is "$@" of a function whose words are known: they are judged as a command of their own.
func ownArguments(w *syntax.Word, st *state) bool {
	if len(w.Parts) != 1 || len(st.args) == 0 {
		return false
	}
	q, ok := w.Parts[0].(*syntax.DblQuoted)
	if !ok || q.Dollar || len(q.Parts) != 1 {
		return false
	}
	p, ok := q.Parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && p.Param.Value == "@" && p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Length && !p.Excl
}

func sameWords(a, b []grammar.Word) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for i := range a {
		if !equalParts(a[i].Parts, b[i].Parts) || a[i].Many != b[i].Many || a[i].Glob != b[i].Glob || a[i].Tilde != b[i].Tilde {
			return false
		}
	}
	return true
}
