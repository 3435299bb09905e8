package policy

import (
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// tables judges the uses that a program's table has found in its words.
type tables struct {
	policy      *Policy
	verdict     *collector
	meter       *meter
	nesting     *nesting
	rules       *rules
	rights      *rights
	paths       *paths
	env         *environment
	writes      *writes
	inputs      *inputs
	scanner     *scanner
	selfWritten *selfWritten
	files       *fileEffects
	inner       *innerScripts
	run         programRunner
}

// judge judges the words of a program by its table.
func (t *tables) judge(table *grammar.Table, name string, args []grammar.Word, st *state) flow {
	m := table.Parse(args)
	if m.Class == grammar.Ask || m.Class == grammar.Deny {
		m.Rule = name + strings.TrimPrefix(m.Rule, table.Program.Names[0]) // one table of refused programs has many names
	}
	t.rules.restricted(nil, m.Rule)
	if onlyVersion(m, name, args) {
		return flow{st, st, out{some: true, src: grammar.Any}}
	}
	return t.matched(m, st)
}

// lifted are refusals of tables that do not apply in the sandbox: of scripts that are hard to read for people, because they are
// judged as far as possible there, and of servers that listen on every address, because all addresses belong to the sandbox.
var (
	lifted  = grammar.Set(".shell .listen")
	finders = grammar.Set("find gfind xargs gxargs fd fdfind")
)

// matched judges the match of a table.
func (t *tables) matched(m *grammar.Match, st *state) flow {
	t.inputs.matched(m, st)
	shown := strings.Replace(strings.ReplaceAll(m.Rule, ".", " "), "python m ", "python -m ", 1)
	for _, r := range m.Refused {
		if t.nesting.quietEditor() && r.Rule == ".editor" && strings.HasPrefix(m.Rule, "git.") {
			continue
		}
		if m.Rule == "pkill" && r.Rule == ".name" && t.mayEnd(m) {
			continue
		}
		if t.policy.c.Boxed && (lifted[r.Rule] || r.Rule == ".script" && finders[m.Rule]) {
			continue
		}
		rule := r.Rule
		if strings.HasPrefix(rule, ".") {
			rule = m.Rule + rule
		}
		t.verdict.refuse(r.Class, rule, sentence(r.Reason))
	}
	if m.Class == grammar.Ask || m.Class == grammar.Deny {
		t.verdict.refuse(m.Class, m.Rule, sentence(shown+" is not run unattended: "+m.Why))
		return flow{st, st, out{some: true, src: grammar.Any}}
	}
	for _, n := range m.Needs {
		if n != grammar.NeedDestructive || !t.files.onlyScratch(m) && !t.files.allRestorable(m, st) {
			t.rights.need(n, shown)
		}
	}
	if m.Rule == "id" && len(m.Words) == 0 && t.nesting.inner() {
		t.verdict.ask("probe", "id without options inside another command looks like a probe of the sandbox; use id -u or id -un")
	}
	t.rights.class(m.Class, shown)
	if m.Class == grammar.Run {
		t.selfWritten.checkProject(m, st)
	}
	if m.Class == grammar.Run || m.Class == grammar.Install || strings.HasPrefix(m.Rule, "git.") {
		t.checkFolder(st, shown, m.Class == grammar.Run || m.Class == grammar.Inspect)
	}
	t.input(m, st)
	t.tracked(m)
	if tooLarge(m) {
		t.verdict.ask("size", "this makes a file of more than 1 GiB; a smaller one will do")
	}
	if m.Rule == "unzip" && m.Class == grammar.Change && !m.Has("-d") {
		t.writes.add(grammar.Lit("."), st, true)
	}
	if m.Rule == "find" && m.Has("-exec") && picksSecrets(m) {
		t.verdict.ask("path.secret", "this looks for files that are likely to hold secrets and does something with them; name the files you need")
	}
	inner := folders(m, st)
	var last flow
	ran := false
	for i := range m.Uses {
		if f, ok := t.use(m, &m.Uses[i], inner); ok {
			last, ran = f, true
		}
	}
	if ran && passes(m) {
		return flow{st, st, last.out}
	}
	return flow{st, st, printed(t.policy, m, st)}
}

// mayEnd reports whether the settings name the process that pkill would end. The need for a namespace is judged with the others.
func (t *tables) mayEnd(m *grammar.Match) bool {
	at := m.Operands()
	if len(at) != 1 {
		return false
	}
	text, ok := m.Uses[at[0]].Word.Text()
	return ok && slices.Contains(t.policy.c.Pkill, text)
}

// checkFolder refuses to run a program outside the tree that takes commands or settings from the folder it runs in.
func (t *tables) checkFolder(st *state, shown string, lenient bool) {
	if len(st.cwd) == 0 {
		t.verdict.ask("path.cwd", "the folder in which %s would run is unknown here; use one cd, or ( cd x && ... )", shown)
	}
	for _, at := range st.cwd {
		if lenient && at.stray && !t.policy.within(at.path) {
			continue // only if an earlier cd failed
		}
		if !t.policy.within(at.path) && !(t.policy.c.Boxed && t.policy.temporary(at.path)) {
			t.verdict.ask("path.cwd", "%s takes settings from the folder it runs in, and that is not the repository; go back into it first", shown)
		}
		if rel := strings.TrimPrefix(at.path, t.policy.c.Root); t.policy.within(at.path) {
			if link, ok := t.writes.belowLink(strings.TrimPrefix(rel, "/"), true); ok {
				t.verdict.deny("path.link", "%s is a link that this script has made; use links in a separate step", part(link))
			}
		}
	}
}

// sentence limits a reason to 400 bytes.
func sentence(s string) string {
	if len(s) > 400 {
		s = s[:397] + "..."
	}
	return s
}

// input judges the standard input of a program. One that runs it as code may have none.
func (t *tables) input(m *grammar.Match, st *state) {
	if m.Loose && st.in.text != nil {
		t.scanner.check(knownText(*st.in.text), st)
	}
	if !m.StdinCode || t.policy.c.Boxed && t.inner.fromInput(m, st) {
		return
	}
	switch st.in.kind {
	case noInput:
		t.verdict.ask("stdin.code",
			"%s would wait for commands on its standard input, and there are none; give it a file of the repository", m.Rule)
	case pipeInput:
		t.verdict.deny("stdin.code",
			"%s would run whatever comes through the pipe; put it into a file of the repository, where it is reviewed", m.Rule)
	default:
		t.verdict.ask("stdin.code",
			"%s would run text that can't be judged as a file of the repository; write the file first, and run it in a later step", m.Rule)
	}
}

// folders returns the state in which a program with -C DIR resolves its paths: in the shell's folder and in that one.
func folders(m *grammar.Match, st *state) *state {
	inner := st
	for _, u := range m.Uses {
		if u.Kind != grammar.Dir {
			continue
		}
		if inner == st {
			inner = st.copy()
		}
		inner.cwd = joinPlaces(inner.cwd, inner.resolve(u.Word))
	}
	return inner
}
