package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const whyDeno = "it gives the code more rights than tests and scripts need, or does not end by itself; name single permissions, without " +
	"--watch"

// denoCommon are the options of all sub-commands that run code.
const denoCommon = ` ~-A,--allow-all --allow-read?=data --allow-write?=data --allow-net?=data --allow-env?=data ~--allow-run?=data
	--allow-sys?=data ~--allow-ffi?=data --deny-net?=data --deny-run?=data --no-prompt --check?=data --no-check?=data -q,--quiet --no-lock
	--frozen?=true|false --cached-only --no-remote --node-modules-dir?=name -c,--config=code --no-config --unstable-*
	!--unsafely-ignore-certificate-errors?=data -L,--log-level=name --seed=number !--v8-flags=data ~-r,--reload?=data --import-map=code
	--env-file?=read
	~--watch?=data ~--inspect?=data ~--inspect-brk?=data ~--cert ~--location `

// deno is the table of a runtime that fetches what its imports name: only code of the tree is run.
func deno() grammar.Program {
	run, inspect := grammar.Run, grammar.Inspect
	files := func(s grammar.Spec) grammar.Spec {
		s.Class, s.Why = run, whyDeno
		if more := s.Judge; more != nil {
			s.Judge = judges(denoLocal, more)
		} else {
			s.Judge = denoLocal
		}
		return s
	}
	return program(node, "deno", grammar.Spec{Class: run, Opts: "-V,--version -h,--help -q,--quiet", Why: whyWatch, Subs: table(
		row{"test", files(grammar.Spec{Args: "code*", Opts: denoCommon + `--filter=data --fail-fast?=number --parallel --coverage?=write
			--reporter=name --doc --no-run --shuffle?=number --trace-leaks --junit-path=write --permit-no-files --ignore=data --clean`})},
		row{"bench", files(grammar.Spec{Args: "code*", Opts: denoCommon + "--filter=data --json --no-run --ignore=data"})},
		row{"check", files(grammar.Spec{Args: "code*", Opts: denoCommon + "--all --doc --doc-only"})},
		row{"run", files(grammar.Spec{Args: "code data*", Style: grammar.Posix, Opts: denoCommon,
			Judge: func(m *grammar.Match) { scriptArgs(m, dropOperands(m, 1), false) }})},
		row{"task", asked("a task of deno.json brings its own flags and commands; run deno test, lint or check by itself")},
		row{"lint", grammar.Spec{Class: inspect, Args: "read*", Opts: `-q,--quiet --json --compact --fix --rules --rules-tags=data
			--rules-include=data --rules-exclude=data --ignore=data -c,--config=code --permit-no-files`, Judge: fixFlag("--fix")}},
		row{"fmt", grammar.Spec{Class: grammar.Change, Args: "write*", Opts: `-q,--quiet --check --ext=name --ignore=data --line-width=number
			--indent-width=number --use-tabs --no-semicolons --single-quote --prose-wrap=name -c,--config=code --permit-no-files`}},
		row{"doc info", files(grammar.Spec{Args: "code?", Opts: "--json --private --filter=data --lint --no-lock --cached-only -q,--quiet"})},
		row{"coverage", grammar.Spec{Class: inspect, Args: "read*", Opts: `--lcov --html --detailed --include=data --exclude=data --output=write
			-q,--quiet`}},
		row{"compile", files(grammar.Spec{Args: "code", Style: grammar.Posix, Opts: denoCommon + `-o,--output=write --target=name --no-terminal
			--include=read`})},
		row{"types completions help", grammar.Spec{Class: inspect, Args: "name*"}},
		row{"install ci outdated", grammar.Spec{Class: grammar.Install, Opts: "--frozen?=true|false -q,--quiet",
			Needs: []grammar.Need{grammar.NeedRegistry}}},
		row{"cache", grammar.Spec{Class: grammar.Install, Args: "code+", Opts: "--frozen?=true|false -q,--quiet",
			Needs: []grammar.Need{grammar.NeedRegistry}, Judge: denoLocal}},
		row{"eval repl", asked(whyInline)}, row{"jupyter lsp serve", asked(whyServe)}, row{"add remove rm uninstall upgrade init clean",
			asked(whyAdd)}, row{"publish deploy", denied(whyPublish)},
	)})
}

// denoLocal asks about modules that deno would fetch and run: an address, or a package of a registry.
func denoLocal(m *grammar.Match) {
	for _, u := range m.Uses {
		if u.Kind == grammar.Code && u.Word.Is("-") {
			m.StdinCode = true
		}
		if t := u.Word.Prefix(); u.Kind == grammar.Code && (strings.Contains(t, ":") || strings.HasPrefix(t, "//")) {
			m.Ask(".fetch", whyFetch)
			return
		}
	}
}
