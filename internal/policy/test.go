package policy

import (
	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// test judges the inside of [[ ]].
func (j *judge) test(x syntax.TestExpr, st *state) {
	if !j.step() {
		return
	}
	switch x := x.(type) {
	case *syntax.Word:
		j.single(x, st, false)
	case *syntax.ParenTest:
		j.test(x.X, st)
	case *syntax.UnaryTest:
		j.unaryTest(x, st)
	case *syntax.BinaryTest:
		j.binaryTest(x, st)
	default:
		j.deny("node.unknown", "this test is not known; write it in a simpler way")
	}
}

func (j *judge) unaryTest(x *syntax.UnaryTest, st *state) {
	w, isWord := x.X.(*syntax.Word)
	switch x.Op {
	case syntax.TsNot, syntax.TsParen:
		j.test(x.X, st)
	case syntax.TsVarSet, syntax.TsRefVar:
		if !isWord || !grammar.IsVariable(w.Lit()) {
			if isWord {
				j.single(w, st, false)
			}
			j.deny("test.variable", "bash runs what it finds in the name that -v is given; write a plain name of a variable")
		}
	case syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsCharSp, syntax.TsBlckSp, syntax.TsNmPipe, syntax.TsSocket, syntax.TsSmbLink,
		syntax.TsSticky, syntax.TsGIDSet, syntax.TsUIDSet, syntax.TsGrpOwn, syntax.TsUsrOwn, syntax.TsModif, syntax.TsRead, syntax.TsWrite,
		syntax.TsExec, syntax.TsNoEmpty:
		if !isWord {
			j.test(x.X, st)
			return
		}
		j.tested(j.single(w, st, false), st)
	case syntax.TsEmpStr, syntax.TsNempStr, syntax.TsFdTerm, syntax.TsOptSet:
		j.test(x.X, st)
	default:
		j.deny("node.unknown", "this test is not known; write it in a simpler way")
	}
}

// tested judges a file that is only looked at from outside. Text that is not known names no secret by itself.
func (j *judge) tested(w grammar.Word, st *state) {
	if w.Source() == grammar.Any {
		if w.Prefix() == "" && !w.Tilde {
			return
		}
		j.ask("test.unknown", "where %q leads is not known; write the path out", part(w.String()))
		return
	}
	j.path(w, list, st, "test")
}

func (j *judge) binaryTest(x *syntax.BinaryTest, st *state) {
	switch x.Op {
	case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
		for _, side := range []syntax.TestExpr{x.X, x.Y} {
			if w, ok := side.(*syntax.Word); ok {
				j.operand(w, st)
			} else {
				j.deny("node.unknown", "this test is not known; write it in a simpler way")
			}
		}
	case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
		for _, side := range []syntax.TestExpr{x.X, x.Y} {
			if w, ok := side.(*syntax.Word); ok {
				j.tested(j.single(w, st, false), st)
			}
		}
	case syntax.AndTest, syntax.OrTest, syntax.TsReMatch, syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch, syntax.TsBefore, syntax.TsAfter:
		j.test(x.X, st)
		j.test(x.Y, st)
		if x.Op == syntax.TsReMatch {
			st.set("BASH_REMATCH", value{array: true, list: []grammar.Word{{Parts: []grammar.Part{{Source: grammar.Any}}, Many: true}}})
		}
	default:
		j.deny("node.unknown", "this test is not known; write it in a simpler way")
	}
}

func isTest(w grammar.Word) bool { return w.Is("test") || w.Is("[") }

// testWords looks at the words of test and [ for what bash would evaluate: names after -v and -R, and text that might turn
// into those.
func (j *judge) testWords(words []grammar.Word) {
	for i, w := range words {
		if (w.Is("-v") || w.Is("-R")) && i+1 < len(words) && !words[i+1].Is("]") {
			if t, ok := words[i+1].Text(); !ok || !grammar.IsVariable(t) {
				j.deny("test.variable", "bash runs what it finds in the name that -v is given; write a plain name of a variable")
			}
		}
		if w.Many && w.Source() == grammar.Any && len(words) > 1 {
			j.ask("test.unquoted", "%q in a test may become several words, an operator among them; put it in double quotes", part(w.String()))
		}
	}
	if last := len(words) - 1; last >= 0 && words[last].Is("]") {
		words = words[:last]
	}
	if len(words) == 2 && words[0].Source() == grammar.Any {
		j.ask("test.unquoted", "the operator of this test is not written out; write it out")
	}
}
