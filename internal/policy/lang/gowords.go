package lang

import (
	"regexp"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// goPackages makes a judge of operands that are packages: folders and files of the tree get the kind, import paths of the
// module graph are allowed, and packages with a version would be fetched.
func goPackages(kind grammar.Kind) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		words := dropOperands(m, 0)
		for _, w := range words {
			goPackage(m, w, kind)
		}
	}
}

func goPackage(m *grammar.Match, w grammar.Word, kind grammar.Kind) {
	t, ok := w.Text()
	switch {
	case !ok:
		m.Use(kind, w, "package")
	case strings.Contains(t, "@"):
		m.Ask(".fetch", "a package with a version is fetched and is no part of this module; "+whyFetch)
	case strings.Contains(t, "://") || strings.HasPrefix(t, "-"):
		m.Ask(".package", "not a package of this module: "+t)
	case strings.HasPrefix(t, ".") || strings.HasPrefix(t, "/") || strings.HasSuffix(t, ".go") || strings.Contains(t, ".."):
		path := strings.TrimSuffix(t, "...")
		path = strings.TrimSuffix(path, "/")
		if strings.Contains(path, "...") {
			path, _, _ = strings.Cut(path, "...")
			path = path[:strings.LastIndex(path, "/")+1]
		}
		if path == "" {
			path = "."
			if strings.HasPrefix(t, "/") {
				path = "/"
			}
		}
		m.Use(kind, grammar.Lit(path), "package")
	default:
		m.Use(grammar.Data, w, "package")
	}
}

// goRun splits the operands into the package or files to run and the arguments of the program.
func goRun(m *grammar.Match) {
	words := dropOperands(m, 0)
	if len(words) == 0 {
		m.Ask(".operand", "go run misses the package; write go run . or go run ./path")
		return
	}
	n := 0
	for n < len(words) && strings.HasSuffix(words[n].String(), ".go") {
		n++
	}
	n = max(n, 1)
	for _, w := range words[:n] {
		if t := w.Prefix(); strings.Contains(strings.SplitN(t, "/", 2)[0], ".") && !strings.HasPrefix(t, ".") && !strings.HasSuffix(t, ".go") {
			m.Ask(".package", t+" is the path of another module; run a package of this module by its path (./cmd/x)")
		}
		goPackage(m, w, grammar.Code)
	}
	scriptArgs(m, words[n:], false)
}

var goTestTable = sync.OnceValue(func() *grammar.Table {
	return mustCompile(program(golang, "go.test", grammar.Spec{Class: grammar.Run, Style: grammar.Single, Opts: goBuild + goTestRun,
		Args: "data*", Why: whyGoTool, Judge: judges(goFlags, goPackages(grammar.Code))}))
})

// mustCompile is for tables inside judges. A malformed one refuses everything; a test checks each.
func mustCompile(p grammar.Program) *grammar.Table {
	t, err := grammar.Compile(p)
	if err != nil {
		bad, _ := grammar.Compile(program("", p.Names[0], denied("its table is malformed: "+err.Error())))
		return bad
	}
	return t
}

// goTest reads the flags of the go command up to -args, and the test binary's after it.
func goTest(m *grammar.Match) {
	head, tail := m.Words, []grammar.Word(nil)
	for i, w := range m.Words {
		if w.Is("-args") || w.Is("--args") {
			head, tail = m.Words[:i], m.Words[i+1:]
			break
		}
	}
	part := goTestTable().Parse(head)
	part.Rule = "flags"
	rule := m.Rule
	adopt(m, part)
	m.Rule = rule
	scriptArgs(m, tail, true)
}

// The tokens of -ldflags and -gcflags that name no program, no file and no other tool.
var (
	ldToken = regexp.MustCompile(`^(-s|-w|-v|-n|-c|-compressdwarf=(true|false)|-linkmode=(internal|external|auto)|-buildid=[\w.-]*` +
		`|-X=[\w./-]+=.*|-extldflags=-static|-checklinkname=0)$`)
	gcToken = regexp.MustCompile(`^(-N|-l|-m|-m=\d|-S|-e|-C|-L|-B|-live|-race|-w|-lang=go1\.\d+|-c=\d+|-d=[\w/=,-]+|-wb=(true|false))$`)
)

// goFlags judges the flags that are passed to the linker, the compiler and the assembler.
func goFlags(m *grammar.Match) {
	if w, ok := m.Flags["-ldflags"]; ok && !goTokens(w, ldToken, "-X") {
		m.Ask(".ldflags", "of -ldflags only -s, -w, -X name=value, -linkmode and a static -extldflags may be used unattended")
	}
	if w, ok := m.Flags["-gcflags"]; ok && !goTokens(w, gcToken, "") {
		m.Ask(".gcflags", "of -gcflags only -N, -l, -m, -S, -e, -d=... and -lang may be used unattended")
	}
	if w, ok := m.Flags["-asmflags"]; ok && !goTokens(w, regexp.MustCompile(`^(-S|-e|-D=?[\w=]+)$`), "") {
		m.Ask(".asmflags", "of -asmflags only -S, -e and -D may be used unattended")
	}
}

// goTokens reports whether the pattern matches all words inside a flag's value. Pair names a flag whose value may be in the
// next word.
func goTokens(w grammar.Word, known *regexp.Regexp, pair string) bool {
	text := ""
	for _, p := range w.Parts {
		switch p.Source {
		case grammar.Literal:
			text += p.Text
		case grammar.Plain, grammar.Digits:
			text += "0" // one token without a space or a quote
		default:
			return false
		}
	}
	if w.Glob || w.Tilde {
		return false
	}
	if !strings.HasPrefix(strings.TrimLeft(text, " '\""), "-") { // after a pattern of packages: "all=-N -l"
		pattern, rest, ok := strings.Cut(text, "=")
		if text != "" && (!ok || strings.ContainsAny(pattern, " '\"")) {
			return false
		}
		text = rest
	}
	tokens, ok := quotedFields(text)
	if !ok {
		return false
	}
	for i := 0; i < len(tokens); i++ {
		t := strings.Replace(tokens[i], "--", "-", 1)
		if (t == pair && pair != "" || t == "-extldflags" || t == "-linkmode") && i+1 < len(tokens) {
			i++
			t += "=" + tokens[i]
		}
		if !known.MatchString(t) {
			return false
		}
	}
	return true
}

// quotedFields splits as the go command does: at white space, with words in single or double quotes.
func quotedFields(s string) ([]string, bool) {
	var out []string
	for s = strings.TrimLeft(s, " \t\n\r"); s != ""; s = strings.TrimLeft(s, " \t\n\r") {
		if s[0] == '\'' || s[0] == '"' {
			end := strings.IndexByte(s[1:], s[0])
			if end < 0 {
				return nil, false
			}
			out, s = append(out, s[1:end+1]), s[end+2:]
			continue
		}
		end := strings.IndexAny(s, " \t\n\r")
		if end < 0 {
			end = len(s)
		}
		out, s = append(out, s[:end]), s[end:]
	}
	return out, true
}

var gotestsumTable = sync.OnceValue(func() *grammar.Table {
	return mustCompile(program(golang, "gotestsum.flags", grammar.Spec{Class: grammar.Run, Args: "data*", Why: whyExec,
		Judge: goPackages(grammar.Code),
		Opts: `-f,--format=name --format-hide-empty-pkg --format-icons=name --hide-summary=data --junitfile=write
			--junitfile-testsuite-name=name --junitfile-testcase-classname=name --junitfile-project-name=data --junitfile-hide-empty-pkg
			--jsonfile=write --jsonfile-timing-events=write --max-fails=number --no-color --packages=data --rerun-fails?=number
			--rerun-fails-max-failures=number --rerun-fails-report=write --rerun-fails-run-root-test --ignore-non-json-output-lines --version
			--debug ~--watch !--post-run-command !--raw-command`}))
})
