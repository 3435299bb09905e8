package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// table judges the words of a program by its table.
func (j *judge) table(t *grammar.Table, name string, args []grammar.Word, st *state) flow {
	m := t.Parse(args)
	if m.Class == grammar.Ask || m.Class == grammar.Deny {
		m.Rule = name + strings.TrimPrefix(m.Rule, t.Program.Names[0]) // tables of what is refused go by many names
	}
	j.restricted(nil, m.Rule)
	if onlyVersion(m, name, args) {
		return flow{st, st, out{some: true, src: grammar.Any}}
	}
	return j.matched(m, st)
}

// lifted are refusals of tables that say how hard something is to read for people. In the box it is judged as far as it goes.
// So is a server that listens on every address: all of them are the box's own.
var (
	lifted  = nameSet(".shell .listen")
	finders = nameSet("find gfind xargs gxargs fd fdfind")
)

// matched judges what a table has read.
func (j *judge) matched(m *grammar.Match, st *state) flow {
	j.takesBy(m, st)
	shown := strings.Replace(strings.ReplaceAll(m.Rule, ".", " "), "python m ", "python -m ", 1)
	for _, r := range m.Refused {
		if j.noEditor && r.Rule == ".editor" && strings.HasPrefix(m.Rule, "git.") {
			continue
		}
		if j.p.c.Boxed && (lifted[r.Rule] || r.Rule == ".script" && finders[m.Rule]) {
			continue
		}
		rule := r.Rule
		if strings.HasPrefix(rule, ".") {
			rule = m.Rule + rule
		}
		j.refuse(r.Class, rule, sentence(r.Reason))
	}
	if m.Class == grammar.Ask || m.Class == grammar.Deny {
		j.refuse(m.Class, m.Rule, sentence(shown+" is not run unattended: "+m.Why))
		return flow{st, st, out{some: true, src: grammar.Any}}
	}
	for _, n := range m.Needs {
		if n != grammar.NeedDestructive || !j.onlyScratch(m) && !j.comesBack(m, st) {
			j.need(n, shown)
		}
	}
	if m.Rule == "id" && len(m.Words) == 0 && j.nested+j.wrapped > 0 {
		j.ask("probe", "id without options inside another command is what probes of a sandbox look like; use id -u or id -un")
	}
	j.class(m.Class, shown)
	if m.Class == grammar.Run {
		j.notPrepared(m, st)
	}
	if m.Class == grammar.Run || m.Class == grammar.Install || strings.HasPrefix(m.Rule, "git.") {
		j.atHome(st, shown, m.Class == grammar.Run || m.Class == grammar.Inspect)
	}
	j.stdin(m, st)
	j.tracked(m)
	j.sized(m)
	if m.Rule == "unzip" && m.Class == grammar.Change && !m.Has("-d") {
		j.wrote(grammar.Lit("."), st, true)
	}
	if m.Rule == "find" && m.Has("-exec") && picksSecrets(m) {
		j.ask("path.secret", "this looks for files that are likely to hold secrets and does something with them; name the files you need")
	}
	inner := j.folders(m, st)
	var last flow
	ran := false
	for i := range m.Uses {
		if f, ok := j.use(m, &m.Uses[i], inner); ok {
			last, ran = f, true
		}
	}
	if ran && passes(m) {
		return flow{st, st, last.out}
	}
	return flow{st, st, j.printed(m, st)}
}

// atHome refuses to run, outside the tree, what takes its commands or settings from the folder it runs in.
func (j *judge) atHome(st *state, shown string, lenient bool) {
	if len(st.cwd) == 0 {
		j.ask("path.cwd", "the folder in which %s would run is not known any more; use one cd, or ( cd x && ... )", shown)
	}
	for _, at := range st.cwd {
		if lenient && at.stray && !j.p.within(at.path) {
			continue // only if an earlier cd failed
		}
		if !j.p.within(at.path) && !(j.p.c.Boxed && j.p.temporary(at.path)) {
			j.ask("path.cwd", "%s takes settings from the folder it runs in, and that is not the repository; go back into it first", shown)
		}
		if rel := strings.TrimPrefix(at.path, j.p.c.Root); j.p.within(at.path) {
			if link, ok := j.belowLink(strings.TrimPrefix(rel, "/"), true); ok {
				j.deny("path.link", "%s is a link that this script has made; use links in a separate step", part(link))
			}
		}
	}
}

// sentence makes a reason fit to be shown.
func sentence(s string) string {
	if len(s) > 400 {
		s = s[:397] + "..."
	}
	return s
}

// stdin judges what a program does with its input: one that runs it as code may have none.
func (j *judge) stdin(m *grammar.Match, st *state) {
	if m.Loose && st.in.text != nil {
		j.wired(knownText(*st.in.text), st)
	}
	if !m.StdinCode || j.p.c.Boxed && j.codeFromInput(m, st) {
		return
	}
	switch st.in.kind {
	case noInput:
		j.ask("stdin.code", "%s would wait for commands on its standard input, and there are none; give it a file of the repository", m.Rule)
	case pipeInput:
		j.deny("stdin.code", "%s would run whatever comes through the pipe; put it into a file of the repository, where it is reviewed", m.Rule)
	default:
		j.ask("stdin.code", "%s would run text that can't be judged as a file of the repository; write the file first, and run it in a later step", m.Rule)
	}
}

// folders gives the state in which a program with -C DIR looks at its paths: the shell's folder and that one.
func (j *judge) folders(m *grammar.Match, st *state) *state {
	inner := st
	for _, u := range m.Uses {
		if u.Kind != grammar.Dir {
			continue
		}
		if inner == st {
			inner = st.copy()
		}
		inner.cwd = joinPlaces(inner.cwd, j.resolve(u.Word, inner))
	}
	return inner
}
