package policy

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// programs judges programs by their names: builtins, programs with a table, files of the tree.
type programs struct {
	policy      *Policy
	verdict     *collector
	meter       *meter
	seen        func(words []grammar.Word) // observes every command; may be nil
	rules       *rules
	rights      *rights
	inputs      *inputs
	paths       *paths
	env         *environment
	scanner     *scanner
	selfWritten *selfWritten
	builtins    *builtins
	tables      *tables
}

// run judges a program with its words. With external, another program starts it and not the shell: there are no builtins
// then.
func (g *programs) run(words []grammar.Word, st *state, external bool) flow {
	if !g.meter.step() || !g.meter.enter() {
		return both(st)
	}
	defer g.meter.leave()
	if g.seen != nil {
		g.seen(words)
	}
	name, ok := words[0].Text()
	switch {
	case !ok:
		g.verdict.deny("command.dynamic", "the name of the program is not written out, so it can't be checked; write it plainly")
		return both(st)
	case strings.HasPrefix(name, "!") || strings.Contains(name, "="):
		g.verdict.deny("command.name",
			"%q is no name of a program: an interactive shell would put an earlier command here, "+
				"or quotes keep an assignment from being one", part(name))
		return both(st)
	case name == "" || hasControl(name) || !ascii(name):
		g.verdict.deny("command.name", "%q is no name of a program", part(name))
		return both(st)
	}
	g.rules.restricted(words, "")
	if r := g.rules.permitted(g.policy.allow, words, st); r != nil {
		return g.allowed(r, words, st)
	}
	if builtinNames[name] {
		if external {
			g.verdict.ask("builtin.external", "%s is a part of the shell and no program; write it without the command before it", name)
			return both(st)
		}
		return g.builtins.judge(name, words[1:], st)
	}
	t := g.policy.programs[name]
	if t == nil {
		g.inputs.all(words, st)
	}
	if strings.Contains(name, "/") {
		return g.byPath(name, words[1:], st)
	}
	if t == nil && g.policy.off[name] != "" {
		g.verdict.ask("program.profile",
			"%s belongs to the profile %s, which is not on for this project; let the settings name it", part(name), g.policy.off[name])
		return both(st)
	}
	if t == nil && g.policy.c.Boxed {
		if r := g.rules.permitted(g.policy.granted, words, st); r != nil {
			return g.allowed(r, words, st)
		}
	}
	if t == nil {
		g.verdict.ask("program.unknown", "the program %s is unknown; use a known one, or let a person run it", part(name))
		return both(st)
	}
	return g.tables.judge(t, name, words[1:], st)
}

// allowed runs a command that a rule allows.
func (g *programs) allowed(r *rule, words []grammar.Word, st *state) flow {
	if len(r.roles) == 0 || !g.policy.c.Boxed || g.policy.c.WriteOff {
		g.rights.runs(part(words[0].String()))
	}
	g.inputs.all(words, st)
	return flow{st, st, out{some: true, src: grammar.Any}}
}

// local judges a program of the tree or of the private /tmp.
func (g *programs) local(name grammar.Word, args []grammar.Word, st *state) flow {
	g.inputs.all(append([]grammar.Word{name}, args...), st)
	g.paths.check(name, Execute, st, "path")
	g.selfWritten.checkCode(name, st)
	g.script(part(name.String()), args, st)
	return flow{st, st, out{some: true, src: grammar.Any}}
}

// inBox reports whether the name of a program is a path in the tree or in the private /tmp for all values of its unknown parts.
func (p *Policy) inBox(w grammar.Word) bool {
	text, ok := pathText(w)
	if !ok || !p.c.Boxed || leadsUp(text) || w.Source() == grammar.Literal {
		return false
	}
	return strings.HasPrefix(text, "/tmp/") && p.c.PrivateTmp || strings.HasPrefix(text, p.c.Root+"/") || strings.HasPrefix(text, "./")
}

// byPath judges a program that is named by its path.
func (g *programs) byPath(name string, args []grammar.Word, st *state) flow {
	base := path.Base(name)
	if strings.HasPrefix(name, "/") {
		switch d := path.Dir(name); {
		case clean(name) != name:
		case d == "/bin" || d == "/usr/bin" || d == "/usr/local/bin":
			if t := g.policy.programs[base]; t != nil && !builtinNames[base] {
				return g.tables.judge(t, base, args, st)
			}
		}
		if !g.policy.within(clean(name)) && !(g.policy.c.Boxed && g.policy.temporary(clean(name))) {
			g.verdict.ask("program.outside", "%s is no program of the system's own folders or of the repository; use one that is", part(name))
			return both(st)
		}
	}
	g.paths.check(grammar.Lit(name), Execute, st, "path")
	g.selfWritten.checkCode(grammar.Lit(name), st)
	local := strings.TrimPrefix(clean(name), "./")
	if t := g.policy.localTable(local); t != nil {
		g.rights.runs(part(name))
		return g.tables.judge(t, path.Base(local), args, st)
	}
	switch {
	case g.policy.c.Boxed: // whatever its name: it is a file inside the sandbox
		g.script(name, args, st)
	case (g.policy.programs[base] != nil || builtinNames[base]) && !projectScript(local):
		g.verdict.deny("program.lookalike", "%s has the name of a program of the system but is another file; use a name of its own", part(name))
	case g.policy.off[local] != "":
		g.verdict.ask("program.profile",
			"%s belongs to the profile %s, which is not on for this project; let the settings name it", part(name), g.policy.off[local])
	case !strings.Contains(local, "/") && !strings.Contains(local, ".") && !rootScripts[local]:
		g.verdict.ask("program.local",
			"nothing says what %s is; run a script of the repository whose name says so, or let the settings name it", part(name))
	case hiddenFolder(local):
		g.verdict.ask("program.hidden",
			"%s lies in a hidden or generated folder; run the script of the repository that uses it", part(name))
	default:
		g.script(name, args, st)
	}
	return flow{st, st, out{some: true, src: grammar.Any}}
}

// script judges a script or program of the repository without a table: its words may be options, but not lead outside.
func (g *programs) script(name string, args []grammar.Word, st *state) {
	g.rights.runs(part(name))
	for _, a := range args {
		text := a.Prefix()
		if i := strings.IndexByte(text, '='); i > 0 && strings.HasPrefix(text, "-") {
			a, text = a.Drop(i+1), text[i+1:]
		}
		g.paths.checkName(a)
		if g.policy.c.Boxed {
			g.scanner.check(knownText(a), st)
		}
		if name, _, ok := strings.Cut(a.Prefix(), "="); ok && grammar.IsVariable(name) && (shellOwn(name) || dangerous(name)) {
			g.env.word(a, st) // configure takes CC=x for its environment
		}
		if a.Tilde || strings.HasPrefix(text, "/") || leadsUp(text) {
			g.paths.check(a, Read, st, "path")
		}
		if strings.Contains(text, "://") && !grammar.IsLocal(text) {
			g.verdict.ask("program.address", "this hands the address %q to a script; let a person run it", part(text))
		}
	}
}
