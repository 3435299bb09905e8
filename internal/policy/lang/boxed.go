package lang

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// Boxed returns the tables for a sandbox. They allow inline code, generators, new packages of the registry and everything else
// that only runs code inside it, and not what publishes, signs in or fetches from elsewhere.
func Boxed() []grammar.Program {
	all := programs()
	for i := range all {
		p := &all[i]
		for _, n := range p.Names {
			if edit := boxed[n]; edit != nil {
				p.Spec = edit(p.Spec)
				break
			}
		}
		p.Spec = guarded(p.Spec)
	}
	return all
}

// boxed are the changes to single programs, by one of their names.
var boxed = map[string]func(grammar.Spec) grammar.Spec{
	"python": func(s grammar.Spec) grammar.Spec { s.Whole = pythonBoxed; return s },
	"node":   takesCode(evalFlags), "tsx": takesCode(evalFlags), "ts-node": takesCode(evalFlags),
	"bun":  inTurn(takesCode(evalFlags), swap(bunInside)),
	"ruby": takesCode(rubyCode), "php": takesCode(phpCode), "groovy": takesCode(evalFlags),
	"go": swap(goInside), "cargo": func(s grammar.Spec) grammar.Spec { s.Whole = cargoBoxed; return s },
	"npm": swap(npmInside), "pnpm": swap(pnpmInside), "yarn": swap(yarnInside), "npx": fetching, "bunx": fetching,
	"pnpx": func(grammar.Spec) grammar.Spec { return dlx() },
	"uvx":  func(grammar.Spec) grammar.Spec { return grammar.Spec{Class: grammar.Run, Whole: uvxInside} },
	"pip":  swap(pipInside), "uv": swap(uvInside), "poetry": swap(poetryInside), "pdm": swap(pdmInside), "bundle": swap(bundleInside),
	"gem": swap(gemInside), "composer": swap(composerInside),
	"rails":  swap(func() subs { return table(row{"runner r", anything()}) }),
	"deno":   swap(func() subs { return table(row{"eval", anything()}) }),
	"dotnet": swap(dotnetInside), "configure": func(grammar.Spec) grammar.Spec { return grammar.Spec{Class: grammar.Run, Whole: configure} },
	"knex": open, "prisma": swap(func() subs { return table(row{"migrate db", anything()}) }), "wait-on": open, "serve": open, "guard": open,
}

// boxedName reports whether a program is one of them. It is a function so that the changes can call it.
func boxedName(name string) bool { return boxedNames[name] }

var boxedNames = grammar.Set("knex wait-on serve")

func open(grammar.Spec) grammar.Spec { return anything() }

func anything() grammar.Spec { return grammar.Spec{Class: grammar.Run, Whole: grammar.Loose} }

// swap replaces sub-commands of a table.
func swap(other func() subs) func(grammar.Spec) grammar.Spec {
	return func(s grammar.Spec) grammar.Spec {
		s.Subs = maps.Clone(s.Subs)
		maps.Copy(s.Subs, other())
		return s
	}
}

// inTurn combines changes; the last is made first.
func inTurn(edits ...func(grammar.Spec) grammar.Spec) func(grammar.Spec) grammar.Spec {
	return func(s grammar.Spec) grammar.Spec {
		for _, e := range slices.Backward(edits) {
			s = e(s)
		}
		return s
	}
}

var (
	evalFlags = regexp.MustCompile(`^(-e|-p|-pe|--eval|--print)(=.*)?$`)
	rubyCode  = regexp.MustCompile(`^-([nplaswWUv0-9]|i(\.\w+)?|F\S*)*e`)
	phpCode   = regexp.MustCompile(`^-[rBRES]`)
	pyCode    = regexp.MustCompile(`^-[bBdEIOPqRsStuvx]*(c|mtimeit$)`)
)

// takesCode changes a program whose options may take code. Without such an option, its own table reads the words.
func takesCode(code *regexp.Regexp) func(grammar.Spec) grammar.Spec {
	return func(s grammar.Spec) grammar.Spec {
		tables := map[string]*grammar.Table{}
		for _, n := range strings.Fields("node tsx ts-node bun ruby php groovy") {
			tables[n] = mustCompile(grammar.Program{Names: []string{n}, Spec: s})
		}
		return grammar.Spec{Class: grammar.Run, Whole: func(m *grammar.Match) {
			if grammar.TakesCode(m.Words, code) || inConsole(m.Words) {
				grammar.Loose(m)
				return
			}
			if t := tables[m.Rule]; t != nil {
				*m = *t.Parse(m.Words)
			} else {
				m.Ask(".option", "its options are not known")
			}
		}}
	}
}

// inConsole reports whether the console of a framework gets code: "manage.py shell -c", "artisan tinker --execute".
func inConsole(ws []grammar.Word) bool {
	for i := 0; i+2 < len(ws); i++ {
		text, _ := ws[i].Text()
		switch base := path.Base(text); {
		case strings.HasPrefix(text, "-"):
		case base == "manage.py":
			return ws[i+1].Is("shell") && (ws[i+2].Is("-c") || strings.HasPrefix(ws[i+2].Prefix(), "--command"))
		case base == "artisan":
			return ws[i+1].Is("tinker") && strings.HasPrefix(ws[i+2].Prefix(), "--execute")
		default:
			return false
		}
	}
	return false
}

// pythonBoxed is python that may have inline code.
func pythonBoxed(m *grammar.Match) {
	timed := len(m.Words) > 1 && m.Words[0].Is("-m") && m.Words[1].Is("timeit")
	if timed || inConsole(m.Words) || pythonTakesCode(m.Words) {
		grammar.Loose(m)
		return
	}
	pythonMain(m)
}

// pythonTakesCode reports whether -c precedes a module or a script.
func pythonTakesCode(ws []grammar.Word) bool {
	for i := 0; i < len(ws); i++ {
		switch text := ws[i].Prefix(); {
		case pyCode.MatchString(text):
			return true
		case text == "-W" || text == "-X":
			i++
		case !strings.HasPrefix(text, "-") || text == "-" || strings.HasPrefix(text, "-m") || strings.HasPrefix(text, "--"):
			return false
		}
	}
	return false
}

// installPlaces are options of configure that say where a later installation would put things.
var installPlaces = regexp.MustCompile(`^--((exec-)?prefix|\w+dir|datarootdir|with-prefix)(=|$)`)

// configure is a script that inspects the system and writes the build's files.
func configure(m *grammar.Match) {
	all := m.Words
	m.Words = slices.DeleteFunc(slices.Clone(all), func(w grammar.Word) bool { return installPlaces.MatchString(w.Prefix()) })
	grammar.Loose(m)
	m.Words = all
}
