package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const golangciRun = ` -c,--config=code --no-config --fix -v,--verbose --timeout=data --new --new-from-rev=rev --new-from-merge-base=rev
	--new-from-patch=read --whole-files -E,--enable=data -D,--disable=data --enable-only=data --enable-all --disable-all --default=data
	--fast --fast-only -p,--presets=data --build-tags=data --tests?=true|false --out-format=data --output.text.path=write
	--output.json.path=write --output.sarif.path=write --output.html.path=write --output.tab.path=write --output.checkstyle.path=write
	--output.junit-xml.path=write --output.code-climate.path=write --output.text.colors?=true|false
	--output.text.print-issued-lines?=true|false --path-prefix=name --path-mode=name --modules-download-mode=mod|readonly|vendor
	-j,--concurrency=number --issues-exit-code=number --max-issues-per-linter=number --max-same-issues=number --sort-results
	--print-issued-lines?=true|false --print-linter-name?=true|false --color=auto|always|never --allow-parallel-runners
	--allow-serial-runners --show-stats?=true|false --exclude=data --exclude-use-default?=true|false --go=data --cpu-profile-path=write
	--mem-profile-path=write --trace-path=write --skip-dirs=data --skip-files=data --uniq-by-line?=true|false `

func goTools() []grammar.Program {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	flags := grammar.GoFlag
	packages := goPackages(grammar.Code)
	analyzer := func(opts string) grammar.Spec {
		return grammar.Spec{Class: inspect, Style: flags, Opts: opts + " -tags=data -test -tests -json -v -version -c=number", Args: "data*",
			Judge: packages}
	}
	generator := func(opts string) grammar.Spec {
		return grammar.Spec{Class: run, Style: flags, Opts: opts, Args: "data*", Judge: packages}
	}
	return []grammar.Program{
		program(golang, "golangci-lint", grammar.Spec{Class: run, Opts: "-v,--verbose --color=auto|always|never --version -h,--help", Subs: table(
			row{"run", grammar.Spec{Class: run, Opts: golangciRun, Args: "data*", Judge: judges(packages, configNamed("golangci"),
				fixFlag("--fix"))}},
			row{"fmt", grammar.Spec{Class: change, Opts: `-c,--config=code --no-config -d,--diff --diff-colored -E,--enable=data --stdin
				-v,--verbose`, Args: "data*", Judge: goPackages(grammar.Write)}},
			row{"linters formatters", grammar.Spec{Class: inspect, Opts: golangciRun}},
			row{"config", grammar.Spec{Class: inspect,
				Subs: table(row{"path verify", grammar.Spec{Class: inspect, Opts: "-c,--config=code --schema=read"}})}},
			row{"cache", grammar.Spec{Class: change, Subs: table(row{"clean status", grammar.Spec{Class: change}})}},
			row{"version", grammar.Spec{Class: inspect, Opts: "--format=data --debug --short --json"}},
			row{"help", grammar.Spec{Class: inspect, Args: "name*"}},
			row{"migrate", grammar.Spec{Class: change, Opts: "-c,--config=code --skip-validation --format=yml|yaml|toml|json"}},
			row{"custom", asked("it builds another linter from sources that it fetches")},
		), SubElse: &grammar.Spec{Class: inspect}}),
		program(golang, "staticcheck", analyzer(`-checks=data -f=text|json|stylish|sarif|null -explain=name -fail=data -go=data -show-ignored
			-matrix -merge -list-checks -debug.version`)),
		program(golang, "govulncheck", grammar.Spec{Class: inspect, Style: flags, Needs: []grammar.Need{grammar.NeedRegistry}, Args: "data*",
			Judge: packages,
			Opts:  `-C=dir -json -mode=source|binary -scan=module|package|symbol -show=data -tags=data -test -version -format=data ~-db`,
			Why:   "the database is the public one"}),
		program(golang, "gotestsum", grammar.Spec{Class: run, Whole: gotestsum}),
		program(golang, "ginkgo", grammar.Spec{Class: run, Args: "data*", Judge: packages, Style: grammar.Single,
			Opts: `-r -v -vv -p -procs=number --focus=data --skip=data --label-filter=data --race --cover --coverprofile=write --fail-fast
				--keep-going --randomize-all --tags=data --timeout=data --trace --no-color --json-report=write --junit-report=write --output-dir=write
				--repeat=number --flake-attempts=number --until-it-fails !--exec !--toolexec --github-output --succinct --dry-run --seed=number
				--poll-progress-after=data`}),
		program(golang, "mockgen", generator(`-source=read -destination=write -package=name -typed -write_package_comment -write_source_comment
			-write_generate_directive -self_package=name -imports=data -aux_files=data -mock_names=data -copyright_file=read
			-exclude_interfaces=data -debug_parser -version ~-build_flags !-exec_only !-prog_only -model_gob=read`)),
		program(golang, "stringer", generator(`-type=name -output=write -trimprefix=name -linecomment -tags=data`)),
		program(golang, "enumer", generator(`-type=name -output=write -trimprefix=name -transform=name -json -yaml -text -sql -values
			-comment=data -linecomment`)),
		program(golang, "wire", grammar.Spec{Class: run, Subs: table(
			row{"gen diff check show", generator(`-tags=data -header_file=read -output_file_prefix=name`)}),
			SubElse: &grammar.Spec{Class: run, Style: flags, Args: "data*", Judge: packages}}),
		program(golang, "sqlc", grammar.Spec{Class: run, Opts: "-f,--file=code --no-remote", Subs: table(
			row{"generate compile vet diff verify", grammar.Spec{Class: run, Opts: "-f,--file=code --no-remote --experimental"}},
			row{"version init help", grammar.Spec{Class: inspect}},
			row{"push createdb upload", denied(whyPublish)})}),
		program(golang, "templ", grammar.Spec{Class: run, Subs: table(
			row{"generate", grammar.Spec{Class: run, Style: flags, Opts: `-path=code -f=code -w=number -v -lazy -log-level=name -include-version
				-include-timestamp ~-watch !-cmd ~-proxy`, Why: whyExec}},
			row{"fmt", grammar.Spec{Class: change, Style: flags, Opts: "-v -w=number -fail -stdout -log-level=name", Args: "write*"}},
			row{"version info", grammar.Spec{Class: inspect, Style: flags, Opts: "-json"}})}),
		program(golang, "air", grammar.Spec{Class: run, Style: flags, Opts: `-c=code -d -v !-build.cmd !-build.bin !-build.full_bin
			!-build.pre_cmd !-build.post_cmd`, Why: whyExec}),
		program(golang, "protoc", grammar.Spec{Class: run, Style: grammar.Single, Args: "read+", Judge: protocOut, Why: whyExec,
			Opts: `-I*=read -I=read --proto_path=read --descriptor_set_out=write --include_imports --include_source_info --descriptor_set_in=read
				--version --go_out=data --go-grpc_out=data --grpc-gateway_out=data --openapiv2_out=data --validate_out=data --python_out=data
				--pyi_out=data --grpc_python_out=data --cpp_out=data --java_out=data --kotlin_out=data --csharp_out=data --php_out=data
				--ruby_out=data --ts_out=data --js_out=data --rust_out=data --objc_out=data --connect-go_out=data --go_opt=data --go-grpc_opt=data
				--grpc-gateway_opt=data --openapiv2_opt=data --python_opt=data --java_opt=data --ts_opt=data --js_opt=data --connect-go_opt=data
				--experimental_allow_proto3_optional !--plugin`}),
		program(golang, "goreleaser", grammar.Spec{Class: inspect, Subs: table(
			row{"check healthcheck", grammar.Spec{Class: inspect, Opts: "-f,--config=code -q,--quiet --verbose"}},
			row{"build", asked("it builds for release; use go build")},
			row{"release publish announce continue", denied(whyPublish)})}),
		program(golang, "golines", grammar.Spec{Class: change, Opts: `-w,--write-output -m,--max-len=number -t,--tab-len=number --dry-run
			-l,--list-files --ignored-dirs=data --no-reformat-tags --shorten-comments --version`, Args: "write*"}),
		program(golang, "gopls", grammar.Spec{Class: inspect, Opts: "-v", Subs: table(
			row{"version help", grammar.Spec{Class: inspect, Args: "name*"}}, row{"check", grammar.Spec{Class: run, Args: "read+"}},
			row{"references definition symbols implementation call_hierarchy workspace_symbol", grammar.Spec{Class: run, Style: flags,
				Opts: "-d -declaration -json -markdown", Args: "read+", Judge: strip(":")}})}),
		program(golang, "swag", grammar.Spec{Class: run, Subs: table(row{"init", grammar.Spec{Class: run, Opts: `-g,--generalInfo=name
			-d,--dir=name -o,--output=write --parseDependency --parseInternal --pd -q,--quiet`}},
			row{"fmt", grammar.Spec{Class: change, Opts: "-d,--dir=name -g=name"}})}),
		program(golang, "ko", denied(whyPublish)),
		program(golang, "dlv", asked(whyDebug)),
		program(golang, "benchstat", grammar.Spec{Class: inspect, Style: flags, Args: "data*", Judge: benchFiles,
			Opts: `-alpha=data -col=data -row=data -table=data -filter=data -format=text|csv -ignore=data -confidence=data`}),
		program(golang, "errcheck", analyzer(`-asserts -blank -abspath -exclude=read -ignoretests -mod=name`)),
		program(golang, "ineffassign deadcode nilness shadow unparam structcheck unconvert nakedret bodyclose nilaway exhaustive fieldalignment",
			analyzer(`-n -filter=data -generated -f=data -whylive=data -pretty-print`)),
		program(golang, "gocyclo gocognit", grammar.Spec{Class: inspect, Style: flags, Opts: `-over=number -top=number -avg -avg-short -total
			-total-short -ignore=data -f=data -d`, Args: "read*"}),
		program(golang, "misspell", grammar.Spec{Class: inspect, Style: flags, Opts: "-w -error -locale=name -i=data -q -source=name -o=write",
			Args: "read*", Judge: fixes("-w")}),
		program(golang, "revive", grammar.Spec{Class: inspect, Style: flags, Opts: `-config=code -formatter=name -exclude=data -set_exit_status
			-max_open_files=number -version`, Args: "data*", Judge: packages}),
		program(golang, "gosec", grammar.Spec{Class: inspect, Style: flags, Opts: `-conf=code -fmt=name -out=write -include=data -exclude=data
			-exclude-dir=data -exclude-generated -quiet -severity=name -confidence=name -tests -no-fail -tags=data -stdout -verbose=name`,
			Args: "data*", Judge: packages}),
	}
}

// fixFlag makes a judge: with one of the flags the program changes the tree too.
func fixFlag(flags ...string) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		if m.Has(flags...) && m.Class == grammar.Inspect {
			m.Class = grammar.Change
		}
		if m.Has(flags...) && len(m.Operands()) == 0 {
			m.Use(grammar.Write, grammar.Lit("."), flags[0])
		}
	}
}

// protocOut finds the folders that protoc writes to: "--go_out=paths=source_relative:gen".
func protocOut(m *grammar.Match) {
	for name, w := range m.Flags {
		if !strings.HasSuffix(name, "_out") || name == "--descriptor_set_out" || !strings.HasPrefix(name, "--") {
			continue
		}
		t, ok := w.Text()
		if !ok {
			m.Use(grammar.Write, w, name)
			continue
		}
		m.Use(grammar.Write, grammar.Lit(t[strings.LastIndex(t, ":")+1:]), name)
	}
}

// benchFiles reads operands that may be named: "old=a.txt".
func benchFiles(m *grammar.Match) {
	for _, w := range dropOperands(m, 0) {
		t, ok := w.Text()
		if _, file, named := strings.Cut(t, "="); ok && named {
			w = grammar.Lit(file)
		}
		m.Use(grammar.Read, w, "file")
	}
}

// gotestsum takes its own flags, and after "--" those of go test.
func gotestsum(m *grammar.Match) {
	head, tail := m.Words, []grammar.Word(nil)
	for i, w := range m.Words {
		if w.Is("--") {
			head, tail = m.Words[:i], m.Words[i+1:]
			break
		}
	}
	adopt(m, gotestsumTable().Parse(head))
	command(m, "go", append([]grammar.Word{grammar.Lit("test")}, tail...), "--")
}
