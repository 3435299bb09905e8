package policy

import (
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// environment judges variables by their names, and their values by what programs do with them.
type environment struct {
	policy  *Policy
	verdict *collector
	paths   *paths
	writes  *writes
}

// word judges NAME=value as an operand, as of env.
func (e *environment) word(w grammar.Word, st *state) {
	name, _, _ := strings.Cut(w.Prefix(), "=")
	e.exported(name, w.Drop(len(name)+1), st)
}

// exported judges a variable that programs will see: the name by lists, the value by the rule of the name.
func (e *environment) exported(name string, w grammar.Word, st *state) {
	text, literal := w.Text()
	if f, ok := envRules[name]; ok {
		if !literal {
			e.verdict.ask("env.value", "the value of %s is not written out, and it changes what programs do; write it out", part(name))
		} else if !f(e, text) {
			e.verdict.ask("env.value", "this value of %s changes what programs load, run or write; leave it out", part(name))
		}
		return
	}
	switch {
	case shellOwn(name):
		e.verdict.deny("env.name", "%s changes how the shell or every program works; leave it as it is", part(name))
		return
	case strings.HasPrefix(name, "LC_"), strings.HasPrefix(name, "GIT_AUTHOR_"), strings.HasPrefix(name, "GIT_COMMITTER_"):
		if literal && strings.HasPrefix(name, "LC_") && !localeText(e, text) {
			e.verdict.ask("env.value", "%s is no name of a locale", part(name))
		}
		return
	case dangerous(name):
		if literal && harmlessValue(text) && !strongly(name) {
			return
		}
		e.verdict.deny("env.name", "%s changes what programs load or run; leave it out", part(name))
		return
	}
	e.own(name, w, st)
}

// own judges the value of a variable of the project: any text that does not lead outside.
func (e *environment) own(name string, w grammar.Word, st *state) {
	text := w.Prefix()
	switch {
	case publicName(name) && !leadsUp(text) && !w.Tilde && !strings.Contains(text, "://"):
		return // "/api" is part of an address
	case strings.HasPrefix(text, "-"), strings.HasPrefix(text, "()"), strings.ContainsAny(text, "`;|\n"), strings.Contains(text, "$("),
		startsProgram(text):
		e.verdict.ask("env.value",
			"this value of %s looks like options or a command, and a program may take it for that; leave it out", part(name))
	case (strings.HasPrefix(text, "./") || text == ".") && !dataName.MatchString(name):
		e.verdict.ask("env.value",
			"a program may load or run what %s names; leave it out, or give it the name of a folder of data (DATA_DIR)", part(name))
	case w.Tilde, strings.HasPrefix(text, "/"), leadsUp(text):
		if w.Tilde || w.Source() == grammar.Any {
			e.verdict.ask("env.value", "where the value of %s leads is not known; write it out", part(name))
			return
		}
		for _, one := range strings.Split(text, ":") {
			if strings.HasPrefix(one, "/") || leadsUp(one) {
				e.paths.check(grammar.Lit(one), Read, st, "env")
			}
		}
	case strings.Contains(text, "://"):
		if !localAddress(text) {
			e.verdict.ask("env.address", "the value of %s names another machine; use one of this machine, or leave it out", part(name))
		}
	}
}

// dataName matches names of variables that locate data.
var dataName = regexp.MustCompile(`(^|_)(DATA|TESTDATA|FIXTURES?|OUT|OUTPUT|OUTPUTS|BUILD|DIST|LOGS?|COVERAGE|` +
	`REPORTS?|SNAPSHOTS?|ARTIFACTS?|INPUTS?|SAMPLES?|ASSETS|STATIC|PUBLIC|SRC|TESTS?|GOLDEN|` +
	`SCHEMA|DATABASE|DB|STORAGE|UPLOADS?|PKGS?|PACKAGES?|TARGETS?)(_?(DIR|FILE|ROOT|FOLDER|URL|URI|NAME))?$`)

// startsProgram reports whether a value begins with a shell, an interpreter or a program of the network and continues: a command.
func startsProgram(text string) bool {
	name, rest, more := strings.Cut(strings.TrimSpace(text), " ")
	return more && rest != "" && starters[strings.TrimLeft(name[strings.LastIndexByte(name, '/')+1:], "|! ")]
}

var starters = grammar.Set(`sh bash dash zsh ksh env sudo exec eval curl wget nc ssh python python3 perl ruby node php touch rm cp mv cat
	tee echo printf xargs git`)

// publicName reports whether bundlers put a variable into pages: its value is no path of this machine.
func publicName(name string) bool { return hasPrefix(name, publicPrefixes) }

var publicPrefixes = strings.Fields("NEXT_PUBLIC_ NUXT_PUBLIC_ REACT_APP_ VITE_ VUE_APP_ EXPO_PUBLIC_ PUBLIC_URL")

// localAddress accepts addresses of this machine and databases in files: what tests use.
func localAddress(text string) bool {
	for _, piece := range strings.Split(text, ",") {
		scheme, rest, ok := strings.Cut(piece, "://")
		if !ok {
			continue
		}
		host := rest
		if i := strings.IndexAny(host, "/?#"); i >= 0 {
			host = host[:i]
		}
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			host = host[i+1:]
		}
		host, _, _ = strings.Cut(host, ":")
		switch {
		case strings.HasPrefix(scheme, "sqlite") && !leadsUp(rest) && !strings.HasPrefix(rest, "//"):
		case host == "localhost" || host == "127.0.0.1" || host == "0.0.0.0":
		default:
			return false
		}
	}
	return true
}

// harmlessValue accepts switches and numbers, which name no file and no program.
func harmlessValue(text string) bool {
	switch strings.ToLower(text) {
	case "", "true", "false", "yes", "no", "on", "off", "auto", "always", "never", "none", "default":
		return true
	}
	return isDigits(text)
}

// shellOwn reports whether a variable changes the shell itself, whatever its value.
func shellOwn(name string) bool {
	return shellNames[name] || hasPrefix(name, shellPrefixes)
}

var shellPrefixes = strings.Fields("BASH LD_ DYLD_ COPROC")

var shellNames = grammar.Set(`PATH IFS ENV PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS CDPATH GLOBIGNORE GLOBSORT HISTFILE
	HISTCMD INPUTRC SHELL POSIXLY_CORRECT OPTARG OPTIND OPTERR MAIL MAILPATH MAILCHECK TIMEFORMAT FIGNORE EXECIGNORE SRANDOM
	EPOCHSECONDS EPOCHREALTIME HISTSIZE HISTFILESIZE HISTCONTROL HISTIGNORE HISTTIMEFORMAT HOSTFILE DIRSTACK GROUPS FUNCNAME
	PIPESTATUS READLINE_LINE PROMPT_DIRTRIM IGNOREEOF HOSTTYPE CHILD_MAX _ FUNCNEST TMOUT COMP_WORDBREAKS PWD OLDPWD UID EUID PPID
	LINENO FCEDIT HOME LOGNAME USER`)

// strongPrefixes are families of names that programs and tool chains obey. envRules lists the safe ones.
var strongPrefixes = strings.Fields(`GIT_ GITHUB_ GITLAB_ SSH_ GPG_ npm_ NPM_ YARN_ PNPM_ BUN_ DENO_ NODE_ NVM_ COREPACK_ CARGO_ RUSTUP_
	RUSTC RUSTDOC PYTHON PIP_ PIPENV_ PIPX_ UV_ POETRY_ PDM_ CONDA_ VIRTUALENV_ TOX_ NOX_ PERL RUBY GEM_ BUNDLE_ BUNDLER_ LUA_ PHP PHPRC
	COMPOSER_ JAVA_ JDK_ _JAVA MAVEN_ MVN_ GRADLE_ SBT_ KOTLIN_ DOTNET_ CORECLR_ COR_ MSBUILD NUGET_ CMAKE_ CTEST_ PKG_CONFIG GCC_ COMPILER_
	CCACHE_ SCCACHE_ AWS_ GOOGLE_ GCLOUD_ AZURE_ ARM_ DOCKER_ BUILDKIT_ COMPOSE_ KUBE HELM_ TF_ TERRAFORM_ ANSIBLE_ VAULT_ CONSUL_ CURL_ WGET
	SSL OPENSSL_ XDG_ DBUS_ GTK_ QT_ GCONV_ NLSPATH LOCPATH MALLOC_ RES_ RESOLV_ HOSTALIASES TERMINFO TERMCAP TERMPATH LESS MAKE MFLAGS
	GNUMAKE AWKPATH AWKLIBPATH GREP_ RIPGREP_ FZF_ BAT_ ELECTRON_ ASDF_ MISE_ DIRENV_ CLAUDE_ ANTHROPIC_ OPENAI_ CODEX_ OPENCODE_ GEMINI_ LONGSHIFT_
	GUILE_ OCAML ERL_ ELIXIR_ MIX_ HEX_ R_ JULIA_ SYSTEMD_ SUDO_ TAR_ GZIP BZIP XZ_ ZSTD_ UNZIP ZIPINFO ZIPOPT CGO_ CC_ CXX_ AR_ CPP_ GROFF_
	PPROF_ OMP_TOOL KMP_ TCMALLOC JEMALLOC OCL_ VK_ GIO_ FONTCONFIG_ MAGICK_ LIBGL_ CUDA_ pnpm_ yarn_ GLIBC_ M2_ LEIN_ BAZEL USE_BAZEL
	COMPlus_ MSBuild COLLECT_ VAGRANT_ PACKER_ WINE QEMU_ HG EMACS NVIM TMUX SCREEN PULUMI_ NOMAD_ SALT_ PSModule RUBYLIB PREFECT_ IPYTHON
	JUPYTER POWERSHELL FPC MONO_ NPX_ BUNX_ SNYK_ PGSSL PGSERVICE PGSYSCONF PSQL TS_NODE_ SWC_ ESBUILD_ PUPPETEER_ SASS_ CYPRESS_ ZDOTDIR
	KSH_ FPATH XAUTHORITY DISPLAY WAYLAND_ BROWSER VIM EXINIT`)

// weakParts are parts of the names of variables that tell programs what to load or run, or where to write.
var weakParts = strings.Fields(`_OPTS _OPT OPTIONS FLAGS _ARGS PAGER EDITOR VISUAL _WRAPPER _PROGRAM _EXEC _EXECUTABLE _BIN _BINARY _HOOK
	_HOOKS _PRELOAD _PROXY _proxy ASKPASS _SHELL _LIB _LIBS _LIBRARY _PLUGIN _PLUGINS _LOADER _INIT _STARTUP _CONFIG _CONFIG_FILE CONFIGDIR
	_CONF _HOME _COMMAND _CMD _RUNNER _COMPILER _LINKER _LAUNCHER _INTERPRETER _IMAGE _REGISTRY _INDEX_URL _MIRROR _CA_BUNDLE _CERT _SOCK
	_SOCKET RC_FILE KEYLOGFILE _PROFILE_PATH _ENTRYPOINT _MODULE_PATH`)

var exactNames = grammar.Set(`CC CXX CPP LD AR AS NM RANLIB STRIP OBJCOPY YACC LEX M4 AUTOCONF AUTOMAKE FC CFLAGS CXXFLAGS CPPFLAGS LDFLAGS
	LDLIBS CPATH LIBRARY_PATH INCLUDE LIB CLASSPATH GOROOT GOPATH GOBIN NODE EDITOR VISUAL PAGER MANPAGER BROWSER TMPDIR TMP TEMP KUBECONFIG
	HGRCPATH EMAIL http_proxy https_proxy ftp_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY SVN_SSH RSYNC_RSH CVS_RSH
	DEBUGINFOD_URLS REQUESTS_CA_BUNDLE NETRC PERL5LIB MANPATH MANOPT TZDIR MANROFFOPT GCCGO RUSTFMT CARGO RAKEOPT MAGIC COMPOSER JAVACMD
	LDEMULATION NOXFILE FLASK_APP FLASK_RUN_FROM_CLI COVERAGE_PROCESS_START COVERAGE_RCFILE TCLLIBPATH CustomBeforeMicrosoftCommonTargets
	CustomAfterMicrosoftCommonTargets DirectoryBuildPropsPath DirectoryBuildTargetsPath GDBINIT PDB INFOPATH ENV_FILE DOTENV_FILE
	FREETYPE_PROPERTIES LIBVA_DRIVERS_PATH GST_PLUGIN_PATH PANGO_RC_FILE ICU_DATA ODBCINI CONFIG_FILE LS_COLORS_FILE HUSKY SKIP
	BABEL_CACHE_PATH VIRTUAL_ENV JQ_LIBRARY_PATH ZIPOPT UNZIP TAPE EXTRA_ARGS MISE ROLLUP_WATCH LANGUAGE_SERVER LOCALDOMAIN`)

// strongly reports whether a task may not even set this name to a plain switch.
func strongly(name string) bool {
	goTool := strings.HasPrefix(name, "GO") && !strings.HasPrefix(name, "GOLDEN") && name == strings.ToUpper(name)
	return hasPrefix(name, strongPrefixes) || goTool || strings.HasPrefix(strings.ToLower(name), "npm_config")
}

// dangerous reports whether a variable of this name may say what programs load, run or write.
func dangerous(name string) bool {
	if strongly(name) || exactNames[name] {
		return true
	}
	weak := func(part string) bool { return strings.HasSuffix(name, part) || strings.HasSuffix(name, part+"S") }
	return slices.ContainsFunc(weakParts, weak) || strings.HasSuffix(name, "PATH") ||
		strings.HasSuffix(name, "RC") && !strings.HasSuffix(name, "SRC")
}

// assigned judges a plain assignment. A variable that is exported already changes for later programs too.
func (e *environment) assigned(name string, v value) {
	if shellOwn(name) {
		e.verdict.deny("env.name", "%s changes how the shell or every program works; leave it as it is", part(name))
		return
	}
	if f, ok := envRules[name]; ok {
		if text, lit := v.text(); !lit || !f(e, text) {
			e.verdict.ask("env.value", "this value of %s changes what programs load or run; leave it out", part(name))
		}
		return
	}
	if dangerous(name) {
		e.verdict.ask("env.name", "%s changes what programs load or run; use another name for a variable of your own", part(name))
	}
}

// assignable judges a name that a builtin or a loop writes to.
func (e *environment) assignable(name, rule string) {
	if !grammar.IsVariable(name) {
		e.verdict.deny(rule+".name", "%q is no plain name of a variable; bash would evaluate it", part(name))
		return
	}
	if shellOwn(name) || dangerous(name) || envRules[name] != nil {
		e.verdict.deny("env.name", "%s changes what programs load or run; use another name for a variable of your own", part(name))
	}
}
