package policy

import (
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// builtins judges the parts of the shell in builtinNames.
type builtins struct {
	policy      *Policy
	verdict     *collector
	meter       *meter
	env         *environment
	paths       *paths
	rights      *rights
	inputs      *inputs
	selfWritten *selfWritten
	joiner      *joiner
	loops       *loops
	functions   *functions
	run         programRunner
	scripts     scriptRunner
}

// programRunner judges a program with its words. With external, a program starts it and not the shell.
type programRunner interface {
	run(words []grammar.Word, st *state, external bool) flow
}

// scriptRunner judges a script.
type scriptRunner interface {
	script(text string, st *state, as shell) out
}

// builtinNames are the parts of the shell that change the shell, or evaluate what they are given. They have no
// table; echo, printf, test, pwd and the like have one.
var builtinNames = grammar.Set(`cd pushd popd dirs read mapfile readarray set unset shift exec eval source . command builtin trap alias
	unalias shopt enable hash bind complete compgen compopt fc history export declare typeset local readonly let getopts exit return break
	continue wait jobs fg bg disown kill umask ulimit suspend logout caller times help type`)

// judge judges a builtin with its words.
func (b *builtins) judge(name string, args []grammar.Word, st *state) flow {
	switch name {
	case "cd", "pushd", "popd", "dirs":
		return b.changeFolder(name, args, st)
	case "read":
		return b.read(args, st)
	case "mapfile", "readarray":
		return b.mapfile(args, st)
	case "set":
		return b.set(args, st)
	case "unset":
		return b.unset(args, st)
	case "exec":
		return b.exec(args, st)
	case "command", "builtin":
		return b.command(name, args, st)
	case "source", ".":
		return b.source(args, st)
	case "exit":
		if len(args) > 1 {
			return both(st) // bash refuses it and goes on
		}
		return flow{}
	case "return":
		if b.functions.leave(st) {
			return flow{}
		}
		return both(st) // outside a function bash goes on
	case "break", "continue":
		if !b.loops.leave(st) || len(args) > 0 {
			return both(st) // bash may go on
		}
		return flow{}
	case "kill":
		return b.kill(args, st)
	case "wait", "jobs":
		if name == "jobs" && len(args) == 1 && args[0].Is("-p") {
			return flow{st, st, out{some: true, text: []grammar.Part{{Text: ownJob, Source: grammar.Digits}}}}
		}
		options := "-n -f" // -p would write to a name that is evaluated
		if name == "jobs" {
			options = "-n -l -p -r -s"
		}
		b.plainArgs(name, args, options)
		return both(st)
	case "type", "hash", "help", "times", "caller":
		b.plainArgs(name, args, "-a -f -t -p -P -r -d -s -m")
		if name == "hash" && len(args) > 0 && !args[0].Is("-r") {
			b.verdict.deny("hash.option", "hash can make a name stand for another program; leave it out")
		}
		return flow{st, st, out{some: true, src: grammar.Any}}
	case "getopts":
		if len(args) > 1 {
			b.name(name, args[1])
			after := st.copy()
			if t, ok := args[1].Text(); ok {
				after.set(t, anyValue())
			}
			after.set("OPTARG", anyValue())
			return both(after)
		}
		return both(st)
	case "shift":
		return both(shifted(args, st))
	case "umask":
		if len(args) > 0 && !only(args, "022 002 077 0022 -S") {
			b.verdict.ask("umask", "this mask changes who may use the files that are made; leave it at 022")
		}
		return both(st)
	case "fg", "bg", "disown":
		b.rights.need(grammar.NeedNamespace, name)
		b.plainArgs(name, args, "-a -h -r")
		return both(st)
	case "eval":
		b.verdict.deny("builtin.eval", "eval runs text that can't be checked; write the command itself")
	case "trap":
		return b.trap(args, st)
	case "export", "declare", "typeset", "local", "readonly", "let":
		b.verdict.deny("builtin.quoted", "%s in quotes or after another command can't be checked; write it plainly", name)
	case "ulimit":
		if only(args, "-a -n -u -s -v -c") {
			return flow{st, st, out{some: true, src: grammar.Plain}}
		}
		b.verdict.ask("builtin.ulimit", "limits are set from outside; leave them as they are")
	default: // alias unalias shopt enable bind complete compgen compopt fc history suspend logout
		b.verdict.deny("builtin.state", "%s changes what later commands mean; do without it", name)
	}
	return both(st)
}

// plainArgs judges the words of a builtin that takes a few options and plain names.
func (b *builtins) plainArgs(name string, args []grammar.Word, options string) {
	for _, a := range args {
		text, ok := a.Text()
		if strings.HasPrefix(text, "-") && len(text) > 1 {
			for _, c := range text[1:] {
				if !strings.Contains(options, "-"+string(c)) {
					b.verdict.ask(name+".option", "option %s of %s is not known; leave it out", part(text), name)
				}
			}
			continue
		}
		if !ok && a.Source() == grammar.Any && a.Prefix() == "" {
			b.verdict.ask(name+".operand", "what %s is given is not written out; write it out", name)
		}
	}
}

// name judges a word that a builtin takes for the name of a variable.
func (b *builtins) name(builtin string, w grammar.Word) (string, bool) {
	text, ok := w.Text()
	if !ok {
		b.verdict.deny(builtin+".name", "the name that %s writes to is not written out; write a plain name", builtin)
		return "", false
	}
	b.env.assignable(text, builtin)
	return text, grammar.IsVariable(text)
}

// only reports whether there is one word, and it is one of the names.
func only(args []grammar.Word, names string) bool {
	return len(args) == 1 && slices.ContainsFunc(strings.Fields(names), args[0].Is)
}
