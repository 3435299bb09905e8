package policy

import (
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
	"github.com/longshift/longshift/task"
)

// tree judges a path inside the tree, relative to Root.
func (a *paths) tree(rel string, acc Access, what string, slash bool) {
	changes := acc == Write || acc == Remove
	if rel == "" {
		if acc == Remove {
			a.verdict.deny("path.root", "this would remove the whole repository; name the files that should go")
		}
		return
	}
	if link, ok := a.writes.belowLink(rel, slash); ok {
		a.verdict.deny("path.link",
			"%s is a link that this script has made, so what lies below it may be anywhere; make links and use them in separate steps", part(link))
		return
	}
	if acc == Write && a.writes.isLink(rel) {
		a.verdict.deny("path.link",
			"%s is a link that this script has made, so this writes to what it leads to; make links and use them in separate steps", part(rel))
		return
	}
	if link := namedLink(rel, slash || acc == dir); link != "" {
		a.verdict.ask("path.link",
			"by its name %s is a link, and where it leads can't be seen from here; use the path of the file itself", part(link))
		return
	}
	a.scope(rel, acc) // before the guards: what the settings deny is not asked about
	if g := a.policy.guarded(rel, acc); g != nil {
		a.refuse(g, rel)
		return
	}
	if changes {
		for _, seg := range strings.Split(rel, "/") {
			if strings.HasPrefix(seg, "-") {
				a.verdict.ask("path.dash", "a file name that begins with a dash is taken for an option by other commands; choose another name")
			}
		}
	}
	if (changes || acc == Execute) && matchAny(a.policy.own, rel, acc == Remove) {
		a.verdict.deny("path.protected", "%s is protected by the settings of this project; leave it as it is", shownPath(rel))
	}
}

// linkName matches usual names of links that lead elsewhere.
var linkName = regexp.MustCompile(`^(sym|soft)?links?[-_].|.[-_](sym|soft)?link$|^(sym|soft)links?$`)

// outName matches names of links to a file or a folder outside.
var outName = regexp.MustCompile(`^(sym|soft)?links?[-_](to|out|outside|abs|root|etc|home|host)([-_.]|$)`)

// namedLink returns the folder on the path whose name says that it is a link. No file is looked up; links with other names are
// left to the sandbox.
func namedLink(rel string, folder bool) string {
	parts := strings.Split(strings.ToLower(rel), "/")
	for i, seg := range parts {
		if outName.MatchString(seg) || linkName.MatchString(seg) && (folder || i < len(parts)-1) {
			return seg
		}
	}
	return ""
}

func (a *paths) refuse(g *guard, rel string) {
	if g.deny {
		a.verdict.deny(g.rule, "%s: %s", shownPath(rel), g.reason)
	} else {
		a.verdict.ask(g.rule, "%s: %s", shownPath(rel), g.reason)
	}
}

func shownPath(rel string) string {
	return part(strings.ReplaceAll(unliteral(rel), string(hole), "..."))
}

// scope is a Scope, compiled.
type scope struct {
	write, readOnly, taskWritable, ignore []pattern

	named []string
}

// scope applies what the settings say about the role.
func (a *paths) scope(rel string, acc Access) {
	s, ok := a.policy.scopes[a.role]
	if !ok || acc == list {
		return
	}
	changes := acc == Write || acc == Remove
	switch {
	case matchAny(s.ignore, rel, acc == Remove):
		a.verdict.deny("scope.ignore", "%s may not be read by %ss in this project; do without it", shownPath(rel), a.role)
	case changes && matchAny(s.readOnly, rel, acc == Remove):
		a.verdict.deny("scope.read_only", "%s may only be read by %ss; leave it as it is", shownPath(rel), a.role)
	case changes && matchAny(s.taskWritable, rel, acc == Remove) && !slices.Contains(s.named, unliteral(rel)):
		a.verdict.deny("scope.task_writable", "%s may be changed only where the plan names it, and it does not; leave it as it is",
			shownPath(rel))
	case changes && len(s.write) > 0 && !coversAny(s.write, rel):
		a.verdict.deny("scope.write", "%s is not among the files that %ss may change; change only those", shownPath(rel), a.role)
	}
}

// Changeable judges a change of a file by the scope of a role alone. The path is relative to Root.
func (p *Policy) Changeable(role task.Role, rel string) Decision {
	var verdict collector
	verdict.clear()
	verdict.about(rel)
	a := paths{policy: p, role: role, verdict: &verdict}
	a.scope(literal(rel), Write)
	return verdict.result()
}

// checkCommands asks about writing text into a file whose commands others run by name.
func (a *paths) checkCommands(w grammar.Word) {
	text, ok := w.Text()
	if !ok {
		return
	}
	switch name := strings.ToLower(text[strings.LastIndexByte(text, '/')+1:]); {
	case a.policy.c.Boxed: // the whole script is searched when it is run
	case name == "package.json", name == "composer.json", name == "makefile", name == "gnumakefile", strings.HasSuffix(name, ".mk"):
		a.verdict.ask("path.commands",
			"%s holds commands that others run by name; change it with the edit tool, where the change is seen line by line", part(text))
	}
}

// checkName asks about a word that is the name of a file of secrets, given to code of the repository.
func (a *paths) checkName(w grammar.Word) {
	if text, ok := w.Text(); ok && text != "" {
		text = text[strings.LastIndexByte(text, '=')+1:]
		if g := a.policy.guarded(strings.TrimPrefix(clean("/"+text), "/"), Read); g == guardSecret {
			a.refuse(g, text)
		}
	}
}
