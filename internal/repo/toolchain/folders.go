package toolchain

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// mostFolders is how many folders are examined when the top has no known project.
const mostFolders = 8

// noProjects are folders that hold no project of the repository's own.
var noProjects = []string{"vendor", "third_party", "node_modules", "testdata", "docs", "doc", "examples"}

// projects returns the folders at the top that may be projects.
func (f files) projects() (folders []string) {
	entries, err := fs.ReadDir(f.fs, ".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains(noProjects, name) && len(folders) < mostFolders {
			folders = append(folders, name)
		}
	}
	return folders
}

// first returns what was found with at most so many tool chains. The runner's commands run in the environments of those alone.
func (f Found) first(most int) Found {
	if len(f.Chains) > most {
		for _, c := range f.Chains[most:] {
			f.Left = append(f.Left, c.Name)
		}
		f.Chains = f.Chains[:most]
	}
	for _, c := range f.Chains {
		f.Runner.Check = c.within(f.Runner.Check)
	}
	return f
}

// checkedByRunner returns the first tool chains of a folder. If it has a runner, that checks everything in it, and does so as part of one
// of them: what is set up is checked too.
func (f Found) checkedByRunner(most int) Found {
	if f.Runner.Name == "" {
		return f.first(most)
	}
	f.Chains = slices.DeleteFunc(f.Chains, func(c Chain) bool { return c.Setup == nil })
	if len(f.Chains) == 0 {
		return Found{Chains: []Chain{f.Runner}}.first(most)
	}
	f = f.first(most)
	for i := range f.Chains {
		f.Chains[i].Check = nil
	}
	if len(f.Chains) > 0 {
		c := &f.Chains[0]
		c.File, c.Check, c.Runner = c.File+" and "+f.Runner.File, f.Runner.Check, f.Runner.Runner
	}
	return f
}

// in returns the chain with commands that run from the parent folder.
func (c Chain) in(folder string) Chain {
	there := func(commands []string) (out []string) {
		for _, command := range commands {
			out = append(out, "(cd "+quoted(folder)+" && "+command+")")
		}
		return out
	}
	c.File, c.Setup, c.Check = path.Join(folder, c.File), there(c.Setup), there(c.Check)
	if c.Makes != "" {
		c.Makes = path.Join(folder, c.Makes)
	}
	return c
}

// quoted quotes a name for the shell if needed.
func quoted(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
