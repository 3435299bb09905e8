package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// substitute judges $(...) and gives what it becomes.
func (j *judge) substitute(p *syntax.CmdSubst, st *state) []grammar.Part {
	if p.TempFile || p.ReplyVar {
		j.deny("node.unknown", "${ command; } is not known to every bash; use $(command)")
		return []grammar.Part{{Source: grammar.Any}}
	}
	if !j.enter() {
		j.depth--
		return []grammar.Part{{Source: grammar.Any}}
	}
	defer func() { j.depth-- }()
	j.nested++
	defer func() { j.nested-- }()
	inner := st.copy()
	o := j.statements(p.Stmts, inner).out
	switch {
	case !o.some:
		return []grammar.Part{{Text: ""}}
	case o.src == grammar.Literal:
		return trimEnd(o.text)
	}
	return []grammar.Part{{Source: o.src}}
}

// trimEnd takes the line ends off, as a substitution does.
func trimEnd(parts []grammar.Part) []grammar.Part {
	out := append([]grammar.Part(nil), parts...)
	if n := len(out); n > 0 && out[n-1].Source == grammar.Literal {
		out[n-1].Text = strings.TrimRight(out[n-1].Text, "\n")
	}
	return out
}

// process judges <(...) and >(...). The program sees a name of a pipe.
func (b *builder) process(p *syntax.ProcSubst) {
	j := b.j
	if p.Op == syntax.CmdInTemp {
		j.deny("node.unknown", "=(command) is not bash; use <(command)")
	}
	j.nested++
	defer func() { j.nested-- }()
	if j.enter() {
		inner := b.st.copy()
		if p.Op == syntax.CmdOut {
			inner.in = input{kind: pipeInput, src: grammar.Any}
		}
		j.piped = j.statements(p.Stmts, inner).out
	}
	j.depth--
	b.open, b.inside, b.bare = true, true, false
	b.cur.Parts = append(b.cur.Parts, grammar.Part{Text: "/dev/fd/"}, grammar.Part{Source: grammar.Digits})
}
