package lang

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const pytestOpts = ` -v,--verbose -q,--quiet -x,--exitfirst -s -l,--showlocals --no-showlocals -k=data -m=data -r=data --maxfail=number
	--tb=data --durations=number --durations-min=data --lf,--last-failed --ff,--failed-first --nf,--new-first --lfnf=name --sw,--stepwise
	--stepwise-skip --sw-skip --stepwise-reset --sw-reset --cache-show?=data --cache-clear --collect-only,--co --collect-in-virtualenv
	--import-mode=prepend|append|importlib --ignore=data --ignore-glob=data --deselect=data --capture=data --show-capture=data --strict
	--strict-markers --strict-config -c,--config-file=code --rootdir=code --confcutdir=code --noconftest --keepduplicates
	--continue-on-collection-errors --junitxml,--junit-xml=write --junitprefix,--junit-prefix=name --basetemp=remove -V,--version -h,--help
	--markers --fixtures --funcargs --fixtures-per-test --setup-only --setup-show --setup-plan --disable-warnings --disable-pytest-warnings
	--no-header --no-summary --color=yes|no|auto --code-highlight=yes|no --full-trace --runxfail --trace-config --force-short-summary
	--xfail-tb --fold-skipped --no-fold-skipped --verbosity=number -W,--pythonwarnings=data -o,--override-ini=data -p=data --doctest-modules
	--doctest-glob=data --doctest-report=name --doctest-ignore-import-errors --doctest-continue-on-failure --assert=plain|rewrite ~--pyargs
	--log-level=name --log-format=data --log-date-format=data --log-cli-level=name --log-cli-format=data --log-cli-date-format=data
	--log-file=write --log-file-level=name --log-file-mode=w|a --log-auto-indent=name --log-disable=name
	~--pdb ~--trace ~--pdbcls ~--debug ~--pastebin -n,--numprocesses=data --dist=name --maxprocesses=number --max-worker-restart=number
	--looponfail --no-loadscope-reorder --cov?=data --cov-report=data --cov-config=code --cov-fail-under=number --cov-append --cov-branch
	--no-cov --no-cov-on-fail --cov-context=name --cov-reset --timeout=data --timeout-method=name --session-timeout=data --reruns=number
	--reruns-delay=data --only-rerun=data --rerun-except=data --asyncio-mode=name --randomly-seed=data --random-order
	--random-order-bucket=name --random-order-seed=number --benchmark-only --benchmark-skip --benchmark-disable --benchmark-enable
	--benchmark-autosave --benchmark-compare?=data --benchmark-json=write --benchmark-min-rounds=number --snapshot-update --snapshot-details
	--snapshot-warn-unused --inline-snapshot=data --force-regen --regen-all --update-snapshots --allow-snapshot-deletion
	--hypothesis-show-statistics --hypothesis-seed=data --hypothesis-profile=name --hypothesis-verbosity=name --hypothesis-explain --reuse-db
	--create-db --nomigrations --no-migrations --migrations --ds=name --dc=name --django-debug-mode=name --fail-on-template-vars
	--liveserver=local --html=write --self-contained-html --json-report --json-report-file=write --report-log=write --mypy --ruff --flake8
	--black --isort --pylint --nbval --nbmake --picked?=name --testmon --testmon-noselect --count=number --repeat-scope=name --forked
	--headless --browser=name --splits=number --group=number --durations-path=code --store-durations --runslow --slow
	--run-slow --integration --runintegration --e2e --unit `

var pytestPlugin = regexp.MustCompile(`^(no:[\w.-]+|cacheprovider|xdist|xdist\.plugin|pytest_cov|pytest_cov\.plugin|pytest_asyncio` +
	`|pytest_asyncio\.plugin|pytest_mock|pytest_timeout|pytest_django|pytest_randomly|pytest_benchmark|pytest_benchmark\.plugin` +
	`|hypothesispytest|pytester|doctest|terminal|randomly|anyio|asyncio|django)$`)

// pyTools are the names below, for "python .venv/bin/pytest" and the like.
var pyTools = grammar.Set(`pytest py.test mypy ruff black coverage pip flake8 pylint isort pyright tox nox bandit alembic django-admin flask
	mkdocs sphinx-build pre-commit twine uvicorn gunicorn celery`)

func tool(names string, s grammar.Spec) grammar.Program {
	return program(python, under(names, venvs...), s)
}

func pythonTools() []grammar.Program {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	return []grammar.Program{
		tool("pytest py.test", grammar.Spec{Class: run, Opts: pytestOpts, Args: "code*", Judge: judges(strip("::"), pytest,
			configNamed("pytest", "tox.ini", "setup.cfg", "pyproject"))}),
		tool("ruff", grammar.Spec{Class: inspect, Opts: ruffGlobal + "-V,--version", Subs: ruffSubs(), SubElse: &grammar.Spec{Class: inspect}}),
		tool("black", grammar.Spec{Class: inspect, Args: "read*", Judge: checkOnly("--check", "--diff", "--version", "--help"),
			Opts: `--check --diff --color --no-color -q,--quiet -v,--verbose -l,--line-length=number -t,--target-version=name
				-S,--skip-string-normalization -C,--skip-magic-trailing-comma --preview --unstable --fast --safe --pyi --ipynb -W,--workers=number
				--include=data --exclude=data --extend-exclude=data --force-exclude=data --config=read --stdin-filename=read --required-version=data
				--line-ranges=data --enable-unstable-feature=name --version -h,--help --no-cache -c,--code=data`}),
		tool("isort", grammar.Spec{Class: inspect, Args: "read*", Judge: checkOnly("-c", "-d", "--version"),
			Opts: `-c,--check,--check-only -d,--diff -q,--quiet -v,--verbose --version -V,--vn,--version-number --profile=name
				--sp,--settings-path,--settings-file,--settings=read --skip=data --sg,--skip-glob=data --gitignore --atomic
				-l,-w,--line-length,--line-width=number -m,--multi-line=name -p,--project=name -o,--thirdparty=name --src,--src-path=read
				--float-to-top --fss,--force-sort-within-sections --color --jobs=number --show-files --show-settings --show-config --filter-files
				--stdout --tc,--trailing-comma -e,--balanced`}),
		tool("flake8", grammar.Spec{Class: run, Args: "read*",
			Opts: `-v,--verbose -q,--quiet --count --color=auto|always|never --exclude=data --extend-exclude=data --filename=data --format=data
				--hang-closing --ignore=data --extend-ignore=data --per-file-ignores=data --max-line-length=number --max-doc-length=number
				--indent-size=number --select=data --extend-select=data --disable-noqa --show-source --no-show-source --statistics --exit-zero
				-j,--jobs=data --tee --output-file=write --max-complexity=data --config=code --append-config=code --isolated --version -h,--help
				--benchmark --doctests --stdin-display-name=name --enable-extensions=data --require-plugins=name --bug-report --builtins=data
				--docstring-convention=name --import-order-style=name --application-import-names=data`}),
		tool("pylint", grammar.Spec{Class: run, Args: "read*", Judge: checkInit, Why: whyInline,
			Opts: `--rcfile=code -j,--jobs=number -d,--disable=data -e,--enable=data -f,--output-format=name -r,--reports=name -s,--score=name
				-E,--errors-only --fail-under=number --fail-on=data --load-plugins=name --ignore=data --ignore-patterns=data --ignore-paths=data
				--recursive=y|n|yes|no --msg-template=data --max-line-length=number --disable-all --verbose -v --version -h,--help --list-msgs
				--list-msgs-enabled --generate-rcfile --exit-zero --persistent=y|n --extension-pkg-allow-list=name --generated-members=data
				--good-names=data --output=write --source-roots=code --py-version=name --from-stdin --max-args=number --errors-only-mode
				!--init-hook`}),
		tool("mypy dmypy", grammar.Spec{Class: run, Args: "data*", Judge: mypyFiles,
			Why:  "it fetches and installs; add the stubs to the manifest",
			Opts: mypyOpts}),
		tool("pyright basedpyright ty", grammar.Spec{Class: run, Args: "data*", Judge: mypyFiles, Why: whyWatch,
			Opts: `-p,--project=code --outputjson --verbose --stats --warnings --level=name --pythonversion=name --pythonplatform=name
				--pythonpath=code -v,--venvpath,--venv-path=code -t,--typeshedpath,--typeshed-path=code --skipunannotated --dependencies
				--ignoreexternal --verifytypes=name --createstub=name --threads?=number --version -h,--help ~-w,--watch --error-format=name
				--python=code --python-version=name --exit-zero --output-format=name -q,--quiet`}),
		tool("coverage", grammar.Spec{Class: run, Subs: coverageSubs(), Opts: "--version --help", SubElse: &grammar.Spec{Class: inspect}}),
		tool("tox", grammar.Spec{Class: run, Args: "data*", Judge: judges(toxWords, configNamed("tox", "pyproject", "setup.cfg")), Why: whyExec,
			Opts: toxOpts}),
		tool("nox", grammar.Spec{Class: run, Args: "data*", Judge: judges(posargs, configNamed("nox")),
			Opts: `-s,-e,--sessions,--session=name -k,--keywords=data -t,--tags=name -p,--pythons,--python=number -l,--list,--list-sessions
				-r,--reuse-existing-virtualenvs -R -N,--no-reuse-existing-virtualenvs --no-venv --reuse-venv=name -f,--noxfile=code --envdir=write
				--install-only --no-install -x,--stop-on-first-error --error-on-missing-interpreters --error-on-external-run --report=write
				-v,--verbose --non-interactive --nocolor --forcecolor --version -h,--help --json --usage=name --default-venv-backend=name
				--force-venv-backend=name -db=name -fb=name --add-timestamp --extra-pythons=name -P,--force-pythons,--force-python=name`}),
		tool("bandit", grammar.Spec{Class: inspect, Args: "read*", Opts: `-r,--recursive -a,--aggregate=name -n,--number=number
			-c,--configfile=read -p,--profile=name -t,--tests=data -s,--skip=data -l,--level -i,--confidence -f,--format=name -o,--output=write
			-v,--verbose -d,--debug -q,--quiet,--silent --ignore-nosec -x,--exclude=data -b,--baseline=read --ini=read --exit-zero --version
			--severity-level=name --confidence-level=name --msg-template=data`}),
		tool("pyflakes pycodestyle pydocstyle vulture radon interrogate deptry djlint", grammar.Spec{Class: inspect, Args: "data*",
			Judge: readable, Why: whyExec,
			Opts: `-v,-vv,--verbose -q,--quiet --max-line-length=number --ignore=data --select=data --exclude=data --config=code --count
				--statistics --show-source --show-pep8 --first --min-confidence=number --sort-by-size --make-whitelist --convention=name
				--add-ignore=data --match=data --match-dir=data -s,--show-complexity -a,--average -n,--min=name -x,--max=name -j,--json -nc -i=data
				-e=data --fail-under=number -c=code -d=data -f,--format=name --strict --check --lint --profile=name --extend-exclude=data --version`}),
		tool("yapf autopep8 autoflake pyupgrade docformatter", grammar.Spec{Class: inspect, Args: "read*",
			Judge: judges(fixes("-i", "-w", "--py3-plus", "--py36-plus", "--py37-plus", "--py38-plus", "--py39-plus", "--py310-plus", "--py311-plus",
				"--py312-plus")),
			Opts: `-i,--in-place -w,--write-changes -d,--diff -r,--recursive -p,--parallel -e=data --exclude=data --style=read --no-local-style
				-a,--aggressive --max-line-length=number --ignore=data --select=data --remove-all-unused-imports --remove-unused-variables
				--imports=data --expand-star-imports --ignore-init-module-imports -c,--check --check-diff --py3-plus --py36-plus --py37-plus
				--py38-plus --py39-plus --py310-plus --py311-plus --py312-plus --keep-percent-format --exit-zero-even-if-changed --exit-code
				-S,--skip=data -L,--ignore-words-list=data -I=read --ignore-words=read -q,--quiet-level=data --version -v,--verbose
				--wrap-summaries=number --wrap-descriptions=number -f,--check-filenames -H,--check-hidden --builtin=data -C,--context=number`}),
		tool("behave", grammar.Spec{Class: run, Args: "code*", Judge: strip(":"), Opts: `-t,--tags=data -n,--name=data -k,--no-skipped
			-f,--format=name -o,--outfile=write --no-capture --no-color --stop -d,--dry-run -i,--include=data -e,--exclude=data -D,--define=data
			--junit --junit-directory=write --show-timings -v,--verbose -w,--wip --lang=name -s,--no-source -q,--quiet`}),
		tool("sphinx-build", grammar.Spec{Class: run, Args: "code write read*", Why: whyInline, Style: grammar.Posix,
			Opts: `-b,--builder=name -M=name -a,--write-all -E,--fresh-env -d,--doctree-dir=write -j,--jobs=data -c,--conf-dir=code -C,--isolated
				-D,--define=data -A,--html-define=data -t,--tag=name -n,--nitpicky -v,--verbose -q,--quiet -Q,--silent -w,--warning-file=write
				-W,--fail-on-warning --keep-going -T,--show-traceback -N,--no-color --color --version -h,--help ~-P,--pdb`, Judge: sphinxDefine}),
		tool("mkdocs", grammar.Spec{Class: run, Subs: table(
			row{"build", grammar.Spec{Class: run, Opts: `-c,--clean --dirty -f,--config-file=code -s,--strict --no-strict -t,--theme=name
				-d,--site-dir=write -q,--quiet -v,--verbose --use-directory-urls --no-directory-urls`}},
			row{"new", grammar.Spec{Class: change, Args: "write"}},
			row{"get-deps", grammar.Spec{Class: inspect, Opts: "-f,--config-file=code"}},
			row{"serve", asked(whyServe)}, row{"gh-deploy", denied(whyPublish)})}),
		program(python, "pydoc pydoc3", grammar.Spec{Class: inspect, Args: "name*", Opts: "-k=data ~-b ~-p ~-n ~-w", Why: whyServe}),
		tool("pipdeptree", grammar.Spec{Class: inspect, Opts: `-p,--packages=data -r,--reverse --json --json-tree -l,--local-only -a,--all
			-w,--warn=name -d,--depth=number -e,--exclude=data`}),
		tool("pytype check-manifest pyre", grammar.Spec{Class: run, Whole: func(m *grammar.Match) { scriptArgs(m, m.Words, true) }}),
		tool("sqlfluff",
			grammar.Spec{Class: run, Subs: table(row{"lint", grammar.Spec{Class: inspect, Args: "read*", Opts: `--dialect=name -f,--format=name
				-r,--rules=data -p=number --nofail`}}, row{"fix format", grammar.Spec{Class: change, Args: "write*", Opts: `--dialect=name -f,--force
					-r,--rules=data -p=number`}}, row{"version", grammar.Spec{Class: inspect}})}),
		tool("robot", grammar.Spec{Class: run, Args: "code+", Opts: `--dryrun -d,--outputdir=write -i,--include=data -e,--exclude=data
			-t,--test=data -s,--suite=data -L,--loglevel=name -v,--variable=data`}),
		tool("pip-audit", grammar.Spec{Class: inspect, Needs: []grammar.Need{grammar.NeedRegistry}, Args: "read?",
			Opts: `-l,--local -r,--requirement=read -f,--format=name --desc -s,--vulnerability-service=name -d,--dry-run -S,--strict
				--progress-spinner=name --skip-editable --no-deps --disable-pip -v,--verbose --ignore-vuln=name -o,--output=write --require-hashes`}),
	}
}

func pytest(m *grammar.Match) {
	eachOption(m, func(v string) {
		if !pytestPlugin.MatchString(v) {
			m.Ask(".plugin", "-p "+v+" loads a plugin by name; name it in the project's configuration, or use -p no:NAME only")
		}
	}, "-p")
	check := func(v string) {
		name, value, _ := strings.Cut(v, "=")
		if codeSettings[name] || strings.Contains(value, "/") && grammar.LeadsOut(value) {
			if name == "addopts" && strings.TrimSpace(value) == "" {
				return
			}
			m.Ask(".setting", "the setting "+name+" may load code or run a program; put it into the project's configuration")
		}
	}
	eachOption(m, check, "-o", "--override-ini")
	warn := func(v string) {
		parts := strings.Split(v, ":")
		if len(parts) > 2 && strings.Contains(parts[2], ".") && !strings.HasPrefix(parts[2], "pytest.") {
			m.Ask(".warning", "the category "+parts[2]+" names a module that would be loaded; put it into the project's configuration")
		}
	}
	eachOption(m, warn, "-W", "--pythonwarnings")
}

// codeSettings are settings of pytest that load modules or add folders to load from.
var codeSettings = grammar.Set(`addopts pythonpath python_paths pytest_plugins usefixtures required_plugins cache_dir log_file testpaths
	DJANGO_SETTINGS_MODULE DJANGO_CONFIGURATION django_find_project env_files`)

func checkInit(m *grammar.Match) {
	if w, ok := m.Flags["--load-plugins"]; ok && !strings.HasPrefix(w.Prefix(), "pylint") {
		m.Ask(".plugin", "plugins belong in the project's configuration")
	}
}

// readable assigns the kind Read to operands, after a sub-command's plain name ("radon cc src").
func readable(m *grammar.Match) {
	for _, i := range m.Operands() {
		m.Uses[i].Kind = grammar.Read
	}
}

func sphinxDefine(m *grammar.Match) {
	if w, ok := m.Flags["-D"]; ok && (strings.HasPrefix(w.Prefix(), "extensions") || strings.Contains(w.String(), "path")) {
		m.Ask(".define", "what is loaded belongs in conf.py of the tree")
	}
}
