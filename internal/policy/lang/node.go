package lang

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const nodeBin = "node_modules/.bin"

// nodeOpts are the options of the runtime, and what those name that load code or open a port.
const nodeOpts = ` -v,--version -h,--help -c,--check -r,--require=data --import=data --loader,--experimental-loader=data
	-C,--conditions=name --env-file=read --env-file-if-exists=read --test --test-only --test-name-pattern=data --test-skip-pattern=data
	--test-reporter=data --test-reporter-destination=write --test-concurrency=number --test-timeout=number --test-shard=data
	--test-force-exit --test-update-snapshots --test-isolation=name --experimental-test-isolation=name --experimental-test-coverage
	--experimental-test-module-mocks --experimental-test-snapshots --test-coverage-include=data --test-coverage-exclude=data
	--test-coverage-lines=number --test-coverage-branches=number --test-coverage-functions=number --test-global-setup=data
	--test-rerun-failures=write --enable-source-maps --no-warnings --no-deprecation --trace-warnings --trace-deprecation --trace-uncaught
	--trace-exit --trace-sigint --throw-deprecation --pending-deprecation --warnings --unhandled-rejections=name --disable-warning=name
	--max-old-space-size=number --max-semi-space-size=number --stack-size=number --stack-trace-limit=number --expose-gc --expose_gc
	--preserve-symlinks --preserve-symlinks-main --experimental-vm-modules --experimental-strip-types --no-experimental-strip-types
	--experimental-transform-types --experimental-specifier-resolution=name --experimental-json-modules --experimental-modules
	--experimental-fetch --no-experimental-fetch --experimental-sqlite --experimental-wasm-modules --experimental-import-meta-resolve
	--experimental-require-module --experimental-default-type=name --experimental-global-webcrypto --experimental-websocket
	--experimental-webstorage --no-experimental-global-navigator --experimental-detect-module --harmony --use-strict
	--abort-on-uncaught-exception --cpu-prof --cpu-prof-dir=write --cpu-prof-name=name --heap-prof --heap-prof-dir=write
	--heap-prof-name=name --diagnostic-dir=write --report-on-fatalerror --report-dir,--report-directory=write --permission
	--allow-fs-read=data --allow-fs-write=data --dns-result-order=name --max-http-header-size=number --trace-gc --inputs-type=name --run=name
	--v8-options --title=name --no-addons --frozen-intrinsics --verify-base-objects
	~-e,--eval ~-p,--print ~-pe ~-i,--interactive ~--input-type ~--inspect?=data ~--inspect-brk?=data ~--inspect-wait?=data ~--inspect-port
	~--watch ~--watch-path ~--build-snapshot ~--snapshot-blob ~--prof-process !--openssl-config !--icu-data-dir !--experimental-sea-config `

var bareModule = regexp.MustCompile(`^(@[\w.-]+/)?[A-Za-z0-9_][\w.-]*(/[\w-][\w.-]*)*$`)

// loads makes a judge of options that name a module: a file of the tree, or a package that is installed in the tree.
func loads(options ...string) func(m *grammar.Match) {
	return func(m *grammar.Match) { eachOption(m, func(v string) { moduleOrFile(m, v) }, options...) }
}

// moduleOrFile allows names of installed packages. A file that is loaded first could change what known tools do.
func moduleOrFile(m *grammar.Match, v string) {
	switch {
	case v == "":
	case strings.HasPrefix(v, ".") || strings.HasPrefix(v, "/") || strings.HasPrefix(v, "~") || strings.Contains(v, ".."):
		m.Ask(".module", "loading "+v+" before the rest is for the project's configuration, where a reviewer sees it; name it there")
	case strings.HasPrefix(v, "node:"):
	case bareModule.MatchString(v):
		if codeSuffixes[path.Ext(v)] {
			m.Use(grammar.Code, grammar.Lit(v), "module")
		}
	default:
		m.Ask(".module", v+" is neither a file of the tree nor the name of an installed package; "+whyInline)
	}
}

func nodePrograms() []grammar.Program {
	run := grammar.Run
	all := []grammar.Program{
		program(node, "node nodejs", grammar.Spec{Class: run, Style: grammar.Posix, Opts: nodeOpts, Args: "data*", Why: whyInline,
			Judge: judges(loads("-r", "--require", "--import", "--loader", "--experimental-loader", "--test-reporter", "--test-global-setup"),
				nodeMain)}),
		nodeTool("tsx", grammar.Spec{Class: run, Style: grammar.Posix, Args: "data*", Why: whyInline,
			Judge: judges(loads("-r", "--require", "--import"), nodeMain),
			Opts:  nodeOpts + "--tsconfig=code --no-cache"}),
		nodeTool("ts-node ts-node-esm ts-node-transpile-only ts-node-dev", grammar.Spec{Class: run, Style: grammar.Posix, Args: "data*",
			Why: whyInline, Judge: judges(loads("-r", "--require", "--compiler", "-C"), nodeMain),
			Opts: `-r,--require=data -P,--project=code -T,--transpile-only,--transpileOnly --files --esm --swc --cwd-mode --script-mode
				--prefer-ts-exts --type-check --pretty -C,--compiler=data -I,--ignore=data -D,--ignore-diagnostics=data --log-error --skip-project
				--skip-ignore --show-config --emit --cwd=dir --experimental-resolver --experimentalSpecifierResolution=name -h,--help -v,--version
				--quiet --respawn --exit-child
				~-e,--eval ~-p,--print ~-pe ~-i,--interactive ~-O,--compiler-options ~--inspect?=data`}),
		nodeTool("nodemon", grammar.Spec{Class: run, Style: grammar.Posix, Args: "code data*", Why: whyExec,
			Judge: func(m *grammar.Match) { scriptArgs(m, dropOperands(m, 1), true) },
			Opts: `-e,--ext=data -w,--watch=read -i,--ignore=data -q,--quiet -V,--verbose -L,--legacy-watch -d,--delay=data --config=code
				-C,--on-change-only --signal=name -v,--version !-x,--exec !--spawn ~--inspect?=data`}),
		nodeTool("cross-env cross-env-shell", grammar.Spec{Class: run, Style: grammar.Bare, Args: "assign* command?"}),
		nodeTool("c8 nyc", grammar.Spec{Class: run, Style: grammar.Posix, Args: "command?", Why: whyExec, Judge: judges(loads("--require", "-r"),
			coverageReport),
			Opts: `-r=data --reporter=name -o,--reports-dir,--report-dir=write --all -a --check-coverage --lines=number --functions=number
				--branches=number --statements=number --per-file --include,-n=data --exclude,-x=data --src=read --temp-directory,--temp-dir=write
				--clean --skip-full --100 --config,-c=code --nycrc-path=code --cwd=dir --silent,-s --cache --extension,-e=data --exclude-after-remap
				--require=data --instrument?=true|false --sourceMap?=true|false --no-clean --produce-source-map`}),
		nodeTool("dotenv env-cmd", asked("it reads a file of secrets into the environment; set what tests need in their own configuration")),
		nodeTool("forever", asked("it leaves processes behind; run the program in the background of one command instead")),
		program(node, "corepack", grammar.Spec{Class: grammar.Inspect, Opts: "-v,--version", Why: whyGlobal, Subs: table(
			row{"enable disable prepare install use up pack hydrate", asked(whyGlobal)}), SubElse: ptr(grammar.Spec{Class: run, Whole: corepack})}),
		deno(),
		program(node, "n", asked(whyGlobal)),
	}
	all = append(all, npmPrograms()...)
	all = append(all, nodeTests()...)
	all = append(all, nodeChecks()...)
	return append(all, nodeBuilds()...)
}

func nodeTool(names string, s grammar.Spec) grammar.Program {
	return program(node, under(names, nodeBin), s)
}

// coverageReport reads "nyc report", which is a command of nyc itself.
func coverageReport(m *grammar.Match) {
	for i, u := range m.Uses {
		if t, ok := u.Word.Text(); u.Kind == grammar.Command && ok && grammar.Set("report check-coverage merge")[t] {
			m.Uses = append(m.Uses[:i:i], m.Uses[i+1:]...)
			scriptArgs(m, u.Rest, true)
			return
		}
	}
}

// corepack is "corepack pnpm test".
func corepack(m *grammar.Match) {
	if len(m.Words) == 0 {
		m.Class = grammar.Inspect
		return
	}
	if t, ok := m.Words[0].Text(); ok && grammar.Set("npm npx pnpm yarn")[t] {
		command(m, t, m.Words[1:], "corepack")
		return
	}
	m.Ask(".version", "a package manager by version is fetched; use the one that is installed")
}

// nodeMain judges the operands of the runtime: tests, a script with its arguments, or nothing.
func nodeMain(m *grammar.Match) {
	args := dropOperands(m, 0)
	switch {
	case m.Has("--version", "--help", "--v8-options"):
		m.Class = grammar.Inspect
	case m.Has("--run"):
		scriptArgs(m, args, true)
	case m.Has("--test"):
		for _, w := range args {
			m.Use(grammar.Code, w, "test")
		}
	case m.Has("--check"):
		m.Class = grammar.Inspect
		for _, w := range args {
			m.Use(grammar.Read, w, "script")
		}
	case len(args) == 0 || args[0].Is("-"):
		m.StdinCode = true
	case args[0].Is("inspect") || args[0].Is("debug"):
		m.Ask(".debug", whyDebug)
	case args[0].Is("watch"):
		m.Ask(".watch", whyWatch)
		for _, w := range args[1:] {
			m.Use(grammar.Code, w, "script")
		}
	default:
		nodeScript(m, args[0], args[1:])
	}
}

func nodeScript(m *grammar.Match, file grammar.Word, args []grammar.Word) {
	m.Use(grammar.Code, file, "script")
	t, _ := file.Text()
	if !strings.Contains(t, "node_modules/") {
		scriptArgs(m, args, false)
		return
	}
	base := strings.TrimSuffix(path.Base(t), path.Ext(t))
	switch {
	case base == "npm-cli":
		command(m, "npm", args, "script")
	case base == "npx-cli":
		command(m, "npx", args, "script")
	case nodeKnown()[base]:
		command(m, base, args, "script")
	default:
		scriptArgs(m, args, true)
	}
}

var (
	knownOnce sync.Once
	known     map[string]bool
)

// nodeKnown are tools that projects install and that have a table: npx and the like may run them.
func nodeKnown() map[string]bool {
	knownOnce.Do(func() {
		known = map[string]bool{}
		for _, p := range nodePrograms() {
			for _, n := range p.Names {
				if p.Class != grammar.Ask && p.Class != grammar.Deny && !strings.Contains(n, "/") {
					known[n] = true
				}
			}
		}
		for n := range grammar.Set("node nodejs npm npx pnpm pnpx yarn yarnpkg corepack nodemon") {
			delete(known, n)
		}
	})
	return known
}

// nodePackages are packages whose program has another name.
var nodePackages = map[string]string{
	"@biomejs/biome": "biome", "@commitlint/cli": "commitlint", "@playwright/test": "playwright", "@graphql-codegen/cli": "graphql-codegen",
	"@angular/cli": "ng", "@storybook/cli": "storybook", "typescript": "tsc", "@arethetypeswrong/cli": "attw", "@changesets/cli": "changeset",
	"@sveltejs/kit": "svelte-kit", "@swc/cli": "swc", "@babel/cli": "babel", "@microsoft/api-extractor": "api-extractor",
	"@stryker-mutator/core": "stryker",
	"@redocly/cli":          "redocly", "@web/test-runner": "wtr", "webpack-cli": "webpack", "markdownlint-cli": "markdownlint",
	"@11ty/eleventy": "eleventy",
}

// npxTool delegates to the table of a tool that the project has installed. Anything else would be fetched and run.
func npxTool(m *grammar.Match, w grammar.Word, rest []grammar.Word) {
	t, ok := w.Text()
	if name, scoped := nodePackages[t]; ok && scoped {
		t = name
	}
	if !ok || !nodeKnown()[t] {
		m.Ask(".fetch", w.String()+" is not among the tools that projects have installed; "+whyFetch)
		return
	}
	command(m, t, rest, "npx")
}
