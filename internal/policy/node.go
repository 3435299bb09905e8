package policy

import (
	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// node judges a command by its kind. What is not named here is denied.
func (j *judge) node(c syntax.Command, st *state) flow {
	switch c := c.(type) {
	case nil:
		return both(st)
	case *syntax.CallExpr:
		return j.call(c, st)
	case *syntax.BinaryCmd:
		return j.pair(c, st)
	case *syntax.Subshell:
		f := j.statements(c.Stmts, st.copy())
		return flow{st, st, f.out}
	case *syntax.Block:
		return j.statements(c.Stmts, st)
	case *syntax.IfClause:
		return j.branch(c, st)
	case *syntax.WhileClause:
		return j.while(c, st)
	case *syntax.ForClause:
		return j.forLoop(c, st)
	case *syntax.CaseClause:
		return j.caseClause(c, st)
	case *syntax.TestClause:
		after := st.copy()
		j.test(c.X, after)
		return both(after)
	case *syntax.ArithmCmd:
		after := st.copy()
		if c.Unsigned {
			j.deny("node.unknown", "this kind of arithmetic is not bash; use ((...))")
		}
		j.arithmetic(c.X, after)
		return both(after)
	case *syntax.LetClause:
		after := st.copy()
		for _, x := range c.Exprs {
			j.arithmetic(x, after)
		}
		return both(after)
	case *syntax.DeclClause:
		return j.declare(c, st)
	case *syntax.TimeClause:
		if c.Stmt == nil {
			return both(st)
		}
		return j.statement(c.Stmt, st)
	case *syntax.FuncDecl:
		return j.function(c, st)
	case *syntax.CoprocClause:
		j.statement(c.Stmt, st.copy())
		j.ask("node.coproc", "a coprocess runs beside the script unseen; run the command in the foreground or with &")
		return both(st)
	}
	j.deny("node.unknown", "this form of command is not known; write it in a simpler way")
	return both(st)
}

// pair judges a && b, a || b, a | b.
func (j *judge) pair(c *syntax.BinaryCmd, st *state) flow {
	switch c.Op {
	case syntax.AndStmt:
		l := j.statement(c.X, st)
		if l.ok == nil {
			j.statement(c.Y, st.copy())
			return l
		}
		r := j.statement(c.Y, l.ok)
		return flow{r.ok, j.join(l.fail, r.fail), j.then(l.out, r.out)}
	case syntax.OrStmt:
		l := j.statement(c.X, st)
		if l.fail == nil {
			j.statement(c.Y, st.copy())
			return l
		}
		r := j.statement(c.Y, l.fail)
		return flow{j.join(l.ok, r.ok), r.fail, j.then(l.out, r.out)}
	case syntax.Pipe, syntax.PipeAll:
		l := j.statement(c.X, st.copy())
		side := st.copy()
		side.in = input{kind: pipeInput, src: j.sourceOf(l.out), narrow: l.out.narrow, text: j.spoken(l.out)}
		if !l.out.some || c.Op == syntax.PipeAll {
			side.in.src = grammar.Any
		}
		r := j.statement(c.Y, side)
		return flow{st, st, r.out}
	}
	j.deny("node.unknown", "this operator is not known; use && || or |")
	return both(st)
}
