package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// param expands a parameter.
func (b *builder) param(p *syntax.ParamExp, quoted bool) {
	x := b.x
	if quoted && apostrophes(p) {
		// In double quotes bash takes these quotes for text, so the word may end elsewhere and its $( ) are run.
		x.verdict.deny("word.quotes",
			"quotes inside ${...} inside double quotes do not quote what they hold; write the text into a variable first")
	}
	if p.Param == nil || p.Flags != nil || p.Excl || p.Width || p.IsSet || p.Names != 0 || p.NestedParam != nil || len(p.Modifiers) > 0 ||
		p.Split != syntax.OptUnset || p.GlobSubst != syntax.OptUnset || p.RcExpand != syntax.OptUnset {
		x.verdict.deny("param.transform", "${!x} and similar forms take a name or code from a variable; use the variable itself")
		b.unknown(grammar.Any, quoted)
		return
	}
	name := p.Param.Value
	if p.Index != nil {
		b.element(p, name, quoted)
		return
	}
	if p.Length {
		x.lookup(name, b.st)
		b.unknown(grammar.Digits, quoted)
		return
	}
	if name == "!" && !quoted && b.inside {
		x.verdict.ask("word.dollar", "bash does not split a word with $! in it as it splits others; quote it")
	}
	v := x.lookup(name, b.st)
	if p.Exp == nil && p.Slice == nil && p.Repl == nil {
		b.variable(name, v, quoted)
		return
	}
	b.known(x.modified(p, v, b.st), quoted)
}

// variable adds the value of $name.
func (b *builder) variable(name string, v value, quoted bool) {
	switch {
	case name == "@" && quoted && b.st.args != nil && !b.whole && !b.inside && len(b.cur.Parts) == 0:
		b.elements(b.st.args)
	case name == "@" || name == "*":
		b.add(grammar.Part{Source: grammar.Any}, false)
		b.cur.Many = !b.whole
	case v.array && len(v.list) == 0:
		b.known(nil, quoted)
	case v.array:
		b.known(v.list[0].Parts, quoted)
	default:
		b.known(v.parts, quoted)
	}
}

// element adds ${a[i]}, ${a[@]}, ${#a[@]}.
func (b *builder) element(p *syntax.ParamExp, name string, quoted bool) {
	x := b.x
	v := x.lookup(name, b.st)
	index := ""
	if w, ok := p.Index.(*syntax.Word); ok {
		index = w.Lit()
	}
	all := index == "@" || index == "*"
	if !all {
		x.arith.check(p.Index, b.st)
	}
	switch {
	case p.Length:
		b.unknown(grammar.Digits, quoted)
	case p.Exp != nil || p.Slice != nil || p.Repl != nil:
		src := grammar.Source(grammar.Any)
		if v.array {
			src = x.policy.source(joinArrays(x.policy, v, v).list[0].Parts)
		}
		b.known(x.modified(p, sourceValue(src), b.st), quoted)
		b.cur.Many = b.cur.Many || all && !b.whole
	case all && v.array && !b.whole && exact(v.list) && !b.open && index == "@" && quoted:
		b.elements(v.list)
	case v.array && exact(v.list) && isDigits(index) && !all && atoi(index) < len(v.list):
		b.known(v.list[atoi(index)].Parts, quoted)
	default:
		src := grammar.Source(grammar.Any)
		if v.array {
			src = x.policy.source(joinArrays(x.policy, v, v).list[0].Parts)
		}
		b.add(grammar.Part{Source: src}, quoted)
		b.cur.Many = b.cur.Many || all && !b.whole
	}
}

// elements adds the elements of an array as words of their own; the last one stays open.
func (b *builder) elements(list []grammar.Word) {
	for i, w := range list {
		if i > 0 {
			b.end()
		}
		b.open, b.inside, b.bare = true, true, false
		b.cur.Parts = append([]grammar.Part(nil), w.Parts...)
		b.cur.Many, b.cur.Glob = w.Many, false
	}
	if len(list) == 0 {
		b.open = false
	}
}

// exact reports whether each word is exactly one element.
func exact(list []grammar.Word) bool {
	return !slices.ContainsFunc(list, func(w grammar.Word) bool { return w.Many })
}

func atoi(digits string) int {
	n := 0
	for _, c := range digits {
		n = n*10 + int(c-'0')
		if n > 1<<20 {
			return n
		}
	}
	return n
}

// apostrophes reports whether a default or a pattern contains single quotes around more than plain text.
func apostrophes(p *syntax.ParamExp) bool {
	found := false
	see := func(w *syntax.Word) {
		if w == nil {
			return
		}
		for _, part := range w.Parts {
			switch q := part.(type) {
			case *syntax.SglQuoted:
				found = found || q.Dollar || strings.ContainsAny(q.Value, "$`\\\"{}'")
			case *syntax.ParamExp:
				found = found || apostrophes(q)
			}
		}
	}
	if p.Exp != nil {
		see(p.Exp.Word)
	}
	if p.Repl != nil {
		see(p.Repl.Orig)
		see(p.Repl.With)
	}
	return found
}
