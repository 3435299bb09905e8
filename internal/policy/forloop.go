package policy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const maxUnrolled = 24 // words of a for loop that are judged one by one

// each judges for and select.
func (ls *loops) each(c *syntax.ForClause, st *state) flow {
	if c.Select {
		ls.verdict.ask("node.select", "select waits for a person at a terminal; use for")
	}
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		return ls.cStyle(c, st)
	}
	name := iter.Name.Value
	ls.env.assignable(name, "for")
	var items []grammar.Word
	if iter.InPos.IsValid() {
		items = ls.words.all(iter.Items, st)
	} else {
		items = []grammar.Word{{Parts: []grammar.Part{{Source: grammar.Any}}, Many: true}}
	}
	l := &loop{}
	in, done, printed := st, st, out{}
	if len(items) > maxUnrolled || len(ls.stack) > 3 {
		items = []grammar.Word{ls.policy.oneOf(items)}
	}
	if sure(items) {
		done = nil // the body runs at least once
	}
	for _, item := range items {
		round := func(s *state) flow {
			s = s.copy()
			if s.set(name, value{parts: item.Parts}); item.Tilde {
				s.set(name, anyValue())
			}
			return ls.run.statements(c.Do, s)
		}
		if item.Many {
			in = ls.settle(in, func(s *state) *state { f := round(s); return ls.joiner.states(f.ok, f.fail) })
		}
		ls.stack = append(ls.stack, l)
		f := round(in)
		ls.stack = ls.stack[:len(ls.stack)-1]
		after := ls.joiner.states(f.ok, f.fail)
		for _, s := range l.left {
			after = ls.joiner.states(after, s)
		}
		printed = ls.joiner.outputs(printed, f.out)
		if after != nil {
			in, done = after, ls.joiner.states(done, after)
			if item.Many {
				in = done
			}
		}
	}
	if len(l.left) == 0 && len(items) > 0 && exact(items) {
		done = in // all rounds, in order
	}
	return flow{done, done, printed}
}

// sure reports whether there is certainly a word.
func sure(items []grammar.Word) bool {
	return slices.ContainsFunc(items, func(w grammar.Word) bool { return !w.Many })
}

// oneOf returns one word that represents all of them.
func (p *Policy) oneOf(items []grammar.Word) grammar.Word {
	src := grammar.Source(grammar.Digits)
	for _, w := range items {
		if src = worse(src, p.source(w.Parts)); w.Tilde {
			src = grammar.Any
		}
	}
	return grammar.Word{Parts: []grammar.Part{{Source: src}}, Many: true}
}

// cStyle judges for ((a; b; c)).
func (ls *loops) cStyle(c *syntax.ForClause, st *state) flow {
	head, ok := c.Loop.(*syntax.CStyleLoop)
	if !ok {
		ls.verdict.deny("node.unknown", "this kind of loop is not known; use for x in ...")
		return both(st)
	}
	if head.Cond == nil && !leaves(c.Do) {
		ls.verdict.ask("loop.endless", "this loop never ends; give it an end (break), or run the command once")
	}
	start := st.copy()
	ls.arith.check(head.Init, start)
	round := func(s *state) flow {
		s = s.copy()
		ls.arith.check(head.Cond, s)
		f := ls.run.statements(c.Do, s)
		if end := ls.joiner.states(f.ok, f.fail); end != nil {
			end = end.copy()
			ls.arith.check(head.Post, end)
			return flow{end, end, f.out}
		}
		return f
	}
	in := ls.settle(start, func(s *state) *state { f := round(s); return ls.joiner.states(f.ok, f.fail) })
	l := &loop{}
	ls.stack = append(ls.stack, l)
	f := round(in)
	ls.stack = ls.stack[:len(ls.stack)-1]
	done := ls.joiner.states(in, ls.joiner.states(f.ok, f.fail))
	for _, s := range l.left {
		done = ls.joiner.states(done, s)
	}
	return flow{done, done, f.out}
}
