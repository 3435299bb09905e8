package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// fed gives the words of an inner command with what the outer one adds: xargs appends its input.
func (j *judge) fed(m *grammar.Match, words []grammar.Word, st *state) []grammar.Word {
	if !strings.HasPrefix(m.Rule, "xargs") && !strings.HasPrefix(m.Rule, "gxargs") {
		return words
	}
	j.broadFeed = !st.in.narrow
	src := st.in.src
	if src == grammar.Literal || m.Has("-a", "--arg-file") || st.in.kind == noInput {
		src = grammar.Any
	}
	if j.p.c.Boxed && src == grammar.Any && (st.in.kind != noInput || m.Has("-a", "--arg-file")) {
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

// fill puts an unknown piece in the place of a mark.
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

// inner gives the state of a command that another program runs.
func (j *judge) inner(m *grammar.Match, st *state) *state {
	c := st.copy()
	if strings.HasPrefix(m.Rule, "xargs") || strings.HasPrefix(m.Rule, "find") || strings.HasPrefix(m.Rule, "fd") {
		c.in = input{}
	}
	return c
}

// inShell tells whether the shell itself runs the inner command: command and builtin.
func inShell(m *grammar.Match) bool { return m.Rule == "command" || m.Rule == "builtin" }

// passes tells whether a program hands its output on as that of the command it runs.
func passes(m *grammar.Match) bool {
	switch strings.SplitN(m.Rule, ".", 2)[0] {
	case "env", "timeout", "nice", "nohup", "time", "command", "stdbuf", "ionice", "setsid", "xargs", "gxargs":
		return true
	}
	return false
}

// shellText judges text that a shell runs.
func (j *judge) shellText(m *grammar.Match, u *grammar.Use, st *state) flow {
	text, ok := u.Word.Text()
	if !ok {
		j.deny("shell.dynamic", "the script after %s is not written out; write it in single quotes, or into a file of the repository", m.Rule)
		return flow{}
	}
	if j.wrapped > 0 && !j.p.c.Boxed {
		j.ask("shell.wrapped", "a script that another program starts is hard to read for everybody; write it directly, or into a file of the repository")
	}
	j.nested++
	defer func() { j.nested-- }()
	return j.ownScript(m, text, st)
}

// ownScript judges the text of a script that a shell is given.
func (j *judge) ownScript(m *grammar.Match, text string, st *state) flow {
	if !j.enter() {
		j.depth--
		return flow{}
	}
	defer func() { j.depth-- }()
	inner := &state{cwd: st.cwd, in: st.in, params: true}
	if m.StdinCode {
		inner.in = input{} // the script is what there was to read
	}
	if at := m.Operands(); j.p.c.Boxed && len(at) > 1 { // what stands behind sh -c '...' _
		for _, i := range at[1:] {
			inner.args = append(inner.args, m.Uses[i].Word)
		}
		if !exact(inner.args) {
			inner.args = nil
		}
	}
	j.runs(m.Rule + " with a script of its own")
	o := j.script(text, inner, bash)
	if m.Rule == "sh" || m.Rule == "dash" {
		j.script(text, &state{cwd: st.cwd, in: inner.in, params: true}, posix)
	}
	return flow{st, st, o}
}
