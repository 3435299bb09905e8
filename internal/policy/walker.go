package policy

import (
	"mvdan.cc/sh/v3/syntax"
)

// flow is the result of a command: the shell's state after success and after failure, and what it printed. A nil state is an
// end that is never reached.
type flow struct {
	ok, fail *state
	out      out
}

func both(st *state) flow { return flow{ok: st, fail: st} }

// walker judges the nodes of a syntax tree, one kind of node a method or a part of its own.
type walker struct {
	boxed     bool
	verdict   *collector
	meter     *meter
	source    *source
	joiner    *joiner
	words     *expander
	assigns   *assigner
	arith     *arithmetic
	tests     *conditions
	redirects *redirects
	writes    *writes
	loops     *loops
	functions *functions
	calls     *calls
}

// statements judges commands one after the other.
func (w *walker) statements(list []*syntax.Stmt, st *state) flow {
	f, last := both(st), st
	for _, s := range list {
		before := w.joiner.states(f.ok, f.fail)
		if before == nil { // probably not reached, but judged anyway
			before = last
		}
		printed := f.out
		last = before.copy()
		f = w.statement(s, before)
		f.out = w.joiner.outputs(printed, f.out)
	}
	return f
}

// statement judges one command with its redirects.
func (w *walker) statement(s *syntax.Stmt, st *state) flow {
	if !w.meter.step() || !w.meter.enter() {
		return both(st)
	}
	defer w.meter.leave()
	defer w.verdict.restore(w.verdict.about(w.source.text(s)))
	if s.Coprocess || s.Disown {
		w.verdict.deny("node.unknown", "|& and &| at the end of a command are not bash; use & alone")
	}
	run := st
	if s.Background {
		run = st.copy()
		run.in = input{}
	}
	f := w.redirected(s, run)
	switch {
	case s.Background:
		return flow{ok: st, fail: st, out: f.out}
	case s.Negated:
		f.ok, f.fail = f.fail, f.ok
	}
	return f
}

// redirected applies the redirects, judges the command, and restores standard input.
func (w *walker) redirected(s *syntax.Stmt, st *state) flow {
	defer w.writes.restoreOwn(w.writes.resetOwn())
	if len(s.Redirs) == 0 {
		return w.node(s.Cmd, st)
	}
	inner := st.copy()
	before := w.writes.count()
	r := w.redirects.apply(s.Redirs, inner)
	w.writes.ownSince(before)
	in := inner.in
	f := w.node(s.Cmd, inner)
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && call.Args[0].Lit() == "exec" {
		if len(call.Args) == 1 && f.ok != nil {
			f.ok.in = in // the redirects of exec stay
		}
		return f
	}
	for _, end := range []**state{&f.ok, &f.fail} {
		if *end != nil {
			c := (*end).copy()
			c.in = st.in
			*end = c
		}
	}
	if r.away {
		f.out = out{}
	}
	return f
}
