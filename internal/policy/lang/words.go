package lang

import (
	"path"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// dropOperands removes the operands from the n-th on from m.Uses and returns their words.
func dropOperands(m *grammar.Match, n int) []grammar.Word {
	var kept []grammar.Use
	var out []grammar.Word
	seen := 0
	for _, u := range m.Uses {
		if u.Via == "" {
			seen++
			if seen > n {
				out = append(out, u.Word)
				continue
			}
		}
		kept = append(kept, u)
	}
	m.Uses = kept
	return out
}

// fixes makes a judge for tools that change what they read if one of the flags is given, or always without flags.
func fixes(flags ...string) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		if len(flags) > 0 && !m.Has(flags...) {
			return
		}
		if m.Class == grammar.Inspect {
			m.Class = grammar.Change
		}
		for _, i := range m.Operands() {
			if m.Uses[i].Kind == grammar.Read {
				m.Uses[i].Kind = grammar.Write
			}
		}
	}
}

// strip makes a judge that cuts file operands before a mark ("tests/a.py::TestA", "spec/a_spec.rb:12"), so that the path that
// is judged is the path that is loaded.
func strip(mark string) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		for _, i := range m.Operands() {
			m.Uses[i].Word = before(m.Uses[i].Word, mark)
		}
	}
}

func before(w grammar.Word, mark string) grammar.Word {
	t, ok := w.Text()
	if !ok {
		return w
	}
	if head, _, found := strings.Cut(t, mark); found && head != "" {
		return grammar.Lit(head)
	}
	return w
}

// configNamed makes a judge of options that name a configuration with code in it: its name must be
// recognizable as that of the tool's configuration.
func configNamed(parts ...string) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		for _, u := range m.Uses {
			if u.Kind != grammar.Code || !configOptions[u.Via] {
				continue
			}
			base := strings.ToLower(path.Base(u.Word.String()))
			if !strings.Contains(base, "config") && !strings.HasPrefix(base, ".") &&
				!slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(base, p) }) {
				m.Ask(".config", u.Word.String()+" does not look like a configuration of this tool; name it after the tool, or leave the option out")
			}
		}
	}
}

// configOptions are the names of options for a configuration.
var configOptions = grammar.Set(`-c --config --config-file --configuration --conf --rcfile -f --noxfile --rakefile -C
	--configFile`)

// eachOption returns every value that one of the options has on the line, however it was written.
func eachOption(m *grammar.Match, see func(value string), names ...string) {
	for _, u := range m.Uses {
		if !slices.Contains(names, u.Via) {
			continue
		}
		if v, ok := u.Word.Text(); ok {
			see(v)
		} else {
			m.Ask(".option", "the value of "+u.Via+" is not written out; write it in the command")
		}
	}
}

// codeSuffixes are extensions of files that a tool runs or loads.
var codeSuffixes = grammar.Set(`.js .mjs .cjs .jsx .ts .mts .cts .tsx .py .rb .sh .php .pl .so .node .jar .gradle .rake .lua
	.mk .exe .wasm`)

// codeOptions are pieces of the names of options whose value is loaded or run rather than read.
var codeOptions = []string{"config", "plugin", "require", "preset", "loader", "import", "setup", "module", "script",
	"hook", "run", "prefix", "cwd", "root", "dir", "lib", "load"}

// evalOptions take inline code or commands with many tools.
var evalOptions = grammar.Set("-e --eval --exec --execute --script-shell --exec-path --command --print")

// textOptions take a pattern with the runners of tests, which may look like a path.
var textOptions = grammar.Set("-t -g --grep --testNamePattern --test-name-pattern")

// loadOptions are options of tools that load a file first.
var loadOptions = grammar.Set(`--require -r --import --loader --experimental-loader --preload --plugin --rulesdir --init-hook
	--init-script`)

// pathLike reports whether a text names a file rather than a word, a number or a pattern.
func pathLike(t string) bool {
	return strings.Contains(t, "/") || strings.HasPrefix(t, ".") || strings.HasPrefix(t, "~") || codeSuffixes[path.Ext(t)]
}

func codeOption(name string) bool {
	name = strings.ToLower(name)
	if name == "-c" || name == "-r" {
		return true
	}
	if !strings.HasPrefix(name, "--") {
		return false
	}
	for _, o := range codeOptions {
		if strings.Contains(name, o) {
			return true
		}
	}
	return false
}

// scriptArgs judges the words of a program whose options are not known: a file of the tree, or a script of the project. Plain
// text is allowed; what may be a path must lie in the tree. Strict is for words that may become options of a known tool: then
// all paths count as code, and it asks about options that take inline code.
func scriptArgs(m *grammar.Match, words []grammar.Word, strict bool) {
	via := ""
	for _, w := range words {
		t, ok := w.Text()
		if !ok {
			dynamicArg(m, w, strict)
			via = ""
			continue
		}
		name, value := "", t
		if strings.HasPrefix(t, "-") {
			name, value = t, ""
			if n, v, found := strings.Cut(t, "="); found {
				name, value = n, v
			} else if !strings.HasPrefix(t, "--") && len(t) > 2 && grammar.LeadsOut(t[2:]) {
				name, value = t[:2], t[2:]
			}
			if strict && (evalOptions[name] || strings.HasPrefix(name, "--inspect")) {
				m.Ask(".argument", "the option "+name+" may take code or open a debugger; "+whyInline)
			}
			via = name
		}
		if value != "" {
			scriptValue(m, value, via, strict)
		}
		if name == "" || value != "" {
			via = ""
		}
	}
}

func scriptValue(m *grammar.Match, value, option string, strict bool) {
	if strict && textOptions[option] {
		return
	}
	if strict && loadOptions[option] && pathLike(value) {
		m.Ask(".module", "loading "+value+" before the rest is for the project's configuration, where a reviewer sees it; name it there")
		return
	}
	if strings.Contains(value, "://") {
		m.Use(grammar.Local, grammar.Lit(value), "argument")
		return
	}
	kind := grammar.Read
	if strict || codeOption(option) || codeSuffixes[path.Ext(value)] {
		kind = grammar.Code
	}
	pieces := strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ':' || r == '=' })
	for _, p := range pieces {
		if grammar.LeadsOut(p) {
			m.Use(kind, grammar.Lit(p), "argument")
		}
	}
	// Text with a space is prose or a pattern, unless it begins like a path.
	if pathLike(value) && !strings.ContainsAny(value, " \n\t") && !grammar.LeadsOut(value) {
		m.Use(kind, grammar.Lit(value), "argument")
	}
}

func dynamicArg(m *grammar.Match, w grammar.Word, strict bool) {
	switch {
	case w.Tilde || w.Glob || w.Source() == grammar.Tree:
		m.Use(grammar.Read, w, "argument")
	case strict:
		m.Use(grammar.Name, w, "argument")
	default:
		m.Use(grammar.Data, w, "argument")
	}
}
