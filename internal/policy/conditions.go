package policy

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// conditions judges [[ ]].
type conditions struct {
	verdict *collector
	meter   *meter
	words   *expander
	arith   *arithmetic
	paths   *paths
}

// check judges the inside of [[ ]].
func (c *conditions) check(x syntax.TestExpr, st *state) {
	if !c.meter.step() {
		return
	}
	switch x := x.(type) {
	case *syntax.Word:
		c.words.single(x, st, false)
	case *syntax.ParenTest:
		c.check(x.X, st)
	case *syntax.UnaryTest:
		c.unary(x, st)
	case *syntax.BinaryTest:
		c.binary(x, st)
	default:
		c.verdict.deny("node.unknown", "this test is not known; write it in a simpler way")
	}
}

func (c *conditions) unary(x *syntax.UnaryTest, st *state) {
	w, isWord := x.X.(*syntax.Word)
	switch x.Op {
	case syntax.TsNot, syntax.TsParen:
		c.check(x.X, st)
	case syntax.TsVarSet, syntax.TsRefVar:
		if !isWord || !grammar.IsVariable(w.Lit()) {
			if isWord {
				c.words.single(w, st, false)
			}
			c.verdict.deny("test.variable", "bash runs what it finds in the name that -v is given; write a plain name of a variable")
		}
	case syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsCharSp, syntax.TsBlckSp, syntax.TsNmPipe, syntax.TsSocket,
		syntax.TsSmbLink, syntax.TsSticky, syntax.TsGIDSet, syntax.TsUIDSet, syntax.TsGrpOwn, syntax.TsUsrOwn, syntax.TsModif, syntax.TsRead,
		syntax.TsWrite,
		syntax.TsExec, syntax.TsNoEmpty:
		if !isWord {
			c.check(x.X, st)
			return
		}
		c.file(c.words.single(w, st, false), st)
	case syntax.TsEmpStr, syntax.TsNempStr, syntax.TsFdTerm, syntax.TsOptSet:
		c.check(x.X, st)
	default:
		c.verdict.deny("node.unknown", "this test is not known; write it in a simpler way")
	}
}

// file judges a file of which only attributes are read. Unknown text names no secret by itself.
func (c *conditions) file(w grammar.Word, st *state) {
	if w.Source() == grammar.Any {
		if w.Prefix() == "" && !w.Tilde {
			return
		}
		c.verdict.ask("test.unknown", "where %q leads is not known; write the path out", part(w.String()))
		return
	}
	c.paths.check(w, list, st, "test")
}

func (c *conditions) binary(x *syntax.BinaryTest, st *state) {
	switch x.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		for _, side := range []syntax.TestExpr{x.X, x.Y} {
			if w, ok := side.(*syntax.Word); ok {
				c.arith.operand(w, st)
			} else {
				c.verdict.deny("node.unknown", "this test is not known; write it in a simpler way")
			}
		}
	case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
		for _, side := range []syntax.TestExpr{x.X, x.Y} {
			if w, ok := side.(*syntax.Word); ok {
				c.file(c.words.single(w, st, false), st)
			}
		}
	case syntax.AndTest, syntax.OrTest, syntax.TsReMatch, syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch,
		syntax.TsBefore, syntax.TsAfter:
		c.check(x.X, st)
		c.check(x.Y, st)
		if x.Op == syntax.TsReMatch {
			st.set("BASH_REMATCH", value{array: true, list: []grammar.Word{{Parts: []grammar.Part{{Source: grammar.Any}}, Many: true}}})
		}
	default:
		c.verdict.deny("node.unknown", "this test is not known; write it in a simpler way")
	}
}

func isTest(w grammar.Word) bool { return w.Is("test") || w.Is("[") }

// testWords judges the words of test and [ that bash would evaluate: names after -v and -R, and text that may become one.
func testWords(verdict *collector, words []grammar.Word) {
	for i, w := range words {
		if (w.Is("-v") || w.Is("-R")) && i+1 < len(words) && !words[i+1].Is("]") {
			if t, ok := words[i+1].Text(); !ok || !grammar.IsVariable(t) {
				verdict.deny("test.variable", "bash runs what it finds in the name that -v is given; write a plain name of a variable")
			}
		}
		if w.Many && w.Source() == grammar.Any && len(words) > 1 {
			verdict.ask("test.unquoted", "%q in a test may become several words, an operator among them; put it in double quotes", part(w.String()))
		}
	}
	if last := len(words) - 1; last >= 0 && words[last].Is("]") {
		words = words[:last]
	}
	if len(words) == 2 && words[0].Source() == grammar.Any {
		verdict.ask("test.unquoted", "the operator of this test is not written out; write it out")
	}
}
