package lang

import (
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const (
	pipCommon = ` -v,--verbose -q,--quiet --disable-pip-version-check --no-color --no-input --isolated --require-virtualenv --no-cache-dir
		--cache-dir=write --log=write --progress-bar=on|off|raw --root-user-action=name --use-feature=name --use-deprecated=name
		--retries=number --timeout=number --exists-action=name -h,--help -V,--version --debug
		!--python !--proxy !--trusted-host !--cert !--client-cert ~--keyring-provider `
	pipInstall = pipCommon + ` -r,--requirement=data -c,--constraint=data -e,--editable=data --no-deps -U,--upgrade --upgrade-strategy=name
		--force-reinstall -I,--ignore-installed --no-build-isolation --use-pep517 --no-compile --compile --no-warn-script-location
		--no-warn-conflicts --prefer-binary --require-hashes --no-clean --pre --only-binary=data --no-binary=data --check-build-dependencies
		--dry-run --report=write --group=data --no-index -t,--target=write ~--user ~--break-system-packages ~--root ~--prefix ~-i,--index-url
		~--extra-index-url ~-f,--find-links
		~--global-option ~-C,--config-settings ~--src ~--ignore-requires-python --config-setting=data `
	whyIndex = "packages come from the registry that the operator chose; leave the option out"
)

func pythonPackagers() []grammar.Program {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	registry := []grammar.Need{grammar.NeedRegistry}
	return []grammar.Program{
		tool("pip pip3 pip3.9 pip3.10 pip3.11 pip3.12 pip3.13 pip3.14", grammar.Spec{Class: inspect, Opts: pipCommon, Subs: pipSubs(),
			SubElse: &grammar.Spec{Class: inspect}}),
		tool("uv", grammar.Spec{Class: run, Opts: uvCommon, Subs: uvSubs(), SubElse: &grammar.Spec{Class: inspect}}),
		tool("uvx pipx", grammar.Spec{Class: run, Whole: uvx}),
		tool("poetry", grammar.Spec{Class: run, Opts: poetryCommon, Subs: poetrySubs(), SubElse: &grammar.Spec{Class: inspect}}),
		tool("pdm", grammar.Spec{Class: run,
			Opts: "-V,--version -h,--help -c,--config=code -v,--verbose -q,--quiet -I,--ignore-python --no-cache", Subs: pdmSubs(),
			SubElse: ptr(grammar.Spec{Class: run, Whole: pyScript})}),
		tool("hatch", grammar.Spec{Class: run, Opts: "-e,--env=name -v,--verbose -q,--quiet --color --no-color --version -h,--help",
			Subs: hatchSubs(), SubElse: &grammar.Spec{Class: inspect}}),
		tool("rye", grammar.Spec{Class: run, Opts: "--version", Subs: table(
			row{"sync lock", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: `-f,--force --no-dev --no-lock -v,--verbose -q,--quiet
				--pyproject=code --features=data --all-features`}},
			row{"run", grammar.Spec{Class: run, Whole: pyRun("")}},
			row{"test", grammar.Spec{Class: run, Opts: "-a,--all -p,--package=name -v,--verbose -q,--quiet", Args: "data*", Judge: posargs}},
			row{"lint", grammar.Spec{Class: inspect, Opts: "-a,--all --fix --ignore=data", Args: "read*", Judge: fixes("--fix")}},
			row{"fmt", grammar.Spec{Class: change, Opts: "-a,--all --check", Args: "read*", Judge: checkOnly("--check")}},
			row{"show list version", grammar.Spec{Class: inspect}},
			row{"build", grammar.Spec{Class: run, Opts: "-s,--sdist -w,--wheel -a,--all -o,--out=write -c,--clean"}},
			row{"publish", denied(whyPublish)}, row{"add remove", asked(whyAdd)}, row{"install tools self fetch toolchain pin config",
				asked(whyGlobal)})}),
		tool("pipenv", grammar.Spec{Class: run, Opts: "--version --where --venv --envs", Subs: table(
			row{"install sync", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: `-d,--dev --deploy --ignore-pipfile -v,--verbose
				--categories=name --clear`, Args: ""}},
			row{"run", grammar.Spec{Class: run, Whole: pyRun("")}}, row{"lock", grammar.Spec{Class: grammar.Install, Needs: registry,
				Opts: "-d,--dev --clear -v,--verbose"}},
			row{"graph check verify", grammar.Spec{Class: inspect, Opts: "--json --bare --reverse"}}, row{"shell open", asked(whyWatch)}),
			SubElse: &grammar.Spec{Class: inspect}}),
		tool("pip-compile pip-sync", grammar.Spec{Class: grammar.Install, Needs: registry, Args: "code*", Opts: `-o,--output-file=write
			-U,--upgrade -q,--quiet -v,--verbose --generate-hashes --no-header --strip-extras --allow-unsafe --resolver=name --all-extras
			--extra=name --no-emit-index-url --annotation-style=name -n,--dry-run --no-strip-extras --no-annotate ~-i,--index-url
			~--extra-index-url ~--pip-args ~-f,--find-links`, Why: whyIndex}),
		tool("virtualenv", grammar.Spec{Class: run, Args: "write", Judge: pyInterpreter, Opts: `-p,--python=data --system-site-packages
			--no-download --prompt=name -q,--quiet -v,--verbose ~--clear ~--download ~--extra-search-dir ~--app-data`, Why: whyGlobal}),
		tool("pyproject-build", grammar.Spec{Class: run, Args: "code?", Judge: func(m *grammar.Match) {
			if !m.Has("--no-isolation") {
				m.Needs = append(m.Needs, grammar.NeedRegistry)
			}
		}, Opts: `-s,--sdist -w,--wheel -o,--outdir=write -n,--no-isolation -x,--skip-dependency-check -v,--verbose -V,--version --installer=name
			~-C,--config-setting`, Why: whyIndex}),
		tool("twine", grammar.Spec{Class: inspect, Subs: table(row{"check", grammar.Spec{Class: inspect, Args: "read+", Opts: "--strict"}},
			row{"upload register", denied(whyPublish)})}),
		program(python, "conda mamba micromamba", grammar.Spec{Class: inspect, Why: whyGlobal,
			Subs:    table(row{"list info", grammar.Spec{Class: inspect, Opts: "--json -n,--name=name", Args: "name*"}}),
			SubElse: ptr(asked(whyGlobal))}),
		tool("easy_install", asked(whyAdd)),
	}
}

func pipSubs() subs {
	inspect := grammar.Inspect
	registry := []grammar.Need{grammar.NeedRegistry}
	return table(
		row{"install", grammar.Spec{Class: grammar.Install, Opts: pipInstall, Args: "data*", Needs: registry, Judge: pipWords, Why: whyIndex}},
		row{"download wheel", grammar.Spec{Class: grammar.Install, Opts: pipInstall + `-d,--dest=write -w,--wheel-dir=write --platform=name
			--python-version=name --implementation=name --abi=name`, Args: "data*", Needs: registry, Judge: pipWords, Why: whyIndex}},
		row{"list", grammar.Spec{Class: inspect, Opts: pipCommon + `-o,--outdated -u,--uptodate -e,--editable -l,--local --format=name
			--not-required --exclude-editable --include-editable --exclude=name --pre --path=read --user`, Judge: func(m *grammar.Match) {
			if m.Has("--outdated", "--uptodate") {
				m.Needs = append(m.Needs, grammar.NeedRegistry)
			}
		}}},
		row{"show", grammar.Spec{Class: inspect, Opts: pipCommon + "-f,--files", Args: "name+"}},
		row{"check", grammar.Spec{Class: inspect, Opts: pipCommon}},
		row{"freeze", grammar.Spec{Class: inspect, Opts: pipCommon + `-r,--requirement=read -l,--local --all --exclude-editable --exclude=name
			--path=read --user`}},
		row{"inspect", grammar.Spec{Class: inspect, Opts: pipCommon + "--local --user --path=read"}},
		row{"help", grammar.Spec{Class: inspect, Opts: pipCommon, Args: "name?"}},
		row{"hash", grammar.Spec{Class: inspect, Opts: pipCommon + "-a,--algorithm=name", Args: "read+"}},
		row{"index", grammar.Spec{Class: inspect, Needs: registry,
			Subs: table(row{"versions", grammar.Spec{Class: inspect, Opts: pipCommon + "--pre --json", Args: "package"}})}},
		row{"config", asked("the settings of pip may hold credentials of an index")},
		row{"cache", grammar.Spec{Class: inspect, Subs: table(row{"list dir info", grammar.Spec{Class: inspect, Opts: pipCommon}}),
			SubElse: ptr(asked(whySettings))}},
		row{"uninstall", asked("it takes packages away that others may need")},
		row{"search lock", asked(whyAdd)},
	)
}

// pipWords judges what pip installs: the project itself and its lists of requirements are allowed, other names are new.
func pipWords(m *grammar.Match) {
	eachOption(m, func(v string) {
		if strings.Contains(v, "://") || strings.Contains(v, "@") {
			m.Ask(".fetch", v+" is fetched from elsewhere; "+whyAdd)
			return
		}
		m.Use(grammar.Code, grammar.Lit(withoutExtras(v)), "requirements")
	}, "-r", "--requirement", "-c", "--constraint", "-e", "--editable")
	for _, w := range dropOperands(m, 0) {
		t, ok := w.Text()
		switch {
		case !ok:
			m.Use(grammar.Code, w, "package")
		case (strings.HasPrefix(t, ".") || strings.HasPrefix(t, "/")) && !strings.Contains(t, "://"):
			m.Use(grammar.Code, grammar.Lit(withoutExtras(t)), "package")
		case strings.Contains(t, "/") && (strings.HasSuffix(t, ".whl") || strings.HasSuffix(t, ".tar.gz")) && !strings.Contains(t, "@"):
			m.Use(grammar.Code, w, "package")
		case pipOwn[t]:
		default:
			m.Ask(".package", t+" may be new to the project; "+whyAdd+" (or install with -r requirements.txt or -e .)")
		}
	}
}

// pipOwn are the packagers' own packages, which are no dependencies of the project.
var pipOwn = grammar.Set("pip setuptools wheel")

// withoutExtras returns "." for ".[dev,test]".
func withoutExtras(t string) string {
	if i := strings.IndexByte(t, '['); i > 0 && strings.HasSuffix(t, "]") {
		return t[:i]
	}
	return t
}

// setup.py still runs tests and builds in old projects.
var setupTable = sync.OnceValue(func() *grammar.Table {
	run, inspect := grammar.Run, grammar.Inspect
	return mustCompile(program(python, "setup.py", grammar.Spec{Class: run, Opts: `--name --version -q,--quiet -v,--verbose -h,--help
		--help-commands`, Why: whyPublish, Subs: table(
		row{"test check build build_ext build_py build_clib egg_info sdist bdist_wheel bdist",
			grammar.Spec{Class: run, Opts: `-q,--quiet -v,--verbose -i,--inplace -f,--force -d,--dist-dir=write -b,--build-base=write
				--build-lib=write --formats=name --universal --debug -j,--parallel=number`, Args: "name*", Judge: setupWords}},
		row{"develop", grammar.Spec{Class: grammar.Install, Opts: "--no-deps ~--user ~-i", Needs: []grammar.Need{grammar.NeedRegistry}}},
		row{"install", asked(whyGlobal)}, row{"upload register upload_docs", denied(whyPublish)}),
		SubElse: &grammar.Spec{Class: inspect}}))
})

// setupWords judges further commands on the same line.
func setupWords(m *grammar.Match) {
	for _, i := range m.Operands() {
		switch t := m.Uses[i].Word.String(); t {
		case "upload", "register", "upload_docs":
			m.Deny(".publish", whyPublish)
		case "install", "develop", "easy_install":
			m.Ask(".install", whyGlobal)
		}
	}
}
