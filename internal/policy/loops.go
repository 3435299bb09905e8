package policy

import (
	"mvdan.cc/sh/v3/syntax"
)

// loops judges loops. The stack holds those around the command that is judged, the innermost last.
type loops struct {
	policy  *Policy
	verdict *collector
	joiner  *joiner
	words   *expander
	env     *environment
	arith   *arithmetic
	run     statementRunner
	stack   []*loop
}

// leave records the state in which break or continue leaves the loops. It is false outside of loops.
func (ls *loops) leave(st *state) bool {
	for _, l := range ls.stack {
		l.left = append(l.left, st)
	}
	return len(ls.stack) > 0
}

// suspend hides the loops around the call of a function, until resume: break does not reach them.
func (ls *loops) suspend() (around []*loop) {
	around, ls.stack = ls.stack, nil
	return around
}

func (ls *loops) resume(around []*loop) { ls.stack = around }

// loop collects the states in which break and continue leave a body.
type loop struct{ left []*state }

// while judges while and until: in dry runs until the effects of the body settle, then once for the verdict.
func (ls *loops) while(c *syntax.WhileClause, st *state) flow {
	if constant(c.Cond, c.Until) && !leaves(c.Do) {
		ls.verdict.ask("loop.endless", "this loop never ends; give it an end (break), or run the command once")
	}
	body := func(in *state) (*state, flow) {
		cond := ls.run.statements(c.Cond, in)
		start, end := cond.ok, cond.fail
		if c.Until {
			start, end = end, start
		}
		if start == nil {
			start = in
		}
		f := ls.run.statements(c.Do, start)
		return end, flow{f.ok, f.fail, ls.joiner.outputs(cond.out, f.out)}
	}
	in := ls.settle(st, func(s *state) *state {
		end, f := body(s)
		return ls.joiner.states(end, ls.joiner.states(f.ok, f.fail))
	})
	l := &loop{}
	ls.stack = append(ls.stack, l)
	end, f := body(in)
	ls.stack = ls.stack[:len(ls.stack)-1]
	done := ls.joiner.states(in, end)
	for _, s := range append(l.left, f.ok, f.fail) {
		done = ls.joiner.states(done, s)
	}
	return flow{done, done, f.out}
}

// constant reports whether a condition is always true.
func constant(cond []*syntax.Stmt, until bool) bool {
	if len(cond) != 1 || cond[0].Negated {
		return false
	}
	switch c := cond[0].Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) != 1 {
			return false
		}
		name := c.Args[0].Lit()
		return until && name == "false" || !until && (name == "true" || name == ":")
	case *syntax.ArithmCmd:
		w, ok := c.X.(*syntax.Word)
		return ok && !until && isDigits(w.Lit()) && w.Lit() != "0"
	}
	return false
}

// leaves reports whether a body has a way out of its loop.
func leaves(body []*syntax.Stmt) bool {
	found := false
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				switch c.Args[0].Lit() {
				case "break", "exit", "return", "exec":
					found = true
				}
			}
			return !found
		})
	}
	return found
}

// settle finds a state that holds before every round of a loop.
func (ls *loops) settle(st *state, round func(*state) *state) *state {
	ls.verdict.dryRun()
	defer ls.verdict.resume()
	in := st
	for i := 0; i < 4; i++ {
		l := &loop{}
		ls.stack = append(ls.stack, l)
		after := round(in.copy())
		ls.stack = ls.stack[:len(ls.stack)-1]
		for _, s := range l.left {
			after = ls.joiner.states(after, s)
		}
		next := ls.joiner.states(in, after)
		if next == nil || next.same(in) {
			return in
		}
		if i >= 2 { // does not settle by itself: what still changes is not known
			next = ls.joiner.forget(in, next)
		}
		in = next
	}
	return in
}
