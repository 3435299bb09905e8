package policy

import (
	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

const maxUnrolled = 24 // words of a for loop that are looked at one by one

// forLoop judges for and select.
func (j *judge) forLoop(c *syntax.ForClause, st *state) flow {
	if c.Select {
		j.ask("node.select", "select waits for a person at a terminal; use for")
	}
	iter, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		return j.cStyle(c, st)
	}
	name := iter.Name.Value
	j.assignable(name, "for")
	var items []grammar.Word
	if iter.InPos.IsValid() {
		items = j.words(iter.Items, st)
	} else {
		items = []grammar.Word{{Parts: []grammar.Part{{Source: grammar.Any}}, Many: true}}
	}
	l := &loop{}
	in, done, printed := st, st, out{}
	if len(items) > maxUnrolled || j.loopDepth() > 3 {
		items = []grammar.Word{j.oneOf(items)}
	}
	if sure(items) {
		done = nil // it is gone through at least once
	}
	for _, item := range items {
		round := func(s *state) flow {
			s = s.copy()
			if s.set(name, value{parts: item.Parts}); item.Tilde {
				s.set(name, anyValue())
			}
			return j.statements(c.Do, s)
		}
		if item.Many {
			in = j.settle(in, func(s *state) *state { f := round(s); return j.join(f.ok, f.fail) })
		}
		j.loops = append(j.loops, l)
		f := round(in)
		j.loops = j.loops[:len(j.loops)-1]
		after := j.join(f.ok, f.fail)
		for _, s := range l.left {
			after = j.join(after, s)
		}
		printed = j.then(printed, f.out)
		if after != nil {
			in, done = after, j.join(done, after)
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

// sure tells whether there is a word for certain.
func sure(items []grammar.Word) bool {
	for _, w := range items {
		if !w.Many {
			return true
		}
	}
	return false
}

func (j *judge) loopDepth() int { return len(j.loops) }

// oneOf gives one word that stands for all of them.
func (j *judge) oneOf(items []grammar.Word) grammar.Word {
	src := grammar.Source(grammar.Digits)
	for _, w := range items {
		if src = worse(src, j.p.source(w.Parts)); w.Tilde {
			src = grammar.Any
		}
	}
	return grammar.Word{Parts: []grammar.Part{{Source: src}}, Many: true}
}

// cStyle judges for ((a; b; c)).
func (j *judge) cStyle(c *syntax.ForClause, st *state) flow {
	head, ok := c.Loop.(*syntax.CStyleLoop)
	if !ok {
		j.deny("node.unknown", "this kind of loop is not known; use for x in ...")
		return both(st)
	}
	if head.Cond == nil && !leaves(c.Do) {
		j.ask("loop.endless", "this loop never ends; give it an end (break), or run the command once")
	}
	start := st.copy()
	j.arithmetic(head.Init, start)
	round := func(s *state) flow {
		s = s.copy()
		j.arithmetic(head.Cond, s)
		f := j.statements(c.Do, s)
		if end := j.join(f.ok, f.fail); end != nil {
			end = end.copy()
			j.arithmetic(head.Post, end)
			return flow{end, end, f.out}
		}
		return f
	}
	in := j.settle(start, func(s *state) *state { f := round(s); return j.join(f.ok, f.fail) })
	l := &loop{}
	j.loops = append(j.loops, l)
	f := round(in)
	j.loops = j.loops[:len(j.loops)-1]
	done := j.join(in, j.join(f.ok, f.fail))
	for _, s := range l.left {
		done = j.join(done, s)
	}
	return flow{done, done, f.out}
}
