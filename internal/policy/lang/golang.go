package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const whyGoTool = "it replaces programs or sources of the tool chain; build with the plain tool chain"

// The build flags of the go command, and those that choose packages.
const (
	goChoose = ` -C=dir -mod=mod|readonly|vendor ~-modfile -tags=data -modcacherw !-overlay !-toolexec `
	goBuild  = goChoose + ` -a -n -v -x -race -msan -asan -cover -work -linkshared -trimpath -json -p=number
		-covermode=set|count|atomic -coverpkg=data -asmflags=data -gcflags=data -ldflags=data ~-gccgoflags
		-buildmode=archive|c-archive|c-shared|default|shared|exe|pie|plugin -buildvcs?=true|false|auto ~-compiler
		-installsuffix=name -pgo=read -pkgdir=write !-exec !-vettool `
	goTestRun = ` -c -o=write -bench=data -benchtime=data -benchmem -count=number -cpu=data -failfast -fullpath -fuzz=data -fuzztime=data
		-fuzzminimizetime=data -fuzzcachedir=write -list=data -parallel=number -run=data -short -shuffle=data -skip=data -timeout=data
		-vet=data -blockprofile=write -blockprofilerate=number -coverprofile=write -cpuprofile=write -memprofile=write
		-memprofilerate=number -mutexprofile=write -mutexprofilefraction=number -outputdir=write -trace=write -artifacts
		-i -test.v -test.short -test.run=data -test.bench=data -test.count=number -test.timeout=data -test.benchmem
		-update -golden -integration -e2e -u -slow -update-golden -verbose -debug -long `
	goVet = ` -c=number -appends -asmdecl -assign -atomic -bools -buildtag -cgocall -composites -copylocks -defers -directive -errorsas
		-framepointer -hostport -httpresponse -ifaceassert -loopclosure -lostcancel -nilfunc -printf -shift -sigchanyzer -slog
		-stdmethods -stdversion -stringintconv -structtag -tests -testinggoroutine -timeformat -unmarshal -unreachable
		-unsafeptr -unusedresult -waitgroup -diff -fix -composites.whitelist -printf.funcs=data -unusedresult.funcs=data `
)

func goPrograms() []grammar.Program {
	return append([]grammar.Program{
		program(golang, "go", grammar.Spec{Class: grammar.Run, Style: grammar.GoFlag, Opts: `-C=dir`, Why: whyGoTool, Subs: goSubs(),
			SubElse: &grammar.Spec{Class: grammar.Inspect, Style: grammar.GoFlag, Opts: "-h,-help"}}),
		program(golang, "gofmt", grammar.Spec{Class: grammar.Inspect, Style: grammar.GoFlag, Args: "read*", Judge: fixes("-w"),
			Opts: `-l -w -d -s -e -r=data -cpuprofile=write`}),
		program(golang, "goimports", grammar.Spec{Class: grammar.Inspect, Style: grammar.GoFlag, Args: "read*", Judge: fixes("-w"),
			Opts: `-l -w -d -e -v -local=data -format-only -srcdir=read -cpuprofile=write -memprofile=write`}),
		program(golang, "gofumpt", grammar.Spec{Class: grammar.Inspect, Style: grammar.GoFlag, Args: "read*", Judge: fixes("-w"),
			Opts: `-l -w -d -e -extra -s -lang=data -modpath=name -version -cpuprofile=write`}),
	}, goTools()...)
}

func goSubs() subs {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	flags := grammar.GoFlag
	return table(
		row{"build", grammar.Spec{Class: run, Style: flags, Opts: goBuild + "-o=write", Args: "data*",
			Judge: judges(goFlags, goPackages(grammar.Code))}},
		row{"test", grammar.Spec{Class: run, Whole: goTest}},
		row{"run", grammar.Spec{Class: run, Style: flags, Opts: goBuild, Args: "data*", Judge: judges(goFlags, goRun)}},
		row{"vet", grammar.Spec{Class: inspect, Style: flags, Opts: goBuild + goVet, Args: "data*",
			Judge: judges(goFlags, goPackages(grammar.Code), goVetFix)}},
		row{"list", grammar.Spec{Class: inspect, Style: flags, Args: "data*", Judge: judges(goFlags, goPackages(grammar.Read), goList),
			Opts: strings.Replace(goBuild, "-json", "-json?=data", 1) + `-f=data -m -u -versions -deps -test -e -export -find -compiled -retracted
				-reuse=read`}},
		row{"env", grammar.Spec{Class: inspect, Style: flags, Opts: "-json -changed !-w !-u", Args: "name*", Why: whySettings}},
		row{"version", grammar.Spec{Class: inspect, Style: flags, Opts: "-m -v -json", Args: "read*"}},
		row{"doc", grammar.Spec{Class: inspect, Style: flags, Opts: "-C=dir -all -c -cmd -short -src -u -ex ~-http", Args: "name*",
			Why: whyServe}},
		row{"help", grammar.Spec{Class: inspect, Style: grammar.Bare, Args: "data*"}},
		row{"fmt", grammar.Spec{Class: change, Style: flags, Opts: goChoose + "-n -x", Args: "data*", Judge: goPackages(grammar.Write)}},
		row{"fix", grammar.Spec{Class: change, Style: flags, Opts: goBuild + `-diff -fix=name -go=name !-fixtool -any -buildtag -forvar
			-hostport -inline -mapsloop -minmax -newexpr -omitzero -plusbuild -rangeint -reflecttypefor -slicescontains -slicessort -stringsbuilder
			-stringscut -stringsseq -stringscutprefix -testingcontext -waitgroup`,
			Args: "data*", Judge: judges(goFlags, goPackages(grammar.Write))}},
		row{"clean", grammar.Spec{Class: change, Style: flags, Opts: goChoose + "-n -x -r ~-i -cache -testcache -fuzzcache ~-modcache",
			Args: "data*",
			Why:  "all modules would have to be fetched again", Judge: goPackages(grammar.Write)}},
		row{"mod", grammar.Spec{Class: inspect, Subs: goMod(), Why: "changes what the module is built from; say what is needed and ask"}},
		row{"work", grammar.Spec{Class: change, Subs: goWork(), Why: "changes what the workspace is built from; say what is needed and ask"}},
		row{"tool", grammar.Spec{Class: inspect, Style: flags, Opts: "-n -C=dir", Subs: goTool(), SubElse: &grammar.Spec{Class: inspect,
			Style: flags, Opts: "-h"}}},
		row{"generate", asked("it runs all commands in the sources; run only the generator that you need")},
		row{"get", asked(whyAdd)},
		row{"install", asked("it puts programs outside the tree or fetches them; build with go build -o into the tree")},
		row{"bug telemetry", asked("it reports to others")},
	)
}

func goMod() subs {
	inspect, flags := grammar.Inspect, grammar.GoFlag
	registry := []grammar.Need{grammar.NeedRegistry}
	return table(
		row{"download", grammar.Spec{Class: grammar.Install, Style: flags, Opts: "-C=dir ~-modfile -json -x -reuse=read", Needs: registry}},
		row{"tidy", grammar.Spec{Class: grammar.Install, Style: flags, Opts: "-C=dir ~-modfile -v -x -e -diff -go=data -compat=data",
			Needs: registry}},
		row{"vendor", grammar.Spec{Class: grammar.Install, Style: flags, Opts: "-C=dir ~-modfile -v -e -o=write", Needs: registry}},
		row{"verify", grammar.Spec{Class: inspect, Style: flags, Opts: "-C=dir ~-modfile"}},
		row{"graph", grammar.Spec{Class: inspect, Style: flags, Opts: "-C=dir ~-modfile -go=data -x"}},
		row{"why", grammar.Spec{Class: inspect, Style: flags, Opts: "-C=dir ~-modfile -m -vendor", Args: "name+"}},
		row{"edit", grammar.Spec{Class: inspect, Style: flags, Args: "write?", Judge: goModEdit,
			Opts: `-json -print -fmt -go=data -replace=data -dropreplace=data -droprequire=data -dropexclude=data -exclude=data -retract=data
				-dropretract=data -dropgodebug=data -droptool=data -dropignore=data -ignore=data ~-godebug ~-module ~-require ~-toolchain ~-tool`}},
		row{"init", grammar.Spec{Class: grammar.Change, Style: flags, Opts: "-C=dir", Args: "name?"}},
	)
}

func goModEdit(m *grammar.Match) {
	for name := range m.Flags {
		if name != "-json" && name != "-print" {
			m.Class = grammar.Change
		}
	}
	if w, ok := m.Flags["-replace"]; ok {
		t, literal := w.Text()
		_, to, _ := strings.Cut(t, "=")
		if !literal || !strings.HasPrefix(to, ".") && !strings.HasPrefix(to, "/") {
			m.Ask(".replace", "a replacement must be a folder of the tree, such as ./fork; for other modules ask")
			return
		}
		m.Use(grammar.Code, grammar.Lit(to), "-replace")
	}
}

func goWork() subs {
	change, flags := grammar.Change, grammar.GoFlag
	return table(
		row{"use", grammar.Spec{Class: change, Style: flags, Opts: "-r", Args: "code*"}},
		row{"init", grammar.Spec{Class: change, Style: flags, Args: "code*"}},
		row{"sync", grammar.Spec{Class: grammar.Install, Style: flags, Needs: []grammar.Need{grammar.NeedRegistry}}},
		row{"edit", grammar.Spec{Class: grammar.Inspect, Style: flags, Opts: `-json -print ~-fmt ~-go ~-use ~-dropuse ~-replace ~-dropreplace
			~-toolchain ~-godebug`, Args: "read?"}},
	)
}

func goTool() subs {
	inspect, flags := grammar.Inspect, grammar.GoFlag
	return table(
		row{`golangci-lint staticcheck stringer enumer mockgen gotestsum ginkgo sqlc templ wire errcheck deadcode revive gosec benchstat gofumpt
			goimports`,
			grammar.Spec{Class: grammar.Run, Whole: func(m *grammar.Match) {
				command(m, m.Rule[strings.LastIndexByte(m.Rule, '.')+1:], m.Words, "go tool")
			}}},
		row{"cover", grammar.Spec{Class: inspect, Style: flags, Args: "read*", Judge: goCover,
			Opts: "-html=read -func=read -o=write -mode=set|count|atomic -var=name"}},
		row{"covdata", grammar.Spec{Class: inspect, Subs: table(
			row{"percent pkglist func debugdump", grammar.Spec{Class: inspect, Style: flags, Opts: "-i=read -o=write -pkg=data"}},
			row{"textfmt merge subtract intersect", grammar.Spec{Class: inspect, Style: flags, Opts: "-i=read -o=write -pkg=data -pcombine"}})}},
		row{"pprof", grammar.Spec{Class: inspect, Style: grammar.Single, Args: "read+", Judge: localFiles, Why: whyServe,
			Opts: `-text -top -tree -raw -traces -cum -flat -svg -dot -proto -callgrind -comments -lines -functions -files -addresses -noinlines
				-compact_labels -list=data -peek=data -focus=data -ignore=data -hide=data -show=data -show_from=data -tagfocus=data -tagignore=data
				-tagshow=data -taghide=data -prune_from=data -nodecount=number -nodefraction=data -edgefraction=data -unit=name -sample_index=name
				-inuse_space -inuse_objects -alloc_space -alloc_objects -diff_base=read -base=read -normalize -output=write -symbolize=none|local
				~-http ~-web ~-weblist ~-disasm !-tools !-add_comment !-source_path !-trim_path`}},
		row{"trace", grammar.Spec{Class: inspect, Style: flags, Opts: "-pprof=net|sync|syscall|sched ~-http -d=name", Args: "read+",
			Why: whyServe, Judge: func(m *grammar.Match) {
				if !m.Has("-pprof", "-d") {
					m.Ask(".serve", whyServe)
				}
			}}},
		row{"nm objdump buildid addr2line", grammar.Spec{Class: inspect, Style: flags, Opts: `-n -size -type -sort=address|name|none|size -s=data
			-S -gnu !-w`, Args: "read+"}},
		row{"dist", grammar.Spec{Class: inspect, Subs: table(row{"list version", grammar.Spec{Class: inspect, Style: flags, Opts: "-json -v"}})}},
		row{"test2json", grammar.Spec{Class: grammar.Run, Style: flags, Opts: "-p=name -t", Why: whyExec}},
		row{"vet", asked("use go vet")},
		row{"compile link asm cgo pack fix preprofile", asked("use go build, which calls it")},
	)
}

func goCover(m *grammar.Match) {
	if m.Has("-html") && !m.Has("-o") {
		m.Ask(".browser", "it opens a browser; add -o coverage.html")
	}
	if m.Has("-o") {
		m.Class = grammar.Change
	}
}

// localFiles refuses operands that name a server instead of a file.
func localFiles(m *grammar.Match) {
	for _, u := range m.Uses {
		if t := u.Word.Prefix(); strings.Contains(t, ":") && u.Kind == grammar.Read {
			m.Ask(".url", "it would fetch "+u.Word.String()+"; name a file of the tree")
		}
	}
}

// judges combines judges.
func judges(all ...func(m *grammar.Match)) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		for _, j := range all {
			j(m)
		}
	}
}

func goVetFix(m *grammar.Match) {
	if m.Has("-fix") {
		m.Class = grammar.Change
	}
}

func goList(m *grammar.Match) {
	// Import paths and module paths begin with no dash and are no paths outside; a template could print anything.
	if !m.Has("-f", "-json", "-m") {
		m.Yields = grammar.YieldsTree
	}
	if m.Has("-u", "-versions", "-retracted") {
		m.Needs = append(m.Needs, grammar.NeedRegistry)
	}
}
