package base

import "github.com/longshift/longshift/internal/policy/grammar"

// chainPrograms are tool chains of languages without a profile: only what builds, tests and checks the tree.
func chainPrograms() []grammar.Program {
	registry := []grammar.Need{grammar.NeedRegistry}
	elsewhere := "it runs code that is not the project's, or sends something away"
	run := func(opts, args string) grammar.Spec { return grammar.Spec{Class: grammar.Run, Opts: opts, Args: args} }
	fetch := grammar.Spec{Class: grammar.Install, Needs: registry}
	return []grammar.Program{
		{Names: []string{"mix"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help -v -h",
			Subs: map[string]grammar.Spec{
				"test": run(`--trace --cover --stale --failed --only=data --exclude=data --include=data --seed=number --max-failures=number
				--slowest=number --color --no-color --warnings-as-errors --force`, "read*"),
				"compile": run("--force --warnings-as-errors --no-deps-check --all-warnings", ""), "format": {Class: grammar.Change,
					Opts: "--check-formatted --dry-run", Args: "write*"},
				"credo": run("--strict --format=data --only=data -a", "read*"), "dialyzer": run("--format=data", ""), "deps.get": fetch,
				"deps": run("", ""), "deps.tree": run("", "name*"), "deps.compile": run("--force", "name*"), "ecto.create": run("-q,--quiet", ""),
				"ecto.migrate": run("-q,--quiet", ""), "ecto.migrations": run("", ""),
				"phx.routes": run("", "name?"), "phx.gen.secret": run("", ""), "coveralls": run("", ""), "sobelow": run("--exit", ""),
				"docs": run("", ""), "help": run("", "name*"), "xref": run("", "name*"),
			}}},
		{Names: []string{"swift"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help", Subs: map[string]grammar.Spec{
			"build": run("-c,--configuration=debug|release -v,--verbose --target=name --product=name --build-tests -j,--jobs=number", ""),
			"test": run("-c,--configuration=debug|release -v,--verbose --filter=data --skip=data --parallel --enable-code-coverage --skip-build",
				""), "run": run("-c,--configuration=debug|release", "name? data*"),
			"package": {Class: grammar.Run, Why: elsewhere, Subs: map[string]grammar.Spec{"describe": run("--type=data", ""),
				"dump-package": run("", ""), "show-dependencies": run("--format=data", ""), "resolve": fetch}},
		}}},
		{Names: []string{"dart"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help", Subs: map[string]grammar.Spec{
			"test": run("-r,--reporter=data -n,--name=data -j,--concurrency=number --coverage=write", "read*"), "analyze": {Class: grammar.Inspect,
				Opts: "--fatal-infos --fatal-warnings", Args: "read*"},
			"format": {Class: grammar.Change, Opts: "-o,--output=none|write|show --set-exit-if-changed -l,--line-length=number", Args: "write+"},
			"run":    run("", "code? data*"),
			"pub":    {Class: grammar.Install, Why: elsewhere, Subs: map[string]grammar.Spec{"get": fetch, "deps": run("", "")}},
		}}},
		{Names: []string{"flutter"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help",
			Subs: map[string]grammar.Spec{
				"test": run("--coverage --name=data --plain-name=data -r,--reporter=data --no-pub", "read*"), "analyze": {Class: grammar.Run,
					Opts: "--no-pub --fatal-infos", Args: "read*"},
				"pub":   {Class: grammar.Install, Why: elsewhere, Subs: map[string]grammar.Spec{"get": fetch, "deps": run("", "")}},
				"build": run("--debug --release --no-pub", "name"), "gen-l10n": run("", ""),
			}}},
		{Names: []string{"stack", "cabal"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help -v",
			Subs: map[string]grammar.Spec{
				"build": run("--fast --test --no-run-tests --pedantic -j,--jobs=number", "name*"),
				"test":  run("--fast --ta,--test-arguments=data --test-show-details=data", "name*"),
			}}},
		{Names: []string{"zig"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Subs: map[string]grammar.Spec{
			"build": run("--summary=all|new|failures|none -j*", "name*"), "test": run("", "code"), "fmt": {Class: grammar.Change, Opts: "--check",
				Args: "write+"}, "version": {Class: grammar.Inspect},
		}}},
		{Names: []string{"dune"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help", Subs: map[string]grammar.Spec{
			"build": run("--profile=name -j=number --root=dir", "name*"), "test": run("--force -f --profile=name", "name*"),
			"runtest": run("--force -f --profile=name", "name*"), "fmt": {Class: grammar.Change, Opts: "--preview"},
			"clean": {Class: grammar.Change},
		}}},
		{Names: []string{"lein"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help -o",
			Subs: map[string]grammar.Spec{
				"test": run("", "data*"), "compile": run("", "name*"), "check": run("", ""), "eastwood": run("", ""), "kibit": run("", ""),
				"deps": fetch, "version": run("", ""), "cljfmt": run("", "name*"),
			}}},
		{Names: []string{"clojure", "clj"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: `-M:*=name -X:*=name --version ~-e,--eval
			~-Sdeps`, Args: "name*"}},
		{Names: []string{"gleam"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help", Subs: map[string]grammar.Spec{
			"test": run("", ""), "build": run("--warnings-as-errors --target=name", ""), "check": run("", ""), "format": {Class: grammar.Change,
				Opts: "--check", Args: "write*"},
		}}},
		{Names: []string{"nimble"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help",
			Subs: map[string]grammar.Spec{"test": run("-v,--verbose", "name*"), "build": run("-v,--verbose", "name*"), "check": run("", "")}}},
		{Names: []string{"rebar3"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help -v",
			Subs: map[string]grammar.Spec{
				"eunit": run("-v --module=name --cover", ""), "ct": run("-v --suite=name --cover", ""), "compile": run("", ""), "dialyzer": run("", ""),
				"xref": run("", ""), "fmt": run("--check", ""), "proper": run("", ""), "tree": run("", ""),
			}}},
		{Names: []string{"forge"}, Spec: grammar.Spec{Class: grammar.Run, Why: elsewhere, Opts: "--version --help", Subs: map[string]grammar.Spec{
			"test": run(`-v* --match-test=data --match-contract=data --match-path=data --mt=data --mc=data --gas-report --no-match-test=data
				--summary`, "read?"), "build": run("--sizes --force", ""), "fmt": {Class: grammar.Change, Opts: "--check", Args: "write*"},
			"coverage": run("--report=name", ""), "snapshot": run("--check --diff", ""), "tree": run("", ""),
		}}},
		program("hlint", grammar.Inspect, "-j=number --no-exit-code -g,--git", "read+"),
		program("swiftlint", grammar.Inspect, "--strict --quiet --reporter=name --config=read", "name?"),
		judged("swiftformat", grammar.Change, "--lint --dryrun --quiet --verbose --swiftversion=data", "write+", func(m *grammar.Match) {
			if m.Has("--lint", "--dryrun") {
				m.Class = grammar.Inspect
				allAre(grammar.Read)(m)
			}
		}),
		{Names: []string{"luacheck"}, Spec: grammar.Spec{Class: grammar.Inspect, Opts: "-q,--quiet --codes --no-color --std=data --globals=data",
			Args: "read*"}},
		judged("stylua", grammar.Change, "-c,--check -g,--glob=data -v,--verify", "write*", func(m *grammar.Match) {
			if m.Has("-c") {
				m.Class = grammar.Inspect
				allAre(grammar.Read)(m)
			}
		}),
		{Names: []string{"busted"}, Spec: grammar.Spec{Class: grammar.Run, Opts: "-v,--verbose -o,--output=data -t,--tags=data --coverage,-c",
			Args: "code*"}},
	}
}
