package policy

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/task"
)

// fileEffects judges files that programs write and remove.
type fileEffects struct {
	policy  *Policy
	role    task.Role
	mayGo   func(path string) bool // Request.Restorable
	verdict *collector
	nesting *nesting
	paths   *paths
	rights  *rights
	writes  *writes
}

// written judges a file that a program makes or changes.
func (e *fileEffects) written(m *grammar.Match, u *grammar.Use, st *state) {
	if harmlessSink(u.Word) && (m.Rule == "cp" || !copies[m.Rule]) {
		return
	}
	if m.Rule == "git.rm" {
		e.removed(m, u, st)
		return
	}
	if harmlessSink(u.Word) {
		e.verdict.deny("path.outside", "this would put a file in the place of a device")
		return
	}
	e.paths.check(u.Word, Write, st, "path")
	if m.Rule == "ln" || strings.HasPrefix(m.Rule, "python") {
		e.paths.check(u.Word, Read, st, "path") // another name makes it readable; a module may show it too
	}
	if m.Rule == "tee" {
		e.paths.checkCommands(u.Word)
	}
	if !e.scratch(u.Word) {
		e.rights.changes(strings.ReplaceAll(m.Rule, ".", " "))
	}
	if packers[m.Rule] { // the result has the name without its extension
		if text, ok := u.Word.Text(); ok && strings.LastIndexByte(text, '.') > strings.LastIndexByte(text, '/') {
			e.writes.add(grammar.Lit(text[:strings.LastIndexByte(text, '.')]), st, true)
		}
	}
	if m.Rule == "split" || m.Rule == "gsplit" || m.Rule == "csplit" {
		e.writes.add(grammar.Lit("."), st, true) // under names that are not written out
	}
	for _, from := range m.Uses {
		if from.Via == "" && (from.Kind == grammar.Read || from.Kind == grammar.Remove) && copies[m.Rule] {
			e.copied(from.Word, u.Word, st)
		}
	}
	if strings.HasPrefix(m.Rule, "ln") && m.Has("-s", "--symbolic") || m.Rule == "ln" {
		e.writes.addLink(u.Word, st)
		e.writes.add(u.Word, st, true)
	}
	switch m.Rule {
	case "mkdir", "touch", "chmod", "ln", "truncate":
	default:
		folder := u.Word.Is(".") && copies[m.Rule] // the names in it have been noted one by one
		built := m.Class == grammar.Run && m.Rule != "curl" && m.Rule != "wget" || m.Class == grammar.Install
		if !folder && !built {
			e.writes.add(u.Word, st, true)
		}
	}
}

var packers = grammar.Set("gzip gunzip pigz bzip2 bunzip2 pbzip2 xz unxz lzma unlzma zstd unzstd pzstd lz4 unlz4 brotli")

var copies = grammar.Set("cp mv install ln rsync git.mv")

// copied judges the name that a copy gets in the folder it is copied into.
func (e *fileEffects) copied(from, to grammar.Word, st *state) {
	text, ok := pathText(from)
	dest, known := pathText(to)
	if !ok || !known || text == "" {
		return
	}
	base := path.Base(text)
	name := path.Base(dest)
	if base == "." || base == "/" || !strings.HasSuffix(dest, "/") && name != "." && strings.Contains(strings.TrimPrefix(name, "."), ".") {
		return
	}
	w := to
	w.Parts = append(append([]grammar.Part(nil), to.Parts...), grammar.Part{Text: "/" + strings.ReplaceAll(base, string(hole), "x")})
	e.paths.check(w, Write, st, "path")
	e.writes.add(w, st, true)
}

// removed judges the removal of a path.
func (e *fileEffects) removed(m *grammar.Match, u *grammar.Use, st *state) {
	shown := strings.ReplaceAll(m.Rule, ".", " ")
	back := e.restorable(u.Word, st)
	if !strings.HasPrefix(m.Rule, "git.") && !e.scratch(u.Word) && !back {
		e.rights.need(grammar.NeedDestructive, shown)
	}
	if !e.scratch(u.Word) {
		e.rights.changes(shown)
	}
	text, _ := pathText(u.Word)
	rest := strings.TrimPrefix(strings.TrimPrefix(text, e.policy.c.Root+"/"), "./")
	switch {
	case (strings.HasSuffix(text, "/") || strings.HasSuffix(text, "/.")) && rest != "" && !strings.HasPrefix(m.Rule, "git."):
		refuse := e.verdict.deny // the same without the slash needs no person
		if strings.ContainsAny(rest, "*?[") {
			refuse = e.verdict.ask // without the slash a pattern means files, too
		}
		refuse("path.slash", "%q with a slash at the end goes through a link, if it is one; leave the slash out", part(u.Word.String()))
	case e.nesting.fedAll() && rest == string(hole) && !strings.HasPrefix(m.Rule, "git."):
		e.verdict.ask("path.broad", "this takes every file from the pipe; select them by name first (find -name, grep)")
	case back && !e.nesting.wrapped() && rest == string(hole) && !strings.HasPrefix(m.Rule, "git."):
		e.verdict.ask("path.broad", "which files go is not known here, and it could be all of them; name them, or choose them with find -name")
	case broad(rest):
		e.verdict.ask("path.broad", "%q means everything in the folder; name the files or folders to remove", part(u.Word.String()))
	}
	for _, at := range st.cwd {
		if e.policy.within(at.path) && inside(e.policy.c.Root, clean(at.path+"/"+rest)) && !strings.HasPrefix(rest, "/") {
			e.verdict.deny("path.root", "this would remove the whole repository; name the files that should go")
		}
	}
	e.paths.check(u.Word, Remove, st, "path")
}

// broad reports whether a pattern matches nearly everything: its first name is a pattern without an extension.
func broad(rest string) bool {
	first, _, _ := strings.Cut(rest, "/")
	if !strings.ContainsAny(first, "*?[") {
		return false
	}
	fixed := strings.Trim(first, "*?[]!.^-")
	return len(fixed) < 2 || strings.HasPrefix(first, ".")
}

// scratch reports whether a word certainly names a path in the private /tmp.
func (e *fileEffects) scratch(w grammar.Word) bool {
	text, ok := pathText(w)
	return ok && strings.HasPrefix(text, "/tmp/") && e.policy.c.PrivateTmp && !leadsUp(text) && e.role != "planner"
}

// onlyScratch reports whether everything that is removed lies in the private /tmp.
func (e *fileEffects) onlyScratch(m *grammar.Match) bool {
	gone := 0
	for _, u := range m.Uses {
		if u.Kind != grammar.Remove {
			continue
		}
		if gone++; !e.scratch(u.Word) {
			return false
		}
	}
	return gone > 0
}

// allRestorable reports whether a program may remove everything it removes without a person. One that names no path works on
// the whole tree.
func (e *fileEffects) allRestorable(m *grammar.Match, st *state) bool {
	named := false
	for _, u := range m.Uses {
		if u.Kind == grammar.Remove || u.Via == "-delete" {
			named = true
			if !e.scratch(u.Word) && !e.restorable(u.Word, st) {
				return false
			}
		}
	}
	return named || e.restorable(grammar.Lit(e.policy.c.Root), st)
}

// restorable reports whether the caller says that everything a word may name can be restored.
func (e *fileEffects) restorable(w grammar.Word, st *state) bool {
	places := st.resolve(w)
	if !e.policy.c.Boxed || e.mayGo == nil || len(places) == 0 {
		return false
	}
	for _, p := range places {
		if !e.policy.within(p.path) || !e.mayGo(p.path) {
			return false
		}
	}
	return true
}
