package policy

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// set judges the options of the shell that a script may switch.
func (b *builtins) set(args []grammar.Word, st *state) flow {
	if len(args) == 0 {
		b.verdict.ask("set.print", "set without words prints the whole environment; name the variable you need")
		return both(st)
	}
	after := st.copy()
	for i := 0; i < len(args); i++ {
		text, ok := args[i].Text()
		if !ok {
			b.verdict.ask("set.unknown", "what set is given is not written out; write it out")
			after.params, after.args = true, nil
			return both(after)
		}
		if text == "--" || !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+") {
			after.params, after.args = true, nil
			return both(after)
		}
		for n, c := range text[1:] {
			switch c {
			case 'e', 'u', 'x', 'v', 'E', 'C':
			case 'o':
				if n != len(text)-2 || i+1 >= len(args) || !shellOption(args[i+1]) {
					b.verdict.ask("set.option", "this option of the shell changes what commands mean; use only -e, -u, -x and -o pipefail")
				}
				i++
			default:
				b.verdict.ask("set.option", "option -%s of set changes what commands mean; use only -e, -u, -x and -o pipefail", part(string(c)))
			}
		}
	}
	return both(after)
}

func shellOption(w grammar.Word) bool {
	t, _ := w.Text()
	switch t {
	case "pipefail", "errexit", "nounset", "xtrace", "verbose", "errtrace", "noclobber":
		return true
	}
	return false
}

// unset judges unset: a name with a subscript would be evaluated.
func (b *builtins) unset(args []grammar.Word, st *state) flow {
	after := st.copy()
	for _, a := range args {
		text, ok := a.Text()
		switch {
		case ok && (text == "-v" || text == "--"):
		case !ok || !grammar.IsVariable(text):
			b.verdict.deny("unset.name", "unset evaluates names that are not plain; write plain names")
		case shellOwn(text):
			b.verdict.deny("env.name", "%s changes how the shell works; leave it as it is", part(text))
		default:
			after.set(text, anyValue())
		}
	}
	return both(after)
}
