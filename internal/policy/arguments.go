package policy

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// shifted is the state after shift: the first word of a function is gone.
func shifted(args []grammar.Word, st *state) *state {
	after := st.copy()
	if len(args) == 0 && len(after.args) > 0 {
		after.args = after.args[1:]
	} else if after.args != nil {
		after.args = nil
	}
	return after
}

// argument returns $1 of a function that is called.
func argument(name string, st *state) (value, bool) {
	if st.args == nil || !isDigits(name) || name == "0" || len(name) > 1 {
		return value{}, false
	}
	n := atoi(name)
	if n > len(st.args) {
		return literalValue(""), true
	}
	w := st.args[n-1]
	if w.Tilde || w.Glob {
		return value{}, false
	}
	return value{parts: w.Parts}, true
}

// ownArguments reports whether a word is "$@" of a function whose words are known: they are judged as a command of their own.
func ownArguments(w *syntax.Word, st *state) bool {
	if len(w.Parts) != 1 || len(st.args) == 0 {
		return false
	}
	q, ok := w.Parts[0].(*syntax.DblQuoted)
	if !ok || q.Dollar || len(q.Parts) != 1 {
		return false
	}
	p, ok := q.Parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && p.Param.Value == "@" && p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Length && !p.Excl
}

func sameWords(a, b []grammar.Word) bool {
	if len(a) != len(b) || (a == nil) != (b == nil) {
		return false
	}
	for i := range a {
		if !slices.Equal(a[i].Parts, b[i].Parts) || a[i].Many != b[i].Many || a[i].Glob != b[i].Glob || a[i].Tilde != b[i].Tilde {
			return false
		}
	}
	return true
}
