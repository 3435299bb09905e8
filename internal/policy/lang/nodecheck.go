package lang

import (
	"github.com/longshift/longshift/internal/policy/grammar"
)

// tsc takes its options in any case; the usual spellings are listed.
const tscOpts = ` -p,--project=code --noEmit?=true|false -b,--build -w=false| --watch=false| --pretty?=true|false --listFiles
	--listFilesOnly --listEmittedFiles --extendedDiagnostics --diagnostics --explainFiles --traceResolution --showConfig --noErrorTruncation
	--preserveWatchOutput --outDir=write --outFile=write --declarationDir=write --tsBuildInfoFile=write -d,--declaration --declarationMap
	--emitDeclarationOnly --sourceMap --inlineSourceMap --inlineSources --removeComments --noEmitOnError --emitBOM --newLine=name
	--stripInternal --importHelpers --noEmitHelpers --downlevelIteration -t,--target=name -m,--module=name --moduleResolution=name --lib=data
	--jsx=name --jsxImportSource=name --jsxFactory=name --rootDir=code --rootDirs=data --baseUrl=code --typeRoots=data --types=data
	--resolveJsonModule --allowJs --checkJs --maxNodeModuleJsDepth=number --allowSyntheticDefaultImports --esModuleInterop
	--forceConsistentCasingInFileNames --isolatedModules --isolatedDeclarations --preserveSymlinks --verbatimModuleSyntax
	--erasableSyntaxOnly --strict?=true|false --noImplicitAny --strictNullChecks --strictFunctionTypes --strictBindCallApply
	--strictPropertyInitialization --noImplicitThis --useUnknownInCatchVariables --alwaysStrict --noUnusedLocals --noUnusedParameters
	--exactOptionalPropertyTypes --noImplicitReturns --noFallthroughCasesInSwitch --noUncheckedIndexedAccess --noImplicitOverride
	--noPropertyAccessFromIndexSignature --allowUnusedLabels --allowUnreachableCode --skipLibCheck?=true|false --skipDefaultLibCheck
	--incremental?=true|false --composite?=true|false --assumeChangesOnlyAffectDirectDependencies --allowImportingTsExtensions
	--allowArbitraryExtensions --experimentalDecorators --emitDecoratorMetadata --useDefineForClassFields --customConditions=data
	--moduleDetection=name --noCheck --noResolve --noLib --force,-f --dry --clean --verbose --stopBuildOnErrors --all --locale=name
	--generateTrace=write --generateCpuProfile=write -v,--version -h,--help -i ~--init ~--plugins --singleThreaded --builders=number
	--checkers=number `

const eslintOpts = ` -c,--config=code --no-config-lookup --no-eslintrc --env=data --ext=data --global=data --parser=data
	--parser-options=data --resolve-plugins-relative-to=code --plugin=data --rule=data --rulesdir=code --fix --fix-dry-run --fix-type=name
	--ignore-path=read --no-ignore --ignore-pattern=data --stdin --stdin-filename=read --quiet --max-warnings=data -o,--output-file=write
	-f,--format=data --color --no-color --no-inline-config --report-unused-disable-directives
	--report-unused-disable-directives-severity=name --report-unused-inline-configs=name --cache --no-cache --cache-file=write
	--cache-location=write --cache-strategy=metadata|content --no-error-on-unmatched-pattern --exit-on-fatal-error --no-warn-ignored
	--pass-on-no-patterns --pass-on-unpruned-suppressions --suppress-all --suppress-rule=data --suppressions-location=write
	--prune-suppressions --debug -h,--help -v,--version --env-info --print-config=read --flag=name --stats ~--mcp --concurrency=data
	-s,--silent ~--inspect-config --no-inspect ~--init `

func nodeChecks() []grammar.Program {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	eslint := grammar.Spec{Class: run, Opts: eslintOpts, Args: "read*", Why: whyServe,
		Judge: judges(loads("--parser", "--plugin", "-f", "--format"), configNamed("eslint"), fixes("--fix"), fixFlag("--fix"))}
	return []grammar.Program{
		nodeTool("tsc vue-tsc tsgo", grammar.Spec{Class: inspect, Opts: tscOpts, Args: "read*", Judge: tsc, Why: "it makes a new configuration"}),
		nodeTool("eslint eslint_d", eslint),
		nodeTool("prettier prettierd", grammar.Spec{Class: run, Args: "read*", Judge: judges(loads("--plugin", "--parser"),
			configNamed("prettier"), fixes("-w", "--write")),
			Opts: `-c,--check -l,--list-different -w,--write -u,--ignore-unknown --no-error-on-unmatched-pattern --config=code --no-config
				--config-precedence=name --no-editorconfig --find-config-path=read --ignore-path=read --with-node-modules --plugin=data --parser=data
				--stdin-filepath=read --cache --cache-location=write --cache-strategy=name --no-cache --log-level,--loglevel=name --color --no-color
				--single-quote --no-semi --semi --tab-width=number --use-tabs --print-width=number --trailing-comma=name --bracket-spacing
				--no-bracket-spacing --arrow-parens=name --end-of-line=name --prose-wrap=name --quote-props=name --jsx-single-quote
				--bracket-same-line --html-whitespace-sensitivity=name --embedded-language-formatting=name --single-attribute-per-line
				--experimental-ternaries --object-wrap=name --range-start=number --range-end=number --require-pragma --insert-pragma --file-info=read
				--support-info -v,--version -h,--help --no-plugin-search --experimental-cli`}),
		nodeTool("biome rome", grammar.Spec{Class: inspect, Subs: biomeSubs(), Opts: "-V,--version -h,--help",
			SubElse: &grammar.Spec{Class: inspect}}),
		nodeTool("stylelint", grammar.Spec{Class: run, Args: "read*", Judge: judges(loads("--custom-syntax", "-f", "--formatter",
			"--custom-formatter"), configNamed("stylelint"), fixes("--fix")),
			Opts: `-c,--config=code --config-basedir=code -q,--quiet --quiet-deprecation-warnings --color --no-color --ignore-path=read
				--ignore-pattern=data --custom-syntax=data --stdin --stdin-filename=read --ignore-disables --disable-default-ignores --cache
				--cache-location=write --cache-strategy=name -f,--formatter=data --custom-formatter=data --fix?=name -o,--output-file=write
				--max-warnings=number --mw=number --print-config=read --report-needless-disables --rd --report-invalid-scope-disables --risd
				--report-descriptionless-disables --validate --no-validate --allow-empty-input --aei -v,--version -h,--help`}),
		nodeTool("oxlint", grammar.Spec{Class: inspect, Args: "read*", Judge: fixes("--fix", "--fix-suggestions"), Opts: `-c,--config=code
			--tsconfig=code -A,--allow=data -W,--warn=data -D,--deny=data --fix --fix-suggestions --quiet --deny-warnings --max-warnings=number
			-f,--format=name --ignore-path=read --ignore-pattern=data --no-ignore --import-plugin --react-plugin --vitest-plugin --jest-plugin
			--type-aware --silent --threads=number --rules -V,--version -h,--help`}),
		nodeTool("xo standard ts-standard tslint jshint dprint", grammar.Spec{Class: run, Args: "read*", Judge: fixes("--fix", "fmt"),
			Why: whyAdd,
			Opts: `--fix --quiet --ext=data --env=name --global=data --space=number --no-semicolon --prettier --ignore=data --project,-p=code
				-c,--config=code --format,-t=name --exclude,-e=data --verbose --version --help --reporter=name ~--plugin ~--parser ~--rules-dir`}),
		nodeTool("svelte-check astro-check", grammar.Spec{Class: inspect, Why: whyWatch, Opts: `--tsconfig=code --workspace=code --output=name
			--threshold=name --fail-on-warnings --ignore=data --compiler-warnings=data --diagnostic-sources=data --no-tsconfig --incremental --tsgo
			~--watch ~--preserveWatchOutput`}),
		nodeTool("cspell", grammar.Spec{Class: run, Args: "read*", Opts: `-c,--config=code --no-progress --no-summary --no-must-find-files
			--show-suggestions --show-context -u,--unique --words-only --dot --gitignore --no-gitignore --quiet --silent -v,--verbose --color
			--no-color --locale=name --language-id=name -e,--exclude=data --cache --no-cache --file-list=read --relative --fail-fast --no-exit-code
			--version --help`}),
		nodeTool("markdownlint markdownlint-cli2 remark textlint", grammar.Spec{Class: run, Args: "data*",
			Judge: judges(readable, fixes("-f", "--fix")), Why: whyExec,
			Opts: `-c,--config=code -d,--dot -f,--fix -i,--ignore=data -j,--json -o,--output=write -p,--ignore-path=read -q,--quiet -s,--stdin
				--enable=data --disable=data --no-globs --frail --version --help !-r,--rules !--rulesdir !--use !-u`}),
		nodeTool(`knip depcheck madge dependency-cruiser depcruise syncpack publint attw size-limit npm-check-updates ncu ts-prune
			ts-unused-exports unimported license-checker jscpd type-coverage sort-package-json manypkg`, grammar.Spec{Class: run, Args: "data*",
			Why:   "it changes the manifest or fetches; say what is needed and ask",
			Judge: readable, Opts: `-c,--config=code --json --ignores=data --ignore-patterns=data --skip-missing --circular --extensions=data
				--ts-config=code --exclude=data --warning --no-spinner --production --strict --include=data --dependencies --exports --files
				--reporter=name --no-progress --no-exit-code --max-issues=number --tsConfig=code -T,--output-type=name --validate --no-config
				-f,--output-to=write --metrics --pack --profile=name --limit=name --version --help --check --summary --fix-dry-run --no-gitignore
				--workspace=name -p=code ~-u,--upgrade ~-i ~--fix ~--allow-remove-files`}),
		nodeTool("commitlint", grammar.Spec{Class: run, Opts: `-e,--edit?=read --from,-f=rev --to,-t=rev --last,-l -g,--config=code --verbose,-V
			-q,--quiet --strict,-s -x,--extends=name -d,--cwd=dir -c,--color --no-color --help-url=data -v,--version --print-config?=name`}),
		nodeTool("lint-staged", grammar.Spec{Class: run, Opts: `--allow-empty -p,--concurrent=data -c,--config=code --cwd=dir -d,--debug
			--diff=rev --diff-filter=name --max-arg-length=number --no-stash --no-hide-partially-staged -q,--quiet -r,--relative -v,--verbose
			--continue-on-error --fail-on-changes -V,--version -h,--help`}),
		nodeTool("simple-git-hooks", asked("it writes hooks that git runs later; run the checks by themselves")),
		nodeTool("api-extractor", grammar.Spec{Class: run, Subs: table(row{"run", grammar.Spec{Class: run, Opts: `-c,--config=code -l,--local
			-v,--verbose --typescript-compiler-folder=code`}})}),
		nodeTool(`tsd browserslist secretlint ncc hardhat es-check gulp gulp-cli grunt grunt-cli ember html-validate ls-lint tap-spec tap-dot
			spectral vue-cli-service svgo wdio nightwatch`,
			grammar.Spec{Class: run, Whole: func(m *grammar.Match) { scriptArgs(m, m.Words, true) }}),
		nodeTool("rimraf del-cli", grammar.Spec{Class: change, Args: "remove+", Opts: `-g,--glob --preserve-root --max-retries=number
			-v,--verbose`}),
		nodeTool("mkdirp", grammar.Spec{Class: change, Args: "write+", Opts: "-m=number"}),
		nodeTool("cpy copyfiles cpx ncp shx", asked("use cp, mv or rm, which say what they do")),
	}
}

// tsc without --noEmit writes what it compiles; with --build always.
func tsc(m *grammar.Match) {
	w, given := m.Flags["--noEmit"]
	looks := given && !w.Is("false") || m.Has("--version", "--help", "--showConfig", "--listFilesOnly", "--all")
	if m.Has("--build") {
		for _, i := range m.Operands() {
			m.Uses[i].Kind = grammar.Code
		}
		looks = false
	}
	if !looks {
		m.Class = grammar.Change
	}
}

func biomeSubs() subs {
	inspect, change := grammar.Inspect, grammar.Change
	opts := ` --colors=name --verbose --config-path=code --max-diagnostics=data --skip-errors --no-errors-on-unmatched --error-on-warnings
		--reporter=name --log-level=name --log-kind=name --diagnostic-level=name --vcs-enabled=true|false --vcs-client-kind=name
		--vcs-use-ignore-file=true|false --vcs-root=code --vcs-default-branch=rev --files-max-size=number --files-ignore-unknown=true|false
		--stdin-file-path=read --staged --changed --since=rev --write --fix --unsafe --apply --apply-unsafe --suppress --reason=data --only=data
		--skip=data --indent-style=name --indent-width=number --line-width=number --line-ending=name --quote-style=name --semicolons=name
		--formatter-enabled=true|false --linter-enabled=true|false --assist-enabled=true|false --enforce-assist=true|false
		--organize-imports-enabled=true|false -h,--help --use-server --trailing-commas=name --arrow-parentheses=name
		--bracket-spacing=true|false --jsx-quote-style=name --profile-rules `
	writes := []string{"--write", "--fix", "--apply", "--apply-unsafe", "--suppress"}
	return table(
		row{"check lint format ci", grammar.Spec{Class: inspect, Opts: opts, Args: "read*", Judge: judges(fixes(writes...), fixFlag(writes...))}},
		row{"version explain rage help", grammar.Spec{Class: inspect, Args: "name*", Opts: opts}},
		row{"search", grammar.Spec{Class: inspect, Args: "data read*", Opts: opts}},
		row{"migrate", grammar.Spec{Class: change, Args: "name?", Opts: opts + "--include-inspired --include-nursery"}},
		row{"init start stop lsp-proxy upgrade clean", asked(whyGlobal)},
	)
}
