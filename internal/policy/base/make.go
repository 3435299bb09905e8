package base

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const makeOpts = `-b -m -B,--always-make -C,--directory=dir -d --debug?=data -f,--file,--makefile=code -i,--ignore-errors
	-I,--include-dir=code -j?=number --jobs?=number -k,--keep-going -l?=number --load-average?=number -L,--check-symlink-times
	-n,--just-print,--dry-run,--recon -o,--old-file,--assume-old=list -O?=data --output-sync?=data ~-p,--print-data-base
	-q,--question -r,--no-builtin-rules -R,--no-builtin-variables -s,--silent,--quiet --no-silent -S,--no-keep-going,--stop
	-t,--touch --trace -v -w,--print-directory --no-print-directory -W,--what-if,--new-file,--assume-new=list
	--warn-undefined-variables -h !--eval !-E ~-e,--environment-overrides`

// makePrograms run commands of a file of the project: make and its relatives.
func makePrograms() []grammar.Program {
	return []grammar.Program{
		judged("make gmake", grammar.Run, makeOpts, "data*", makeWords),
		{Names: []string{"just"}, Spec: grammar.Spec{Class: grammar.Run, Style: grammar.Posix, Args: "data*", Judge: taskWords,
			Why: "it changes which commands a recipe runs",
			Opts: `-n,--dry-run -l,--list --summary --evaluate --dump --unsorted -s,--show=name -f,--justfile=code
				-d,--working-directory=dir -q,--quiet -v,--verbose -u --variables --groups --check --no-deps --color=data --yes
				!-c,--command !--shell !--shell-arg !--shell-command ~--set ~--choose !-e,--edit ~--init ~--fmt ~--dotenv-path
				~--dotenv-filename -V` + std}},
		{Names: []string{"task", "go-task"}, Spec: grammar.Spec{Class: grammar.Run, Args: "data*", Judge: taskWords,
			Why: "it changes which commands a task runs",
			Opts: `-t,--taskfile=code -d,--dir=dir -l,--list -a,--list-all -f,--force -s,--silent -v,--verbose -n,--dry -p,--parallel
				-o,--output=data -C,--concurrency=number -c,--color --status --summary --json -x,--exit-code -y,--yes ~-w,--watch
				~-g,--global ~-i,--init ~--download` + std}},
		{Names: []string{"mask", "mage", "invoke", "inv", "doit", "poe"}, Spec: grammar.Spec{Class: grammar.Run, Args: "data*",
			Style: grammar.Posix, Judge: taskWords, Opts: "-l,--list -v -n" + std}},
		{Names: []string{"pre-commit"}, Spec: grammar.Spec{Class: grammar.Run, Why: "it changes hooks or settings outside the tree",
			Opts: std + " --color=data", Subs: map[string]grammar.Spec{
				"run": {Opts: `-a,--all-files --files -v,--verbose --show-diff-on-failure --color=data --hook-stage=data -s,--from-ref=rev
				-o,--to-ref=rev --fail-fast ~-c,--config`, Args: "data*", Judge: hookWords},
				"validate-config": {Class: grammar.Inspect, Args: "read*"}, "validate-manifest": {Class: grammar.Inspect, Args: "read*"},
				"sample-config": {Class: grammar.Inspect},
				"install":       denies("hooks are Longshift's; run pre-commit run"), "uninstall": denies("hooks are Longshift's"),
				"init-templatedir": denies("hooks are Longshift's"),
				"install-hooks":    asks("it fetches hooks"), "autoupdate": asks("it fetches hooks"), "try-repo": denies("it runs code from elsewhere"),
				"gc": asks("it clears a cache"), "clean": asks("it clears a cache"),
			}, SubElse: &grammar.Spec{Opts: "--version -V --help -h"}}},
		refused("hooks are Longshift's; run the checks themselves", "husky lefthook overcommit"),
		asked("its build runs in unknown places; let a person run it", `earthly dagger bazel bazelisk buck buck2 pants please nix
			nix-shell nix-build nix-env guix devbox devenv direnv asdf mise rtx nvm fnm volta pyenv rbenv nodenv goenv sdk sdkman jenv tfenv
			vagrant packer skaffold tilt garden act`),
	}
}

// makeTargetsAsked are targets with effects outside the tree.
var makeTargetsAsked = regexp.MustCompile(`(?i)^(.*[-_:/.])?(deploy|publish|release|push|install|uninstall|upload|login|ship|promote` +
	`|destroy|terraform|provision)([-_:/.].*)?$`)

// makeWords distinguishes targets from assignments. The class stays Run with -n too, because make still expands $(shell ...).
func makeWords(m *grammar.Match) {
	if f, ok := m.Flags["-f"]; ok && f.Is("-") {
		m.StdinCode = true
	}
	for _, i := range m.Operands() {
		u := &m.Uses[i]
		if name, value, ok := strings.Cut(u.Word.Prefix(), "="); ok {
			assignment(m, u.Word, strings.TrimRight(name, ":+?!"), value)
			continue
		}
		u.Kind = grammar.Name
		target(m, u.Word)
	}
}

// target asks about targets by their purpose, and refuses what make would expand.
func target(m *grammar.Match, w grammar.Word) {
	text, ok := w.Text()
	switch {
	case strings.ContainsAny(w.Prefix(), "$`;|&<>(){}\"'\\\n"):
		m.Ask(".target", "this target contains characters that are read as code; give a plain name")
	case ok && makeTargetsAsked.MatchString(text):
		m.Ask(".target", "this target works on what is outside the tree; Longshift delivers the change by a pull request")
	}
}

var (
	valueSafe = regexp.MustCompile(`^[A-Za-z0-9_./:,@%+=^*? -]*$`)
	nameSafe  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)
	// nameCode are variables by which recipes choose programs, options of programs, and places outside the tree.
	nameCode = regexp.MustCompile(`(?i)(SHELL|^BASH|^ENV$|OPTIONS$|^LC_|^NODE_|FLAGS|^MAKE|^MFLAGS|CC$|CXX|^LD|^AR$|^AS$|^NM$|LINKER|PATH` +
		`|PRELOAD|^GO$|^GO(PROXY|BIN|ROOT|ENV|WORK|SUMDB|INSECURE|PRIVATE|NOSUMDB)|PYTHON$|NODE$|CARGO$|RUSTC|^CMD|_CMD$|COMMAND|EXEC|WRAPPER` +
		`|LAUNCHER|RUNNER|EDITOR|PAGER|PREFIX|DESTDIR|HOME$|TMPDIR|URL$|PROXY|REGISTRY|INDEX|TOOL$|BIN$|BINARY$|INTERPRETER|COMPILER|HOOK` +
		`|SSH|SUDO|CURL|WGET|^GIT|DOCKER|^RM$|^SED$|^AWK$|^CP$|^MV$|INSTALL|NPM|PIP|YARN|LOADER|PLUGIN|INCLUDE)`)
	// flagSafe are options that a value may pass to a test.
	flagSafe = regexp.MustCompile(`^(-v+|-race|-short|-q|-s|-x|-failfast|-json|-cover|--verbose|--quiet|--no-cache|--ci|-count=\d+` +
		`|-timeout=\w+|-run=[\w/.^$-]*|-run|-k|-m|-t|-u|--update|--watch=false|--coverage|--nocapture|--exact|-p=?\d*|-j\d*|--release|--lib)$`)
)

// assignment judges NAME=value of make and of tasks. The value becomes part of recipes, so it may contain no characters of shell syntax.
func assignment(m *grammar.Match, w grammar.Word, name, value string) {
	if !nameSafe.MatchString(name) || nameCode.MatchString(name) {
		m.Ask(".variable", "the variable "+name+" may choose a program, its options or a place; leave it out")
		return
	}
	for _, p := range w.Parts {
		if p.Source == grammar.Any || p.Source == grammar.Tree && w.Many {
			m.Ask(".value", "the value of "+name+" is not known; write it out")
			return
		}
		if p.Source == grammar.Literal && !valueSafe.MatchString(p.Text) {
			m.Ask(".value", "the value of "+name+" holds signs that a recipe would read as code; give plain text")
			return
		}
	}
	for _, part := range strings.Fields(value) {
		lead := strings.HasPrefix(part, "/") || strings.HasPrefix(part, "~") || strings.Contains("/"+part+"/", "/../") ||
			strings.Contains(part, "://")
		if lead || strings.HasPrefix(part, "-") && !flagSafe.MatchString(part) {
			m.Ask(".value", "the value of "+name+" leads out of the tree or is an option that is not known to be harmless")
			return
		}
	}
}

// taskWords judges the words of runners that insert them into commands.
func taskWords(m *grammar.Match) {
	for n, i := range m.Operands() {
		u := &m.Uses[i]
		if name, value, ok := strings.Cut(u.Word.Prefix(), "="); ok && nameSafe.MatchString(name) {
			assignment(m, u.Word, name, value)
			continue
		}
		text, literal := u.Word.Text()
		switch {
		case !literal || !valueSafe.MatchString(text) || leadsOut(u.Word):
			m.Ask(".word", "this word holds text that a recipe would read as code, or leads out of the tree; give plain text")
		case strings.HasPrefix(text, "-") && !flagSafe.MatchString(text):
			m.Ask(".word", "this option goes to a program that is not known; leave it out")
		case n == 0:
			u.Kind = grammar.Name
			target(m, u.Word)
		}
	}
}

// hookWords judges the words of pre-commit run: a hook's name, or files after --files.
func hookWords(m *grammar.Match) {
	kind := grammar.Name
	if m.Has("--files") {
		kind = grammar.Read
	}
	allAre(kind)(m)
}
