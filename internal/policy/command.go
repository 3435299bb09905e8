package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// call judges a simple command: assignments, a program, its words.
func (j *judge) call(c *syntax.CallExpr, st *state) flow {
	if len(c.Args) == 0 {
		after := st.copy()
		for _, a := range c.Assigns {
			j.assign(a, after, false)
		}
		return both(after)
	}
	for _, a := range c.Assigns {
		j.prefix(a, c, st)
	}
	defer func(was bool) { j.noEditor = was }(j.noEditor)
	j.noEditor = quietEditor(c.Assigns)
	if !written(c.Args[0]) && !ownArguments(c.Args[0], st) {
		words := j.words(c.Args, st) // what is substituted is judged all the same
		if len(words) > 0 {
			j.restricted(words, "")
			if j.inBox(words[0]) {
				return j.local(words[0], words[1:], st)
			}
		}
		j.deny("command.dynamic", "the name of the program is not written out, so nothing can be said of it; write it plainly")
		return both(st)
	}
	words := j.words(c.Args, st)
	if len(words) == 0 {
		j.deny("command.dynamic", "there is no program in this command; write its name")
		return both(st)
	}
	if isTest(words[0]) {
		j.testWords(words[1:])
	}
	if name, ok := words[0].Text(); ok {
		if body := st.funcs.find(name); body != nil {
			return j.callFunction(body, c, words, st)
		}
	}
	return j.run(words, st, false)
}

// quietEditor tells whether git is given an editor that leaves every message as it is.
func quietEditor(list []*syntax.Assign) bool {
	for _, a := range list {
		if a.Name != nil && a.Name.Value == "GIT_EDITOR" && a.Value != nil {
			return a.Value.Lit() == "true" || a.Value.Lit() == ":"
		}
	}
	return false
}

// written tells whether a word is literal: no expansion, no braces, no glob, no tilde.
func written(w *syntax.Word) bool {
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

// run judges a program with its words, whoever starts it. With external, a program of its own starts it: bash's builtins
// are not there then.
func (j *judge) run(words []grammar.Word, st *state, external bool) flow {
	if !j.step() || !j.enter() {
		j.depth--
		return both(st)
	}
	defer func() { j.depth-- }()
	if j.seen != nil {
		j.seen(words)
	}
	name, ok := words[0].Text()
	switch {
	case !ok:
		j.deny("command.dynamic", "the name of the program is not written out, so nothing can be said of it; write it plainly")
		return both(st)
	case strings.HasPrefix(name, "!") || strings.Contains(name, "="):
		j.deny("command.name", "%q is no name of a program: an interactive shell would put an earlier command here, or quotes keep an assignment from being one", part(name))
		return both(st)
	case name == "" || hasControl(name) || !ascii(name):
		j.deny("command.name", "%q is no name of a program", part(name))
		return both(st)
	}
	j.restricted(words, "")
	if j.permitted(words, st) {
		j.takesAll(words, st)
		j.runs(part(name))
		return flow{st, st, out{some: true, src: grammar.Any}}
	}
	if builtins[name] {
		if external {
			j.ask("builtin.external", "%s is a part of the shell and no program; write it without the command before it", name)
			return both(st)
		}
		return j.builtin(name, words[1:], st)
	}
	t := j.p.programs[name]
	if t == nil {
		j.takesAll(words, st)
	}
	if strings.Contains(name, "/") {
		return j.byPath(name, words[1:], st)
	}
	if t == nil && j.p.off[name] != "" {
		j.ask("program.profile", "%s belongs to the profile %s, which is not on for this project; let the settings name it", part(name), j.p.off[name])
		return both(st)
	}
	if t == nil {
		j.ask("program.unknown", "nothing is known of the program %s; use one that is known, or let a person run it", part(name))
		return both(st)
	}
	return j.table(t, name, words[1:], st)
}
