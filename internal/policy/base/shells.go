package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const (
	shellOpts = `-a -b -e -f -h -k -m -n -p -u -v -x -B -C -E -H -P -T --norc --noprofile --posix --verbose --version --help
	-o=pipefail|errexit|nounset|xtrace|verbose|noglob|noclobber|posix|noexec|errtrace +o=posix|histexpand|history +x +e +u +v
	-c=shell !-i !-l,--login !-s !-r,--restricted !-D,--dump-strings,--dump-po-strings !--rcfile,--init-file !--debugger !-O !+O`
	whyShell = "a shell that reads settings or commands from elsewhere can't be checked; name a script of the project"
)

// shellPrograms are the shells: a script of the tree runs like a test; text is judged as a script of its own.
func shellPrograms() []grammar.Program {
	return []grammar.Program{
		{Names: []string{"bash", "sh", "dash", "ash"}, Spec: grammar.Spec{Class: grammar.Run, Style: grammar.Posix, Opts: shellOpts,
			Args: "data*", Judge: shell, Why: whyShell}},
		{Names: []string{"zsh", "ksh", "mksh", "yash"}, Spec: grammar.Spec{Class: grammar.Run, Style: grammar.Posix, Args: "data*", Judge: shell,
			Opts: "-e -u -x -v -n -f --version -o=pipefail|errexit|nounset|xtrace !-c !-i !-l,--login !-s",
			Why:  "text for another shell can't be judged; run the commands themselves"}},
		asked("this shell is not known well enough; use bash", "fish csh tcsh nu pwsh powershell elvish xonsh rc es oil osh rbash"),
		refused("it runs other programs by names that rules do not see; call the program itself", "busybox toybox"),
	}
}

// shell assigns kinds to the operands of a shell: a script and its words, or words for -c.
func shell(m *grammar.Match) {
	at := m.Operands()
	if len(at) > 0 {
		if text := m.Uses[at[0]].Word.Prefix(); strings.HasPrefix(text, "+") || text == "-" {
			m.Ask(".option", "options that start with + are unknown here; leave them out")
			return
		}
	}
	switch {
	case m.Has("--version", "--help"):
		m.Class = grammar.Inspect
	case m.Has("-c"):
	case len(at) == 0:
		m.StdinCode = !m.Has("-n")
		if m.Has("-n") {
			m.Class = grammar.Inspect
		}
	case m.Has("-n") || noExec(m):
		m.Class = grammar.Inspect
		m.Uses[at[0]].Kind = grammar.Read
	default:
		m.Uses[at[0]].Kind = grammar.Code
		m.Stdin = true
		if w := m.Uses[at[0]].Word; w.Source() == grammar.Tree && w.String() == "..." {
			m.Ask(".script", "which script this runs is not known; name it")
		}
	}
}

// noExec reports whether the last -o is noexec.
func noExec(m *grammar.Match) bool {
	o, ok := m.Flags["-o"]
	return ok && o.Is("noexec")
}

// builtinPrograms also exist as programs of their own; their rules are the same either way.
func builtinPrograms() []grammar.Program {
	in := grammar.Inspect
	bare := func(names string, y grammar.Yields) grammar.Program {
		return grammar.Program{Names: strings.Fields(names), Spec: grammar.Spec{Class: in, Style: grammar.Bare, Args: "data*", Yields: y}}
	}
	return []grammar.Program{
		bare("echo", ""), bare("true false :", ""),
		{Names: []string{"printf"}, Spec: grammar.Spec{Class: in, Style: grammar.Bare, Args: "data*", Judge: printfWords}},
		program("sleep", in, "", "data+"),
		whole("test", in, testWords), whole("[", in, testWords),
	}
}

// printfWords refuses -v: bash evaluates the name it is given.
func printfWords(m *grammar.Match) {
	if len(m.Words) == 0 {
		return
	}
	w := m.Words[0]
	text := w.Prefix()
	switch {
	case strings.HasPrefix(text, "-v"):
		m.Deny(".option", "printf -v evaluates a name; print, and take it with $( )")
	case text == "" && w.Source() == grammar.Any || text == "-":
		m.Ask(".format", "the format is not written out; use printf '%s' followed by the text")
	}
}

// testFiles are the operators of test for files.
const testFiles = " -a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S "

// testWords reads the words of test and [.
func testWords(m *grammar.Match) {
	words := m.Words
	if m.Rule == "[" {
		words = words[:max(0, len(words)-1)]
	}
	for i, w := range words {
		text, literal := w.Text()
		compared := i > 0 && isComparison(words[i-1]) && i > 1
		switch {
		case w.Source() == grammar.Any && w.Many:
			m.Ask(".unknown", "an unquoted expansion in a test may become an operator; put it in double quotes")
			return
		case w.Source() == grammar.Any && len(words) == 2 && i == 0:
			m.Ask(".unknown", "the operator of this test is not known; write it out")
			return
		case (text == "-v" || text == "-R") && literal && !compared && i+1 < len(words) && !isComparison(words[i+1]):
			m.Deny(".variable", "test -v evaluates a name; test its value: [ -n \"${x-}\" ]")
			return
		case literal && len(text) == 2 && strings.Contains(testFiles, " "+text+" ") && !compared && i+1 < len(words) && !isComparison(words[i+1]):
			m.Use(grammar.List, words[i+1], text)
		case text == "-nt" || text == "-ot" || text == "-ef":
			if i > 0 && i+1 < len(words) {
				m.Use(grammar.List, words[i-1], text)
				m.Use(grammar.List, words[i+1], text)
			}
		}
	}
}

// isComparison reports whether a word is an operator between two others in a test.
func isComparison(w grammar.Word) bool {
	text, _ := w.Text()
	switch text {
	case "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef":
		return true
	}
	return false
}
