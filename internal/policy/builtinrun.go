package policy

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// exec judges exec: with a command, that command; without one, the redirects have been judged already.
func (j *judge) exec(args []grammar.Word, st *state) flow {
	if len(args) == 0 {
		return both(st)
	}
	if t := args[0].Prefix(); strings.HasPrefix(t, "-") {
		j.deny("exec.option", "options of exec change the name or the environment of a program; leave them out")
		return both(st)
	}
	f := j.run(args, st, true)
	return flow{out: f.out, fail: st}
}

// commandBuiltin judges command and builtin by the command behind them.
func (j *judge) commandBuiltin(name string, args []grammar.Word, st *state) flow {
	for len(args) > 0 {
		text, ok := args[0].Text()
		switch {
		case !ok:
			j.deny("command.dynamic", "the name of the program is not written out, so nothing can be said of it; write it plainly")
			return both(st)
		case text == "--":
			args = args[1:]
			continue
		case name == "command" && text == "-p":
			args = args[1:]
			continue
		case name == "command" && (text == "-v" || text == "-V"):
			j.plainArgs("command", args[1:], "-v -V")
			return flow{st, st, out{some: true, src: grammar.Any}}
		case strings.HasPrefix(text, "-"):
			j.ask("command.option", "option %s of %s is not known; leave it out", part(text), name)
			return both(st)
		}
		if name == "builtin" && !builtins[text] && j.p.programs[text] == nil {
			j.ask("program.unknown", "%s is no builtin that is known", part(text))
			return both(st)
		}
		if isTest(args[0]) {
			j.testWords(args[1:])
		}
		return j.run(args, st, false)
	}
	return both(st)
}

// source0 judges source: only the activation of a virtual environment of the tree.
func (j *judge) source0(args []grammar.Word, st *state) flow {
	after := st.copy()
	text := ""
	if len(args) > 0 {
		text, _ = args[0].Text()
		j.takes(args[0], st)
	}
	local := strings.TrimPrefix(clean(text), "./")
	if len(args) != 1 || path.Base(local) != "activate" || path.Base(path.Dir(local)) != "bin" || strings.Count(local, "/") > 3 {
		if len(args) > 0 && text != "" {
			j.path(args[0], Execute, st, "path")
		}
		j.ask("builtin.source", "source runs a file inside this shell and may change all that follows; run it as a script of its own (bash file.sh)")
		return both(after)
	}
	j.path(args[0], Execute, st, "path")
	j.notMade(args[0], st)
	j.runs("source")
	return both(after)
}

// trap judges the text that runs when the script ends. Where the shell is then, and what its variables hold, is not known.
func (j *judge) trap(args []grammar.Word, st *state) flow {
	text := ""
	for i, a := range args {
		t, ok := a.Text()
		switch {
		case !ok:
			j.deny("builtin.trap", "what trap is given is not written out; write it in single quotes, or do without")
			return both(st)
		case i == 0 && t != "--":
			text = t
		case !trapSignal(t):
			j.ask("builtin.trap", "a trap for %s runs unseen among the commands; use EXIT, or do without", part(t))
		}
	}
	if len(args) < 2 || text == "-" {
		return both(st)
	}
	if j.enter() {
		j.script(text, &state{params: true, vars: j.forgotten(st)}, bash)
	}
	j.depth--
	return both(st)
}

func trapSignal(t string) bool {
	switch strings.TrimPrefix(t, "SIG") {
	case "EXIT", "0", "INT", "TERM", "HUP", "QUIT":
		return true
	}
	return false
}

// forgotten gives the variables of a state with nothing known of them.
func (j *judge) forgotten(st *state) *binding {
	c := &state{}
	for b := st.vars; b != nil && j.step(); b = b.before {
		c.set(b.name, anyValue())
	}
	return c.vars
}

// kill judges kill: only jobs that this script has started.
func (j *judge) kill(args []grammar.Word, st *state) flow {
	j.need(grammar.NeedNamespace, "kill")
	for i, a := range args {
		text, ok := a.Text()
		switch {
		case i == 0 && ok && (signal(text) || text == "-0" || text == "-l"):
		case ok && strings.HasPrefix(text, "%") && len(text) > 1:
		case ownOnly(a), ok && j.p.c.Boxed && isDigits(text) && text != "0" && text != "1",
			j.p.c.Boxed && !ok && a.Prefix() == "" && !a.Glob && !a.Tilde: // $(cat server.pid): all processes are the box's own
		default:
			j.ask("kill.process", "%q is not known to be a job of this script; use kill %%1 or kill $! for a job that the same script started", part(a.String()))
		}
	}
	return both(st)
}

func signal(text string) bool {
	switch strings.TrimPrefix(strings.TrimPrefix(text, "-"), "SIG") {
	case "9", "15", "2", "1", "3", "TERM", "KILL", "INT", "HUP", "QUIT", "USR1", "USR2":
		return strings.HasPrefix(text, "-")
	}
	return false
}

// ownOnly tells whether a word is the number of a background job of this script.
func ownOnly(w grammar.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	return w.Parts[0].Source == grammar.Digits && w.Parts[0].Text == ownJob
}
