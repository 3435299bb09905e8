package lang

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const (
	dotnetCommon = ` -v,--verbosity=name --nologo -nologo --no-logo -h,--help -p:*=data --property:*=data -property:*=data -m -m:*=data
		-maxcpucount -maxcpucount:*=data -nr:false -nodeReuse:false --tl:* -tl:* -clp:*=data --disable-build-servers -warnaserror* -warnAsError*
		-noWarn:*=data ~--interactive `
	dotnetBuild = dotnetCommon + ` -c,--configuration=name -f,--framework=name -r,--runtime=name -o,--output=write --no-restore
		--no-dependencies --no-incremental --self-contained?=true|false --no-self-contained --arch=name -a=name --os=name --version-suffix=name
		--artifacts-path=write --ucr --use-current-runtime -bl -bl:*=write -t:*=data -target:*=data -restore -graph -graphBuild
		~-s,--source ~--configfile !-l:* !-logger:* !-dl:* !-distributedLogger:* !-noAutoResponse `
	dotnetRestore = dotnetCommon + ` --force --no-cache --no-dependencies --use-lock-file --locked-mode --force-evaluate
		--ignore-failed-sources -r,--runtime=name --disable-parallel --lock-file-path=write --no-http-cache ~-s,--source ~--configfile
		~--packages `
)

// msbuildProperty matches properties that name no program and no file.
var msbuildProperty = regexp.MustCompile(`^(Configuration|Platform|Version|VersionPrefix|VersionSuffix|PackageVersion|AssemblyVersion` +
	`|FileVersion|InformationalVersion|TreatWarningsAsErrors|WarningLevel|NoWarn|WarningsAsErrors|CollectCoverage|CoverletOutputFormat` +
	`|Threshold|ThresholdType|Exclude|Include|ExcludeByFile|TargetFramework|TargetFrameworks|Deterministic|ContinuousIntegrationBuild` +
	`|RestoreLockedMode|RestorePackagesWithLockFile|PublishSingleFile|PublishTrimmed|PublishReadyToRun|PublishAot|SelfContained` +
	`|RuntimeIdentifier|UseAppHost|DebugType|DebugSymbols|Nullable|LangVersion|RunAnalyzers|RunAnalyzersDuringBuild` +
	`|EnforceCodeStyleInBuild|GenerateDocumentationFile|Optimize|UseSharedCompilation|BuildInParallel|NuGetAudit|IsPackable` +
	`|TestTfmsInParallel|WarnOn|AnalysisLevel|AnalysisMode|DefineConstants|InvariantGlobalization|UseSourceLink|EmbedUntrackedSources` +
	`|VSTestNoLogo|MSBuildTreatWarningsAsErrors)$`)

var msbuildTarget = regexp.MustCompile(`^(Build|Rebuild|Clean|Restore|Test|VSTest|Compile|Pack|ResolveReferences|CoreCompile` +
	`|GetTargetPath)([;,](Build|Rebuild|Clean|Restore|Test|VSTest|Pack))*$`)

func msbuild(m *grammar.Match) {
	eachOption(m, func(v string) {
		for part := range strings.SplitSeq(v, ";") {
			name, value, ok := strings.Cut(part, "=")
			if !ok && part != "" && !strings.Contains(part, "/") { // a list in the value: "NoWarn=CS1;CS2"
				continue
			}
			if !msbuildProperty.MatchString(name) || grammar.LeadsOut(value) || strings.ContainsAny(value, "$@%`\\") {
				m.Ask(".property", "the property "+name+" may run a program or name a file; put it into the project file")
			}
		}
	}, "-p:", "--property:", "-property:")
	eachOption(m, func(v string) {
		if !msbuildTarget.MatchString(v) {
			m.Ask(".target", "the target "+v+" is not among those that may run unattended; use Build, Clean, Restore, Pack or Test")
		}
	}, "-t:", "-target:")
	for _, w := range m.Words {
		if t := w.Prefix(); strings.HasPrefix(t, "@") || strings.HasPrefix(t, "/p:") || strings.HasPrefix(t, "/t:") ||
			strings.HasPrefix(t, "/property:") {
			m.Ask(".option", "write options with a dash and in full: not "+t)
		}
	}
}

func dotnetPrograms() []grammar.Program {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	registry := []grammar.Need{grammar.NeedRegistry}
	build := grammar.Spec{Class: run, Opts: dotnetBuild, Args: "code?", Judge: msbuild, Why: whySettings}
	list := grammar.Spec{Class: inspect, Args: "name*", Opts: `--framework=name --include-transitive --format=name --highest-minor
		--highest-patch --include-prerelease --outdated --deprecated --vulnerable --source=name -v=name --local -g,--global`,
		Judge: func(m *grammar.Match) {
			if m.Has("--outdated", "--deprecated", "--vulnerable") {
				m.Needs = append(m.Needs, grammar.NeedRegistry)
			}
		}}
	testOpts := dotnetBuild + `--no-build --filter=data -l,--logger=data --logger:*=data --collect:*=data --results-directory=write
		--settings=code --collect=data --blame --blame-crash --blame-hang --blame-hang-timeout=data --blame-hang-dump-type=name --list-tests
		-d,--diag=write -e,--environment=assign --test-adapter-path=code --project=code --solution=code --max-parallel-test-modules=number
		--coverage --report-trx --minimum-expected-tests=number --no-progress`
	return []grammar.Program{
		program(dotnet, "dotnet", grammar.Spec{Class: run, Opts: `--info --version --list-sdks --list-runtimes -h,--help -d,--diagnostics
			!--additionalprobingpath !--additional-deps !--depsfile !--runtimeconfig --roll-forward=name`, Why: whySettings, Subs: table(
			row{"build msbuild", build}, row{"clean", grammar.Spec{Class: change, Opts: dotnetBuild, Args: "code?", Judge: msbuild,
				Why: whySettings}},
			row{"publish pack", grammar.Spec{Class: run, Opts: dotnetBuild + `--no-build --include-symbols --include-source --manifest=code
				--sc?=true|false`, Args: "code?", Judge: judges(msbuild, noPublishProfile), Why: whySettings}},
			row{"test vstest", grammar.Spec{Class: run, Opts: testOpts, Args: "code?", Judge: judges(msbuild, dotnetLogger), Why: whySettings}},
			row{"run", grammar.Spec{Class: run, Style: grammar.Posix, Opts: dotnetBuild + `--project=code --no-build --launch-profile=name -lp=name
				--no-launch-profile --file=code -e=assign -p,--property=code`, Args: "data*", Why: whySettings,
				Judge: judges(msbuild, func(m *grammar.Match) { scriptArgs(m, dropOperands(m, 0), false) })}},
			row{"restore", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: dotnetRestore, Args: "code?", Judge: msbuild, Why: whyIndex}},
			row{"format", grammar.Spec{Class: run, Args: "data*", Judge: dotnetFormat, Opts: dotnetCommon + `--verify-no-changes --no-restore
				--include=data --exclude=data --include-generated --severity=name --diagnostics=data --exclude-diagnostics=data --report=write
				--binarylog=write`}},
			row{"list", list}, row{"sln solution", grammar.Spec{Class: change, Args: "code? name code*",
				Opts: "--in-root -s,--solution-folder=name -h,--help", Judge: slnWords}},
			row{"package", grammar.Spec{Class: inspect, Subs: table(row{"list", list}), SubElse: ptr(asked(whyAdd))}},
			row{"reference", grammar.Spec{Class: change,
				Subs: table(row{"add remove", grammar.Spec{Class: change, Args: "code+", Opts: "--project=code -f,--framework=name"}},
					row{"list", list})}},
			row{"add", grammar.Spec{Class: change, Args: "data+", Opts: "-f,--framework=name", Judge: dotnetAdd}},
			row{"remove", asked(whyAdd)},
			row{"tool", grammar.Spec{Class: inspect, Why: whyFetch, Subs: table(
				row{"restore", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: dotnetRestore + "--tool-manifest=code", Why: whyIndex}},
				row{"list", list}, row{"run", grammar.Spec{Class: run, Whole: dotnetTool}}), SubElse: ptr(asked(whyFetch))}},
			row{"new", grammar.Spec{Class: inspect, Subs: table(row{"list", grammar.Spec{Class: inspect, Args: "name*"}}),
				SubElse: ptr(asked("it makes files from templates that can't be read beforehand"))}},
			row{"nuget", grammar.Spec{Class: inspect, Subs: table(row{"why", grammar.Spec{Class: inspect, Args: "code? name"}},
				row{"push delete sign trust", denied(whyPublish)}), SubElse: ptr(asked(whySettings))}},
			row{"ef csharpier fantomas reportgenerator stryker",
				grammar.Spec{Class: run, Whole: func(m *grammar.Match) { dotnetKnown(m, m.Rule[strings.LastIndex(m.Rule, ".")+1:], m.Words) }}},
			row{"exec", grammar.Spec{Class: run, Style: grammar.Posix, Args: "code data*",
				Judge: func(m *grammar.Match) { scriptArgs(m, dropOperands(m, 1), false) }}},
			row{"help sdk", grammar.Spec{Class: inspect, Args: "name*"}},
			row{"build-server", grammar.Spec{Class: change,
				Subs: table(row{"shutdown", grammar.Spec{Class: change, Opts: "--msbuild --vbcscompiler --razor"}})}},
			row{"watch", asked(whyWatch)}, row{"user-secrets dev-certs workload store fsi script", asked(whyGlobal)},
		), SubElse: &grammar.Spec{Class: run, Whole: dotnetDll}}),
		program(dotnet, "nuget", grammar.Spec{Class: inspect, Subs: table(row{"restore", grammar.Spec{Class: grammar.Install, Needs: registry,
			Args: "code?", Style: grammar.Single, Opts: "-NonInteractive -Verbosity=name -LockedMode"}}, row{"push delete setapikey sign " +
			"trusted-signers", denied(whyPublish)}), SubElse: ptr(asked(whyAdd))}),
		program(dotnet, "msbuild", build),
		program(dotnet, "csharpier fantomas", grammar.Spec{Class: inspect, Args: "read*", Judge: checkOnly("--check", "--version")}),
		program(dotnet, "fsi csi dotnet-script dotnet-fsi csharprepl", asked(whyInline)),
		program(dotnet, "reportgenerator", grammar.Spec{Class: run, Args: "data*", Judge: posargs}),
	}
}

func noPublishProfile(m *grammar.Match) {
	eachOption(m, func(v string) {
		if strings.HasPrefix(v, "PublishProfile") {
			m.Deny(".publish", whyPublish)
		}
	}, "-p:", "--property:")
}

// dotnetLogger judges loggers with parameters: "trx;LogFileName=a.trx".
func dotnetLogger(m *grammar.Match) {
	eachOption(m, func(v string) {
		name, rest, _ := strings.Cut(v, ";")
		if strings.ContainsAny(name, "/\\:,") {
			m.Ask(".logger", "name the logger by its short name")
		}
		for part := range strings.SplitSeq(rest, ";") {
			if _, value, ok := strings.Cut(part, "="); ok {
				m.Use(grammar.Write, grammar.Lit(value), "logger")
			}
		}
	}, "-l", "--logger", "--logger:")
}

func dotnetFormat(m *grammar.Match) {
	ws := dropOperands(m, 0)
	if len(ws) > 0 && (ws[0].Is("style") || ws[0].Is("whitespace") || ws[0].Is("analyzers")) {
		ws = ws[1:]
	}
	for _, w := range ws {
		m.Use(grammar.Code, w, "project")
	}
	if !m.Has("--verify-no-changes") {
		m.Use(grammar.Write, grammar.Lit("."), "format")
	}
}

func slnWords(m *grammar.Match) {
	for _, w := range dropOperands(m, 0) {
		if t, ok := w.Text(); ok && grammar.Set("list add remove migrate")[t] {
			continue
		}
		m.Use(grammar.Code, w, "project")
	}
}

// dotnetAdd allows references between projects of the tree; packages are new.
func dotnetAdd(m *grammar.Match) {
	ws := dropOperands(m, 0)
	for _, w := range ws {
		if w.Is("package") {
			m.Ask(".package", whyAdd)
			return
		}
		if !w.Is("reference") {
			m.Use(grammar.Code, w, "project")
		}
	}
}

func dotnetTool(m *grammar.Match) {
	if len(m.Words) == 0 {
		m.Ask(".operand", "the tool to run is missing")
		return
	}
	t, _ := m.Words[0].Text()
	dotnetKnown(m, strings.TrimPrefix(t, "dotnet-"), m.Words[1:])
}

// dotnetKnown are tools that the project's own list names.
func dotnetKnown(m *grammar.Match, name string, rest []grammar.Word) {
	switch name {
	case "csharpier", "fantomas", "reportgenerator", "stryker":
		scriptArgs(m, rest, true)
	case "ef":
		if len(rest) > 1 && rest[0].Is("migrations") && (rest[1].Is("list") || rest[1].Is("add") || rest[1].Is("has-pending-model-changes") ||
			rest[1].Is("script")) {
			scriptArgs(m, rest[2:], true)
			return
		}
		m.Ask(".database", "it changes a database; use one that the tests make")
	default:
		m.Ask(".tool", "the tool "+name+" is not among those that may run unattended")
	}
}

// dotnetDll is "dotnet app.dll ARGS", or dotnet with options only.
func dotnetDll(m *grammar.Match) {
	if len(m.Words) == 0 {
		m.Class = grammar.Inspect
		return
	}
	if t, ok := m.Words[0].Text(); !ok || !strings.HasSuffix(t, ".dll") {
		m.Ask(".subcommand", "dotnet "+m.Words[0].String()+" is not among the sub-commands that may run unattended")
		return
	}
	m.Use(grammar.Code, m.Words[0], "program")
	scriptArgs(m, m.Words[1:], false)
}
