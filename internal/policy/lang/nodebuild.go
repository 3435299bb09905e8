package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const (
	turboRun = ` -F,--filter=data --affected --cache=data --cache-dir=write --concurrency=data --continue?=name --cwd=dir --dry?=name
		--dry-run?=name --env-mode=name --force?=true|false --framework-inference?=true|false --global-deps=data --graph?=data -a --no-daemon
		--daemon --no-cache --no-color --color --no-update-notifier --log-order=name --log-prefix=name --only -o --output-logs=name --parallel
		--preflight --profile=write --anon-profile=write --remote-only --root-turbo-json=code --summarize?=true|false --ui=name
		--verbosity=number -v -vv --scope=data --since=rev --include-dependencies --no-deps --skip-infer --version -h,--help -d --tasks=data
		--remote-cache-read-only ~--token ~--team ~--api ~--login ~--remote-cache-timeout --json `
	nxRun = ` --configuration,-c=name --prod --skip-nx-cache --skipNxCache --no-cache --parallel?=data --maxParallel=number --exclude=data
		--projects,-p=data --target,-t,--targets=data --all --affected --base=rev --head=rev --files=data --uncommitted --untracked --nx-bail
		--nxBail --nx-ignore-cycles --nxIgnoreCycles --output-style=name --outputStyle=name --verbose --graph?=data --batch --tui?=true|false
		--no-tui --skip-sync --skip-remote-cache --skipRemoteCache --no-dte --code-coverage --codeCoverage --coverage --ci --watch=false|
		--testFile=code --test-file=code --testNamePattern=data --testPathPattern=data --fix --quiet --json --type=name
		--withTarget=data --with-target=data --web --open=false| --port=number --dry-run,-d --check --write --help --version
		--passWithNoTests --runInBand --updateSnapshot,-u --run --skip-install `
)

func nodeBuilds() []grammar.Program {
	run, inspect := grammar.Run, grammar.Inspect
	turbo := grammar.Spec{Class: run, Opts: turboRun, Args: "data+", Why: whyPublish, Judge: posargs}
	build := func(opts, args string) grammar.Spec { return grammar.Spec{Class: run, Opts: opts, Args: args} }
	serve := func(opts string) grammar.Spec {
		return grammar.Spec{Class: run, Opts: opts + ` --host?=data -H,--hostname=data --port,-p=number --open=false| --strictPort --cors --force
			--turbo --turbopack --experimental-https=false|`, Args: "code?", Judge: devServer}
	}
	return []grammar.Program{
		nodeTool("turbo", grammar.Spec{Class: run, Opts: turboRun, Why: whyPublish, Subs: table(
			row{"run", turbo}, row{"ls query info boundaries", grammar.Spec{Class: inspect, Opts: `-F,--filter=data --affected --output=name
				--cwd=dir --json`, Args: "name*"}},
			row{"prune", grammar.Spec{Class: run, Opts: "--docker --out-dir=write --scope=data --cwd=dir", Args: "name*"}},
			row{"daemon bin help", grammar.Spec{Class: inspect, Args: "name*"}},
			row{"watch", asked(whyWatch)}, row{"gen generate login logout link unlink telemetry scan config devtools", asked(whyGlobal)}),
			SubElse: &turbo}),
		nodeTool("nx", grammar.Spec{Class: run, Opts: "--version --help --verbose", Subs: table(
			row{"run run-many affected test build lint typecheck e2e serve-static format:check", grammar.Spec{Class: run, Opts: nxRun, Args: "data*",
				Judge: posargs}},
			row{"format:write format", grammar.Spec{Class: grammar.Change, Opts: nxRun, Args: "name*"}},
			row{"show report list graph print-affected", grammar.Spec{Class: run, Opts: nxRun + `--file=write --focus=name --groupByFolder
				--view=name`,
				Args: "name*"}},
			row{"reset sync sync:check daemon", grammar.Spec{Class: run, Opts: `--onlyCache --onlyDaemon --onlyWorkspaceData --stop --start
				--verbose`}},
			row{"exec", grammar.Spec{Class: run, Style: grammar.Posix, Opts: "--projects=data --all --parallel=data", Args: "command"}},
			row{"migrate add connect init release login logout import repair view-logs watch generate g workspace-generator", asked(whyAdd)}),
			SubElse: &grammar.Spec{Class: run, Opts: nxRun, Args: "name data*", Judge: func(m *grammar.Match) { script(m, dropOperands(m, 0)) }}}),
		nodeTool("lerna", grammar.Spec{Class: run, Subs: table(
			row{"run", grammar.Spec{Class: run, Args: "data*", Judge: posargs, Opts: `--scope=data --ignore=data --since?=rev --stream --parallel
				--no-bail --no-sort --concurrency=number --include-dependencies --include-dependents --no-prefix --skip-nx-cache --verbose
				--load-env-files --profile`}},
			row{"ls list la ll changed diff info", grammar.Spec{Class: inspect, Opts: `--json --all -a --long -l --scope=data --since?=rev --graph
				--toposort --parseable`, Args: "name*"}},
			row{"exec", grammar.Spec{Class: run, Style: grammar.Posix, Opts: `--scope=data --ignore=data --since?=rev --stream --parallel --no-bail
				--concurrency=number --no-sort`, Args: "command"}},
			row{"bootstrap", grammar.Spec{Class: grammar.Install, Opts: "--ci --no-ci --hoist", Needs: []grammar.Need{grammar.NeedRegistry}}},
			row{"publish version", denied(whyPublish)}, row{"clean create import add link init repair", asked(whyAdd)})}),
		nodeTool("webpack webpack-cli rspack", grammar.Spec{Class: run, Args: "data*", Why: whyServe, Judge: judges(webpackWords,
			loads("--config-loader"), configNamed("webpack", "rspack")),
			Opts: `-c,--config=code --config-name=name -m,--merge --mode=development|production|none --env=data --node-env=name
				--config-node-env=name --progress?=name -j,--json?=write -d,--devtool=name --no-devtool --entry=code -o,--output-path=write
				-t,--target=name --stats?=name --no-stats --analyze --fail-on-warnings --disable-interpret --name=name --color --no-color
				-h,--help?=name -v,--version --no-watch --output-filename=name --bail --cache --no-cache --profile --context=code ~-w,--watch
				--config-loader=data`}),
		nodeTool("vite", grammar.Spec{Class: run, Opts: viteOpts + "-v,--version -h,--help", Subs: table(
			row{"build", build(viteOpts+`--target=name --outDir=write --assetsDir=name --assetsInlineLimit=number --ssr?=code --sourcemap?=name
				--minify?=name --manifest?=name --ssrManifest?=name --emptyOutDir --app ~-w,--watch`, "code?")},
			row{"optimize", build(viteOpts+"--force", "code?")},
			row{"preview dev serve", serve(viteOpts + "--outDir=write")}),
			SubElse: ptr(serve(viteOpts))}),
		nodeTool("rollup", grammar.Spec{Class: run, Args: "code*", Why: whyExec, Judge: judges(loads("-p", "--plugin", "--configPlugin"),
			rollupConfig, configNamed("rollup")),
			Opts: `-c,--config?=code --bundleConfigAsCjs --configPlugin=data -d,--dir=write -e,--external=data -f,--format=name -g,--globals=data
				-h,--help -i,--input=code -m,--sourcemap?=name -n,--name=name -o,--file=write -p,--plugin=data -v,--version --amd.id=name
				--assetFileNames=name --chunkFileNames=name --entryFileNames=name --compact --environment=data --exports=name --extend
				--failAfterWarnings --silent --no-strict --no-treeshake --treeshake --preserveModules --preserveEntrySignatures=name --perf
				--logLevel=name --validate --forceExit --inlineDynamicImports --banner=data --footer=data --intro=data --outro=data ~-w,--watch
				!--watch.onStart !--watch.onEnd !--watch.onError !--watch.onBundleStart !--watch.onBundleEnd ~--stdin`}),
		nodeTool("esbuild", grammar.Spec{Class: run, Args: "code*", Style: grammar.Single, Why: whyServe, Judge: func(m *grammar.Match) {
			eachOption(m, func(v string) { m.Use(grammar.Code, grammar.Lit(v[strings.LastIndex(v, ":")+1:]), "alias") }, "-alias:", "-inject:")
		}, Opts: `--bundle --define:*=data --external:*=data --format=iife|cjs|esm --loader:*=data --minify --minify-whitespace
			--minify-identifiers --minify-syntax --outdir=write --outfile=write --outbase=code --out-extension:*=data
			--platform=browser|node|neutral --sourcemap?=name --splitting --target=data --alias:*=data --inject:*=data --allow-overwrite
			--analyze?=name --asset-names=name --banner:*=data --footer:*=data --charset=name --chunk-names=name --color=true|false
			--conditions=data --drop:*=data --entry-names=name --global-name=name --ignore-annotations --jsx=name --jsx-factory=name
			--jsx-fragment=name --jsx-import-source=name --jsx-dev --keep-names --legal-comments=name --line-limit=number --log-level=name
			--log-limit=number --main-fields=data --mangle-props=data --metafile=write --packages=external|bundle --preserve-symlinks
			--public-path=name --pure:*=data --resolve-extensions=data --source-root=name --sources-content=true|false --supported:*=data
			--tree-shaking=true|false --tsconfig=code --version ~--serve?=data ~--servedir ~--watch?=data --abs-working-dir=dir`}),
		nodeTool("next", grammar.Spec{Class: run, Subs: table(
			row{"build", build(`-d,--debug --profile --no-lint --no-mangling --turbo --turbopack --webpack --experimental-app-only
				--experimental-build-mode=name --debug-prerender`, "code?")},
			row{"lint", with(grammar.Spec{Class: run, Args: "code?", Opts: `-d,--dir=code --file=read --ext=data -c,--config=code
				--resolve-plugins-relative-to=code --strict --fix --fix-type=name --no-ignore --ignore-path=read --quiet --max-warnings=number
				-o,--output-file=write -f,--format=name --no-cache --cache --no-inline-config --error-on-unmatched-pattern`}, fixFlag("--fix"))},
			row{"typegen info", build("--verbose", "code?")}, row{"dev start", serve("--keepAliveTimeout=number")},
			row{"telemetry upgrade experimental-https", asked(whyGlobal)}), SubElse: &grammar.Spec{Class: inspect, Opts: "-v,--version -h,--help"}}),
		nodeTool("nuxt nuxi", grammar.Spec{Class: run, Subs: table(
			row{"build generate prepare typecheck build-module cleanup analyze info test",
				build("--cwd=dir --logLevel=name --prerender --preset=name --dotenv=read --stub --sourcemap --no-serve", "code?")},
			row{"dev preview start", serve("--cwd=dir --logLevel=name --no-fork --no-clear --no-qr")}), SubElse: &grammar.Spec{Class: inspect,
			Opts: "-v,--version"}}),
		nodeTool("astro", grammar.Spec{Class: run, Subs: table(
			row{"build check sync info", build(`--config=code --root=code --outDir=write --verbose --silent --tsconfig=code --mode=name --devOutput
				--minimumSeverity=name --minimumFailingSeverity=name --site=data --base=name`, "")},
			row{"dev preview start", serve("--config=code --root=code --verbose --silent")},
			row{"add login telemetry db preferences docs create-key", asked(whyAdd)}), SubElse: &grammar.Spec{Class: inspect,
			Opts: "--version --help"}}),
		nodeTool("svelte-kit", build("--tsconfig=code", "name?")),
		nodeTool("tsup unbuild tsdown pkgroll bunchee microbundle", build(`--entry=code --entry.*=code --format=data --dts --dts-only
			--dts-resolve --clean --minify?=name --sourcemap?=name --target=name --outDir=write -d,--out-dir=write --external=data --splitting
			--no-splitting --treeshake?=name --config=code --no-config -c=code --tsconfig=code --platform=name --silent --shims --metafile
			--env.*=data --define.*=data --global-name=name --legacy-output --keep-names --no-clean --stub --minify-whitespace -o=write
			--no-compress -f=name --version --help !--onSuccess ~--watch?=data ~-w --publicDir=code --inject=code --loader=data`, "code*")),
		nodeTool("parcel", grammar.Spec{Class: run, Subs: table(row{"build", build(`--dist-dir=write --no-optimize --no-source-maps --no-cache
			--cache-dir=write --config=code --target=name --public-url=name --log-level=name --no-content-hash --detailed-report?=number
			--no-scope-hoist`, "code*")}, row{"serve watch", asked(whyServe)})}),
		nodeTool("swc babel", build(`-d,--out-dir=write -o,--out-file=write --config-file=code -C=data -s,--source-maps?=name --copy-files,-D
			--extensions,-x=data --ignore=data --only=data --include-dotfiles --strip-leading-paths --quiet --verbose --no-swcrc
			--delete-dir-on-start --root-mode=name --env-name=name --no-comments --minified --compact=name --presets=name --plugins=name --version
			~-w,--watch`, "code*")),
		nodeTool("sass tailwindcss postcss lessc", build(`-i,--input=read -o,--output=write -m,--minify --config,-c=code --content=data
			--postcss?=code --no-source-map --style,-s=name --load-path,-I=read --no-charset --no-error-css --quiet,-q --quiet-deps --dir,-d=write
			--use,-u=name --no-map --env=name --base=code --map --verbose --color --no-color --update --version --silence-deprecation=data
			--fatal-deprecation=data ~-w,--watch`, "data*")),
		nodeTool("react-scripts craco", grammar.Spec{Class: run, Subs: table(
			row{"test", grammar.Spec{Class: run, Opts: strings.Replace(jestOpts, "--watchAll=false| --watch=false|", "--watchAll?=true|false "+
				"--watch?=true|false", 1), Args: "code*", Judge: judges(noInlineConfig, notGiven("--transform", "--runner", "--resolver",
				"--globalSetup", "--setupFiles", "--testEnvironment"))}},
			row{"build start", build("--stats --profile", "")}, row{"eject", asked(whySettings)})}),
		nodeTool("ng", grammar.Spec{Class: run, Why: whyAdd, Subs: table(
			row{"build b", build(`-c,--configuration=name --prod --aot --output-path=write --base-href=name --stats-json --source-map --no-progress
				--progress?=true|false --verbose --output-hashing=name --named-chunks --optimization?=true|false ~--watch`, "name?")},
			row{"test t", build(`-c,--configuration=name --watch?=true|false --no-watch --browsers=name --code-coverage --include=code --exclude=data
				--source-map --no-progress --progress?=true|false --reporters=name --karma-config=code --ts-config=code`, "name?")},
			row{"lint", build("--fix --format=name --quiet --max-warnings=number", "name?")}, row{"e2e", build("-c,--configuration=name", "name?")},
			row{"version v config", build("", "name?")},
			row{"serve s dev", serve("-c,--configuration=name --no-live-reload --live-reload?=true|false")},
			row{"generate g", grammar.Spec{Class: grammar.Change, Args: "name+", Opts: `--standalone --skip-tests --inline-style --inline-template
				--flat --dry-run,-d --style=name --project=name --type=name --module=name --export`}},
			row{"add update deploy new n run analytics cache extract-i18n", asked(whyAdd)})}),
		nodeTool("storybook sb build-storybook", grammar.Spec{Class: run, Subs: table(
			row{"build", build(`-o,--output-dir=write -c,--config-dir=code --quiet --disable-telemetry --docs --test --stats-json?=write
				--loglevel=name`, "")},
			row{"dev", serve("-c,--config-dir=code --ci --no-open --quiet --disable-telemetry --smoke-test --docs")},
			row{"init upgrade add remove automigrate sandbox doctor info migrate link", asked(whyAdd)}),
			SubElse: ptr(build("-o,--output-dir=write -c,--config-dir=code --quiet", ""))}),
		nodeTool("prisma", grammar.Spec{Class: run, Opts: "-v,--version -h,--help", Subs: table(
			row{"generate validate format", build(`--schema=code --config=code --generator=name --no-engine --no-hints --sql --check
				--allow-no-models`, "")},
			row{"migrate db", grammar.Spec{Class: run, Subs: table(row{"status diff", build(`--schema=code --config=code --from-empty
				--from-migrations=code --to-schema-datamodel=code --from-schema-datamodel=code --to-migrations=code --script --exit-code`, "")}),
				SubElse: ptr(asked("it changes a database; use one that the tests make"))}},
			row{"init studio pull push platform debug", asked(whyServe)})}),
		nodeTool("drizzle-kit", grammar.Spec{Class: run, Subs: table(row{"generate check", build(`--config=code --name=name --custom --schema=code
			--out=write --dialect=name`, "")}), SubElse: ptr(asked("it changes a database or serves one"))}),
		nodeTool("graphql-codegen openapi-typescript typedoc jsdoc typechain json2ts quicktype redocly", build(`-c,--config=code
			--project,-p=code --require,-r=code --check --errors-only --debug --silent --verbose -o,--output,--out=write -d,--destination=write
			--tsconfig=code --entryPoints=code --options=code --json=write --readme=read --skipErrorChecking --emit=name --treatWarningsAsErrors
			--export-type --alphabetize --immutable --target=name --out-dir=write --input,-i=read --version --help ~-w,--watch`, "code*")),
		nodeTool("concurrently", grammar.Spec{Class: run, Args: "shell+", Judge: concurrent, Opts: `-n,--names=data -c,--prefix-colors=data
			-p,--prefix=name -k,--kill-others --kill-others-on-fail --raw,-r -s,--success=name --no-color --hide=data -g,--group --timings
			-m,--max-processes=data --name-separator=data -t,--timestamp-format=data -l,--prefix-length=number --restart-tries=number
			--restart-after=number --default-input-target=name --pad-prefix --kill-signal=name -P,--passthrough-arguments -v,-V,--version
			-h,--help`}),
		nodeTool("npm-run-all npm-run-all2 run-s run-p run-z", grammar.Spec{Class: run, Args: "data+", Judge: runAll,
			Opts: `-c,--continue-on-error -l,--print-label -n,--print-name -s,--silent,--serial,--sequential -p,--parallel -r,--race
				--max-parallel=number --aggregate-output -v,--version !--npm-path !--config`}),
		nodeTool("wait-on start-server-and-test", asked("run the test that starts its own server instead")),
		nodeTool("changeset", grammar.Spec{Class: inspect,
			Subs: table(row{"status", grammar.Spec{Class: inspect, Opts: "--verbose --output=write --since=rev"}},
				row{"add", grammar.Spec{Class: grammar.Change, Opts: "--empty"}}, row{"version pre", asked(whyPublish)},
				row{"publish tag", denied(whyPublish)})}),
		nodeTool("semantic-release release-it np standard-version surge gh-pages now eas amplify",
			denied("it publishes or deploys; that is for people, not for a task")),
		nodeTool("serve http-server live-server json-server browser-sync", asked(whyServe)),
		nodeTool("vitepress vuepress docusaurus gatsby eleventy hexo remix react-router expo-doctor", grammar.Spec{Class: run, Subs: table(
			row{"build check doctor typegen typecheck routes", build(`--config,-c=code --outDir=write -o,--output=write --out-dir=write --base=name
				--mode=name --minify --no-minify --locale=name --sourcemapClient --quiet`, "code?")},
			row{"dev start serve preview develop", serve("--config,-c=code")}), SubElse: ptr(asked(whyPublish))}),
		nodeTool("sequelize sequelize-cli knex typeorm mikro-orm",
			asked("it changes a database; run it from a test or a script of package.json")),
	}
}

const viteOpts = ` -c,--config=code --base=name -l,--logLevel=name --clearScreen -d,--debug?=name -f,--filter=data -m,--mode=name
	--configLoader=name --profile `

// devServer allows development servers on the loopback interface only.
func devServer(m *grammar.Match) {
	for _, o := range []string{"--host", "-H"} {
		if w, ok := m.Flags[o]; ok && !w.Is("127.0.0.1") && !w.Is("localhost") {
			m.Ask(".listen", "it would listen on more than the loopback; use 127.0.0.1")
		}
	}
	m.Needs = append(m.Needs, grammar.NeedLoopback)
}

// webpackWords reads "webpack build ./src/index.js".
func webpackWords(m *grammar.Match) {
	ws := dropOperands(m, 0)
	if len(ws) > 0 {
		switch t, _ := ws[0].Text(); t {
		case "build", "bundle", "b", "info", "i", "version", "v", "help", "configtest", "t":
			ws = ws[1:]
		case "serve", "server", "s", "dev", "watch", "w", "init", "loader", "plugin", "create", "new", "n", "preview", "p":
			m.Ask(".subcommand", whyServe)
		}
	}
	for _, w := range ws {
		m.Use(grammar.Code, w, "entry")
	}
}

func rollupConfig(m *grammar.Match) {
	// "-c other.js" has the file in the next word, judged as the operands are: code in the tree.
	eachOption(m, func(v string) {
		if strings.HasPrefix(v, "node:") {
			m.Ask(".config", "name a file of the tree")
		}
	}, "-c", "--config")
}

// concurrent knows the short form "npm:test" for "npm run test".
func concurrent(m *grammar.Match) {
	uses := m.Uses
	m.Uses = nil
	for _, u := range uses {
		t, ok := u.Word.Text()
		manager, name, found := strings.Cut(t, ":")
		if u.Kind == grammar.Shell && ok && found && grammar.Set("npm yarn pnpm bun")[manager] && !strings.ContainsAny(name,
			" \t\n;&|$`<>(){}\"'\\/") {
			m.Use(grammar.Name, grammar.Lit(name), "script")
			continue
		}
		m.Uses = append(m.Uses, u)
	}
}

// runAll reads names of scripts and patterns of them; arguments of a script are in the same quotes.
func runAll(m *grammar.Match) {
	for _, w := range dropOperands(m, 0) {
		t, ok := w.Text()
		if !ok || strings.ContainsAny(t, " \t\n$`;&|") {
			m.Ask(".script", "write only the names of scripts, without arguments")
			continue
		}
		m.Use(grammar.Data, w, "script")
	}
}
