package policy

import (
	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// node judges a command by its kind. What is not named here is denied.
func (w *walker) node(c syntax.Command, st *state) flow {
	switch c := c.(type) {
	case nil:
		return both(st)
	case *syntax.CallExpr:
		return w.calls.judge(c, st)
	case *syntax.BinaryCmd:
		return w.pair(c, st)
	case *syntax.Subshell:
		f := w.statements(c.Stmts, st.copy())
		return flow{st, st, f.out}
	case *syntax.Block:
		return w.statements(c.Stmts, st)
	case *syntax.IfClause:
		return w.branch(c, st)
	case *syntax.WhileClause:
		return w.loops.while(c, st)
	case *syntax.ForClause:
		return w.loops.each(c, st)
	case *syntax.CaseClause:
		return w.caseClause(c, st)
	case *syntax.TestClause:
		after := st.copy()
		w.tests.check(c.X, after)
		return both(after)
	case *syntax.ArithmCmd:
		after := st.copy()
		if c.Unsigned {
			w.verdict.deny("node.unknown", "this kind of arithmetic is not bash; use ((...))")
		}
		w.arith.check(c.X, after)
		return both(after)
	case *syntax.LetClause:
		after := st.copy()
		for _, x := range c.Exprs {
			w.arith.check(x, after)
		}
		return both(after)
	case *syntax.DeclClause:
		return w.assigns.declare(c, st)
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return both(st)
		}
		return w.statement(c.Stmt, st)
	case *syntax.FuncDecl:
		return w.functions.define(c, st)
	case *syntax.CoprocClause:
		w.statement(c.Stmt, st.copy())
		w.verdict.ask("node.coproc", "a coprocess runs beside the script unseen; run the command in the foreground or with &")
		return both(st)
	}
	w.verdict.deny("node.unknown", "this form of command is not known; write it in a simpler way")
	return both(st)
}

// pair judges a && b, a || b, a | b.
func (w *walker) pair(c *syntax.BinaryCmd, st *state) flow {
	switch c.Op {
	case syntax.AndStmt:
		l := w.statement(c.X, st)
		if l.ok == nil {
			w.statement(c.Y, st.copy())
			return l
		}
		r := w.statement(c.Y, l.ok)
		return flow{r.ok, w.joiner.states(l.fail, r.fail), w.joiner.outputs(l.out, r.out)}
	case syntax.OrStmt:
		l := w.statement(c.X, st)
		if l.fail == nil {
			w.statement(c.Y, st.copy())
			return l
		}
		r := w.statement(c.Y, l.fail)
		return flow{w.joiner.states(l.ok, r.ok), r.fail, w.joiner.outputs(l.out, r.out)}
	case syntax.Pipe, syntax.PipeAll:
		l := w.statement(c.X, st.copy())
		side := st.copy()
		side.in = input{kind: pipeInput, src: w.joiner.source(l.out), narrow: l.out.narrow, text: printedText(w.boxed, l.out)}
		if !l.out.some || c.Op == syntax.PipeAll {
			side.in.src = grammar.Any
		}
		r := w.statement(c.Y, side)
		return flow{st, st, r.out}
	}
	w.verdict.deny("node.unknown", "this operator is not known; use && || or |")
	return both(st)
}

// branch judges if, elif and else.
func (w *walker) branch(c *syntax.IfClause, st *state) flow {
	if !c.ThenPos.IsValid() { // else
		return w.statements(c.Then, st)
	}
	cond := w.statements(c.Cond, st)
	from := func(s *state) *state {
		if s == nil {
			return st
		}
		return s
	}
	yes := w.statements(c.Then, from(cond.ok))
	no := both(from(cond.fail))
	if c.Else != nil {
		no = w.branch(c.Else, from(cond.fail))
	}
	printed := w.joiner.outputs(cond.out, w.joiner.outputs(yes.out, no.out))
	return flow{w.joiner.states(yes.ok, no.ok), w.joiner.states(yes.fail, no.fail), printed}
}

// caseClause judges all branches; each may be entered from the top or from the branch before it.
func (w *walker) caseClause(c *syntax.CaseClause, st *state) flow {
	if c.Braces {
		w.verdict.deny("node.unknown", "case with braces is not bash; use in and esac")
	}
	w.words.single(c.Word, st, false)
	done, above := both(st), st
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.words.single(p, st, false)
		}
		f := w.statements(item.Stmts, above)
		done = flow{w.joiner.states(done.ok, f.ok), w.joiner.states(done.fail, f.fail), w.joiner.outputs(done.out, f.out)}
		above = w.joiner.states(above, w.joiner.states(f.ok, f.fail))
	}
	return done
}
