package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// use judges one use of a word. It returns the result of a command inside it.
func (t *tables) use(m *grammar.Match, u *grammar.Use, st *state) (flow, bool) {
	if !t.meter.step() {
		return flow{}, false
	}
	switch u.Kind {
	case grammar.Command:
		t.nesting.enterProgram()
		defer t.nesting.leaveProgram()
		return t.run.run(t.inner.fed(m, append([]grammar.Word{u.Word}, u.Rest...), st), innerState(m, st), !inShell(m)), true
	case grammar.Shell:
		return t.inner.text(m, u, st), true
	}
	if misfit := u.Word.Fits(u.Kind); misfit != "" {
		t.misfit(m, u, misfit)
		return flow{}, false
	}
	switch u.Kind {
	case grammar.Code, grammar.Read, grammar.Write, grammar.Dir, grammar.List:
		if text := u.Word.Prefix(); strings.Contains(text, "://") {
			t.verdict.ask(m.Rule+".address",
				"%q is an address where a file is meant, and would be fetched; name a file of the repository", part(text))
		}
	}
	switch u.Kind {
	case grammar.Data, grammar.Name:
		if u.Word.Glob {
			t.paths.check(u.Word, list, st, "path") // bash replaces it by names of files
		}
		if searches[u.Via] && searchers[strings.TrimPrefix(m.Rule, "g")] {
			if text, ok := u.Word.Text(); ok && !strings.HasPrefix(text, "!") {
				t.paths.checkName(grammar.Lit(text[strings.LastIndexByte(text, '/')+1:]))
			}
		}
		if m.Class == grammar.Run && u.Via == "" || strings.HasPrefix(m.Rule, "python") {
			t.paths.checkName(u.Word)
		}
	case grammar.Inline:
		t.inline(m, u, st)
	case grammar.Assign:
		t.env.word(u.Word, st)
	case grammar.Local:
		t.rights.need(grammar.NeedLoopback, m.Rule)
	case grammar.Read:
		if !u.Word.Is("-") && !endless(m, u.Word) {
			t.paths.check(u.Word, Read, st, "path")
			if m.Class == grammar.Run && t.writes.mayHold(u.Word, st) {
				t.selfWritten.checkCode(u.Word, st)
			}
		}
	case grammar.List:
		t.paths.check(u.Word, list, st, "path")
	case grammar.Write:
		t.files.written(m, u, st)
	case grammar.Remove:
		t.files.removed(m, u, st)
	case grammar.Code:
		t.paths.check(u.Word, Execute, st, "path")
		t.selfWritten.checkCode(u.Word, st)
	case grammar.Dir:
		t.folder(m, u, st)
	}
	return flow{}, false
}

// misfit refuses a word that does not fit its kind.
func (t *tables) misfit(m *grammar.Match, u *grammar.Use, why string) {
	rule, what := m.Rule+".operand", "the word"
	if u.Via != "" {
		rule, what = m.Rule+".value", "the value of "+u.Via
	}
	t.verdict.ask(rule,
		"%s %q of %s %s; write out a plain %s", what, part(u.Word.String()), strings.ReplaceAll(m.Rule, ".", " "), why, plainly(u.Kind))
}

// folder judges a working folder for a program.
func (t *tables) folder(m *grammar.Match, u *grammar.Use, st *state) {
	if m.Rule == "tar" && m.Class != grammar.Run {
		t.paths.check(u.Word, dir, st, "path")
		return
	}
	t.paths.check(u.Word, dir, st, "path")
	t.paths.check(u.Word, Execute, st, "path") // settings and code of that folder are used
}

// shows are git's commands that print what is in files.
var shows = grammar.Set(`git.log git.diff git.show git.blame git.annotate git.grep git.archive git.cat-file git.stash git.stash.show
	git.format-patch git.diff-tree git.diff-index git.whatchanged git.range-diff git.difftool`)

// searches are options by which programs that print what is in files choose those files.
var (
	searches  = grammar.Set("-g --glob --iglob --include -G --file-search-regex")
	searchers = grammar.Set("rep egrep fgrep rg ag ack ack-grep ugrep ug rgrep zgrep")
)

// tracked judges words of git that may be names of files whose content it would print.
func (t *tables) tracked(m *grammar.Match) {
	if !shows[m.Rule] {
		return
	}
	for _, u := range m.Uses {
		if u.Kind != grammar.Rev && u.Kind != grammar.List && u.Kind != grammar.Name && u.Kind != grammar.Read {
			continue
		}
		text := u.Word.Prefix()
		text = text[strings.LastIndexByte(text, ':')+1:]
		if g := t.policy.guarded(strings.TrimPrefix(clean("/"+text), "/"), Read); text != "" && g == guardSecret {
			t.paths.refuse(g, text)
		}
	}
}

// endless reports whether a program reads a limited part of an endless device.
func endless(m *grammar.Match, w grammar.Word) bool {
	if !w.Is("/dev/urandom") && !w.Is("/dev/zero") && !w.Is("/dev/random") {
		return false
	}
	switch m.Rule {
	case "head":
		n, ok := m.Flags["-c"].Text()
		return ok && isDigits(strings.TrimRight(n, "kKM")) && len(n) <= 8
	case "od", "xxd", "hexdump":
		return m.Has("-N", "-l", "-n", "--read-bytes")
	}
	return false
}

// plainly is a plain name for a kind of value.
func plainly(k grammar.Kind) string {
	switch k {
	case grammar.Read, grammar.List, grammar.Write, grammar.Remove, grammar.Code, grammar.Dir:
		return "path inside the repository"
	}
	return string(k)
}

// inline judges text that may be code of another language than the shell's.
func (t *tables) inline(m *grammar.Match, u *grammar.Use, st *state) {
	if !t.policy.c.Boxed {
		t.verdict.ask(m.Rule+".inline", "code on the command line can't be reviewed beforehand; write it to a file in the tree and run that file")
		return
	}
	t.scanner.check(knownText(u.Word), st)
}
