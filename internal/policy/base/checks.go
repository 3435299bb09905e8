package base

import "github.com/longshift/longshift/internal/policy/grammar"

// checkPrograms check or format files that belong to no language profile.
func checkPrograms() []grammar.Program {
	in := grammar.Inspect
	return []grammar.Program{
		program("shellcheck", in, `-x,--external-sources -a,--check-sourced -s,--shell=data -e,--exclude=data -i,--include=data -f,--format=data
			-S,--severity=data -o,--enable=data -C?=data --color?=data --norc --rcfile=read -W,--wiki-link-count=number
			-P,--source-path=read --list-optional -V`, "read*"),
		{Names: []string{"shfmt"}, Spec: grammar.Spec{Class: in, Style: grammar.Single, Args: "read*", Judge: changes("-w"),
			Opts: `-l -list -w -write -d -diff -s -simplify -mn -minify -i,-indent=number -bn -binary-next-line -ci -case-indent -sr
				-space-redirects -kp -keep-padding -fn -func-next-line -ln,-language-dialect=data -p -posix -f -find -tojson
				-apply-ignore -version -help`}},
		program("hadolint", in, `-f,--format=data -t,--failure-threshold=data --ignore=data -c,--config=read --no-fail --no-color -v,--verbose
			--error=data --warning=data --info=data --style=data --trusted-registry=data -V`, "read*"),
		{Names: []string{"actionlint"}, Spec: grammar.Spec{Class: in, Style: grammar.GoFlag, Args: "read*", Opts: `-color -no-color -format=data
			-ignore=data -verbose -oneline -debug -version -config-file=read !-shellcheck !-pyflakes
			~-init-config`}},
		program("yamllint", in, "-d,--config-data=data -c,--config-file=read -f,--format=data -s,--strict --no-warnings --list-files -v -h",
			"read*"),
		judged("typos", in, `-w,--write-changes --diff -c,--config=read --format=data --exclude=data --hidden --files --words --locale=data
			--no-ignore --isolated --color=data -v -q --sort -t,--type=data`, "read*", changes("-w")),
		judged("codespell", in, `-w,--write-changes -q,--quiet-level=number -S,--skip=data -L,--ignore-words-list=data -I,--ignore-words=read
			-D,--dictionary=read -c,--enable-colors -d,--disable-colors -f,--check-filenames -H,--check-hidden -A=number -B=number
			-C=number --count --builtin=data -s,--summary -x,--exclude-file=read --ignore-regex=data --uri-ignore-words-list=data
			~-i,--interactive ~--config ~--toml`, "read*", changes("-w")),
		program("vale proselint write-good alex", in,
			"--config=read --output=data --minAlertLevel=data --glob=data --no-exit --no-wrap --json -j", "read*"),
		program("jsonlint tomllint xmlstarlet editorconfig-checker ec checkbashisms", in, `-q,--quiet -c,--compact -v,--verbose -f,--force -x -p
			--exclude=data`, "read*"),
		{Names: []string{"buf"}, Spec: grammar.Spec{Class: in, Opts: std + " --debug -v", Subs: map[string]grammar.Spec{
			"lint":     {Opts: "--error-format=data --path=read --exclude-path=data", Args: "read?"},
			"breaking": {Opts: "--against=name --error-format=data --path=read", Args: "read?"}, "format": {Class: grammar.Change,
				Opts: "-w,--write -d,--diff --exit-code --path=read", Args: "write?"},
			"build": asks("it may fetch modules"), "generate": asks("it starts plugins"), "push": denies("nothing leaves the task"),
		}}},
		{Names: []string{"taplo"}, Spec: grammar.Spec{Class: in, Opts: std, Subs: map[string]grammar.Spec{
			"check": {Args: "read*"}, "lint": {Args: "read*"}, "fmt": {Class: grammar.Change, Opts: "--check --diff", Args: "write*"},
			"format": {Class: grammar.Change, Opts: "--check --diff", Args: "write*"}, "get": {Opts: "-f,--file-path=read -o,--output-format=name",
				Args: "data?"},
		}}},
		program("checkmake tflint ansible-lint xmlindent tidy-html5", in, "--config=read -q,--quiet -f,--format=name --recursive", "read*"),
		{Names: []string{"tidy"}, Spec: grammar.Spec{Class: in, Style: grammar.Single, Opts: "-q -quiet -e -errors -utf8 -xml -v -version",
			Args: "read*"}},
		{Names: []string{"terraform", "tofu"}, Spec: grammar.Spec{Class: grammar.Ask, Why: "it works on what is outside the tree",
			Style: grammar.Single, Opts: "-version -help !-chdir", Subs: map[string]grammar.Spec{
				"fmt": {Class: grammar.Change, Style: grammar.Single, Opts: "-check -diff -list=true|false -write=true|false -recursive -no-color",
					Args: "write*"},
				"version": {Class: in, Style: grammar.Single, Opts: "-json"}, "validate": {Class: grammar.Run, Style: grammar.Single,
					Opts: "-json -no-color"},
				"apply": denies("it changes what is outside the tree"), "destroy": denies("it changes what is outside the tree"),
				"import": denies("it changes what is outside the tree"),
				"login":  denies("nobody logs in"), "state": denies("it changes what is outside the tree"),
				"taint": denies("it changes what is outside the tree"), "console": denies("it evaluates code"),
			}}},
		{Names: []string{"helm"}, Spec: grammar.Spec{Class: grammar.Deny, Why: "it works on what is outside the tree",
			Subs: map[string]grammar.Spec{
				"lint":    {Class: in, Opts: "--strict --quiet --with-subcharts -f,--values=read --set=data", Args: "read*"},
				"version": {Class: in, Opts: "--short"},
			}, SubElse: &grammar.Spec{Class: grammar.Deny, Why: "it works on what is outside the tree"}}},
		{Names: []string{"openssl"}, Spec: grammar.Spec{Class: grammar.Ask, Why: "it handles keys and connections", Subs: map[string]grammar.Spec{
			"version": {Class: in, Style: grammar.Single, Opts: "-a -v -d"},
			"dgst": {Class: in, Style: grammar.Single, Opts: `-md5 -sha1 -sha224 -sha256 -sha384 -sha512 -sha3-256 -sha3-512 -blake2b512 -hex -r -c
				-binary -list !-sign !-hmac
				!-engine !-provider !-verify !-out`, Args: "read*"},
			"sha256": {Class: in, Style: grammar.Single, Opts: "-hex -r -c -binary", Args: "read*"}, "md5": {Class: in, Style: grammar.Single,
				Opts: "-hex -r -c", Args: "read*"},
			"rand": {Class: in, Style: grammar.Single, Opts: "-hex -base64 !-out !-rand !-writerand !-engine", Args: "number"},
			"x509": {Class: in, Style: grammar.Single, Opts: `-in=read -noout -text -subject -issuer -dates -enddate -startdate -fingerprint -serial
				-sha256 -inform=data`, Args: ""},
			"enc": denies("it hides what it reads"), "s_client": denies("nothing leaves the task"), "s_server": denies("nothing leaves the task"),
			"s_time": denies("nothing leaves the task"), "ocsp": denies("nothing leaves the task"),
		}}},
	}
}
