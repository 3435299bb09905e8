package policy

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// hole stands in a path for text that is not known, but known to be a name inside the tree or a plain token.
const hole = '\x01'

func clean(p string) string { return path.Clean(p) }

// within tells whether an absolute clean path lies in the tree.
func (p *Policy) within(abs string) bool { return inside(abs, p.c.Root) }

func inside(abs, folder string) bool {
	return abs == folder || strings.HasPrefix(abs, folder) && len(abs) > len(folder) && abs[len(folder)] == '/'
}

// temporary tells whether an absolute clean path lies in a private /tmp.
func (p *Policy) temporary(abs string) bool { return p.c.PrivateTmp && inside(abs, "/tmp") }

// pathText writes a word with holes for what is not known. It is false when nothing can be said of it.
func pathText(w grammar.Word) (string, bool) {
	if w.Tilde {
		return "", false
	}
	var b strings.Builder
	for _, p := range w.Parts {
		switch {
		case p.Source == grammar.Any:
			return "", false
		case p.Source == grammar.Literal:
			b.WriteString(p.Text)
		case p.Source == grammar.Tree && p.Text != "":
			b.WriteString(p.Text)
		default:
			b.WriteRune(hole)
		}
	}
	return b.String(), true
}

// onePath judges a path that a caller asks about.
func (j *judge) onePath(r Request) {
	switch r.Access {
	case Read, Write, Remove, Execute:
	default:
		j.deny("request", "%q is no kind of access", part(string(r.Access)))
		return
	}
	j.at = r.Path
	j.toolPath(r.Path, r.Dir, r.Access)
}

// path judges what is done with a path, in every folder the shell may be in.
func (j *judge) path(w grammar.Word, acc Access, st *state, what string) {
	text, ok := pathText(w)
	if !ok {
		j.ask(what+".unknown", "where %q leads is not known; write the path out", part(w.String()))
		return
	}
	if text == "" {
		return // an empty name is nothing to any program
	}
	if strings.HasPrefix(text, "~") {
		j.ask(what+".tilde", "%q begins with a ~ that stands for a home folder where it is expanded; write the path out", part(w.String()))
	}
	if strings.HasPrefix(text, "/") {
		j.located(text, acc, what, w.Glob)
		return
	}
	if len(st.cwd) == 0 {
		j.ask("path.cwd", "the folder this is relative to is not known any more; use one cd, or ( cd x && ... )")
		return
	}
	for _, at := range st.cwd {
		if acc == dir && at.stray && !j.p.within(clean(at.path+"/"+text)) {
			continue // the shell is there only if an earlier cd failed; what is written there is refused
		}
		base := at.path
		if at.below {
			base += "/" + string(hole)
		}
		j.located(base+"/"+text, acc, what, w.Glob)
		if leadsUp(text) && at.below {
			j.ask(what+".unknown", "a path with .. from a folder that is not known may lead anywhere; write it from the root of the repository")
		}
	}
	if detour(text) && !(acc == list || acc == Read && !strings.ContainsRune(text, hole) && !w.Glob) {
		j.ask(what+".detour", "%q goes up again after a folder, which a link may turn elsewhere; write the path without ..", part(w.String()))
	}
}

func leadsUp(text string) bool {
	for _, s := range strings.Split(text, "/") {
		if s == ".." {
			return true
		}
	}
	return false
}

// detour tells whether ".." follows the name of a folder.
func detour(text string) bool {
	named := false
	for _, s := range strings.Split(text, "/") {
		switch s {
		case "", ".":
		case "..":
			if named {
				return true
			}
		default:
			named = true
		}
	}
	return false
}

// located judges an absolute path: lexically, because nothing is looked up here; the sandbox looks again when it is used.
func (j *judge) located(abs string, acc Access, what string, glob bool) {
	shown := strings.ReplaceAll(strings.ReplaceAll(abs, "/./", "/"), string(hole), "...")
	if strings.ContainsRune(abs, hole) && leadsUp(afterHole(abs)) || globUp(abs) {
		j.ask(what+".unknown", "a path with .. after a part that is not known may lead anywhere; write it out")
		return
	}
	slash := strings.HasSuffix(abs, "/")
	abs = clean(abs)
	for _, c := range []byte(abs) {
		if c < ' ' && c != byte(hole) || c == 0x7f {
			j.ask(what+".control", "a path with a line end or a control character is not looked at; rename the file")
			return
		}
	}
	if rel, ok := strings.CutPrefix(abs, j.p.c.Root); ok && (rel == "" || rel[0] == '/') {
		j.inTree(strings.TrimPrefix(rel, "/"), acc, what, slash)
		return
	}
	if i := strings.IndexAny(abs, "*?[\x01"); i >= 0 && inside(j.p.c.Root, path.Dir(abs[:i]+"x")) && !inside(abs, "/tmp") && !inside(abs, "/dev") {
		j.deny(what+".outside", "%s reaches beyond the repository; name what you need inside it", part(shown))
		return
	}
	j.beyond(abs, acc, what, shown)
}

// afterHole gives what follows the first part of a path that is not known.
func afterHole(abs string) string {
	return abs[strings.IndexRune(abs, hole):]
}

// globUp tells whether ".." follows a glob, or a glob might itself find "..".
func globUp(abs string) bool {
	i := strings.IndexAny(abs, "*?[")
	return i >= 0 && leadsUp(abs[i:])
}
