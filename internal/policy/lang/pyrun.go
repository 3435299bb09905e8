package lang

import (
	"path"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const (
	uvCommon = ` -q,--quiet -v,--verbose --offline --no-progress --no-cache -n --native-tls --color=auto|always|never --no-color --no-config
		-V,--version -h,--help --project=code --directory=dir --cache-dir=write --no-python-downloads --managed-python --no-managed-python
		--python-preference=name --python-fetch=name --preview ~--config-file ~--allow-insecure-host ~--system-certs `
	uvIndex = ` ~--index ~--default-index ~-i,--index-url ~--extra-index-url ~-f,--find-links ~--index-strategy ~--keyring-provider `
	uvSync  = uvCommon + uvIndex + ` --frozen --locked --no-sync --exact --inexact --all-extras --extra=name --no-extra=name --no-dev --dev
		--only-dev --group=name --no-group=name --only-group=name --all-groups --no-default-groups --all-packages --package=name --no-editable
		--active --isolated --refresh --refresh-package=name --reinstall --reinstall-package=name -U,--upgrade -P,--upgrade-package=name
		--no-install-project --no-install-workspace --no-install-package=name --no-build --no-binary --no-build-isolation --compile-bytecode
		--link-mode=name --resolution=name --prerelease=name -p,--python=data --check --dry-run --no-sources --output-format=name
		--exclude-newer=data --no-env-file ~--env-file ~--script ~-C,--config-setting ~--fork-strategy `
	poetryCommon = ` -h,--help -q,--quiet -V,--version --ansi --no-ansi -n,--no-interaction --no-plugins --no-cache -P,--project=code
		-C,--directory=dir -v,--verbose -vv -vvv `
)

func uvSubs() subs {
	run, inspect := grammar.Run, grammar.Inspect
	registry := []grammar.Need{grammar.NeedRegistry}
	venv := grammar.Spec{Class: run, Args: "write?", Why: whyGlobal, Judge: pyInterpreter, Opts: uvCommon + `-p,--python=data
		--system-site-packages --seed --prompt=name --allow-existing --relocatable ~-c,--clear ~--no-project --link-mode=name`}
	return table(
		row{"run", grammar.Spec{Class: run, Whole: uvRun}},
		row{"sync", grammar.Spec{Class: grammar.Install, Opts: uvSync, Needs: registry, Why: whyIndex, Judge: pyInterpreter}},
		row{"lock", grammar.Spec{Class: grammar.Install, Opts: uvSync, Needs: registry, Why: whyIndex, Judge: pyInterpreter}},
		row{"tree", grammar.Spec{Class: inspect, Judge: pyInterpreter, Opts: uvSync + `-d,--depth=number --prune=name --no-dedupe --invert
			--outdated --universal --show-sizes`}},
		row{"export", grammar.Spec{Class: inspect, Judge: pyInterpreter, Opts: uvSync + `--format=name -o,--output-file=write --no-hashes
			--no-header --no-annotate --no-emit-project --prune=name`}},
		row{"pip", grammar.Spec{Class: inspect, Opts: uvCommon, Subs: table(
			row{"list show check freeze tree", grammar.Spec{Class: inspect, Judge: pyInterpreter, Opts: uvCommon + `--format=name -e,--editable
				--exclude-editable --exclude=name --outdated --strict -f,--files -p,--python=data --system`, Args: "name*"}},
			row{"install", grammar.Spec{Class: grammar.Install, Needs: registry, Args: "data*", Judge: judges(pipWords, pyInterpreter),
				Why: whyIndex,
				Opts: uvCommon + `-r,--requirements,--requirement=data -c,--constraints,--constraint=data -e,--editable=data --no-deps -U,--upgrade
					--reinstall --require-hashes --strict --dry-run --all-extras --extra=name --group=name -p,--python=data --no-build-isolation --pre
					--resolution=name --no-binary=data --only-binary=data ~--system ~--break-system-packages ~--target ~--prefix ~-i,--index-url
					~--extra-index-url ~--index ~--default-index ~-f,--find-links`}},
			row{"sync", grammar.Spec{Class: grammar.Install, Needs: registry, Args: "code+", Judge: pyInterpreter,
				Opts: uvCommon + "-p,--python=data --require-hashes --reinstall --strict --dry-run"}},
			row{"compile", grammar.Spec{Class: grammar.Install, Needs: registry, Args: "code+", Judge: pyInterpreter,
				Opts: uvCommon + `-o,--output-file=write -U,--upgrade --generate-hashes --all-extras --extra=name --universal --no-header --no-annotate
					-p,--python=data --no-strip-extras`}},
			row{"uninstall", asked("it takes packages away that others may need")})}},
		row{"build", grammar.Spec{Class: run, Args: "code?", Judge: pyInterpreter, Opts: uvCommon + `--sdist --wheel -o,--out-dir=write
			--package=name --all-packages --no-build-isolation --no-sources -p,--python=data --no-build-logs --list`}},
		row{"venv", venv},
		row{"version", grammar.Spec{Class: inspect, Opts: uvCommon + "--short --output-format=name --dry-run"}},
		row{"help", grammar.Spec{Class: inspect, Args: "name*"}},
		row{"python", grammar.Spec{Class: inspect,
			Subs: table(row{"list find dir", grammar.Spec{Class: inspect, Opts: uvCommon + "--only-installed --all-versions --show-version --system",
				Args: "data?"}}), SubElse: ptr(asked(whyGlobal))}},
		row{"cache", grammar.Spec{Class: inspect, Subs: table(row{"dir prune", grammar.Spec{Class: inspect, Opts: "--ci"}}),
			SubElse: ptr(asked(whyGlobal))}},
		row{"tool", grammar.Spec{Class: inspect, Why: whyFetch, Subs: table(row{"list dir", grammar.Spec{Class: inspect, Opts: "--show-paths"}},
			row{"run", grammar.Spec{Class: run, Whole: uvx}}), SubElse: ptr(asked(whyGlobal))}},
		row{"add remove init", asked(whyAdd)},
		row{"publish auth", denied(whyPublish)},
		row{"self generate-shell-completion format", asked(whyGlobal)},
	)
}

// uvRun reads the options of uv run, then a command, a module or a script.
func uvRun(m *grammar.Match) {
	rule := m.Rule
	adopt(m, uvRunTable().Parse(m.Words))
	m.Rule = rule
	pyInterpreter(m)
	for i, u := range m.Uses {
		t, ok := u.Word.Text()
		switch {
		case u.Kind != grammar.Command || !ok:
		case u.Via != "": // -m
			m.Uses[i].Word, m.Uses[i].Rest = grammar.Lit("python"), append([]grammar.Word{grammar.Lit("-m"), u.Word}, u.Rest...)
		case t == "-":
			m.StdinCode = true
			m.Ask(".inline", whyInline)
		case path.Ext(t) == ".py": // a script is handed to python
			m.Uses[i].Word, m.Uses[i].Rest = grammar.Lit("python"), append([]grammar.Word{u.Word}, u.Rest...)
		}
	}
}

var pyVersion = regexp.MustCompile(`^(cpython|python|pypy|pp|cp|py)?[-@]?\d*(\.\d+)*t?$|^(>=?|==|~=)\d[\d.]*$`)

// pyInterpreter judges the choice of an interpreter: by version, or one of the tree.
func pyInterpreter(m *grammar.Match) {
	eachOption(m, func(v string) {
		if pyVersion.MatchString(v) {
			return
		}
		m.Use(grammar.Code, grammar.Lit(v), "interpreter")
		if !strings.HasSuffix(path.Dir(v), "venv/bin") {
			m.Ask(".interpreter", v+" would be run as the interpreter; name a version such as 3.12")
		}
	}, "-p", "--python")
}

// pyLocal are the tools that uvx may run: well-known ones with a table that only read the tree.
var pyLocal = grammar.Set(`ruff black isort mypy pyright pytest flake8 pylint codespell bandit vulture tox nox pre-commit yamllint deptry
	interrogate ty basedpyright coverage`)

// uvx is "uvx TOOL" and "pipx run TOOL". They fetch the tool, so only known names are delegated to a table.
func uvx(m *grammar.Match) {
	ws := m.Words
	if len(ws) > 0 && ws[0].Is("run") {
		ws = ws[1:]
	} else if len(ws) > 0 && (ws[0].Is("list") || ws[0].Is("--version") || ws[0].Is("--help")) && len(ws) == 1 {
		m.Class = grammar.Inspect
		return
	}
	if len(ws) > 0 {
		if t, ok := ws[0].Text(); ok && pyLocal[t] {
			m.Needs = append(m.Needs, grammar.NeedRegistry)
			m.Uses = append(m.Uses, grammar.Use{Kind: grammar.Command, Word: ws[0], Rest: ws[1:]})
			return
		}
	}
	m.Ask(".fetch", whyFetch)
}

// pyRun makes a reader for "poetry run X": options of the packager first, then a command or a script of the project.
func pyRun(opts string) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		ws := m.Words
		for len(ws) > 0 {
			t, ok := ws[0].Text()
			if !ok || !strings.HasPrefix(t, "-") {
				break
			}
			if !grammar.Set(opts + " -v -q --verbose --quiet --")[t] {
				m.Ask(".option", "the option "+t+" before the command is not among those that may be used unattended")
				return
			}
			ws = ws[1:]
		}
		pyCommand(m, ws)
	}
}

// pyCommand continues with the command's own table. A name without a table may be a script that the project declares.
func pyCommand(m *grammar.Match, ws []grammar.Word) {
	if len(ws) == 0 {
		m.Ask(".operand", "the command to run is missing")
		return
	}
	t, ok := ws[0].Text()
	switch {
	case ok && path.Ext(t) == ".py":
		command(m, "python", ws, "run")
	case ok && pyScripts[t]:
		m.Use(grammar.Name, ws[0], "script")
		scriptArgs(m, ws[1:], true)
	default:
		m.Uses = append(m.Uses, grammar.Use{Kind: grammar.Command, Word: ws[0], Rest: ws[1:]})
	}
}

// pyScripts are names of projects' own scripts that are no names of programs.
var pyScripts = grammar.Set(`unit integration unittest tests lint linting typecheck typing types type-check check checks style fmt format
	formatting docs doc doc-build docs-build build-docs cov cov-report coverage-report test-cov test-all all ci start serve-test dev
	start-dev migrate seed benchmark bench generate gen codegen examples e2e smoke clean-build all-checks pre-push static audit-deps cov-html`)

// pyScript is "pdm NAME": a script of the project.
func pyScript(m *grammar.Match) {
	if len(m.Words) == 0 {
		m.Class = grammar.Inspect
		return
	}
	pdmRun(m)
}

// pdmRun is "pdm run NAME": a script of the project, or a tool.
func pdmRun(m *grammar.Match) {
	ws := m.Words
	for len(ws) > 0 && (ws[0].Is("-v") || ws[0].Is("--verbose") || ws[0].Is("-l") || ws[0].Is("--list") || ws[0].Is("--no-sync")) {
		ws = ws[1:]
	}
	if len(ws) == 0 {
		m.Class = grammar.Inspect
		return
	}
	if t, ok := ws[0].Text(); ok && (t == "test" || t == "build" || t == "install") {
		m.Use(grammar.Name, ws[0], "script") // "test" is also a program of the system; here it is a script of the project
		scriptArgs(m, ws[1:], true)
		return
	}
	pyCommand(m, ws)
}

func poetrySubs() subs {
	run, inspect := grammar.Run, grammar.Inspect
	registry := []grammar.Need{grammar.NeedRegistry}
	groups := ` --without=data --with=data --only=data --sync --no-root --no-directory --dry-run -E,--extras=data --all-extras --all-groups
		--only-root --compile --no-dev `
	return table(
		row{"install sync", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: poetryCommon + groups}},
		row{"lock", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: poetryCommon + "--no-update --regenerate --check"}},
		row{"update", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: poetryCommon + groups + "--lock", Args: "package*"}},
		row{"run", grammar.Spec{Class: run, Whole: pyRun("-n --no-interaction --no-ansi --no-plugins")}},
		row{"build", grammar.Spec{Class: run, Opts: poetryCommon + "-f,--format=name -o,--output=write --clean --local-version=data"}},
		row{"check show version about list help", grammar.Spec{Class: inspect, Opts: poetryCommon + `--lock --strict -t,--tree -l,--latest
			-o,--outdated -a,--all -T,--top-level --without=data --with=data --only=data --why --no-truncate --format=name -s,--short --dry-run`,
			Args: "name?"}},
		row{"env", grammar.Spec{Class: inspect, Opts: poetryCommon,
			Subs:    table(row{"info list", grammar.Spec{Class: inspect, Opts: poetryCommon + "-p,--path -e,--executable --full-path"}}),
			SubElse: ptr(asked(whyGlobal))}},
		row{"export", grammar.Spec{Class: inspect, Opts: poetryCommon + poetryGroups() + `-f,--format=name -o,--output=write --without-hashes
			--without-urls`}},
		row{"config", asked("the settings of poetry may hold credentials of an index")},
		row{"add remove init new", asked(whyAdd)},
		row{"publish", denied(whyPublish)},
		row{"self source cache shell", asked(whyGlobal)},
	)
}

func poetryGroups() string {
	return " --without=data --with=data --only=data -E,--extras=data --all-extras --all-groups --dev "
}

func pdmSubs() subs {
	run, inspect := grammar.Run, grammar.Inspect
	registry := []grammar.Need{grammar.NeedRegistry}
	opts := `-v,--verbose -q,--quiet -p,--project=code -G,--group=data --with=data --without=data -d,--dev --prod,--production --no-default
		--no-self --no-editable --no-isolation --check --frozen-lockfile,--no-lock -L,--lockfile=code --dry-run --clean --update-reuse --refresh `
	return table(
		row{"install sync lock", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: opts}},
		row{"update", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: opts, Args: "package*"}},
		row{"run", grammar.Spec{Class: run, Whole: pdmRun}},
		row{"test", grammar.Spec{Class: run, Whole: func(m *grammar.Match) { scriptArgs(m, m.Words, true) }}},
		row{"build", grammar.Spec{Class: run, Opts: "-v,--verbose -d,--dest=write --no-sdist --no-wheel --no-isolation --no-clean"}},
		row{"list show info outdated", grammar.Spec{Class: inspect, Opts: `--tree --graph --json --freeze --fields=data --env --packages --python
			--where`, Args: "name*"}},
		row{"add remove init new import use", asked(whyAdd)},
		row{"publish", denied(whyPublish)},
		row{"config self plugin cache venv python fix", asked(whySettings)},
	)
}

func hatchSubs() subs {
	run, inspect := grammar.Run, grammar.Inspect
	return table(
		row{"run", grammar.Spec{Class: run, Whole: hatchRun}},
		row{"test", grammar.Spec{Class: run, Opts: `-r,--randomize -p,--parallel -c,--cover --cover-quiet -a,--all -s,--show -py,--python=name
			--retries=number --retry-delay=number -x=data -i,--include=data`, Args: "data*", Judge: posargs}},
		row{"fmt", grammar.Spec{Class: grammar.Change, Opts: "--check -l,--linter -f,--formatter --preview -s,--sync", Args: "write*"}},
		row{"build", grammar.Spec{Class: run, Opts: "-t,--target=name --hooks-only --no-hooks -c,--clean --clean-hooks-after --ext",
			Args: "write?"}},
		row{"version status", grammar.Spec{Class: inspect}},
		row{"dep", grammar.Spec{Class: inspect, Subs: table(row{"show hash", grammar.Spec{Class: inspect, Args: "name*", Opts: `-p,--project-only
			-e,--env-only -f,--feature=name --all --ascii`}})}},
		row{"env", grammar.Spec{Class: inspect, Subs: table(row{"show find create", grammar.Spec{Class: inspect, Args: "name*",
			Opts: "--ascii --json -i,--internal"}}), SubElse: ptr(asked(whyGlobal))}},
		row{"publish", denied(whyPublish)},
		row{"config self python shell new", asked(whySettings)},
	)
}

// hatchRun takes "env:script" as well as a command.
func hatchRun(m *grammar.Match) {
	if len(m.Words) > 0 {
		if t, ok := m.Words[0].Text(); ok {
			_, name, found := strings.Cut(t, ":")
			if found && (systemNames[name] || pyTools[name]) {
				pyCommand(m, append([]grammar.Word{grammar.Lit(name)}, m.Words[1:]...))
				return
			}
			if found && name != "" && !strings.ContainsAny(name, " /") {
				m.Use(grammar.Name, m.Words[0], "script")
				scriptArgs(m, m.Words[1:], true)
				return
			}
			if t == "test" {
				m.Use(grammar.Name, m.Words[0], "script")
				scriptArgs(m, m.Words[1:], true)
				return
			}
		}
	}
	pyCommand(m, m.Words)
}
