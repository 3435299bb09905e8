package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// substitute judges $(...) and returns its result.
func (x *expander) substitute(p *syntax.CmdSubst, st *state) []grammar.Part {
	if p.TempFile || p.ReplyVar {
		x.verdict.deny("node.unknown", "${ command; } is not known to every bash; use $(command)")
		return []grammar.Part{{Source: grammar.Any}}
	}
	if !x.meter.enter() {
		return []grammar.Part{{Source: grammar.Any}}
	}
	defer x.meter.leave()
	x.nesting.enterWord()
	defer x.nesting.leaveWord()
	inner := st.copy()
	o := x.run.statements(p.Stmts, inner).out
	switch {
	case !o.some:
		return []grammar.Part{{Text: ""}}
	case o.src == grammar.Literal:
		return trimEnd(o.text)
	}
	return []grammar.Part{{Source: o.src}}
}

// trimEnd removes the line ends at the end, as a substitution does.
func trimEnd(parts []grammar.Part) []grammar.Part {
	out := append([]grammar.Part(nil), parts...)
	if n := len(out); n > 0 && out[n-1].Source == grammar.Literal {
		out[n-1].Text = strings.TrimRight(out[n-1].Text, "\n")
	}
	return out
}

// lastProcess is what the last <(...) prints.
func (x *expander) lastProcess() out { return x.piped }

// process judges <(...) and >(...). The program sees the name of a pipe.
func (b *builder) process(p *syntax.ProcSubst) {
	x := b.x
	if p.Op == syntax.CmdInTemp {
		x.verdict.deny("node.unknown", "=(command) is not bash; use <(command)")
	}
	x.nesting.enterWord()
	defer x.nesting.leaveWord()
	if x.meter.enter() {
		inner := b.st.copy()
		if p.Op == syntax.CmdOut {
			inner.in = input{kind: pipeInput, src: grammar.Any}
		}
		x.piped = x.run.statements(p.Stmts, inner).out
		x.meter.leave()
	}
	b.open, b.inside, b.bare = true, true, false
	b.cur.Parts = append(b.cur.Parts, grammar.Part{Text: "/dev/fd/"}, grammar.Part{Source: grammar.Digits})
}
