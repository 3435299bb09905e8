package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/task"
)

// hole replaces text in a path that is not known, but known to be a name inside the tree or a plain token.
const hole = '\x01'

func clean(p string) string { return path.Clean(p) }

// within reports whether an absolute clean path lies in the tree.
func (p *Policy) within(abs string) bool { return inside(abs, p.c.Root) }

func inside(abs, folder string) bool {
	return abs == folder || strings.HasPrefix(abs, folder) && len(abs) > len(folder) && abs[len(folder)] == '/'
}

func insideAny(abs string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return inside(abs, folder) })
}

// temporary reports whether an absolute clean path lies in a private /tmp.
func (p *Policy) temporary(abs string) bool { return p.c.PrivateTmp && inside(abs, "/tmp") }

// pathText returns a word with holes for its unknown parts. It is false when nothing is known of a part.
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

// paths judges accesses to paths: inside the tree by guards and scopes, outside by lists.
type paths struct {
	policy  *Policy
	role    task.Role
	verdict *collector
	writes  *writes
}

// check judges an access to a path, in every folder that the shell may be in.
func (a *paths) check(w grammar.Word, acc Access, st *state, what string) {
	text, ok := pathText(w)
	if !ok {
		a.verdict.ask(what+".unknown", "where %q leads is not known; write the path out", part(w.String()))
		return
	}
	if text == "" {
		return // an empty name is nothing to any program
	}
	if strings.HasPrefix(text, "~") {
		a.verdict.ask(what+".tilde",
			"%q begins with a ~ that stands for a home folder where it is expanded; write the path out", part(w.String()))
	}
	if strings.HasPrefix(text, "/") {
		a.located(text, acc, what, w.Glob)
		return
	}
	if len(st.cwd) == 0 {
		a.verdict.ask("path.cwd", "the current folder is unknown here; use one cd, or ( cd x && ... )")
		return
	}
	for _, at := range st.cwd {
		if acc == dir && at.stray && !a.policy.within(clean(at.path+"/"+text)) {
			continue // the shell is there only if an earlier cd failed; what is written there is refused
		}
		base := at.path
		if at.below {
			base += "/" + string(hole)
		}
		a.located(base+"/"+text, acc, what, w.Glob)
		if leadsUp(text) && at.below {
			a.verdict.ask(what+".unknown",
				"a path with .. from a folder that is not known may lead anywhere; write it from the root of the repository")
		}
	}
	if detour(text) && !(acc == list || acc == Read && !strings.ContainsRune(text, hole) && !w.Glob) {
		a.verdict.ask(what+".detour",
			"%q goes up again after a folder, which a link may turn elsewhere; write the path without ..", part(w.String()))
	}
}

func leadsUp(text string) bool { return strings.Contains("/"+text+"/", "/../") }

// detour reports whether ".." follows the name of a folder.
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

// located judges an absolute path by its text. The sandbox checks again when it is used.
func (a *paths) located(abs string, acc Access, what string, glob bool) {
	shown := strings.ReplaceAll(strings.ReplaceAll(abs, "/./", "/"), string(hole), "...")
	if strings.ContainsRune(abs, hole) && leadsUp(afterHole(abs)) || globUp(abs) {
		a.verdict.ask(what+".unknown", "a path with .. after an unknown part may lead anywhere; write it out")
		return
	}
	slash := strings.HasSuffix(abs, "/")
	abs = clean(abs)
	for _, c := range []byte(abs) {
		if c < ' ' && c != byte(hole) || c == 0x7f {
			a.verdict.ask(what+".control", "a path with a line end or a control character can't be used; rename the file")
			return
		}
	}
	if rel, ok := strings.CutPrefix(abs, a.policy.c.Root); ok && (rel == "" || rel[0] == '/') {
		a.tree(strings.TrimPrefix(rel, "/"), acc, what, slash)
		return
	}
	i := strings.IndexAny(abs, "*?[\x01")
	if i >= 0 && inside(a.policy.c.Root, path.Dir(abs[:i]+"x")) && !inside(abs, "/tmp") && !inside(abs, "/dev") {
		a.verdict.deny(what+".outside", "%s reaches beyond the repository; name what you need inside it", part(shown))
		return
	}
	a.beyond(abs, acc, what, shown)
}

// afterHole returns what follows the first part of a path that is not known.
func afterHole(abs string) string {
	return abs[strings.IndexRune(abs, hole):]
}

// globUp reports whether ".." follows a glob, or a glob might itself find "..".
func globUp(abs string) bool {
	i := strings.IndexAny(abs, "*?[")
	return i >= 0 && leadsUp(abs[i:])
}
