package lang

import (
	"path"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const rspecOpts = ` -I=code -r,--require=code -O,--options=code --order=data --seed=number --bisect?=name --fail-fast?=number
	--no-fail-fast --failure-exit-code=number --error-exit-code=number --dry-run ~-X,--drb --no-drb -f,--format=name -o,--out=write
	--deprecation-out=write -b,--backtrace -c,--color,--colour --no-color,--no-colour --force-color,--force-colour -p,--profile?=number
	--no-profile -w,--warnings --only-failures -n,--next-failure -P,--pattern=data --exclude-pattern=data -e,--example=data
	-E,--example-matches=data -t,--tag=data --default-path=code --init -v,--version -h,--help --fail-if-no-examples --require-all `

const rubocopOpts = ` -c,--config=code -f,--format=name -o,--out=write -a,-x,--autocorrect,--auto-correct,--safe-auto-correct
	-A,--autocorrect-all,--auto-correct-all --only=data --except=data -l,--lint --fail-level=name -F,--fail-fast -D,--display-cop-names
	-E,--extra-details -S,--display-style-guide -P,--parallel --no-parallel --force-exclusion --ignore-unrecognized-cops
	--disable-pending-cops --enable-pending-cops --color --no-color -d,--debug --cache=true|false --cache-root=write --display-time
	--display-only-failed --display-only-correctable --display-only-fail-level-offenses --display-only-safe-correctable
	--list-target-files,-L --show-cops?=data --show-docs-url?=data --auto-gen-config --regenerate-todo --auto-gen-only-exclude
	--no-auto-gen-timestamp --exclude-limit=number --disable-uncorrectable --fix-layout --only-recognized-file-types
	--ignore-disable-comments --ignore-parent-exclusion --force-default-config --raise-cop-error -s,--stdin=read --stderr --fail-fast-first
	--no-detach --safe --fix --generate-todo --no-exit-on-warnings -v,--version -V,--verbose-version -h,--help ~--server --no-server
	~--start-server --stop-server --editor-mode -r,--require=data ~--plugin ~--init ~--profile ~--memory ~--lsp ~--mcp `

func rubyPrograms() []grammar.Program {
	run, inspect := grammar.Run, grammar.Inspect
	bin := func(names string, s grammar.Spec) grammar.Program {
		return program(ruby, under(names, "bin", "exe"), s)
	}
	test := `-n,--name=data -e,--exclude=data -s,--seed=number -v,--verbose -b,--backtrace -d,--defer-output -f,--fail-fast -c,--color
		--no-color -p,--pride -w,--warnings --environment=name --profile?=number --no-plugins `
	return []grammar.Program{
		program(ruby, "ruby jruby truffleruby", grammar.Spec{Class: run, Style: grammar.Posix, Args: "data*", Why: whyInline, Judge: rubyMain,
			Opts: `-c -w -W?=data -v --version -h,--help -I=data -r=data -C=dir -E=data -K*=data -U -d,--debug --verbose --disable=name --disable-*
				--enable=name --enable-* --yjit --jit --rjit --mjit --encoding=data --external-encoding=data --internal-encoding=data --copyright
				--parser=name --dump=name -T?=number -S
				~-e ~-n ~-p ~-i?=data ~-l ~-a ~-F=data ~-x?=data ~-s ~--backtrace-limit`}),
		bin("rspec", grammar.Spec{Class: run, Args: "code*", Opts: rspecOpts, Judge: judges(rubyRequire, strip(":"), strip("["))}),
		bin("rubocop rubocop-daemon", grammar.Spec{Class: run, Args: "read*", Opts: rubocopOpts, Judge: judges(rubyRequire,
			fixes("-a", "-A", "--fix-layout"), fixFlag("-a", "-A", "--auto-gen-config", "--fix-layout")), Why: whyWatch}),
		bin("standardrb", grammar.Spec{Class: run, Args: "read*", Opts: rubocopOpts, Judge: judges(rubyRequire, fixes("--fix", "-a", "-A"),
			fixFlag("--fix", "-a", "-A", "--generate-todo")), Why: whyWatch}),
		bin("rake", grammar.Spec{Class: run, Args: "data*", Judge: judges(rakeTasks, configNamed("rakefile", "tasks.rake")), Why: whyInline,
			Opts: `-T,--tasks?=data -P,--prereqs -A,--all -D,--describe?=data -W,--where?=data -n,--dry-run -t,--trace?=name -v,--verbose
				-q,--quiet -s,--silent -m,--multitask -j,--jobs?=number -f,--rakefile=code -I,--libdir=code -R,--rakelibdir,--rakelib=code
				-r,--require=data -N,--no-search,--nosearch -C,--directory=dir -G,--no-system,--nosystem --rules --suppress-backtrace=data --backtrace
				--comments --no-deprecation-warnings,-X -V,--version -h,-H,--help --job-stats?=name -B,--build-all
				~-g,--system ~-e,--execute ~-p,--execute-print ~-E,--execute-continue`}),
		program(ruby, "bundle bundler bin/bundle", grammar.Spec{Class: run, Opts: "--version -v,--verbose --no-color --retry=number -r=number",
			Why: whySettings, Subs: bundleSubs(),
			SubElse: ptr(grammar.Spec{Class: grammar.Install, Opts: bundleInstall, Why: whySettings})}),
		program(ruby, "gem", grammar.Spec{Class: inspect, Opts: "-v,--version", Subs: table(
			row{"list contents specification which environment env dependency help query outdated info stale rdoc check",
				grammar.Spec{Class: inspect, Args: "name*", Opts: `-i,--installed -I --exact -e -a,--all -d,--details --no-details --versions
					--no-versions -l,--local -q,--quiet -v,--version=data --prerelease -V,--verbose`}},
			row{"build", grammar.Spec{Class: run, Args: "code", Opts: "--strict --force -o,--output=write -C=dir -q,--quiet"}},
			row{"search", grammar.Spec{Class: inspect, Args: "name*", Needs: []grammar.Need{grammar.NeedRegistry}}},
			row{"install update uninstall cleanup pristine setup exec fetch unpack generate_index sources cert", asked(whyAdd)},
			row{"push yank owner signin signout lock mirror", denied(whyPublish)}), SubElse: &grammar.Spec{Class: inspect}}),
		program(ruby, "debug rdbg byebug", asked(whyDebug)),
		program(ruby, "erb", grammar.Spec{Class: run, Args: "code+", Opts: "-x -T=name -U -d -v -n ~-r ~-S", Why: whyInline}),
		bin("rails", grammar.Spec{Class: run, Opts: "-v,--version -h,--help", Why: whyInline, Subs: railsSubs(test),
			SubElse: ptr(grammar.Spec{Class: run, Args: "data*", Judge: rakeTasks, Opts: `-T,--tasks?=data -A,--all -t,--trace -v,--verbose
				-q,--quiet -n,--dry-run -h,--help`})}),
		bin("m mt", grammar.Spec{Class: run, Args: "code*", Opts: test, Judge: strip(":")}),
		bin("cucumber", grammar.Spec{Class: run, Args: "code*", Judge: judges(rubyRequire, strip(":")), Opts: `-t,--tags=data -n,--name=data
			-f,--format=name -o,--out=write -r,--require=code -p,--profile=name -d,--dry-run -s,--no-source -v,--verbose -b,--backtrace -c,--color
			--no-color -q,--quiet --order=data --strict --publish-quiet --fail-fast -g,--guess -e,--exclude=data --retry=number ~--publish`}),
		bin("parallel_rspec parallel_test", grammar.Spec{Class: run, Args: "code*", Judge: strip(":"), Opts: `-n=number -p,--pattern=data
			--exclude-pattern=data --group-by=name -o,--test-options=data --serialize-stdout --verbose --fail-fast --first-is-1 --quiet
			-m,--multiply-processes=data !-e,--exec !--exec-args !-r,--require`, Why: whyExec}),
		bin("srb", grammar.Spec{Class: inspect, Subs: table(row{"tc t typecheck", grammar.Spec{Class: inspect, Args: "read*",
			Opts: `-q,--quiet -v,--verbose --ignore=data --typed=name --no-error-count --error-black-list=data --color=name --max-threads=number
				--file=read --dir=read -a,--autocorrect`}}), SubElse: ptr(asked(whyAdd))}),
		bin("tapioca sorbet steep", grammar.Spec{Class: run, Subs: table(row{"gem gems dsl check stats check-shims",
			grammar.Spec{Class: run, Args: "name*", Opts: "--all --verify --quiet -q,--jobs=number --severity-level=name"}},
			row{"init annotations watch", asked(whyFetch)})}),
		bin("brakeman reek fasterer erblint slim-lint haml-lint scss-lint ruby-lint mdl i18n-tasks bundle-audit bundler-audit yard yardoc rdoc",
			grammar.Spec{Class: run, Args: "data*", Judge: readable, Why: whyGlobal,
				Opts: `-c,--config=code -q,--quiet --no-pager -z -A,--all-checks -f,--format=name -o,--output=write -w=number --no-progress --no-color
				--color --lint-all --enable-linters=data --except=data --only=data -l --locale=name --autocorrect -a --no-summary -i,--ignore=data
				--skip-files=data --force --plain --no-exit-on-warn --exit-on-warn --no-save -n --stats --list-undoc -p,--path=code
				--gemfile-lock=read ~-u,--update --version --help`}),
		bin("guard spring foreman overmind puma unicorn sidekiq rackup thin passenger shotgun", asked(whyServe)),
		bin("jekyll", grammar.Spec{Class: run, Subs: table(row{"build doctor clean", grammar.Spec{Class: run, Opts: `-s,--source=read
			-d,--destination=write --drafts --trace -q,--quiet -V,--verbose --config=code`}})}),
		bin("kamal cap capistrano middleman", asked("it deploys or serves; that is for people, not for a task")),
		program(ruby, "rvm chruby", asked(whyGlobal)),
		program(ruby, "bin/setup bin/ci", grammar.Spec{Class: run, Opts: "--skip-server"}),
	}
}

// rubyRequire judges -r and -I: a file of the tree, or a library by name.
func rubyRequire(m *grammar.Match) {
	for i, u := range m.Uses {
		if t := u.Word.Prefix(); grammar.Set("-r --require --plugin")[u.Via] && (grammar.LeadsOut(t) || strings.HasPrefix(t, ".")) {
			m.Ask(".require",
				"loading "+u.Word.String()+" before the rest is for the project's configuration, where a reviewer sees it; name it there")
		}
		if grammar.Set("-r --require -I --libdir")[u.Via] && u.Kind != grammar.Code {
			m.Uses[i].Kind = grammar.Code
			if t, ok := u.Word.Text(); ok && u.Via != "-I" && !strings.HasPrefix(t, ".") && !strings.HasPrefix(t, "/") && path.Ext(t) != ".rb" &&
				bareModule.MatchString(t) {
				m.Uses[i].Kind = grammar.Name // a library that the bundle has
			}
		}
	}
	for _, u := range m.Uses {
		if t, ok := u.Word.Text(); ok && u.Via == "-I" && strings.Contains(t, ":") {
			for p := range strings.SplitSeq(t, ":") {
				m.Use(grammar.Code, grammar.Lit(p), "library")
			}
		}
	}
}

func rubyMain(m *grammar.Match) {
	rubyRequire(m)
	args := dropOperands(m, 0)
	switch {
	case m.Has("-S"):
		if len(args) == 0 || !grammar.Set("rake rspec rails rubocop bundle")[args[0].String()] {
			m.Ask(".search", "it would run a program by name; run it by itself")
			return
		}
		command(m, args[0].String(), args[1:], "-S")
	case m.Has("-c"):
		m.Class = grammar.Inspect
		for _, w := range args {
			m.Use(grammar.Read, w, "script")
		}
		m.Stdin = true
	case len(args) == 0 && m.Has("--version", "-v", "--help", "--copyright"):
		m.Class = grammar.Inspect
	case len(args) == 0 || args[0].Is("-"):
		m.StdinCode = true
	default:
		m.Use(grammar.Code, args[0], "script")
		t, _ := args[0].Text()
		if base := path.Base(t); strings.Contains(t, "bin/") && grammar.Set("rails rake rspec rubocop bundle")[base] {
			command(m, base, args[1:], "script")
			return
		}
		scriptArgs(m, args[1:], false)
	}
}

// rakeTasks judges tasks with their arguments: "test", "db:migrate", "spec[models]", "TEST=test/a_test.rb".
func rakeTasks(m *grammar.Match) {
	rubyRequire(m)
	for _, w := range dropOperands(m, 0) {
		t, ok := w.Text()
		name, value, assigned := strings.Cut(t, "=")
		switch {
		case ok && assigned && grammar.IsVariable(name):
			// A variable of the tasks. TEST, FILE, SPEC and the like name files that are run.
			if pathLike(value) || grammar.LeadsOut(value) {
				m.Use(grammar.Code, grammar.Lit(before(grammar.Lit(value), ":").String()), "variable")
			}
			m.Use(grammar.Assign, w, "variable")
		case ok && grammar.Set("release publish deploy push")[strings.SplitN(strings.TrimSuffix(t, "]"), "[", 2)[0]],
			ok && (strings.HasPrefix(t, "release:") || strings.HasPrefix(t, "deploy:") || strings.HasSuffix(t, ":push")):
			m.Deny(".publish", whyPublish)
		case ok && (strings.HasPrefix(t, "credentials") || strings.HasPrefix(t, "secrets") || strings.HasPrefix(t, "encrypted")):
			m.Deny(".secret", "it shows or changes secrets")
		case ok && strings.HasPrefix(t, "db:drop"):
			m.Ask(".database", "it drops a database; db:test:prepare makes the one of the tests anew")
		default:
			m.Use(grammar.Name, w, "task")
			if ok && grammar.LeadsOut(t) {
				m.Use(grammar.Code, w, "task")
			}
		}
	}
}

const bundleInstall = ` --jobs,-j=number --retry=number -r=number --quiet --local --verbose -V --no-color --prefer-local --full-index
	--force --redownload --no-cache --frozen --deployment --without=data --with=data --no-prune --standalone?=data ~--path ~--system
	~--binstubs ~--gemfile ~--shebang ~--trust-policy ~--clean --version `

func bundleSubs() subs {
	run, inspect := grammar.Run, grammar.Inspect
	registry := []grammar.Need{grammar.NeedRegistry}
	return table(
		row{"exec e ex exe", grammar.Spec{Class: run, Style: grammar.Posix, Args: "command", Opts: "--keep-file-descriptors --gemfile=code"}},
		row{"install i", grammar.Spec{Class: grammar.Install, Opts: bundleInstall, Needs: registry}},
		row{"check", grammar.Spec{Class: inspect, Opts: "--dry-run --gemfile=code --path=read"}},
		row{"list show info outdated licenses platform env doctor viz version help", grammar.Spec{Class: inspect, Args: "name*",
			Opts: `--name-only --paths --without-group=data --only-group=data --path --outdated --strict --groups --parseable --local --pre --ruby
				--version --only-explicit --filter-major --filter-minor --filter-patch`}},
		row{"lock", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: `--update?=name --local --print --add-platform=name
			--remove-platform=name --conservative --normalize-platforms --patch --minor --strict`}},
		row{"update", grammar.Spec{Class: grammar.Install, Needs: registry, Args: "package*", Opts: `--all --group,-g=name --local --conservative
			--patch --minor --major --strict --quiet --jobs,-j=number --bundler?=data --ruby --pre`}},
		row{"config", grammar.Spec{Class: inspect, Why: whySettings, Subs: table(
			row{"get", grammar.Spec{Class: inspect, Args: "name*", Opts: "--parseable --global --local", Judge: plainSettings}},
			row{"list", grammar.Spec{Class: inspect, Args: "name*", Opts: "--parseable --global --local", Judge: allSettings}}),
			SubElse: ptr(denied(whySettings))}},
		row{"binstubs add remove inject init gem open console plugin clean pristine cache package", asked(whyAdd)},
	)
}

func railsSubs(test string) subs {
	run, inspect := grammar.Run, grammar.Inspect
	return table(
		row{"test t test:models test:system test:all test:controllers test:integration test:functionals test:units",
			grammar.Spec{Class: run, Args: "code*", Judge: strip(":"), Opts: test}},
		row{"about stats notes routes middleware initializers zeitwerk:check version", grammar.Spec{Class: run, Args: "name*",
			Opts: "-c,--controller=data -g,--grep=data -E,--expanded -u,--unused --environment,-e=name -a,--annotations=data"}},
		row{"generate g destroy d", grammar.Spec{Class: run, Args: "name+", Opts: `--skip --force --pretend -f -p -s -q --no-test-framework
			--skip-routes --no-helper --no-assets --api --primary-key-type=name --parent=name --orm=name --timestamps --no-timestamps
			--skip-migration --no-migration`}},
		row{"server s dev", grammar.Spec{Class: run, Judge: func(m *grammar.Match) {
			if w, ok := m.Flags["-b"]; ok && !w.Is("127.0.0.1") && !w.Is("localhost") {
				m.Ask(".listen", "it would listen on more than the loopback; use -b 127.0.0.1")
			}
			m.Needs = append(m.Needs, grammar.NeedLoopback)
		}, Opts: `-p,--port=number -b,--binding=data -e,--environment=name --no-log-to-stdout -C,--dev-caching -u,--using=name -P,--pid=write
			~-d,--daemon ~-c,--config`}},
		row{"console c runner r dbconsole db", asked(whyInline)},
		row{"credentials:show credentials:edit credentials:fetch secrets:show secrets:edit credentials encrypted encrypted:show encrypted:edit",
			denied("it shows or changes secrets")},
		row{"new plugin app:template app:update", asked(whyAdd)},
		row{"help", grammar.Spec{Class: inspect, Args: "name*"}},
	)
}
