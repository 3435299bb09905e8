package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// innerScripts judges scripts and commands that another program hands to a shell.
type innerScripts struct {
	boxed       bool
	verdict     *collector
	meter       *meter
	nesting     *nesting
	rights      *rights
	scanner     *scanner
	selfWritten *selfWritten
	run         scriptRunner
}

// fed returns the words of an inner command with those that the outer one adds: xargs appends its input.
func (n *innerScripts) fed(m *grammar.Match, words []grammar.Word, st *state) []grammar.Word {
	if !strings.HasPrefix(m.Rule, "xargs") && !strings.HasPrefix(m.Rule, "gxargs") {
		return words
	}
	n.nesting.feed(!st.in.narrow)
	src := st.in.src
	if src == grammar.Literal || m.Has("-a", "--arg-file") || st.in.kind == noInput {
		src = grammar.Any
	}
	if n.boxed && src == grammar.Any && (st.in.kind != noInput || m.Has("-a", "--arg-file")) {
		src = grammar.Tree // as for lines that a loop reads
	}
	mark := ""
	for _, f := range []string{"-I", "-i", "--replace"} {
		if w, ok := m.Flags[f]; ok {
			if mark, ok = w.Text(); !ok || mark == "" {
				mark = "{}"
			}
		}
	}
	if mark == "" {
		return append(words, grammar.Word{Parts: []grammar.Part{{Source: src}}, Many: true})
	}
	filled := make([]grammar.Word, len(words))
	for i, w := range words {
		filled[i] = fill(w, mark, src)
	}
	return filled
}

// fill replaces a placeholder by an unknown piece.
func fill(w grammar.Word, mark string, src grammar.Source) grammar.Word {
	var parts []grammar.Part
	for _, p := range w.Parts {
		if p.Source != grammar.Literal || !strings.Contains(p.Text, mark) {
			parts = append(parts, p)
			continue
		}
		for i, piece := range strings.Split(p.Text, mark) {
			if i > 0 {
				parts = append(parts, grammar.Part{Source: src})
			}
			if piece != "" {
				parts = append(parts, grammar.Part{Text: piece})
			}
		}
	}
	w.Parts = parts
	return w
}

// innerState returns the state of a command that another program runs.
func innerState(m *grammar.Match, st *state) *state {
	c := st.copy()
	if strings.HasPrefix(m.Rule, "xargs") || strings.HasPrefix(m.Rule, "find") || strings.HasPrefix(m.Rule, "fd") {
		c.in = input{}
	}
	return c
}

// inShell reports whether the shell itself runs the inner command: command and builtin.
func inShell(m *grammar.Match) bool { return m.Rule == "command" || m.Rule == "builtin" }

// passes reports whether the output of a program is that of the command it runs.
func passes(m *grammar.Match) bool {
	switch strings.SplitN(m.Rule, ".", 2)[0] {
	case "env", "timeout", "nice", "nohup", "time", "command", "stdbuf", "ionice", "setsid", "xargs", "gxargs":
		return true
	}
	return false
}

// text judges a word that a shell runs.
func (n *innerScripts) text(m *grammar.Match, u *grammar.Use, st *state) flow {
	text, ok := u.Word.Text()
	if !ok {
		n.verdict.deny("shell.dynamic",
			"the script after %s is not written out; write it in single quotes, or into a file of the repository", m.Rule)
		return flow{}
	}
	if n.nesting.wrapped() && !n.boxed {
		n.verdict.ask("shell.wrapped",
			"a script that another program starts is hard to read for everybody; write it directly, or into a file of the repository")
	}
	n.nesting.enterWord()
	defer n.nesting.leaveWord()
	return n.script(m, text, st)
}

// script judges the text of a script that a shell is given.
func (n *innerScripts) script(m *grammar.Match, text string, st *state) flow {
	if !n.meter.enter() {
		return flow{}
	}
	defer n.meter.leave()
	inner := &state{cwd: st.cwd, in: st.in, params: true}
	if m.StdinCode {
		inner.in = input{} // the script is what there was to read
	}
	if at := m.Operands(); n.boxed && len(at) > 1 { // the words after sh -c '...' _
		for _, i := range at[1:] {
			inner.args = append(inner.args, m.Uses[i].Word)
		}
		if !exact(inner.args) {
			inner.args = nil
		}
	}
	n.rights.runs(m.Rule + " with a script of its own")
	o := n.run.script(text, inner, bash)
	if m.Rule == "sh" || m.Rule == "dash" {
		n.run.script(text, &state{cwd: st.cwd, in: inner.in, params: true}, posix)
	}
	return flow{st, st, o}
}

// fromInput judges, in the sandbox, the code that a program reads from its standard input. It is false when the code is not
// known.
func (n *innerScripts) fromInput(m *grammar.Match, st *state) bool {
	switch in := st.in; {
	case in.kind == fileInput:
		n.selfWritten.scan(st) // as if the file were an operand of the program
		return true
	case in.kind == noInput || in.text == nil:
		return false
	case shells[m.Rule]:
		text, ok := in.text.Text()
		if ok {
			n.script(m, text, st)
		}
		return ok
	default:
		n.scanner.check(knownText(*in.text), st)
		return knownText(*in.text) != string(hole)
	}
}

var shells = grammar.Set("bash sh dash ash")
