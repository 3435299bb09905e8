package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// use judges one thing that a command does with one word. It gives what a command inside it leaves behind.
func (j *judge) use(m *grammar.Match, u *grammar.Use, st *state) (flow, bool) {
	if !j.step() {
		return flow{}, false
	}
	switch u.Kind {
	case grammar.Command:
		j.wrapped++
		defer func() { j.wrapped-- }()
		return j.run(j.fed(m, append([]grammar.Word{u.Word}, u.Rest...), st), j.inner(m, st), !inShell(m)), true
	case grammar.Shell:
		return j.shellText(m, u, st), true
	}
	if misfit := u.Word.Fits(u.Kind); misfit != "" {
		j.misfit(m, u, misfit)
		return flow{}, false
	}
	switch u.Kind {
	case grammar.Code, grammar.Read, grammar.Write, grammar.Dir, grammar.List:
		if text := u.Word.Prefix(); strings.Contains(text, "://") {
			j.ask(m.Rule+".address", "%q is an address where a file is meant, and would be fetched; name a file of the repository", part(text))
		}
	}
	switch u.Kind {
	case grammar.Data, grammar.Name:
		if u.Word.Glob {
			j.path(u.Word, list, st, "path") // bash puts the names of files here
		}
		if searches[u.Via] && searchers[strings.TrimPrefix(m.Rule, "g")] {
			if text, ok := u.Word.Text(); ok && !strings.HasPrefix(text, "!") {
				j.named(grammar.Lit(text[strings.LastIndexByte(text, '/')+1:]))
			}
		}
		if m.Class == grammar.Run && u.Via == "" || strings.HasPrefix(m.Rule, "python") {
			j.named(u.Word)
		}
	case grammar.Inline:
		j.inline(m, u, st)
	case grammar.Assign:
		j.environment(u.Word, st)
	case grammar.Local:
		j.need(grammar.NeedLoopback, m.Rule)
	case grammar.Read:
		if !u.Word.Is("-") && !endless(m, u.Word) {
			j.path(u.Word, Read, st, "path")
			if m.Class == grammar.Run && j.isMade(u.Word, st) {
				j.notMade(u.Word, st)
			}
		}
	case grammar.List:
		j.path(u.Word, list, st, "path")
	case grammar.Write:
		j.written(m, u, st)
	case grammar.Remove:
		j.removed(m, u, st)
	case grammar.Code:
		j.path(u.Word, Execute, st, "path")
		j.notMade(u.Word, st)
	case grammar.Dir:
		j.folder(m, u, st)
	}
	return flow{}, false
}

// misfit refuses a word that does not fit its kind.
func (j *judge) misfit(m *grammar.Match, u *grammar.Use, why string) {
	rule, what := m.Rule+".operand", "the word"
	if u.Via != "" {
		rule, what = m.Rule+".value", "the value of "+u.Via
	}
	j.ask(rule, "%s %q of %s %s; write out a plain %s", what, part(u.Word.String()), strings.ReplaceAll(m.Rule, ".", " "), why, plainly(u.Kind))
}

// folder judges a working folder for a program.
func (j *judge) folder(m *grammar.Match, u *grammar.Use, st *state) {
	if m.Rule == "tar" && m.Class != grammar.Run {
		j.path(u.Word, dir, st, "path")
		return
	}
	j.path(u.Word, dir, st, "path")
	j.path(u.Word, Execute, st, "path") // settings and code of that folder count
}

// shows are git's commands that print what is in files.
var shows = nameSet("git.log git.diff git.show git.blame git.annotate git.grep git.archive git.cat-file git.stash git.stash.show git.format-patch git.diff-tree git.diff-index git.whatchanged git.range-diff git.difftool")

// searches are options by which programs that print what is in files choose those files.
var (
	searches  = nameSet("-g --glob --iglob --include -G --file-search-regex")
	searchers = nameSet("rep egrep fgrep rg ag ack ack-grep ugrep ug rgrep zgrep")
)

// named asks about a word that code of the repository is given and that is the name of a file of secrets.
func (j *judge) named(w grammar.Word) {
	if text, ok := w.Text(); ok && text != "" {
		text = text[strings.LastIndexByte(text, '=')+1:]
		if g := j.p.guarded(strings.TrimPrefix(clean("/"+text), "/"), Read); g == guardSecret {
			j.guard(g, text)
		}
	}
}

// tracked judges the words of git that may be names of files: their content would be printed.
func (j *judge) tracked(m *grammar.Match) {
	if !shows[m.Rule] {
		return
	}
	for _, u := range m.Uses {
		if u.Kind != grammar.Rev && u.Kind != grammar.List && u.Kind != grammar.Name && u.Kind != grammar.Read {
			continue
		}
		text := u.Word.Prefix()
		text = text[strings.LastIndexByte(text, ':')+1:]
		if g := j.p.guarded(strings.TrimPrefix(clean("/"+text), "/"), Read); text != "" && g == guardSecret {
			j.guard(g, text)
		}
	}
}

// endless tells whether a device without end is read by something that ends.
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

// plainly is what people call a value of a kind.
func plainly(k grammar.Kind) string {
	switch k {
	case grammar.Read, grammar.List, grammar.Write, grammar.Remove, grammar.Code, grammar.Dir:
		return "path inside the repository"
	}
	return string(k)
}
