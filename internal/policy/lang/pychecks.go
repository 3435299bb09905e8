package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const ruffGlobal = ` -v,--verbose -q,--quiet -s,--silent --config=data --isolated --color=auto|always|never -h,--help `

const mypyOpts = ` -v,--verbose -V,--version -h,--help -p,--package=name -m,--module=name --config-file=code --warn-unused-configs
	--no-namespace-packages --namespace-packages --ignore-missing-imports --follow-imports=name --follow-untyped-imports
	--python-executable=code --no-site-packages --no-silence-site-packages --python-version=name --platform=name --always-true=name
	--always-false=name --disallow-any-unimported --disallow-any-expr --disallow-any-decorated --disallow-any-explicit
	--disallow-any-generics --disallow-subclassing-any --disallow-untyped-calls --disallow-untyped-defs --disallow-incomplete-defs
	--check-untyped-defs --disallow-untyped-decorators --implicit-optional --no-implicit-optional --strict-optional --no-strict-optional
	--warn-redundant-casts --warn-unused-ignores --no-warn-no-return --warn-return-any --warn-unreachable --allow-untyped-globals
	--allow-redefinition --no-implicit-reexport --strict-equality --strict-bytes --extra-checks --strict --disable-error-code=data
	--enable-error-code=data --show-error-context --show-column-numbers --show-error-end --hide-error-codes --show-error-codes --pretty
	--no-color-output --no-error-summary --show-absolute-path --soft-error-limit=number --no-incremental --cache-dir=write --sqlite-cache
	--cache-fine-grained --skip-version-check --skip-cache-mtime-checks --exclude=data --explicit-package-bases --fast-module-lookup
	--any-exprs-report=write --cobertura-xml-report=write --html-report=write --linecount-report=write --linecoverage-report=write
	--lineprecision-report=write --txt-report=write --xml-report=write --junit-xml=write --junit-format=name --scripts-are-modules
	--non-interactive --output=name -O=name --untyped-calls-exclude=data --enable-incomplete-feature=name --fixed-format-cache
	--local-partial-types --num-workers=number
	~--install-types !-c,--command=data ~--pdb --tb,--show-traceback --raise-exceptions --custom-typeshed-dir=code --shadow-file=code
	--timing-stats=write --dump-graph --export-types `

// mypyFiles judges operands that are files or folders of the tree.
func mypyFiles(m *grammar.Match) {
	words := dropOperands(m, 0)
	for i, w := range words {
		if t, ok := w.Text(); i == 0 && ok && (t == "check" || t == "run" || t == "status" || t == "stop" || t == "start" || t == "restart") {
			continue // dmypy and ty name what they do
		}
		if strings.HasPrefix(w.Prefix(), "@") {
			m.Ask(".arguments", w.String()+" reads arguments from a file, which can't be checked here; write them out")
		}
		m.Use(grammar.Code, w, "file")
	}
}

func ruffSubs() subs {
	inspect, change := grammar.Inspect, grammar.Change
	files := ` --respect-gitignore --no-respect-gitignore --exclude=data --extend-exclude=data --force-exclude --no-force-exclude -n,--no-cache
		--cache-dir=write --stdin-filename=read --target-version=name --preview --no-preview --extension=data `
	config := func(m *grammar.Match) {
		eachOption(m, func(v string) {
			if !strings.Contains(v, "=") { // else a setting: "line-length = 100"
				m.Use(grammar.Code, grammar.Lit(v), "configuration")
			} else if key, _, _ := strings.Cut(v, "="); strings.Contains(key, "extend") && !strings.Contains(key, "-") ||
				strings.Contains(key, "cache") {
				m.Ask(".setting", "settings that name files belong in the project's configuration")
			}
		}, "--config")
	}
	return table(
		row{"check", grammar.Spec{Class: inspect, Args: "read*", Judge: judges(fixes("--fix", "--add-noqa", "--fix-only"),
			fixFlag("--fix", "--add-noqa", "--fix-only"), config), Why: whyWatch,
			Opts: ruffGlobal + files + `--fix --no-fix --line-length=number --unsafe-fixes --no-unsafe-fixes --show-fixes --no-show-fixes --diff
				~-w,--watch --fix-only --ignore-noqa --output-format=name -o,--output-file=write --select=data --ignore=data --extend-select=data
				--extend-ignore=data --per-file-ignores=data --extend-per-file-ignores=data --fixable=data --unfixable=data --extend-fixable=data
				--dummy-variable-rgx=data -e,--exit-zero --exit-non-zero-on-fix --exit-non-zero-on-format --statistics --add-noqa?=data --show-files
				--show-settings --no-update-check`}},
		row{"format", grammar.Spec{Class: inspect, Args: "read*", Judge: judges(checkOnly("--check", "--diff"), config),
			Opts: ruffGlobal + files + "--check --diff --line-length=number --range=data --output-format=name --exit-non-zero-on-format"}},
		row{"rule config linter", grammar.Spec{Class: inspect, Args: "name?", Opts: ruffGlobal + "--all --output-format=name"}},
		row{"version help", grammar.Spec{Class: inspect, Opts: "--output-format=name", Args: "name?"}},
		row{"clean", grammar.Spec{Class: change, Opts: ruffGlobal}},
		row{"analyze", grammar.Spec{Class: inspect, Subs: table(row{"graph", grammar.Spec{Class: inspect, Args: "read*", Opts: `--direction=name
			--detect-string-imports --preview --target-version=name`}})}},
		row{"server lsp", asked(whyServe)},
	)
}

func coverageSubs() subs {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	common := ` --data-file=write --rcfile=code --debug=data -q,--quiet -h,--help `
	report := common + ` --include=data --omit=data -i,--ignore-errors --fail-under=data --contexts=data --precision=number --skip-covered
		--no-skip-covered --skip-empty `
	return table(
		row{"run", grammar.Spec{Class: run, Whole: coverageRun}},
		row{"report", grammar.Spec{Class: inspect, Args: "read*", Opts: report + "-m,--show-missing --format=name --sort=data"}},
		row{"html", grammar.Spec{Class: change, Args: "read*", Opts: report + "-d,--directory=write --title=data --show-contexts"}},
		row{"xml json lcov", grammar.Spec{Class: change, Args: "read*", Opts: report + "-o=write --pretty-print --show-contexts"}},
		row{"combine", grammar.Spec{Class: change, Args: "read*", Opts: common + "-a,--append --keep"}},
		row{"annotate", grammar.Spec{Class: change, Args: "read*", Opts: report + "-d,--directory=write"}},
		row{"erase", grammar.Spec{Class: change, Opts: common}},
		row{"debug", grammar.Spec{Class: inspect, Args: "name*", Opts: "--rcfile=code"}},
		row{"help", grammar.Spec{Class: inspect, Args: "name*"}},
	)
}

// coverageRun reads the options of coverage run, then the words of python: a module or a script.
func coverageRun(m *grammar.Match) {
	for i := 0; i < len(m.Words); i++ {
		t, ok := m.Words[i].Text()
		name, value, inWord := strings.Cut(t, "=")
		switch {
		case ok && (t == "-m" || t == "--module") && i+1 < len(m.Words):
			command(m, "python", append([]grammar.Word{grammar.Lit("-m")}, m.Words[i+1:]...), "-m")
			return
		case ok && grammar.Set("-a --append --branch -p --parallel-mode -L --pylib --timid --save-signal=USR1")[t]:
		case ok && grammar.Set("--concurrency --context --include --omit --source --debug --source-pkgs")[name]:
			if !inWord {
				i++
			}
		case ok && (name == "--rcfile" || name == "--data-file"):
			file := grammar.Lit(value)
			if i++; inWord {
				i--
			} else if i < len(m.Words) {
				file = m.Words[i]
			}
			kind := grammar.Code
			if name == "--data-file" {
				kind = grammar.Write
			}
			m.Use(kind, file, name)
		case ok && strings.HasPrefix(t, "-"):
			m.Ask(".option", "the option "+t+" of coverage run is not among those that may be used unattended")
			return
		default:
			command(m, "python", m.Words[i:], "script")
			return
		}
	}
	m.Ask(".operand", "coverage run misses a script or -m and a module")
}

const toxOpts = ` -e=data -m=data -f=data --run-tox-env=name --root=code --workdir=write -c,--conf=code -r,--recreate --notest -n
	-v,--verbose -vv -q,--quiet -p,--parallel?=data -o,--parallel-live -s,--skip-missing-interpreters?=name --skip-env=data -l,--listenvs
	-a,--listenvs-all --no-recreate-pkg --skip-pkg-install ~--installpkg --develop --result-json=write --colored=name --version -h,--help
	--no-provision --parallel-no-spinner --discover=code --override=data -x=data --hashseed=data --exit-and-dump-after=number --fail-fast
	--sdistonly --sitepackages ~-i,--index-url --force-dep=data --devenv=write -b,--pkg-only `

// toxWords judges the sub-command of tox and what it passes to its tests.
func toxWords(m *grammar.Match) {
	words := dropOperands(m, 0)
	if len(words) > 0 {
		switch t, _ := words[0].Text(); t {
		case "run", "r", "run-parallel", "p", "list", "l", "config", "c", "depends", "de":
			words = words[1:]
		case "exec", "e":
			if len(words) > 1 {
				m.Uses = append(m.Uses, grammar.Use{Kind: grammar.Command, Word: words[1], Via: "exec", Rest: words[2:]})
			}
			return
		case "devenv", "d", "legacy", "quickstart", "q":
			m.Ask(".subcommand", "tox "+t+" is not among what may run unattended")
			return
		}
	}
	if _, ok := m.Flags["-x"]; ok {
		m.Ask(".override", "overriding settings may run other commands; put it into the project's configuration")
	}
	if _, ok := m.Flags["--override"]; ok {
		m.Ask(".override", "overriding settings may run other commands; put it into the project's configuration")
	}
	scriptArgs(m, words, true)
}

// posargs judges what a runner passes to the commands of the project's configuration.
func posargs(m *grammar.Match) { scriptArgs(m, dropOperands(m, 0), true) }
