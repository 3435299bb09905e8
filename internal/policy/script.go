package policy

import (
	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// flow is what a command leaves behind: the shell's state after success and after failure, and what it printed. A nil state
// is an end that is never reached.
type flow struct {
	ok, fail *state
	out      out
}

func both(st *state) flow { return flow{ok: st, fail: st} }

// statements judges commands one after the other.
func (j *judge) statements(list []*syntax.Stmt, st *state) flow {
	f, last := both(st), st
	for _, s := range list {
		before := j.join(f.ok, f.fail)
		if before == nil { // not reached, as far as is known; judged all the same
			before = last
		}
		printed := f.out
		last = before.copy()
		f = j.statement(s, before)
		f.out = j.then(printed, f.out)
	}
	return f
}

// then gives what two commands print one after the other.
func (j *judge) then(a, b out) out {
	switch {
	case !a.some:
		return b
	case !b.some:
		return a
	}
	return out{some: true, src: worse(j.sourceOf(a), j.sourceOf(b))}
}

func (j *judge) sourceOf(o out) grammar.Source {
	if o.src != grammar.Literal {
		return o.src
	}
	return j.p.source(trimEnd(o.text))
}

// statement judges one command with its redirects.
func (j *judge) statement(s *syntax.Stmt, st *state) flow {
	if !j.step() || !j.enter() {
		j.depth--
		return both(st)
	}
	at := j.at
	defer func() { j.depth--; j.at = at }()
	if t := j.text(s); t != "" {
		j.at = t
	}
	if s.Coprocess || s.Disown {
		j.deny("node.unknown", "|& and &| at the end of a command are not bash; use & alone")
	}
	run := st
	if s.Background {
		run = st.copy()
		run.in = input{}
	}
	f := j.redirected(s, run)
	switch {
	case s.Background:
		return flow{ok: st, fail: st, out: f.out}
	case s.Negated:
		f.ok, f.fail = f.fail, f.ok
	}
	return f
}

// redirected applies the redirects, judges the command, and takes the redirects back.
func (j *judge) redirected(s *syntax.Stmt, st *state) flow {
	defer func(was [2]int) { j.own = was }(j.own)
	if j.own = [2]int{}; len(s.Redirs) == 0 {
		return j.node(s.Cmd, st)
	}
	inner := st.copy()
	before := len(j.made)
	r := j.redirects(s.Redirs, inner)
	j.own = [2]int{before, len(j.made)}
	in := inner.in
	f := j.node(s.Cmd, inner)
	if call, ok := s.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && call.Args[0].Lit() == "exec" {
		if len(call.Args) == 1 && f.ok != nil {
			f.ok.in = in // exec keeps them
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
