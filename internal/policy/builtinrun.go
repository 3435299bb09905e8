package policy

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// exec judges exec: with a command, that command; without one, the redirects have been judged already.
func (b *builtins) exec(args []grammar.Word, st *state) flow {
	if len(args) == 0 {
		return both(st)
	}
	if t := args[0].Prefix(); strings.HasPrefix(t, "-") {
		b.verdict.deny("exec.option", "options of exec change the name or the environment of a program; leave them out")
		return both(st)
	}
	f := b.run.run(args, st, true)
	return flow{out: f.out, fail: st}
}

// command judges command and builtin by the command that follows.
func (b *builtins) command(name string, args []grammar.Word, st *state) flow {
	for len(args) > 0 {
		text, ok := args[0].Text()
		switch {
		case !ok:
			b.verdict.deny("command.dynamic", "the name of the program is not written out, so it can't be checked; write it plainly")
			return both(st)
		case text == "--":
			args = args[1:]
			continue
		case name == "command" && text == "-p":
			args = args[1:]
			continue
		case name == "command" && (text == "-v" || text == "-V"):
			b.plainArgs("command", args[1:], "-v -V")
			return flow{st, st, out{some: true, src: grammar.Any}}
		case strings.HasPrefix(text, "-"):
			b.verdict.ask("command.option", "option %s of %s is not known; leave it out", part(text), name)
			return both(st)
		}
		if name == "builtin" && !builtinNames[text] && b.policy.programs[text] == nil {
			b.verdict.ask("program.unknown", "%s is not a known builtin", part(text))
			return both(st)
		}
		if isTest(args[0]) {
			testWords(b.verdict, args[1:])
		}
		return b.run.run(args, st, false)
	}
	return both(st)
}

// source judges source, which may only activate a virtual environment of the tree.
func (b *builtins) source(args []grammar.Word, st *state) flow {
	after := st.copy()
	text := ""
	if len(args) > 0 {
		text, _ = args[0].Text()
		b.inputs.word(args[0], st)
	}
	local := strings.TrimPrefix(clean(text), "./")
	if len(args) != 1 || path.Base(local) != "activate" || path.Base(path.Dir(local)) != "bin" || strings.Count(local, "/") > 3 {
		if len(args) > 0 && text != "" {
			b.paths.check(args[0], Execute, st, "path")
		}
		b.verdict.ask("builtin.source",
			"source runs a file inside this shell and may change all that follows; run it as a script of its own (bash file.sh)")
		return both(after)
	}
	b.paths.check(args[0], Execute, st, "path")
	b.selfWritten.checkCode(args[0], st)
	b.rights.runs("source")
	return both(after)
}

// trap judges the text that runs when the script ends. The folder and the variables at that time are not known.
func (b *builtins) trap(args []grammar.Word, st *state) flow {
	text := ""
	for i, a := range args {
		t, ok := a.Text()
		switch {
		case !ok:
			b.verdict.deny("builtin.trap", "what trap is given is not written out; write it in single quotes, or do without")
			return both(st)
		case i == 0 && t != "--":
			text = t
		case !trapSignal(t):
			b.verdict.ask("builtin.trap", "a trap for %s runs unseen among the commands; use EXIT, or do without", part(t))
		}
	}
	if len(args) < 2 || text == "-" {
		return both(st)
	}
	if b.meter.enter() {
		b.scripts.script(text, &state{params: true, vars: b.joiner.forgotten(st)}, bash)
		b.meter.leave()
	}
	return both(st)
}

func trapSignal(t string) bool {
	switch strings.TrimPrefix(t, "SIG") {
	case "EXIT", "0", "INT", "TERM", "HUP", "QUIT":
		return true
	}
	return false
}

// kill judges kill, which may only end jobs that this script has started.
func (b *builtins) kill(args []grammar.Word, st *state) flow {
	b.rights.need(grammar.NeedNamespace, "kill")
	for i, a := range args {
		text, ok := a.Text()
		switch {
		case i == 0 && ok && (signal(text) || text == "-0" || text == "-l"):
		case ok && strings.HasPrefix(text, "%") && len(text) > 1:
		case ownOnly(a), ok && b.policy.c.Boxed && isDigits(text) && text != "0" && text != "1",
			b.policy.c.Boxed && !ok && a.Prefix() == "" && !a.Glob && !a.Tilde: // $(cat server.pid): only processes of the sandbox can be named
		default:
			b.verdict.ask("kill.process",
				"%q is not known to be a job of this script; use kill %%1 or kill $! for a job that the same script started", part(a.String()))
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

// ownOnly reports whether a word is the number of a background job of this script.
func ownOnly(w grammar.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	return w.Parts[0].Source == grammar.Digits && w.Parts[0].Text == ownJob
}
