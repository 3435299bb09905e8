package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const jestOpts = ` -t,--testNamePattern,--test-name-pattern=data -i,--runInBand,--run-in-band --ci?=true|false --coverage?=true|false
	--collectCoverage?=true|false --no-coverage -w,--maxWorkers,--max-workers=data -u,--updateSnapshot,--update-snapshot
	--verbose?=true|false --silent?=true|false --bail?=data -b --config,-c=code --rootDir=code --roots=code --findRelatedTests
	--testPathPattern,--testPathPatterns=data --testPathIgnorePatterns=data --testMatch=data --testRegex=data
	--passWithNoTests,--pass-with-no-tests -o,--onlyChanged --onlyFailures,-f --changedSince=rev --changedFilesWithAncestor --lastCommit
	--collectCoverageFrom=data --coverageDirectory=write --coverageReporters=data --coverageProvider=babel|v8 --coverageThreshold=data
	--coveragePathIgnorePatterns=data --json?=true|false --outputFile=write --detectOpenHandles --detectLeaks --forceExit --no-cache
	--cache?=true|false --clearCache --cacheDirectory=write --reporters=data --env,--testEnvironment=data --setupFiles=data
	--setupFilesAfterEnv=data --globalSetup=data --globalTeardown=data --transform=data --resolver=data --runner=data --testRunner=data
	--preset=data --snapshotSerializers=data --testResultsProcessor=data --testSequencer=data --filter=code --projects=code
	--selectProjects=data --ignoreProjects=data --shard=data --testTimeout=number --logHeapUsage --listTests --showConfig --showSeed
	--errorOnDeprecated -e,--expand --noStackTrace --colors --color --no-color --debug --injectGlobals?=true|false --maxConcurrency=number
	--randomize --seed=number --runTestsByPath --openHandlesTimeout=number --resetMocks --restoreMocks --clearMocks --resetModules
	--useStderr --workerIdleMemoryLimit=data --workerThreads --waitForUnhandledRejections --skipFilter --testLocationInResults --automock
	--all --version -h,--help --watchAll=false| --watch=false| --watchman=false| --no-watchman --notify=false|
	--modulePathIgnorePatterns=data --transformIgnorePatterns=data --moduleFileExtensions=data --silent-reporter ~--init ~--haste
	~--modulePaths ~--moduleDirectories ~--moduleNameMapper ~--globals `

const vitestOpts = ` --run --watch=false| -w=false| --no-watch -t,--testNamePattern=data -c,--config=code -r,--root=code --dir=code
	-u,--update --coverage?=true|false --coverage.enabled?=true|false --coverage.reporter=data --coverage.include=data
	--coverage.exclude=data --coverage.provider=v8|istanbul --coverage.reportsDirectory=write --coverage.all?=true|false
	--coverage.clean?=true|false --coverage.thresholds.lines=number --coverage.thresholds.functions=number
	--coverage.thresholds.branches=number --coverage.thresholds.statements=number --no-coverage --reporter=data --outputFile=write
	--silent?=data --hideSkippedTests --mode=name --isolate?=true|false --no-isolate --globals --dom --environment=name --pool=name
	--poolOptions.threads.singleThread?=true|false --poolOptions.forks.singleFork?=true|false --poolOptions.threads.isolate?=true|false
	--poolOptions.forks.isolate?=true|false --fileParallelism?=true|false --no-file-parallelism --maxWorkers=data --minWorkers=data
	--passWithNoTests --allowOnly --dangerouslyIgnoreUnhandledErrors --shard=data --changed?=rev --sequence.shuffle?=true|false
	--sequence.seed=number --sequence.concurrent --retry=number --bail=number --testTimeout=number --hookTimeout=number
	--teardownTimeout=number --maxConcurrency=number --logHeapUsage --disableConsoleIntercept --no-color --color --project=data --typecheck
	--typecheck.only --typecheck.tsconfig=code --exclude=data --expandSnapshotDiff --printConsoleTrace --cache=false| --no-cache --clearCache
	--clearScreen?=true|false --expect.requireAssertions --slowTestThreshold=number --json --includeTaskLocation --attachmentsDir=write
	--api=false| --ui=false| --browser?=name --browser.headless --browser.name=name --filesOnly --staticParse -v,--version -h,--help ~--open
	~--inspect ~--inspect-brk ~--standalone !--execArgv !--poolOptions.forks.execArgv !--poolOptions.threads.execArgv `

func nodeTests() []grammar.Program {
	run, inspect := grammar.Run, grammar.Inspect
	vitest := grammar.Spec{Class: run, Opts: vitestOpts, Args: "code*", Judge: judges(loads("--reporter"), noInlineConfig,
		configNamed("vite"))}
	return []grammar.Program{
		nodeTool("jest jest-cli", grammar.Spec{Class: run, Opts: jestOpts, Args: "code*", Why: whyInline,
			Judge: judges(loads("--reporters", "--env", "--testEnvironment", "--setupFiles", "--setupFilesAfterEnv", "--globalSetup",
				"--globalTeardown", "--resolver", "--runner", "--testRunner", "--preset", "--snapshotSerializers", "--testResultsProcessor",
				"--testSequencer"), noInlineConfig, configNamed("jest"), notGiven("--transform"))}),
		nodeTool("vitest", grammar.Spec{Class: run, Opts: vitestOpts, Why: whyDebug, Subs: table(
			row{"run dev watch related list bench", vitest}, row{"init", asked(whyAdd)}),
			SubElse: &vitest}),
		nodeTool("mocha _mocha", grammar.Spec{Class: run, Args: "code*", Why: whyExec,
			Judge: judges(loads("-r", "--require", "--import", "--loader", "-R", "--reporter", "-u", "--ui"), notGiven("--node-option", "-n"),
				configNamed("mocha", "package.json")),
			Opts: `-g,--grep=data -f,--fgrep=data -i,--invert -r,--require=data --import=data --loader=data -R,--reporter=data
				-O,--reporter-option,--reporter-options=data -u,--ui=data -t,--timeout=data -s,--slow=data -b,--bail -A,--async-only --exit --no-exit
				-C,--no-color,--no-colors -c,--color,--colors --diff --no-diff --full-trace --forbid-only --forbid-pending --allow-uncaught --dry-run
				-j,--jobs=number -p,--parallel --retries=number --recursive --spec=code --extension=data --ignore,--exclude=data --file=code
				--config=code --package=code --no-config --no-package --opts=code --sort -G,--growl --check-leaks --global,--globals=data --delay
				--inline-diffs --fail-zero --pass-on-failing-test-suite -n,--node-option=data -V,--version -h,--help --list-reporters
				--list-interfaces --enable-source-maps --experimental-vm-modules --no-warnings --posix-exit-codes ~-w,--watch ~--inspect
				~--inspect-brk --watch-files=data`}),
		nodeTool("ava", grammar.Spec{Class: run, Args: "code*", Judge: strip(":"), Why: whyWatch,
			Opts: `-m,--match=data -u,--update-snapshots -v,--verbose -s,--serial -c,--concurrency=number --fail-fast -T,--timeout=data -t,--tap
				--no-worker-threads --config=code --color --no-color --node-arguments=name --version --help ~-w,--watch`}),
		nodeTool("tap tape uvu lab qunit jasmine japa cucumber-js", grammar.Spec{Class: run, Args: "code*", Why: whyWatch,
			Judge: judges(loads("-r", "--require", "--import", "--require-module", "--helper")),
			Opts: `-r,--require=data --import=data --require-module=data --helper=data -i,--ignore=data --ignore-pattern=data -R,--reporter=name
				-c,--color --no-color --only --no-only --bail -b --no-coverage --disable-coverage --allow-incomplete-coverage --allow-empty-coverage
				--coverage-report=name -j,--jobs=number -t,--tags,--timeout=data -g,--grep=data --filter=data --config=code --random=true|false
				--seed=number --strict --no-strict --dry-run -f,--format=name --format-options=data -p,--profile=name --name=data --parallel=number
				--fail-fast --publish-quiet --world-parameters=data --module=data -v,--version -h,--help ~-w,--watch ~--publish`}),
		nodeTool("playwright", grammar.Spec{Class: run, Opts: "-V,--version -h,--help", Why: whyDebug, Subs: table(
			row{"test", grammar.Spec{Class: run, Args: "code*", Judge: judges(strip(":"), loads("--reporter"), configNamed("playwright")),
				Opts: `-c,--config=code -g,--grep=data --grep-invert=data --headed --list --max-failures=number -x --no-deps --output=write
					--pass-with-no-tests --project=data --quiet --repeat-each=number --reporter=data --retries=number --shard=data --timeout=number
					--trace=name --tsconfig=code -u,--update-snapshots?=name --update-source-method=name -j,--workers=data --forbid-only --fully-parallel
					--global-timeout=number --ignore-snapshots --only-changed?=rev --last-failed --fail-on-flaky-tests --test-list=read --browser=name
					-h,--help ~--debug?=data ~--ui ~--ui-host ~--ui-port`}},
			row{"install install-deps uninstall", asked("it fetches browsers or installs packages of the system")},
			row{"merge-reports", grammar.Spec{Class: run, Args: "read?", Opts: "-c,--config=code --reporter=name"}},
			row{"show-report show-trace codegen open cr ff wk screenshot pdf run-server launch-server", asked(whyServe)})}),
		nodeTool("cypress", grammar.Spec{Class: run, Why: whyInline, Subs: table(
			row{"run", grammar.Spec{Class: run, Judge: judges(noInlineConfig, configNamed("cypress")), Why: "results would be sent to a service",
				Opts: `-b,--browser=name -C,--config-file=code --ci-build-id=name --component --e2e -e,--env=data --group=name --headed --headless
					--no-exit -p,--port=number -P,--project=code -q,--quiet -r,--reporter=name -o,--reporter-options=data --runner-ui --no-runner-ui
					-s,--spec=code -t,--tag=name --auto-cancel-after-failures=data ~-c,--config ~--record ~-k,--key ~--parallel`}},
			row{"verify info version cache", grammar.Spec{Class: inspect, Args: "name?"}},
			row{"open", asked(whyWatch)}, row{"install", asked(whyFetch)}), SubElse: &grammar.Spec{Class: inspect, Opts: "-v,--version -h,--help"}}),
		nodeTool("wtr web-test-runner", grammar.Spec{Class: run, Args: "code*", Opts: `--files=code --config=code --coverage
			--concurrency=number --group=name --groups=code --playwright --puppeteer --browsers=name --node-resolve --static-logging
			--root-dir=code ~--watch ~--open ~--manual`, Why: whyWatch}),
		nodeTool("karma",
			grammar.Spec{Class: run, Subs: table(row{"start", grammar.Spec{Class: run, Args: "code?", Opts: `--single-run --no-single-run
				--browsers=name --reporters=name --log-level=name --no-auto-watch --no-colors`}})}),
		nodeTool("stryker", grammar.Spec{Class: run, Subs: table(row{"run", grammar.Spec{Class: run, Args: "code?", Opts: `-m,--mutate=data
			--concurrency=number --reporters=name --logLevel=name --incremental --force --dryRunOnly -f,--files=data`}})}),
	}
}

// noInlineConfig refuses a configuration on the command line.
func noInlineConfig(m *grammar.Match) {
	for _, u := range m.Uses {
		if u.Kind == grammar.Code && u.Via != "" && strings.HasPrefix(strings.TrimSpace(u.Word.Prefix()), "{") {
			m.Ask(".inline", whyInline)
		}
	}
}

// notGiven makes a judge that asks about options whose values can't be distinguished from code.
func notGiven(options ...string) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		for _, o := range options {
			if m.Has(o) {
				m.Ask(".option", "the option "+o+" loads code or hands options on; put it into the project's configuration")
				return
			}
		}
	}
}
