package policy

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// byPath judges a program that is named by its path.
func (j *judge) byPath(name string, args []grammar.Word, st *state) flow {
	base := path.Base(name)
	if strings.HasPrefix(name, "/") {
		switch d := path.Dir(name); {
		case clean(name) != name:
		case d == "/bin" || d == "/usr/bin" || d == "/usr/local/bin":
			if t := j.p.programs[base]; t != nil && !builtins[base] {
				return j.table(t, base, args, st)
			}
		}
		if !j.p.within(clean(name)) && !(j.p.c.Boxed && j.p.temporary(clean(name))) {
			j.ask("program.outside", "%s is no program of the system's own folders or of the repository; use one that is", part(name))
			return both(st)
		}
	}
	j.path(grammar.Lit(name), Execute, st, "path")
	j.notMade(grammar.Lit(name), st)
	local := strings.TrimPrefix(clean(name), "./")
	if t := j.localTable(local); t != nil {
		j.runs(part(name))
		return j.table(t, path.Base(local), args, st)
	}
	switch {
	case j.p.c.Boxed: // whatever its name says: it is a file that the box holds
		j.script0(name, args, st)
	case (j.p.programs[base] != nil || builtins[base]) && !projectScript(local):
		j.deny("program.lookalike", "%s has the name of a program of the system but is another file; use a name of its own", part(name))
	case j.p.off[local] != "":
		j.ask("program.profile", "%s belongs to the profile %s, which is not on for this project; let the settings name it", part(name), j.p.off[local])
	case !strings.Contains(local, "/") && !strings.Contains(local, ".") && !rootScripts[local]:
		j.ask("program.local", "nothing says what %s is; run a script of the repository whose name says so, or let the settings name it", part(name))
	case hiddenFolder(local):
		j.ask("program.hidden", "%s lies in a hidden or generated folder; run the script of the repository that stands for it", part(name))
	default:
		j.script0(name, args, st)
	}
	return flow{st, st, out{some: true, src: grammar.Any}}
}

// rootScripts are what projects call the programs without an ending that lie at their root.
var rootScripts = nameSet(`build test tests run make configure bootstrap setup dev ci check lint format fmt do task tasks go start verify autogen
	gradlew mvnw sbt sbtw pants bazelw amper artisan manage console nx pw please batect dobi xtask generate gen codegen release-notes update`)

// localTable finds the table of a program inside the tree: by its path, or as a tool that a package manager has put there.
func (j *judge) localTable(local string) *grammar.Table {
	for at := local; ; {
		if t := j.p.paths[at]; t != nil {
			return t
		}
		i := strings.IndexByte(at, '/')
		if i < 0 {
			break
		}
		at = at[i+1:]
		if !strings.Contains(at, "/") && local != at && !strings.HasPrefix(local, "..") {
			if t := j.p.paths[at]; t != nil {
				return t // ./gradlew of a folder
			}
			break
		}
	}
	base, folder := path.Base(local), path.Dir(local)
	t := j.p.programs[base]
	if t == nil {
		return nil
	}
	switch t.Program.Profile {
	case "node", "bun":
		if strings.HasSuffix("/"+folder, "/node_modules/.bin") {
			return t
		}
	case "python":
		switch folder {
		case ".venv/bin", "venv/bin", "env/bin", "virtualenv/bin":
			return t
		}
	case "php":
		if folder == "vendor/bin" {
			return t
		}
	}
	return nil
}

// projectScript tells whether a path is one under which projects keep scripts with the names of plain words: script/test.
func projectScript(local string) bool {
	switch path.Base(local) {
	case "test", "install", "help", "format":
		switch path.Base(path.Dir(local)) {
		case "bin", "script", "scripts", "ci", "tools", "hack":
			return path.Dir(local) != "." && !strings.HasPrefix(local, "..")
		}
	}
	return false
}

// hiddenFolder tells whether a script lies where people do not look: in a hidden folder, among dependencies.
func hiddenFolder(local string) bool {
	for _, seg := range strings.Split(path.Dir(local), "/") {
		if seg == "node_modules" || seg == "vendor" || strings.HasPrefix(seg, ".") && seg != "." && seg != ".." {
			return true
		}
	}
	return strings.HasPrefix(path.Base(local), ".")
}

// script0 judges a script or program of the repository that no table knows: its words may be options, but lead nowhere out.
func (j *judge) script0(name string, args []grammar.Word, st *state) {
	j.runs(part(name))
	for _, a := range args {
		text := a.Prefix()
		if i := strings.IndexByte(text, '='); i > 0 && strings.HasPrefix(text, "-") {
			a, text = a.Drop(i+1), text[i+1:]
		}
		j.named(a)
		if j.p.c.Boxed {
			j.wired(knownText(a), st)
		}
		if name, _, ok := strings.Cut(a.Prefix(), "="); ok && grammar.IsVariable(name) && (shellOwn(name) || dangerous(name)) {
			j.environment(a, st) // configure takes CC=x for its environment
		}
		if a.Tilde || strings.HasPrefix(text, "/") || leadsUp(text) {
			j.path(a, Read, st, "path")
		}
		if strings.Contains(text, "://") && !grammar.IsLocal(text) {
			j.ask("program.address", "this hands the address %q to a script; let a person run it", part(text))
		}
	}
}
