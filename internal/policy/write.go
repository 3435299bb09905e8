package policy

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// written judges a file that a program makes or changes.
func (j *judge) written(m *grammar.Match, u *grammar.Use, st *state) {
	if harmlessSink(u.Word) && (m.Rule == "cp" || !copies[m.Rule]) {
		return
	}
	if m.Rule == "git.rm" {
		j.removed(m, u, st)
		return
	}
	if harmlessSink(u.Word) {
		j.deny("path.outside", "this would put a file in the place of a device")
		return
	}
	j.path(u.Word, Write, st, "path")
	if m.Rule == "ln" || strings.HasPrefix(m.Rule, "python") {
		j.path(u.Word, Read, st, "path") // another name makes it readable; a module may show it too
	}
	if m.Rule == "tee" {
		j.commands(u.Word)
	}
	if !j.scratch(u.Word) {
		j.changes(strings.ReplaceAll(m.Rule, ".", " "))
	}
	if packers[m.Rule] { // what comes out has the name without its ending
		if text, ok := u.Word.Text(); ok && strings.LastIndexByte(text, '.') > strings.LastIndexByte(text, '/') {
			j.wrote(grammar.Lit(text[:strings.LastIndexByte(text, '.')]), st, true)
		}
	}
	if m.Rule == "split" || m.Rule == "gsplit" || m.Rule == "csplit" {
		j.wrote(grammar.Lit("."), st, true) // under names that nobody has written out
	}
	for _, from := range m.Uses {
		if from.Via == "" && (from.Kind == grammar.Read || from.Kind == grammar.Remove) && copies[m.Rule] {
			j.copied(from.Word, u.Word, st)
		}
	}
	if strings.HasPrefix(m.Rule, "ln") && m.Has("-s", "--symbolic") || m.Rule == "ln" {
		j.linked(u.Word, st)
		j.wrote(u.Word, st, true)
	}
	switch m.Rule {
	case "mkdir", "touch", "chmod", "ln", "truncate":
	default:
		folder := u.Word.Is(".") && copies[m.Rule] // the names in it have been noted one by one
		built := m.Class == grammar.Run && m.Rule != "curl" && m.Rule != "wget" || m.Class == grammar.Install
		if !folder && !built {
			j.wrote(u.Word, st, true)
		}
	}
}

var packers = nameSet("gzip gunzip pigz bzip2 bunzip2 pbzip2 xz unxz lzma unlzma zstd unzstd pzstd lz4 unlz4 brotli")

var copies = map[string]bool{"cp": true, "mv": true, "install": true, "ln": true, "rsync": true, "git.mv": true}

// copied judges what a copy into a folder is called there.
func (j *judge) copied(from, to grammar.Word, st *state) {
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
	j.path(w, Write, st, "path")
	j.wrote(w, st, true)
}

// removed judges a path that goes away.
func (j *judge) removed(m *grammar.Match, u *grammar.Use, st *state) {
	shown := strings.ReplaceAll(m.Rule, ".", " ")
	back := j.returns(u.Word, st)
	if !strings.HasPrefix(m.Rule, "git.") && !j.scratch(u.Word) && !back {
		j.need(grammar.NeedDestructive, shown)
	}
	if !j.scratch(u.Word) {
		j.changes(shown)
	}
	text, _ := pathText(u.Word)
	rest := strings.TrimPrefix(strings.TrimPrefix(text, j.p.c.Root+"/"), "./")
	switch {
	case (strings.HasSuffix(text, "/") || strings.HasSuffix(text, "/.")) && rest != "" && !strings.HasPrefix(m.Rule, "git."):
		j.ask("path.slash", "%q with a slash at the end goes through a link, if it is one; leave the slash out", part(u.Word.String()))
	case j.broadFeed && j.wrapped > 0 && rest == string(hole) && !strings.HasPrefix(m.Rule, "git."):
		j.ask("path.broad", "this takes every file that comes through the pipe; choose them by name (find -name, grep) before")
	case back && j.wrapped == 0 && rest == string(hole) && !strings.HasPrefix(m.Rule, "git."):
		j.ask("path.broad", "which files go is not known here, and it could be all of them; name them, or choose them with find -name")
	case broad(rest):
		j.ask("path.broad", "%q takes everything that is there; name the files or folders that should go", part(u.Word.String()))
	}
	for _, at := range st.cwd {
		if j.p.within(at.path) && inside(j.p.c.Root, clean(at.path+"/"+rest)) && !strings.HasPrefix(rest, "/") {
			j.deny("path.root", "this would remove the whole repository; name the files that should go")
		}
	}
	j.path(u.Word, Remove, st, "path")
}

// broad tells whether a pattern takes all there is: its first name is a pattern without an ending of its own.
func broad(rest string) bool {
	first, _, _ := strings.Cut(rest, "/")
	if !strings.ContainsAny(first, "*?[") {
		return false
	}
	fixed := strings.Trim(first, "*?[]!.^-")
	return len(fixed) < 2 || strings.HasPrefix(first, ".")
}

// scratch tells whether a word lies in the private /tmp for sure.
func (j *judge) scratch(w grammar.Word) bool {
	text, ok := pathText(w)
	return ok && strings.HasPrefix(text, "/tmp/") && j.p.c.PrivateTmp && !leadsUp(text) && j.role != "planner"
}

// onlyScratch tells whether all that goes away lies in the private /tmp.
func (j *judge) onlyScratch(m *grammar.Match) bool {
	gone := 0
	for _, u := range m.Uses {
		if u.Kind != grammar.Remove {
			continue
		}
		if gone++; !j.scratch(u.Word) {
			return false
		}
	}
	return gone > 0
}
