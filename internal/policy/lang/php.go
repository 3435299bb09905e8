package lang

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const phpunitOpts = ` -c,--configuration=code --bootstrap=code --no-configuration --no-extensions --cache-directory=write
	--generate-configuration --migrate-configuration --testsuite=data --exclude-testsuite=data --group=data --exclude-group=data
	--covers=data --uses=data --filter=data --exclude-filter=data --test-suffix=data --list-tests --list-suites --list-groups
	--list-test-files --run-test-id=data --process-isolation --globals-backup --static-backup --strict-coverage --strict-global-state
	--disallow-test-output --enforce-time-limit --default-time-limit=number --do-not-cache-result --cache-result --order-by=data
	--random-order-seed=number --stop-on-defect --stop-on-error --stop-on-failure --stop-on-warning --stop-on-risky --stop-on-deprecation
	--stop-on-notice --stop-on-skipped --stop-on-incomplete --fail-on-warning --fail-on-risky --fail-on-deprecation --fail-on-notice
	--fail-on-skipped --fail-on-incomplete --fail-on-empty-test-suite --fail-on-all-issues --colors?=data --columns=data --stderr
	--no-progress --no-results --no-output --display-incomplete --display-skipped --display-deprecations --display-errors --display-notices
	--display-warnings --display-all-issues --reverse-list --teamcity --testdox --testdox-summary --debug --log-junit=write
	--log-teamcity=write --testdox-html=write --testdox-text=write --coverage-clover=write --coverage-cobertura=write --coverage-crap4j=write
	--coverage-html=write --coverage-php=write --coverage-text?=write --coverage-xml=write --no-coverage --path-coverage
	--coverage-filter=read --disable-coverage-ignore --no-logging --do-not-fail-on-warning -v,--verbose --version -h,--help
	--cache-result-file=write -d=data --include-path=code `

func phpPrograms() []grammar.Program {
	run, inspect := grammar.Run, grammar.Inspect
	bin := func(names string, s grammar.Spec) grammar.Program {
		return program(php, under(names, "vendor/bin", "bin"), s)
	}
	pest := phpunitOpts + `--parallel -p,--processes=number --coverage --min=number
		--type-coverage --profile --bail --dirty --retry --todos --ci --compact --shard=data --update-snapshots --mutate --everything
		--covered-only `
	paratest := phpunitOpts + `-p,--processes=data -f,--functional --runner=name --max-batch-size=number --passthru-php=never --no-test-tokens
		--tmp-dir=write`
	return []grammar.Program{
		program(php, "php php8 php8.1 php8.2 php8.3 php8.4 php8.5", grammar.Spec{Class: run, Style: grammar.Posix, Args: "data*", Judge: phpMain,
			Why: whyInline,
			Opts: `-l -v,--version -m,--modules ~-i,--info -h,--help -n -q -w -s -C --ini?=name --rf=name --rc=name --re=name --ri=name -d=data
				-f=code ~-r ~-B ~-R ~-E ~-F ~-a,--interactive ~-S ~-t !-c !-z ~-e ~-H`}),
		program(php, "composer bin/composer composer.phar", grammar.Spec{Class: run, Opts: composerCommon, Subs: composerSubs(),
			SubElse: ptr(grammar.Spec{Class: run, Args: "name data*", Opts: composerCommon, Judge: func(m *grammar.Match) {
				ws := dropOperands(m, 0)
				notAbbreviated(m, ws, composerSubs())
				script(m, ws)
			}}), Why: whySettings}),
		bin("phpunit simple-phpunit", grammar.Spec{Class: run, Args: "code*", Opts: phpunitOpts + "--testdox-xml=write",
			Judge: judges(phpSettings, configNamed("phpunit"))}),
		bin("pest", grammar.Spec{Class: run, Args: "code*", Opts: pest, Judge: phpSettings}),
		bin("paratest", grammar.Spec{Class: run, Args: "code*", Opts: paratest, Judge: phpSettings}),
		bin("phpstan", grammar.Spec{Class: run, Why: whyServe, Opts: `-V,--version -h,--help -q,--quiet --ansi --no-ansi -n,--no-interaction
			-v,-vv,-vvv,--verbose`, Subs: table(
			row{"analyse analyze a", grammar.Spec{Class: run, Args: "read*", Opts: `-c,--configuration=code -l,--level=data --no-progress --debug
				-a,--autoload-file=code --error-format=name -b,--generate-baseline?=write --allow-empty-baseline --memory-limit=data --xdebug
				--fail-without-result-cache -q,--quiet --ansi --no-ansi -n,--no-interaction -v,-vv,-vvv,--verbose ~--pro ~--fix ~--watch`}},
			row{"clear-result-cache diagnose dump-parameters list help", grammar.Spec{Class: run, Args: "name*", Opts: `-c,--configuration=code
				--memory-limit=data -q,--quiet --json -l,--level=data`}})}),
		bin("psalm", grammar.Spec{Class: run, Args: "read*", Judge: fixes("--alter"), Why: whyServe,
			Opts: `-c,--config=code -m --show-info?=true|false --show-snippet?=true|false --stats --find-dead-code?=name --find-unused-code?=name
				--find-unused-psalm-suppress --no-cache --no-diff --diff --threads=number --output-format=name --no-progress --long-progress
				--monochrome --no-suggestions --report=write --report-show-info=name --taint-analysis --set-baseline?=write --update-baseline
				--use-baseline=read --ignore-baseline --memory-limit=data --php-version=name --error-level=number --shepherd=never --alter
				--issues=data --dry-run --clear-cache -v,--version -h,--help ~-i,--init ~--plugin ~-r,--root`}),
		bin("phpcs phpcbf", grammar.Spec{Class: run, Args: "read*", Style: grammar.Posix, Judge: phpcs, Why: whySettings,
			Opts: `-n -w -l -s -a -e -p -q -v -vv -i -d=data --standard=code --sniffs=data --exclude=data --ignore=data --extensions=data
				--report=name --report-file=write --report-full?=write --report-summary?=write --report-json?=write --report-junit?=write
				--report-checkstyle?=write --report-width=data --severity=number --error-severity=number --warning-severity=number --tab-width=number
				--encoding=name --parallel=number --basepath=read --bootstrap=code --cache?=write --no-cache --colors --no-colors --filter=data
				--file-list=read --stdin-path=read --ignore-annotations --version --help !--config-set !--config-delete !--runtime-set --config-show
				--generator=name --suffix=name`}),
		bin("php-cs-fixer", grammar.Spec{Class: run, Subs: table(
			row{"fix check", with(grammar.Spec{Class: run, Args: "read*", Opts: `--dry-run --diff --config=code --rules=data --allow-risky=name
				--using-cache=name --cache-file=write --path-mode=name --stop-on-violation --show-progress=name --format=name --sequential
				-v,-vv,-vvv,--verbose -q,--quiet --ansi --no-ansi -n,--no-interaction`}, func(m *grammar.Match) {
				if !m.Has("--dry-run") && !strings.HasSuffix(m.Rule, ".check") {
					fixes()(m)
				}
			})},
			row{"describe list-files list-sets help list", grammar.Spec{Class: inspect, Args: "name*", Opts: "--config=code"}}),
			Opts: "-V,--version -h,--help"}),
		bin(`pint rector ecs phpmd phplint parallel-lint php-parallel-lint deptrac phpmetrics phpcpd churn infection behat codecept phpspec
			phpbench twig-cs-fixer twigcs tlint composer-unused composer-require-checker composer-normalize grumphp phan`,
			grammar.Spec{Class: run, Args: "data*", Judge: judges(readable, fixes()), Why: whyExec,
				Opts: `--test --dirty --bail --repair --preset=name -v,-vv,-vvv,--verbose -q,--quiet -n,--no-interaction --dry-run --no-progress-bar
				--clear-cache --config,-c=code --fix --no-error-table --exclude=data -j=number --no-progress --colors --no-colors --ansi --no-ansi
				--suite=name --tags=data --name=data --format=name -f=name -o,--out=write --strict --stop-on-failure --report=name --threads=data
				--min-msi=number --min-covered-msi=number --only-covered --show-mutations --filter=data --coverage=read --group,-g=data --steps
				--env=name --xml?=write --html?=write --coverage-html?=write --coverage-xml?=write --output-format=name --no-cache --debug --version
				--help --only=data -a,--autoload-file=code --formatter=name --memory-limit=data --report-html=write --fail-on-violation
				--suffixes=data --minimumpriority=number`}),
		bin("artisan", artisanSpec()), bin("console", artisanSpec()),
		program(php, "pecl pear phpize", asked(whyGlobal)),
	}
}

// phpIni are settings of the runtime that load nothing and run nothing.
var phpIni = grammar.Set(`memory_limit error_reporting display_errors display_startup_errors max_execution_time xdebug.mode zend.assertions
	assert.exception date.timezone pcov.enabled pcov.directory opcache.enable_cli log_errors html_errors precision serialize_precision
	short_open_tag assert.active pcov.exclude memory.limit default_charset`)

func phpSettings(m *grammar.Match) {
	eachOption(m, func(v string) {
		if name, value, _ := strings.Cut(v, "="); !phpIni[name] || strings.Contains(value, "/") && grammar.LeadsOut(value) {
			m.Ask(".setting", "the setting "+name+" may load code or run a program; leave it out")
		}
	}, "-d")
}

func phpMain(m *grammar.Match) {
	phpSettings(m)
	args := dropOperands(m, 0)
	switch {
	case m.Has("-v", "-m", "-h", "--ini", "--rf", "--rc", "--re", "--ri"):
		m.Class = grammar.Inspect
	case m.Has("-l", "-w", "-s"):
		m.Class = grammar.Inspect
		for _, w := range args {
			m.Use(grammar.Read, w, "script")
		}
		m.Stdin = true
	case m.Has("-f"):
		scriptArgs(m, args, false)
	case len(args) == 0 || args[0].Is("-") || afterDashes(m, len(args)):
		m.StdinCode = true // after "--" all words are arguments of the code from standard input
	default:
		m.Use(grammar.Code, args[0], "script")
		t, _ := args[0].Text()
		switch base := path.Base(t); {
		case strings.HasPrefix(base, "composer"):
			command(m, "composer", args[1:], "script")
		case base == "artisan" || base == "console" || strings.Contains(t, "vendor/bin/"):
			command(m, base, args[1:], "script")
		default:
			scriptArgs(m, args[1:], false)
		}
	}
}

// afterDashes reports whether all n operands follow "--".
func afterDashes(m *grammar.Match, n int) bool {
	at := len(m.Words) - n - 1
	return at >= 0 && m.Words[at].Is("--")
}

func phpcs(m *grammar.Match) {
	// A standard may be a name (PSR12) or a file; commas separate several.
	for i, u := range m.Uses {
		if t, ok := u.Word.Text(); ok && u.Via == "--standard" && !strings.ContainsAny(t, "/.,") {
			m.Uses[i].Kind = grammar.Name
		} else if ok && u.Via == "--standard" {
			for p := range strings.SplitSeq(t, ",") {
				m.Use(grammar.Code, grammar.Lit(p), "standard")
			}
		}
	}
	phpSettings(m)
	if strings.HasPrefix(m.Rule, "phpcbf") {
		fixes()(m)
	}
}

const composerCommon = ` -q,--quiet -v,-vv,-vvv,--verbose --profile --no-plugins --no-scripts -d,--working-dir=dir --no-cache
	-n,--no-interaction --ansi --no-ansi -V,--version -h,--help `

func composerSubs() subs {
	run, inspect := grammar.Run, grammar.Inspect
	registry := []grammar.Need{grammar.NeedRegistry}
	install := composerCommon + `--prefer-source --prefer-dist --prefer-install=name --dry-run --download-only --dev --no-dev --no-autoloader
		--no-progress --no-install --audit --no-audit --audit-format=name -o,--optimize-autoloader -a,--classmap-authoritative --apcu-autoloader
		--ignore-platform-req=name --ignore-platform-reqs `
	return table(
		row{"install i", grammar.Spec{Class: grammar.Install, Opts: install, Needs: registry}},
		row{"update u upgrade", grammar.Spec{Class: grammar.Install, Opts: install + `--lock -w,--with-dependencies -W,--with-all-dependencies
			--prefer-stable --prefer-lowest -i,--interactive --root-reqs -m,--minimal-changes --patch-only --bump-after-update`, Args: "name*",
			Needs: registry}},
		row{"run-script run", grammar.Spec{Class: run, Style: grammar.GNU, Opts: composerCommon + "--timeout=number --dev --no-dev -l,--list",
			Args: "name? data*", Judge: projectScript}},
		row{"exec", grammar.Spec{Class: run, Style: grammar.Posix, Opts: composerCommon + "-l,--list", Args: "command?"}},
		row{"dump-autoload dumpautoload", grammar.Spec{Class: run, Opts: composerCommon + `-o,--optimize -a,--classmap-authoritative --apcu
			--dry-run --dev --no-dev --strict-psr --strict-ambiguous --ignore-platform-reqs`}},
		row{"show info why depends why-not prohibits licenses validate check-platform-reqs status fund about list help diagnose suggests",
			grammar.Spec{Class: inspect, Opts: composerCommon + `--all -l,--latest -o,--outdated -D,--direct --strict -t,--tree -N,--name-only
				-i,--installed --locked -p,--platform -a,--available -s,--self -P,--path -f,--format=name --no-check-lock --no-check-publish
				--no-check-all -A,--with-dependencies -r,--recursive --no-dev --by-package --by-suggestion`, Args: "name*"}},
		row{"outdated audit", grammar.Spec{Class: inspect, Needs: registry, Opts: composerCommon + `-a,--all -D,--direct --strict -m,--minor-only
			-M,--major-only -p,--patch-only -f,--format=name --no-dev --locked --abandoned=name --ignore=name`, Args: "name*"}},
		row{`require r req remove rm uninstall reinstall create-project init global self-update selfupdate archive bump clear-cache clearcache cc
			browse home`, asked(whyAdd)},
		row{"config repository repo", asked(whySettings)},
	)
}

// notAbbreviated asks about a word that abbreviates a refused command.
func notAbbreviated(m *grammar.Match, ws []grammar.Word, known subs) {
	if len(ws) == 0 {
		return
	}
	t, ok := ws[0].Text()
	for name, s := range known {
		if ok && t != name && abbreviates(t, name) && (s.Class == grammar.Ask || s.Class == grammar.Deny) {
			m.Ask(".abbreviation", t+" may be short for "+name+"; write names in full")
			return
		}
	}
}

// abbreviates reports whether each piece of short is a prefix of the piece of name: "mig:fr" is "migrate:fresh".
func abbreviates(short, name string) bool {
	a, b := strings.Split(short, ":"), strings.Split(name, ":")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !strings.HasPrefix(b[i], a[i]) {
			return false
		}
	}
	return true
}

// artisanRefused are commands that take code, serve, destroy or show secrets.
var artisanRefused = table(
	row{"tinker db shell eval", asked(whyInline)},
	row{"serve server:run server:start reverb:start queue:work queue:listen horizon schedule:work messenger:consume", asked(whyServe)},
	row{`down up storage:unlink vendor:publish config:show key:generate db:wipe debug:dotenv secrets:reveal secrets:set secrets:list
		env:decrypt env:encrypt secrets:decrypt-to-local`, asked(whySettings)},
)

func artisanSpec() grammar.Spec {
	run := grammar.Run
	spec := grammar.Spec{Class: run, Opts: `-V,--version -h,--help --ansi --no-ansi -n,--no-interaction -q,--quiet -v,-vv,-vvv,--verbose
		--env=name`, Why: whyInline, Subs: table(
		row{"test", grammar.Spec{Class: run, Args: "code*", Opts: phpunitOpts + `--parallel
			-p,--processes=number --coverage --min=number --profile --without-tty --compact --recreate-databases --drop-databases --env=name`,
			Judge: phpSettings}},
	), SubElse: ptr(grammar.Spec{Class: run, Args: "name? data*", Opts: `-n,--no-interaction -q,--quiet -v,-vv,-vvv,--verbose --env=name
		--force --seed --step=number --path=code --pretend --database=name --class=name --json --columns=data --name=data --except-vendor
		--only-vendor -m,--migration -f,--factory -c,--controller -r,--resource --all --pest --unit --test --dry-run --no-ansi --ansi --no-debug
		--show-deprecations --raw --format=name --no-warmup -e=name`, Judge: func(m *grammar.Match) {
		ws := dropOperands(m, 0)
		notAbbreviated(m, ws, artisanRefused)
		script(m, ws)
	}})}
	for name, refused := range artisanRefused {
		spec.Subs[name] = refused
	}
	return spec
}
