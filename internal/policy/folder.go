package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// changeFolder judges cd, pushd and popd, and follows them. A cd that fails leaves the shell where it was.
func (b *builtins) changeFolder(name string, args []grammar.Word, st *state) flow {
	switch name {
	case "popd":
		return b.pop(args, st)
	case "dirs":
		b.plainArgs(name, args, "-l -p -v")
		return flow{st, st, out{some: true, src: grammar.Any}}
	}
	for len(args) > 0 && (args[0].Is("-P") || args[0].Is("-L") || args[0].Is("--") || args[0].Is("-e")) {
		args = args[1:]
	}
	if len(args) != 1 {
		b.verdict.ask("cd.operand", "%s goes to one named folder only; write its name", name)
		return flow{unknownFolder(st), st, out{}}
	}
	w := args[0]
	if t, ok := w.Text(); ok && t == "" {
		return both(st)
	}
	if strings.HasPrefix(w.Prefix(), "-") || strings.HasPrefix(w.Prefix(), "+") {
		b.verdict.ask("cd.back", "where %s %s leads is not followed; write the folder's name", name, part(w.Prefix()))
		return flow{unknownFolder(st), st, out{}}
	}
	if w.Source() == grammar.Any || w.Tilde || w.Many && !w.Glob && w.Source() != grammar.Tree {
		b.verdict.ask("cd.unknown", "where this cd leads is not known; write the folder's name")
		return flow{unknownFolder(st), st, out{}}
	}
	b.paths.check(w, dir, st, "cd")
	after := st.copy()
	after.cwd = st.resolve(w)
	failed := st.copy()
	failed.cwd = strayed(st.cwd)
	if name == "pushd" {
		after.dirs = append(append([][]place(nil), st.dirs...), st.cwd)
		if len(st.dirs) == 0 {
			failed.dirs = [][]place{failed.cwd} // a popd finds an empty stack then, and stays
		}
	}
	return flow{after, failed, out{}}
}

// strayed marks folders in which the shell is only if a cd has failed.
func strayed(all []place) []place {
	marked := make([]place, len(all))
	for i, p := range all {
		p.stray = true
		marked[i] = p
	}
	return marked
}

func unknownFolder(st *state) *state {
	c := st.copy()
	c.cwd = nil
	return c
}

func (b *builtins) pop(args []grammar.Word, st *state) flow {
	if len(args) > 0 || len(st.dirs) == 0 {
		b.verdict.ask("cd.back", "where popd leads is not known; write cd and the folder's name")
		return flow{unknownFolder(st), st, out{}}
	}
	after := st.copy()
	after.cwd = st.dirs[len(st.dirs)-1]
	after.dirs = st.dirs[:len(st.dirs)-1]
	return flow{after, st, out{}}
}
