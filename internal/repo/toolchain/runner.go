package toolchain

import (
	"regexp"
	"slices"
	"strings"
)

// runner reads the targets of the project's own task runner, which are better than any guess.
func runner(f files) Chain {
	if file := f.first("GNUmakefile", "makefile", "Makefile"); file != "" {
		if check := targets("make", made(f.text(file))); check != nil {
			return Chain{Name: "make", File: file, Check: check, Runner: "make"}
		}
	}
	if file := f.first("justfile", "Justfile", ".justfile"); file != "" {
		if check := targets("just", recipes(f.text(file))); check != nil {
			return Chain{Name: "just", File: file, Check: check, Runner: "just"}
		}
	}
	return Chain{}
}

// activate precedes commands that find the programs of a Python environment in the work tree first.
const activate = ". .venv/bin/activate && "

// within returns commands of a runner that run in the environment that the chain's setup makes.
func (c Chain) within(commands []string) []string {
	if c.inside == "" || commands == nil {
		return commands
	}
	if c.inside == activate { // once for all
		return []string{activate + strings.Join(commands, " && ")}
	}
	var all []string
	for _, command := range commands {
		all = append(all, c.inside+command)
	}
	return all
}

// autotools handles a project built with configure and make, or make alone, whose Makefile has no target that checks.
func autotools(f files) Chain {
	switch {
	case f.has("configure") && f.has("Makefile.in"):
		return Chain{Name: "make", File: "configure", Setup: []string{"./configure"}, Check: []string{"make", "make check"}}
	case f.first("GNUmakefile", "makefile", "Makefile") != "":
		return Chain{Name: "make", File: f.first("GNUmakefile", "makefile", "Makefile"), Check: []string{"make"}}
	}
	return Chain{}
}

// targets returns the targets that check. A lint target alone is not enough, because it would replace the tests.
func targets(program string, names []string) []string {
	has := func(name string) bool { return slices.Contains(names, name) }
	switch {
	case has("check"):
		return []string{program + " check"}
	case has("lint") && has("test"):
		return []string{program + " lint", program + " test"}
	case has("test"):
		return []string{program + " test"}
	}
	return nil
}

var makeRule = regexp.MustCompile(`(?m)^([A-Za-z0-9_./-]+(?:[ \t]+[A-Za-z0-9_./-]+)*)[ \t]*::?(?:[^:=\n]|:?$)`)

// made returns the targets of a Makefile. A line with := is a variable.
func made(text string) (names []string) {
	for _, m := range makeRule.FindAllStringSubmatch(strings.ReplaceAll(text, "\r", ""), -1) {
		names = append(names, strings.Fields(m[1])...)
	}
	return names
}

var justRule = regexp.MustCompile(`(?m)^@?([A-Za-z_][A-Za-z0-9_-]*)[ \t]*:(?:[^=\n]|$)`)

// recipes returns a justfile's recipes that need no argument.
func recipes(text string) (names []string) {
	for _, m := range justRule.FindAllStringSubmatch(strings.ReplaceAll(text, "\r", ""), -1) {
		names = append(names, m[1])
	}
	return names
}
