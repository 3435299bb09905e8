package policy

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const whyArith = "bash runs what it finds in array subscripts inside arithmetic; " +
	"use only numbers and variables that this script has set to numbers"

var numberText = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|[0-9]+(#[0-9a-zA-Z]+)?)$`)

// arithmetic judges expressions, in which bash evaluates what it finds in variables.
type arithmetic struct {
	verdict *collector
	meter   *meter
	env     *environment
	words   operands
}

// operands expands the words of an expression.
type operands interface {
	single(w *syntax.Word, st *state, assignment bool) grammar.Word
	lookup(name string, st *state) value
}

// check judges an expression: only numbers, and variables that are known to hold numbers.
func (a *arithmetic) check(x syntax.ArithmExpr, st *state) {
	if !a.meter.step() {
		return
	}
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		a.operand(x, st)
	case *syntax.ParenArithm:
		a.check(x.X, st)
	case *syntax.UnaryArithm:
		a.check(x.X, st)
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			a.assign(x.X, st)
		}
	case *syntax.BinaryArithm:
		a.binary(x, st)
	default:
		a.verdict.deny("node.unknown", "this piece of arithmetic is not known; write it in a simpler way")
	}
}

func (a *arithmetic) binary(x *syntax.BinaryArithm, st *state) {
	switch x.Op {
	case syntax.Assgn:
		a.check(x.Y, st)
		a.assign(x.X, st)
	case syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn, syntax.OrAssgn,
		syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		a.check(x.X, st)
		a.check(x.Y, st)
		a.assign(x.X, st)
	case syntax.AndBoolAssgn, syntax.OrBoolAssgn, syntax.XorBoolAssgn, syntax.PowAssgn, syntax.XorBool:
		a.verdict.deny("node.unknown", "this operator is not bash; write it out")
	default:
		a.check(x.X, st)
		a.check(x.Y, st)
	}
}

// assign records that a variable holds a number now.
func (a *arithmetic) assign(x syntax.ArithmExpr, st *state) {
	w, ok := x.(*syntax.Word)
	if !ok || !grammar.IsVariable(w.Lit()) {
		a.verdict.ask("arith.unknown", whyArith)
		return
	}
	a.env.assignable(w.Lit(), "arith")
	st.set(w.Lit(), sourceValue(grammar.Digits))
}

// operand judges one operand of arithmetic.
func (a *arithmetic) operand(w *syntax.Word, st *state) {
	text := w.Lit()
	if numberText.MatchString(text) {
		return
	}
	if grammar.IsVariable(text) {
		if !isNumber(a.words.lookup(text, st)) {
			a.verdict.ask("arith.unknown", "%s is not known to be a number: %s", part(text), whyArith)
		}
		return
	}
	for _, p := range w.Parts {
		if p, ok := p.(*syntax.ParamExp); ok && p.Short && p.Index != nil && !p.Dollar.IsValid() {
			a.check(p.Index, st)
			a.verdict.ask("arith.unknown", whyArith)
			return
		}
	}
	got := a.words.single(w, st, false)
	for _, p := range got.Parts {
		switch {
		case p.Source == grammar.Digits:
		case p.Source == grammar.Literal && strings.Trim(p.Text, "0123456789 -+*/%()<>=!&|^~?:,") == "":
		default:
			a.verdict.ask("arith.unknown", whyArith)
			return
		}
	}
}

// isNumber reports whether all that a value may be is a number.
func isNumber(v value) bool {
	if v.array || len(v.parts) == 0 {
		return false
	}
	for _, p := range v.parts {
		if p.Source != grammar.Digits && !(p.Source == grammar.Literal && (isInteger(p.Text) || p.Text == "" && len(v.parts) > 1)) {
			return false
		}
	}
	return true
}
