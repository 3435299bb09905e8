package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// calls judges simple commands: what is assigned for them, and whether they call a function or a program.
type calls struct {
	policy    *Policy
	verdict   *collector
	nesting   *nesting
	assigns   *assigner
	words     *expander
	rules     *rules
	functions *functions
	programs  *programs
}

// judge judges a simple command.
func (cs *calls) judge(c *syntax.CallExpr, st *state) flow {
	if len(c.Args) == 0 {
		after := st.copy()
		for _, a := range c.Assigns {
			cs.assigns.assign(a, after, false)
		}
		return both(after)
	}
	for _, a := range c.Assigns {
		cs.assigns.prefix(a, c, st)
	}
	defer cs.nesting.setEditor(cs.nesting.setEditor(quietEditor(c.Assigns)))
	if !isLiteral(c.Args[0]) && !ownArguments(c.Args[0], st) {
		words := cs.words.all(c.Args, st) // substitutions are judged in any case
		if len(words) > 0 {
			cs.rules.restricted(words, "")
			if cs.policy.inBox(words[0]) {
				return cs.programs.local(words[0], words[1:], st)
			}
		}
		cs.verdict.deny("command.dynamic", "the name of the program is not written out, so it can't be checked; write it plainly")
		return both(st)
	}
	words := cs.words.all(c.Args, st)
	if len(words) == 0 {
		cs.verdict.deny("command.dynamic", "this command names no program; write its name")
		return both(st)
	}
	if isTest(words[0]) {
		testWords(cs.verdict, words[1:])
	}
	if name, ok := words[0].Text(); ok {
		if body := st.funcs.find(name); body != nil {
			return cs.functions.call(body, c, words, st)
		}
	}
	return cs.programs.run(words, st, false)
}

// quietEditor reports whether the assignments give git an editor that changes no message.
func quietEditor(list []*syntax.Assign) bool {
	for _, a := range list {
		if a.Name != nil && a.Name.Value == "GIT_EDITOR" && a.Value != nil {
			return a.Value.Lit() == "true" || a.Value.Lit() == ":"
		}
	}
	return false
}

// isLiteral reports whether a word is literal: no expansion, no braces, no glob, no tilde.
func isLiteral(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "{}*?[~") && p.Value != "[" && p.Value != "{}" {
				return false
			}
		case *syntax.SglQuoted:
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if _, ok := q.(*syntax.Lit); !ok {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}
