package base

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// Boxed returns the tables that replace others in a sandbox: they allow what only runs code inside it.
func Boxed() []grammar.Program {
	through := func(names, opts, args string) grammar.Program {
		return grammar.Program{Names: strings.Fields(names), Spec: grammar.Spec{Class: grammar.Inspect, Style: grammar.Posix, Opts: opts + std,
			Args: args, Why: "it changes how the command is found or run"}}
	}
	return []grammar.Program{
		loose(`tclsh R octave gp scheme guile racket sbcl clisp ocaml ghci runghc runhaskell elixir iex erl escript scala-cli groovysh jshell
			irb pry swipl gforth gst m4 gnuplot raku crystal nim v vlang janet fennel bb babashka hy coffee livescript sqlite3 sqlite duckdb
			prolog`),
		loose(`convert magick identify ffmpeg ffprobe dot pandoc pdftotext pdflatex xelatex latexmk tectonic typst gs ldd otool dwarfdump`),
		{Names: []string{"bazel", "bazelisk", "buck2", "pants", "please"}, Spec: grammar.Spec{Class: grammar.Run, Whole: labelled}},
		{Names: []string{"bash", "sh", "dash", "ash"}, Spec: grammar.Spec{Class: grammar.Run, Style: grammar.Posix,
			Opts: strings.Replace(shellOpts, "!-l,--login", "-l,--login", 1), Args: "data*", Judge: shell, Why: whyShell}},
		database("psql createdb dropdb", `-h,--host=data -p,--port=number -U,--username=data -d,--dbname=data -c,--command=inline -f,--file=code
			-v,--set=data -X -q,--quiet -t,--tuples-only -A,--no-align -l,--list -a -e -x -1 -w,--no-password --csv --if-exists -F=data
			-O,--owner=data -T,--template=data`),
		database("pg_dump pg_restore", `-h,--host=data -p,--port=number -U,--username=data -d,--dbname=data -f,--file=write -F,--format=data
			-s,--schema-only -a,--data-only -t,--table=data -n,--schema=data -c,--clean --if-exists -O,--no-owner -x -w,--no-password`),
		database("mysql mariadb mysqldump mysqladmin", `-h,--host=data -P,--port=number -u,--user=data -p*=data -p,--password?=data
			-D,--database=data -e,--execute=inline -N,--skip-column-names -B,--batch -t,--table -s,--silent -f,--force --protocol=data --no-data
			--databases`),
		database("redis-cli", "-h=data -p=number -n=number -a=data --raw --no-auth-warning"),
		interpreter("perl", perlCode), interpreter("lua luajit lua5.1 lua5.2 lua5.3 lua5.4", evalCode), interpreter("Rscript", evalCode),
		interpreter("julia", evalCode),
		judged("make gmake", grammar.Run, makeOpts, "data*", makeInside),
		{Names: []string{"buf"}, Spec: grammar.Spec{Class: grammar.Inspect, Opts: std + " --debug -v", Subs: map[string]grammar.Spec{
			"lint":     {Opts: "--error-format=data --path=read --exclude-path=data", Args: "read?"},
			"breaking": {Opts: "--against=name --error-format=data --path=read", Args: "read?"}, "format": {Class: grammar.Change,
				Opts: "-w,--write -d,--diff --exit-code --path=read", Args: "write?"},
			"build": {Class: grammar.Run, Opts: "-o,--output=write --path=read", Args: "read?"}, "generate": {Class: grammar.Run,
				Opts: "--template=code -o,--output=write --path=read --include-imports --clean", Args: "read?"},
			"dep": {Class: grammar.Install, Needs: []grammar.Need{grammar.NeedRegistry}, Args: "name"}, "push": denies("nothing leaves the task"),
		}}},
		through("setsid", "-c,--ctty -f,--fork -w,--wait", "command"), through("taskset", "-a,--all-tasks -c,--cpu-list", "data command"),
		through("xvfb-run", "-a,--auto-servernum -s,--server-args=data -n,--server-num=number", "command"),
		through("hyperfine", `-w,--warmup=number -r,--runs=number -m,--min-runs=number -M,--max-runs=number -N -i,--ignore-failure --show-output
			--export-json=write --export-markdown=write --export-csv=write -p,--prepare=shell -n,--command-name=data`, "shell+"),
		judged("ed", grammar.Change, "-s,--silent,--quiet -v,--verbose -p,--prompt=data", "write?", func(m *grammar.Match) { m.Loose = true }),
		{Names: []string{"helm"}, Spec: grammar.Spec{Class: grammar.Deny, Why: "it works on what is outside the tree",
			Subs: map[string]grammar.Spec{
				"template": {Class: grammar.Inspect, Args: "name? read?", Judge: chart, Why: "it runs another program, or fetches a chart",
					Opts: `-f,--values=read --set=data --set-string=data -n,--namespace=name -s,--show-only=data --name-template=data --output-dir=write
					--debug --include-crds --skip-tests !--post-renderer !--repo`},
				"lint":    {Class: grammar.Inspect, Args: "read*", Opts: "-f,--values=read --set=data --strict --quiet --with-subcharts"},
				"version": {Class: grammar.Inspect, Opts: "--short"},
			}}},
	}
}

// labelled reads the words of build systems whose targets look like paths from the root: //pkg:target.
func labelled(m *grammar.Match) {
	all := m.Words
	m.Words = nil
	for _, w := range all {
		if text := w.Prefix(); strings.HasPrefix(text, "//") {
			w = w.Drop(2)
		}
		m.Words = append(m.Words, w)
	}
	grammar.Loose(m)
	m.Words = all
}

func loose(names string) grammar.Program {
	return grammar.Program{Names: strings.Fields(names), Spec: grammar.Spec{Class: grammar.Run, Whole: grammar.Loose}}
}

// interpreter returns the table of an interpreter that takes code on its command line as well.
func interpreter(names string, code *regexp.Regexp) grammar.Program {
	own := strings.Fields(names)
	return grammar.Program{Names: own, Spec: grammar.Spec{Class: grammar.Run, Whole: func(m *grammar.Match) {
		if grammar.TakesCode(m.Words, code) {
			grammar.Loose(m)
			return
		}
		delegate(m, plainInterpreter(m.Rule), m.Words)
	}}}
}

// plainInterpreter returns the table of an interpreter without a sandbox.
func plainInterpreter(name string) *grammar.Table {
	for _, t := range plainInterpreters() {
		if slices.Contains(t.Program.Names, name) {
			return t
		}
	}
	return nil
}

var plainInterpreters = sync.OnceValue(func() []*grammar.Table {
	var all []*grammar.Table
	for _, p := range interpreters() {
		if t, err := grammar.Compile(p); err == nil {
			all = append(all, t)
		}
	}
	return all
})

var (
	perlCode = regexp.MustCompile(`^-([wWntTplasc0-9]|i(\.\w+)?|l\d*|0[0-9xa-fA-F]*|F\S*)*[eE]`)
	evalCode = regexp.MustCompile(`^(-e|-E|--eval|--print)(=.*)?$`)
)

// database returns the table of a client that may speak to a server on this machine.
func database(names, opts string) grammar.Program {
	return judged(names, grammar.Run, opts, "inline*", func(m *grammar.Match) {
		m.Loose = true
		m.Needs = append(m.Needs, grammar.NeedLoopback)
		for _, u := range m.Uses {
			host, isHost := u.Word.Text()
			switch u.Via {
			case "-h", "--host":
			case "", "-d", "--dbname":
				_, address, ok := strings.Cut(host, "://")
				if isHost = ok; ok {
					address, _, _ = strings.Cut(address, "/")
					host, _, _ = strings.Cut(address[strings.LastIndexByte(address, '@')+1:], ":")
				}
				if _, address, ok := strings.Cut(u.Word.String(), "host="); ok {
					host, isHost = strings.Fields(address + " ")[0], true
				}
			default:
				continue
			}
			if isHost && host != "localhost" && host != "127.0.0.1" && host != "::1" && !strings.HasPrefix(host, "/tmp/") {
				m.Ask(".host", host+" is another machine; use only servers that the task started itself, on localhost")
			}
		}
	})
}

// makeInside judges targets and assignments of make: a value is only run inside, so it must name nothing outside.
func makeInside(m *grammar.Match) {
	if f, ok := m.Flags["-f"]; ok && f.Is("-") {
		m.StdinCode = true
	}
	for _, i := range m.Operands() {
		u := &m.Uses[i]
		name, value, assigned := strings.Cut(u.Word.Prefix(), "=")
		if !assigned {
			u.Kind = grammar.Name
			target(m, u.Word)
			continue
		}
		u.Kind = grammar.Inline
		if grammar.IsVariable(strings.TrimRight(name, ":+?!")) {
			for _, part := range strings.Fields(value) {
				if strings.HasPrefix(part, "/") || strings.HasPrefix(part, "~") || strings.Contains("/"+part+"/", "/../") {
					m.Use(grammar.Read, grammar.Lit(part), name)
				}
			}
		}
	}
}

// chart allows helm to render a chart of the tree.
func chart(m *grammar.Match) {
	for _, i := range m.Operands() {
		if text, ok := m.Uses[i].Word.Text(); ok && (strings.ContainsAny(text, "/.")) {
			m.Uses[i].Kind = grammar.Read
		}
	}
}
