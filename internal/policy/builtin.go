package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// builtins are the parts of the shell that change the shell, or evaluate what they are given. They are judged here and by no
// table. (echo, printf, test, pwd and their like are judged by tables.)
var builtins = nameSet(`cd pushd popd dirs read mapfile readarray set unset shift exec eval source . command builtin trap alias unalias shopt enable
	hash bind complete compgen compopt fc history export declare typeset local readonly let getopts exit return break continue wait jobs fg bg disown
	kill umask ulimit suspend logout caller times help type`)

// builtin judges a builtin with its words.
func (j *judge) builtin(name string, args []grammar.Word, st *state) flow {
	switch name {
	case "cd", "pushd", "popd", "dirs":
		return j.changeFolder(name, args, st)
	case "read":
		return j.read(args, st)
	case "mapfile", "readarray":
		return j.mapfile(args, st)
	case "set":
		return j.set(args, st)
	case "unset":
		return j.unset(args, st)
	case "exec":
		return j.exec(args, st)
	case "command", "builtin":
		return j.commandBuiltin(name, args, st)
	case "source", ".":
		return j.source0(args, st)
	case "exit":
		if len(args) > 1 {
			return both(st) // bash refuses it and goes on
		}
		return flow{}
	case "return":
		if len(j.frames) > 0 {
			j.returned(st)
			return flow{}
		}
		return both(st) // outside a function bash goes on
	case "break", "continue":
		for _, l := range j.loops {
			l.left = append(l.left, st)
		}
		if len(args) > 0 || len(j.loops) == 0 {
			return both(st) // bash may go on
		}
		return flow{}
	case "kill":
		return j.kill(args, st)
	case "wait", "jobs":
		if name == "jobs" && len(args) == 1 && args[0].Is("-p") {
			return flow{st, st, out{some: true, text: []grammar.Part{{Text: ownJob, Source: grammar.Digits}}}}
		}
		options := "-n -f" // -p would write to a name that is evaluated
		if name == "jobs" {
			options = "-n -l -p -r -s"
		}
		j.plainArgs(name, args, options)
		return both(st)
	case "type", "hash", "help", "times", "caller":
		j.plainArgs(name, args, "-a -f -t -p -P -r -d -s -m")
		if name == "hash" && len(args) > 0 && !args[0].Is("-r") {
			j.deny("hash.option", "hash can make a name stand for another program; leave it out")
		}
		return flow{st, st, out{some: true, src: grammar.Any}}
	case "getopts":
		if len(args) > 1 {
			j.name(name, args[1])
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
		if len(args) > 0 && !(len(args) == 1 && (args[0].Is("022") || args[0].Is("002") || args[0].Is("077") || args[0].Is("0022") || args[0].Is("-S"))) {
			j.ask("umask", "this mask changes who may use the files that are made; leave it at 022")
		}
		return both(st)
	case "fg", "bg", "disown":
		j.need(grammar.NeedNamespace, name)
		j.plainArgs(name, args, "-a -h -r")
		return both(st)
	case "eval":
		j.deny("builtin.eval", "eval runs text that can't be judged; write the command itself")
	case "trap":
		return j.trap(args, st)
	case "export", "declare", "typeset", "local", "readonly", "let":
		j.deny("builtin.quoted", "%s in quotes or behind another command is judged by nobody; write it plainly", name)
	case "ulimit":
		if len(args) == 1 && (args[0].Is("-a") || args[0].Is("-n") || args[0].Is("-u") || args[0].Is("-s") || args[0].Is("-v") || args[0].Is("-c")) {
			return flow{st, st, out{some: true, src: grammar.Plain}}
		}
		j.ask("builtin.ulimit", "limits are set from outside; leave them as they are")
	default: // alias unalias shopt enable bind complete compgen compopt fc history suspend logout
		j.deny("builtin.state", "%s changes what later commands mean; do without it", name)
	}
	return both(st)
}

// plainArgs judges the words of a builtin that takes a few options and plain names.
func (j *judge) plainArgs(name string, args []grammar.Word, options string) {
	for _, a := range args {
		text, ok := a.Text()
		if strings.HasPrefix(text, "-") && len(text) > 1 {
			for _, c := range text[1:] {
				if !strings.Contains(options, "-"+string(c)) {
					j.ask(name+".option", "option %s of %s is not known; leave it out", part(text), name)
				}
			}
			continue
		}
		if !ok && a.Source() == grammar.Any && a.Prefix() == "" {
			j.ask(name+".operand", "what %s is given is not written out; write it out", name)
		}
	}
}

// name judges a word that a builtin takes for the name of a variable.
func (j *judge) name(builtin string, w grammar.Word) (string, bool) {
	text, ok := w.Text()
	if !ok {
		j.deny(builtin+".name", "the name that %s writes to is not written out; write a plain name", builtin)
		return "", false
	}
	j.assignable(text, builtin)
	return text, grammar.IsVariable(text)
}
