package lang

import (
	"path"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// venvs are the folders inside the tree that contain Python tools of a project.
var venvs = []string{".venv/bin", "venv/bin", "env/bin", ".env/bin", ".tox/py/bin"}

func pythonPrograms() []grammar.Program {
	names := "python python3 python2 pypy pypy3 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 python3.15"
	all := []grammar.Program{
		program(python, under(names, venvs...), grammar.Spec{Class: grammar.Run, Whole: pythonMain}),
	}
	all = append(all, pythonTools()...)
	all = append(all, pythonPackagers()...)
	return append(all, pythonWeb()...)
}

var (
	pyWarn = regexp.MustCompile(`^[a-z]+(:[^:]*(:([A-Za-z]*(Warning)?)?(:.*)?)?)?$`)
	pyX    = regexp.MustCompile(`^(dev|faulthandler|importtime(=\d)?|utf8(=\d)?|tracemalloc(=\d+)?|no_debug_ranges|frozen_modules=(on` +
		`|off)|int_max_str_digits=\d+|warn_default_encoding|perf|showrefcount|showalloccount|gil=\d|cpu_count=\w+|context_aware_warnings=\d` +
		`|thread_inherit_context=\d|disable_remote_debug)$`)
	pyModule   = regexp.MustCompile(`^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$`)
	pyPlain    = "bBdEIOPqRsStuvx" // options of one letter that only change how the script runs
	pyAnswered = "hV?"             // options that print and end
)

// pythonMain reads the interpreter's options, then a module, a script or nothing.
func pythonMain(m *grammar.Match) {
	for i := 0; i < len(m.Words); i++ {
		w := m.Words[i]
		t, ok := w.Text()
		rest := m.Words[i+1:]
		switch {
		case !ok || t == "" || t[0] != '-':
			pythonScript(m, w, rest)
			return
		case t == "-":
			m.StdinCode = true
			return
		case t == "--":
			m.StdinCode = len(rest) == 0
			if len(rest) > 0 {
				pythonScript(m, rest[0], rest[1:])
			}
			return
		case strings.HasPrefix(t, "--"):
			if t == "--version" || t == "--help" || t == "--help-all" || t == "--help-env" || t == "--help-xoptions" {
				m.Class = grammar.Inspect
				return
			}
			m.Ask(".option", "the option "+t+" of python is not among those that may be used unattended; leave it out")
			return
		}
		more, done := pythonCluster(m, t, rest)
		if done {
			return
		}
		i += more
	}
	m.StdinCode = true
}

// pythonCluster reads one word of short options. It reports how many more words belong to it, and whether all is read.
func pythonCluster(m *grammar.Match, t string, rest []grammar.Word) (more int, done bool) {
	for i := 1; i < len(t); i++ {
		value, words := t[i+1:], rest
		switch c := t[i]; {
		case strings.IndexByte(pyPlain, c) >= 0:
			continue
		case strings.IndexByte(pyAnswered, c) >= 0:
			m.Class = grammar.Inspect
			return 0, true
		case c == 'c':
			m.Ask(".inline", whyInline)
			return 0, true
		case c == 'i':
			m.Ask(".interactive", "an interactive interpreter waits for a person; run the script without -i")
			return 0, true
		case c == 'W' || c == 'X' || c == 'm':
			if value == "" {
				if len(rest) == 0 {
					m.Ask(".option", "the option -"+string(c)+" of python misses its value")
					return 0, true
				}
				text, ok := rest[0].Text()
				if !ok {
					m.Ask(".option", "the value of -"+string(c)+" is not written out; write it in the command")
					return 0, true
				}
				value, words, more = text, rest[1:], 1
			}
			if c == 'm' {
				pythonModule(m, value, words)
				return 0, true
			}
			known := pyWarn
			if c == 'X' {
				known = pyX
			}
			if !known.MatchString(value) {
				m.Ask(".option", "-"+string(c)+" "+value+" may load code or write outside the tree; leave it out")
				return 0, true
			}
			return more, false
		default:
			m.Ask(".option", "the option -"+string(c)+" of python is not known; leave it out")
			return 0, true
		}
	}
	return 0, false
}

// pythonScript is a file that is run, with its arguments. Some files have tables.
func pythonScript(m *grammar.Match, file grammar.Word, args []grammar.Word) {
	m.Use(grammar.Code, file, "script")
	t, _ := file.Text()
	switch base := path.Base(t); {
	case base == "manage.py":
		adopt(m, djangoTable().Parse(args))
	case base == "setup.py":
		adopt(m, setupTable().Parse(args))
	case strings.Contains(t, "bin/") && pyTools[base]:
		command(m, base, args, "script")
	case base == "__main__.py" || strings.Contains(t, "site-packages"):
		scriptArgs(m, args, true)
	default:
		scriptArgs(m, args, false)
	}
}

// pythonModule is python -m: a tool that has a table, a module of the standard library, or one of the project.
func pythonModule(m *grammar.Match, name string, args []grammar.Word) {
	if !pyModule.MatchString(name) {
		m.Ask(".module", "python -m "+name+" does not name a module")
		return
	}
	if tool, ok := pyModuleTools[name]; ok {
		command(m, tool, args, "-m")
		return
	}
	if t, ok := pyModuleTable()[name]; ok {
		rule := m.Rule
		adopt(m, t.Parse(args))
		m.Rule = rule + ".m." + name
		return
	}
	root, _, dotted := strings.Cut(name, ".")
	if _, tool := pyModuleTools[root]; tool || strings.HasPrefix(root, "_") {
		m.Ask(".module", "the module "+name+" is an inner part of a tool; run the tool by its name")
		return
	}
	if pyStandard[root] || pyRefused[root] {
		m.Ask(".module", "the module "+name+" may listen, send, open a browser or take code; use a script of the tree")
		return
	}
	// Other modules belong to the project or to a package that it installed.
	file := strings.ReplaceAll(name, ".", "/")
	m.Use(grammar.Code, grammar.Lit(file+".py"), "module")
	if !dotted {
		m.Use(grammar.Code, grammar.Lit(file+"/__main__.py"), "module")
	}
	scriptArgs(m, args, false)
}
