package policy

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

const whyArith = "bash runs what it finds in array subscripts inside arithmetic; use only numbers and variables that this script has set to numbers"

var numberText = regexp.MustCompile(`^(0[xX][0-9a-fA-F]+|[0-9]+(#[0-9a-zA-Z]+)?)$`)

// arithmetic judges an expression: only numbers, and variables known to hold numbers.
func (j *judge) arithmetic(x syntax.ArithmExpr, st *state) {
	if !j.step() {
		return
	}
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		j.operand(x, st)
	case *syntax.ParenArithm:
		j.arithmetic(x.X, st)
	case *syntax.UnaryArithm:
		j.arithmetic(x.X, st)
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			j.assignNumber(x.X, st)
		}
	case *syntax.BinaryArithm:
		j.binary(x, st)
	default:
		j.deny("node.unknown", "this piece of arithmetic is not known; write it in a simpler way")
	}
}

func (j *judge) binary(x *syntax.BinaryArithm, st *state) {
	switch x.Op {
	case syntax.Assgn:
		j.arithmetic(x.Y, st)
		j.assignNumber(x.X, st)
	case syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn, syntax.AndAssgn, syntax.OrAssgn,
		syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		j.arithmetic(x.X, st)
		j.arithmetic(x.Y, st)
		j.assignNumber(x.X, st)
	case syntax.AndBoolAssgn, syntax.OrBoolAssgn, syntax.XorBoolAssgn, syntax.PowAssgn, syntax.XorBool:
		j.deny("node.unknown", "this operator is not bash; write it out")
	default:
		j.arithmetic(x.X, st)
		j.arithmetic(x.Y, st)
	}
}

// assignNumber notes that a variable holds a number now.
func (j *judge) assignNumber(x syntax.ArithmExpr, st *state) {
	w, ok := x.(*syntax.Word)
	if !ok || !grammar.IsVariable(w.Lit()) {
		j.ask("arith.unknown", whyArith)
		return
	}
	j.assignable(w.Lit(), "arith")
	st.set(w.Lit(), sourceValue(grammar.Digits))
}

// operand judges one operand of arithmetic.
func (j *judge) operand(w *syntax.Word, st *state) {
	text := w.Lit()
	if numberText.MatchString(text) {
		return
	}
	if grammar.IsVariable(text) {
		if !j.isNumber(j.lookup(text, st)) {
			j.ask("arith.unknown", "%s is not known to be a number: %s", part(text), whyArith)
		}
		return
	}
	for _, p := range w.Parts {
		if p, ok := p.(*syntax.ParamExp); ok && p.Short && p.Index != nil && !p.Dollar.IsValid() {
			j.arithmetic(p.Index, st)
			j.ask("arith.unknown", whyArith)
			return
		}
	}
	got := j.single(w, st, false)
	for _, p := range got.Parts {
		switch {
		case p.Source == grammar.Digits:
		case p.Source == grammar.Literal && strings.Trim(p.Text, "0123456789 -+*/%()<>=!&|^~?:,") == "":
		default:
			j.ask("arith.unknown", whyArith)
			return
		}
	}
}

// isNumber tells whether a value is a number whatever it is.
func (j *judge) isNumber(v value) bool {
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
