package policy

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// rootScripts are names of programs without an extension that projects have in their root folder.
var rootScripts = grammar.Set(`build test tests run make configure bootstrap setup dev ci check lint format fmt do task tasks go start
	verify autogen gradlew mvnw sbt sbtw pants bazelw amper artisan manage console nx pw please batect dobi xtask generate gen codegen
	release-notes update`)

// localTable finds the table of a program inside the tree: by its path, or as a tool that a package manager has put there.
func (p *Policy) localTable(local string) *grammar.Table {
	for at := local; ; {
		if t := p.paths[at]; t != nil {
			return t
		}
		i := strings.IndexByte(at, '/')
		if i < 0 {
			break
		}
		at = at[i+1:]
		if !strings.Contains(at, "/") && local != at && !strings.HasPrefix(local, "..") {
			if t := p.paths[at]; t != nil {
				return t // ./gradlew of a folder
			}
			break
		}
	}
	base, folder := path.Base(local), path.Dir(local)
	t := p.programs[base]
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

// projectScript reports whether projects have scripts of this path whose names are those of programs: script/test.
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

// hiddenFolder reports whether people are unlikely to look at a script: in a hidden folder, among dependencies.
func hiddenFolder(local string) bool {
	for _, seg := range strings.Split(path.Dir(local), "/") {
		if seg == "node_modules" || seg == "vendor" || strings.HasPrefix(seg, ".") && seg != "." && seg != ".." {
			return true
		}
	}
	return strings.HasPrefix(path.Base(local), ".")
}
