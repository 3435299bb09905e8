package policy

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// modified returns the result of ${x:-y}, ${x%y}, ${x/y/z}, ${x:1:2}.
func (x *expander) modified(p *syntax.ParamExp, v value, st *state) []grammar.Part {
	switch {
	case p.Slice != nil:
		x.arith.check(p.Slice.Offset, st)
		if p.Slice.Length != nil {
			x.arith.check(p.Slice.Length, st)
		}
		return []grammar.Part{{Source: x.sliced(p, v)}}
	case p.Repl != nil:
		orig, with := x.single(p.Repl.Orig, st, false), x.single(p.Repl.With, st, false)
		if text, ok := computed(p, v, orig, with); ok {
			return []grammar.Part{{Text: text}}
		}
		return []grammar.Part{{Source: grammar.Any}}
	}
	arg := x.single(p.Exp.Word, st, false)
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		return x.defaulted(p, v, arg, st)
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		if text, ok := v.text(); ok && text != "" {
			return arg.Parts
		}
		return x.policy.joinValues(literalValue(""), value{parts: arg.Parts}).parts
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		return v.parts
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix:
		if text, ok := computed(p, v, arg); ok {
			return []grammar.Part{{Text: text}}
		}
		return []grammar.Part{{Source: x.trimmed(p.Exp.Op, v, arg)}}
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		if text, ok := computed(p, v, arg); ok {
			return []grammar.Part{{Text: text}}
		}
		return []grammar.Part{{Source: grammar.Any}}
	}
	x.verdict.deny("param.transform", "${x:=y} and ${x@P} assign or evaluate while they expand; use a plain assignment")
	return []grammar.Part{{Source: grammar.Any}}
}

// defaulted returns ${x:-y}: y where x is known to be empty, x where it is known not to be, else either.
func (x *expander) defaulted(p *syntax.ParamExp, v value, arg grammar.Word, st *state) []grammar.Part {
	text, ok := v.text()
	_, assigned := st.get(p.Param.Value)
	switch {
	case ok && text == "" && (p.Exp.Op == syntax.DefaultUnsetOrNull || !assigned):
		return arg.Parts
	case ok && text != "":
		return v.parts
	}
	return x.policy.joinValues(v, value{parts: arg.Parts}).parts
}

// sliced returns the source of a piece of a text: the beginning of a plain token is a plain token.
func (x *expander) sliced(p *syntax.ParamExp, v value) grammar.Source {
	from, _ := p.Slice.Offset.(*syntax.Word)
	switch src := x.policy.source(v.parts); {
	case src == grammar.Digits:
		return grammar.Plain // may be empty
	case src == grammar.Plain && from != nil && from.Lit() == "0":
		return grammar.Plain
	}
	return grammar.Any
}

// trimmed returns the source of a text whose beginning or end is cut off.
func (x *expander) trimmed(op syntax.ParExpOperator, v value, arg grammar.Word) grammar.Source {
	src := x.policy.source(v.parts)
	if src == grammar.Any || src == grammar.Literal {
		return grammar.Any
	}
	if op == syntax.RemSmallSuffix || op == syntax.RemLargeSuffix {
		if src == grammar.Digits {
			return grammar.Plain
		}
		return src
	}
	pattern, ok := arg.Text()
	if ok && strings.HasSuffix(pattern, "/") && src == grammar.Tree {
		return grammar.Tree // what follows a slash is a path inside too
	}
	return grammar.Any
}

// computed returns the exact result when value and patterns are literal text.
func computed(p *syntax.ParamExp, v value, args ...grammar.Word) (string, bool) {
	text, ok := v.text()
	if !ok || p.Index != nil || !grammar.IsVariable(p.Param.Value) {
		return "", false
	}
	for _, a := range args {
		t, ok := a.Text()
		if !ok || strings.ContainsAny(t, `\`) {
			return "", false
		}
	}
	plain := true
	syntax.Walk(&syntax.Word{Parts: []syntax.WordPart{p}}, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst, *syntax.ExtGlob:
			plain = false
		case *syntax.ParamExp:
			plain = plain && n == p
		}
		return plain
	})
	if !plain {
		return "", false
	}
	cfg := &expand.Config{Env: expand.ListEnviron(p.Param.Value + "=" + text)}
	got, err := expand.Literal(cfg, &syntax.Word{Parts: []syntax.WordPart{p}})
	return got, err == nil && !hasControl(got)
}
