package policy

import (
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// envRules are variables that programs obey, each with a check of its value.
var envRules = map[string]func(e *environment, value string) bool{}

func init() {
	add := func(f func(*environment, string) bool, names string) {
		for _, n := range strings.Fields(names) {
			envRules[n] = f
		}
	}
	add(localeText, "LANG LANGUAGE TERM COLORTERM TERM_PROGRAM")
	add(matching(`^[A-Za-z][A-Za-z0-9_+\-]*(/[A-Za-z0-9_+\-]+){0,2}$`), "TZ")
	add(switchOrNumber, `CI NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUTF8
		PYTHONFAULTHANDLER PYTHONASYNCIODEBUG PYTHONTRACEMALLOC PYTHONOPTIMIZE PYTHONNOUSERSITE PYTHONSAFEPATH CGO_ENABLED GOMAXPROCS GOGC
		GO111MODULE CARGO_INCREMENTAL CARGO_NET_OFFLINE CARGO_BUILD_JOBS CARGO_TERM_VERBOSE CARGO_TERM_QUIET NODE_NO_WARNINGS
		NODE_DISABLE_COLORS RUST_TEST_THREADS RUST_TEST_NOCAPTURE GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_LITERAL_PATHSPECS
		GIT_GLOB_PATHSPECS GIT_ICASE_PATHSPECS GIT_NOGLOB_PATHSPECS PIP_NO_INPUT PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_COLOR UV_OFFLINE
		UV_NO_PROGRESS UV_FROZEN UV_NO_SYNC POETRY_NO_INTERACTION POETRY_VIRTUALENVS_IN_PROJECT COMPOSER_NO_INTERACTION
		COMPOSER_DISABLE_XDEBUG_WARN COMPOSER_ALLOW_SUPERUSER DOTNET_NOLOGO DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_SKIP_FIRST_TIME_EXPERIENCE
		CTEST_OUTPUT_ON_FAILURE CTEST_PARALLEL_LEVEL TS_NODE_TRANSPILE_ONLY TS_NODE_FILES TS_NODE_PREFER_TS_EXTS NPM_CONFIG_COLOR
		NPM_CONFIG_PROGRESS npm_config_color npm_config_progress npm_config_offline NPM_CONFIG_OFFLINE npm_config_audit npm_config_fund
		NPM_CONFIG_FUND NPM_CONFIG_AUDIT YARN_ENABLE_PROGRESS_BARS YARN_ENABLE_COLORS BUNDLE_FROZEN CMAKE_BUILD_PARALLEL_LEVEL
		CMAKE_COLOR_DIAGNOSTICS HUSKY GIT_FLUSH GIT_ADVICE COLUMNS LINES PERL_HASH_SEED RUBY_YJIT_ENABLE CARGO_PROFILE_DEV_DEBUG
		CARGO_PROFILE_RELEASE_DEBUG TF_IN_AUTOMATION TF_INPUT JAVA_TOOL_NO_COLOR PGCONNECT_TIMEOUT`)
	add(matching(`^[0-9]*$`), "SECONDS RANDOM") // bash evaluates what they are set to
	add(word, `NODE_ENV RUST_BACKTRACE RUST_LIB_BACKTRACE CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN RUSTC_COLOR RUSTFMT_COLOR
		npm_config_loglevel NPM_CONFIG_LOGLEVEL PYTHONIOENCODING MIX_ENV CMAKE_BUILD_TYPE DOTNET_ENVIRONMENT PNPM_REPORTER GOOS GOARCH GOARM
		GOAMD64 GOARM64 GOTRACEBACK GOEXPERIMENT NODE_APP_INSTANCE COMPOSER_MEMORY_LIMIT GOMEMLIMIT SASS_ENV MAKE_ENV R_ENV`)
	add(matching(`^[\w:=,.\-/* ]*$`), "RUST_LOG GODEBUG NODE_DEBUG NODE_PENDING_DEPRECATION CYPRESS_TAGS")
	add(oneOf("local", "auto"), "GOTOOLCHAIN")
	add(oneOf("off"), "GOPROXY GOWORK")
	add(oneOf("off", "coverage", "debug", "develop", "profile", "coverage,develop"), "XDEBUG_MODE")
	add(oneOf("cat", ""), "PAGER GIT_PAGER MANPAGER GH_PAGER BAT_PAGER SYSTEMD_PAGER DELTA_PAGER LESSOPEN")
	add(oneOf("true", ":", "cat", "/bin/true", "/usr/bin/true"), "EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR")
	add(oneOf("no", "yes"), "GIT_MERGE_AUTOEDIT")
	add(oneOf("0", "1", "2", "true", "false"), "GIT_TRACE GIT_TRACE_PERFORMANCE GIT_TRACE_SETUP GIT_CURL_VERBOSE")
	add(matching(`^(error|ignore|default|always|module|once)(::\w+)?$`), "PYTHONWARNINGS")
	add(matching(`^(g?cc|clang|cc)(-[0-9]+)?$`), "CC")
	add(matching(`^(g\+\+|clang\+\+|c\+\+)(-[0-9]+)?$`), "CXX")
	add(flags(`-mod=(mod|vendor|readonly)`, `-v`, `-x`, `-race`, `-short`, `-count=\d+`, `-p=\d+`, `-tags=[\w,.]+`, `-trimpath`,
		`-buildvcs=(true|false|auto)`, `-failfast`, `-timeout=\w+`), "GOFLAGS")
	add(flags(`--max[-_]old[-_]space[-_]size=\d+`, `--max-semi-space-size=\d+`, `--experimental-vm-modules`, `--no-warnings`,
		`--trace-warnings`, `--trace-uncaught`, `--trace-deprecation`,
		`--throw-deprecation`, `--no-deprecation`, `--enable-source-maps`, `--unhandled-rejections=\w+`, `--openssl-legacy-provider`,
		`--no-experimental-fetch`, `--stack-trace-limit=\d+`,
		`--experimental-test-coverage`, `--experimental-strip-types`, `--no-experimental-strip-types`, `--expose-gc`, `--preserve-symlinks`,
		`--dns-result-order=\w+`, `--no-network-family-autoselection`), "NODE_OPTIONS")
	add(flags(`-[DWAF]`, `-[DWAF] ?[\w:]+`, `[\w]+::[\w]+|warnings|unused|dead_code|unsafe_code|unused_\w+|missing_docs`, `--cap-lints`,
		`--cap-lints=\w+`, `allow|warn|deny`, `-C`,
		`(debuginfo|opt-level|codegen-units|target-cpu|overflow-checks|debug-assertions|lto|panic)=[\w\-]+`,
		`-C?(debuginfo|opt-level|codegen-units|target-cpu|instrument-coverage|overflow-checks|debug-assertions|lto|panic)(=[\w\-]+)?`, `--cfg`,
		`--cfg=[\w="]+`, `\w+`), "RUSTFLAGS RUSTDOCFLAGS")
	add(flags(`-w`, `-W[0-2]?`, `-W:\w[\w\-]*`, `--yjit`, `--jit`, `--enable=frozen-string-literal`), "RUBYOPT")
	add(flags(`-Xm[xsn]\d+[kmgKMG]?`, `-Xss\d+[kmgKMG]?`, `-ea`, `-XX:MaxMetaspaceSize=\d+[kmgKMG]?`, `-Djava\.awt\.headless=true`,
		`-Dfile\.encoding=[\w\-]+`, `-Dorg\.gradle\.daemon=false`, `-Duser\.timezone=\w+`), "MAVEN_OPTS GRADLE_OPTS SBT_OPTS JAVA_OPTS")
	add(matching(`^[a-z_]+=[\w.]+([: ,][a-z_]+=[\w.]+)*$`), "ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS LSAN_OPTIONS MSAN_OPTIONS")
	add(flags(`-j`, `-j\d*`, `--jobs=\d+`, `-s`, `-k`, `-n`, `--silent`, `--no-print-directory`, `--keep-going`, `-O`, `--output-sync`),
		"MAKEFLAGS")
	add(flags(`-[WO][\w\-=]*`, `-g[0-9]?`, `-std=[\w+]+`, `-D\w+(=\w+)?`, `-fsanitize=[\w,]+`, `-fno-omit-frame-pointer`, `-fPIC`, `-pedantic`,
		`-coverage|--coverage`), "CFLAGS CXXFLAGS CPPFLAGS")
	add(flags(`-q`, `-v{1,3}`, `-x`, `-s`, `-l`, `--tb=\w+`, `--maxfail=\d+`, `--color=\w+`, `-n\d+`, `-n`, `\d+|auto`, `--durations=\d+`,
		`-r\w+`, `--no-header`, `--strict-markers`, `--lf`, `--ff`), "PYTEST_ADDOPTS")
	add(flags(`--color|--no-color`, `--format=?(documentation|progress|json|doc|p|d)?`, `documentation|progress|doc`, `-f`, `-fd|-fp`,
		`--fail-fast`, `--order=\w+`, `--seed=\d+`), "SPEC_OPTS")
	add(flags(`-v|--verbose`, `--seed=\d+`, `--no-color`, `--fail-fast`), "TESTOPTS")
	add(treePaths, "PYTHONPATH")
	add(treePath, "COVERAGE_FILE NODE_V8_COVERAGE CARGO_TARGET_DIR GOCOVERDIR TS_NODE_PROJECT LLVM_PROFILE_FILE BUNDLE_PATH FLASK_APP")
	add(tmpOrTree, "TMPDIR TMP TEMP GOTMPDIR")
	add(word, `AWS_REGION AWS_DEFAULT_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN OPENAI_API_KEY ANTHROPIC_API_KEY
		GITHUB_TOKEN GITHUB_ACTIONS GOTESTSUM_FORMAT`)
	add(switchOrNumber, `PYTHONDEVMODE PYTHONNODEBUGRANGES PUPPETEER_SKIP_DOWNLOAD TF_CPP_MIN_LOG_LEVEL TOX_PARALLEL_NO_SPINNER
		CYPRESS_INSTALL_BINARY ELECTRON_SKIP_BINARY_DOWNLOAD PIP_QUIET GIT_PROGRESS`)
	add(oneOf("offscreen", "minimal", "xcb"), "QT_QPA_PLATFORM")
	add(matching(`^[0-9,]*$`), "CUDA_VISIBLE_DEVICES")
	add(word, "NODE_CONFIG_ENV BROWSERSLIST_ENV")
	add(switchOrNumber, "KMP_DUPLICATE_LIB_OK DOCKER_BUILDKIT")
	add(oneOf("test", "testing", "dev", "development", "ci", "local", "staging", "prod", "production"), "ENV")
	add(matching(`^(random|[0-9]*)$`), "PYTHONHASHSEED")
	add(oneOf("none", "false"), "BROWSER")
	add(matching(`^:[0-9]{1,3}(\.[0-9])?$`), "DISPLAY")
	add(localURL, "CYPRESS_baseUrl CYPRESS_BASE_URL")
	add(harmless, "SKIP SSL_NO_VERIFY_NEVER LS_COLORS GCC_COLORS GREP_COLOR GREP_COLORS JQ_COLORS DEBUG_COLORS EMAIL")
}

var (
	localeText = matching(`^[A-Za-z0-9_.@:\-]*$`)
	word       = matching(`^([A-Za-z0-9_.,][A-Za-z0-9_.,\-]*)?$`)
	harmless   = matching(`^[\w.,:;=@\- ]*$`)
)

func switchOrNumber(_ *environment, v string) bool {
	return harmlessValue(v) || strings.Trim(v, "0123456789") == ""
}

func matching(pattern string) func(*environment, string) bool {
	re := regexp.MustCompile(pattern)
	return func(_ *environment, v string) bool { return re.MatchString(v) }
}

func oneOf(values ...string) func(*environment, string) bool {
	return func(_ *environment, v string) bool { return slices.Contains(values, v) }
}

// flags accepts blank-separated words that each match one of the patterns as a whole.
func flags(patterns ...string) func(*environment, string) bool {
	re := regexp.MustCompile(`^(?:` + strings.Join(patterns, `|`) + `)$`)
	return func(_ *environment, v string) bool {
		for _, w := range strings.Fields(v) {
			if !re.MatchString(w) {
				return false
			}
		}
		return true
	}
}

func localURL(_ *environment, v string) bool { return grammar.IsLocal(v) }

// treePath accepts one relative path inside the tree that nothing protects.
func treePath(e *environment, v string) bool { return v != "" && (v == "." || e.policy.ordinary(v)) }

// treePaths accepts such paths, separated by colons.
func treePaths(e *environment, v string) bool {
	for _, one := range strings.Split(v, ":") {
		root := e.policy.c.Root
		if one != "" && one != "." && one != root && !e.policy.ordinary(strings.TrimPrefix(one, root+"/")) {
			return false
		}
		if e.writes.mayHold(grammar.Lit(one), &state{cwd: []place{{path: root}}}) {
			return false
		}
	}
	return true
}

// tmpOrTree accepts a folder of the private /tmp, or one inside the tree.
func tmpOrTree(e *environment, v string) bool {
	return e.policy.c.PrivateTmp && inside(clean(v), "/tmp") && !leadsUp(v) || treePath(e, v)
}
