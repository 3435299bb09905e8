package policy

import (
	"regexp"
	"strings"
)

// inTree judges a path inside the tree, relative to Root.
func (j *judge) inTree(rel string, acc Access, what string, slash bool) {
	changes := acc == Write || acc == Remove
	if rel == "" {
		if acc == Remove {
			j.deny("path.root", "this would remove the whole repository; name the files that should go")
		}
		return
	}
	if link, ok := j.belowLink(rel, slash); ok {
		j.deny("path.link", "%s is a link that this script has made, so what lies below it may be anywhere; make links and use them in separate steps", part(link))
		return
	}
	for _, l := range j.links {
		if acc == Write && rel == l {
			j.deny("path.link", "%s is a link that this script has made, so this writes to what it leads to; make links and use them in separate steps", part(l))
			return
		}
	}
	if link := namedLink(rel, slash || acc == dir); link != "" {
		j.ask("path.link", "by its name %s is a link, and where it leads can't be seen from here; use the path of the file itself", part(link))
		return
	}
	if g := j.p.guarded(rel, acc); g != nil {
		j.guard(g, rel)
		return
	}
	if changes {
		for _, seg := range strings.Split(rel, "/") {
			if strings.HasPrefix(seg, "-") {
				j.ask("path.dash", "a file name that begins with a dash is taken for an option by other commands; choose another name")
			}
		}
	}
	j.scoped(rel, acc)
	if (changes || acc == Execute) && matchAny(j.p.own, rel, acc == Remove) {
		j.deny("path.protected", "%s is protected by the settings of this project; leave it as it is", shownPath(rel))
	}
}

// linkName is how people name a link that leads elsewhere.
var linkName = regexp.MustCompile(`^(sym|soft)?links?[-_].|.[-_](sym|soft)?link$|^(sym|soft)links?$`)

// outName is a link whose name says that it leads out, a file or a folder.
var outName = regexp.MustCompile(`^(sym|soft)?links?[-_](to|out|outside|abs|root|etc|home|host)([-_.]|$)`)

// namedLink gives the folder on the path that calls itself a link. No file is looked up, so the name is all there is to go by;
// links that are there and have other names are for the sandbox.
func namedLink(rel string, folder bool) string {
	parts := strings.Split(strings.ToLower(rel), "/")
	for i, seg := range parts {
		if outName.MatchString(seg) || linkName.MatchString(seg) && (folder || i < len(parts)-1) {
			return seg
		}
	}
	return ""
}

func (j *judge) guard(g *guard, rel string) {
	if g.deny {
		j.deny(g.rule, "%s: %s", shownPath(rel), g.reason)
	} else {
		j.ask(g.rule, "%s: %s", shownPath(rel), g.reason)
	}
}

func shownPath(rel string) string {
	return part(strings.ReplaceAll(rel, string(hole), "..."))
}

// belowLink tells whether a path goes through a link that this script has made.
func (j *judge) belowLink(rel string, slash bool) (string, bool) {
	for _, l := range j.links {
		if rel != l && inside(rel, l) || rel == l && slash {
			return l, true
		}
	}
	return "", false
}

// scope is a Scope, compiled.
type scope struct{ write, readOnly, ignore []pattern }

// scoped applies what the settings say about the role.
func (j *judge) scoped(rel string, acc Access) {
	s, ok := j.p.scopes[j.role]
	if !ok || acc == list {
		return
	}
	changes := acc == Write || acc == Remove
	switch {
	case matchAny(s.ignore, rel, acc == Remove):
		j.deny("scope.ignore", "%s is closed to a %s by the settings of this project; do without it", shownPath(rel), j.role)
	case changes && matchAny(s.readOnly, rel, acc == Remove):
		j.deny("scope.read_only", "%s may only be read by a %s; leave it as it is", shownPath(rel), j.role)
	case changes && len(s.write) > 0 && !coversAny(s.write, rel):
		j.deny("scope.write", "%s is not among the files that a %s may change; change only those", shownPath(rel), j.role)
	}
}
