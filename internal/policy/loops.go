package policy

import (
	"mvdan.cc/sh/v3/syntax"
)

// loop collects the states in which break and continue leave a body.
type loop struct{ left []*state }

// branch judges if, elif and else.
func (j *judge) branch(c *syntax.IfClause, st *state) flow {
	if !c.ThenPos.IsValid() { // else
		return j.statements(c.Then, st)
	}
	cond := j.statements(c.Cond, st)
	from := func(s *state) *state {
		if s == nil {
			return st
		}
		return s
	}
	yes := j.statements(c.Then, from(cond.ok))
	no := both(from(cond.fail))
	if c.Else != nil {
		no = j.branch(c.Else, from(cond.fail))
	}
	return flow{j.join(yes.ok, no.ok), j.join(yes.fail, no.fail), j.then(cond.out, j.either(yes.out, no.out))}
}

// either gives what one of two commands prints.
func (j *judge) either(a, b out) out {
	if !a.some {
		return b
	}
	return j.then(a, b)
}

// while judges while and until: first for the effects of the body, until they settle, then for good.
func (j *judge) while(c *syntax.WhileClause, st *state) flow {
	if constant(c.Cond, c.Until) && !leaves(c.Do) {
		j.ask("loop.endless", "this loop never ends; give it an end (break), or run the command once")
	}
	body := func(in *state) (*state, flow) {
		cond := j.statements(c.Cond, in)
		start, end := cond.ok, cond.fail
		if c.Until {
			start, end = end, start
		}
		if start == nil {
			start = in
		}
		f := j.statements(c.Do, start)
		return end, flow{f.ok, f.fail, j.then(cond.out, f.out)}
	}
	in := j.settle(st, func(s *state) *state {
		end, f := body(s)
		return j.join(end, j.join(f.ok, f.fail))
	})
	l := &loop{}
	j.loops = append(j.loops, l)
	end, f := body(in)
	j.loops = j.loops[:len(j.loops)-1]
	done := j.join(in, end)
	for _, s := range append(l.left, f.ok, f.fail) {
		done = j.join(done, s)
	}
	return flow{done, done, f.out}
}

// constant tells whether a condition is written as one that always holds.
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

// leaves tells whether a body has a way out of its loop.
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
func (j *judge) settle(st *state, round func(*state) *state) *state {
	j.dry++
	defer func() { j.dry-- }()
	in := st
	for i := 0; i < 4; i++ {
		l := &loop{}
		j.loops = append(j.loops, l)
		after := round(in.copy())
		j.loops = j.loops[:len(j.loops)-1]
		for _, s := range l.left {
			after = j.join(after, s)
		}
		next := j.join(in, after)
		if next == nil || next.same(in) {
			return in
		}
		if i >= 2 { // does not settle by itself: what still changes is not known
			next = j.forget(in, next)
		}
		in = next
	}
	return in
}

// forget gives b with everything unknown in which it differs from a.
func (j *judge) forget(a, b *state) *state {
	c := b.copy()
	if len(joinPlaces(a.cwd, b.cwd)) != len(a.cwd) {
		c.cwd = nil
	}
	for x := b.vars; x != nil; x = x.before {
		va, oka := a.get(x.name)
		vb, _ := b.get(x.name)
		if !oka || j.p.source(va.parts) != j.p.source(vb.parts) || va.array || vb.array {
			c.set(x.name, anyValue())
		}
		if !j.step() {
			break
		}
	}
	return c
}

// caseClause judges all branches; each may be entered from the top or from the branch before it.
func (j *judge) caseClause(c *syntax.CaseClause, st *state) flow {
	if c.Braces {
		j.deny("node.unknown", "case with braces is not bash; use in and esac")
	}
	j.single(c.Word, st, false)
	done, above := both(st), st
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			j.single(p, st, false)
		}
		f := j.statements(item.Stmts, above)
		done = flow{j.join(done.ok, f.ok), j.join(done.fail, f.fail), j.either(done.out, f.out)}
		above = j.join(above, j.join(f.ok, f.fail))
	}
	return done
}
