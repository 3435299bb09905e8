package lang

import (
	"regexp"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

var ccTable = sync.OnceValue(func() *grammar.Table {
	return mustCompile(program(cpp, "flags", grammar.Spec{Class: grammar.Run, Style: grammar.Single, Opts: ccOpts, Args: "read*",
		Judge: compiler, Why: whyCompiler}))
})

func cmakePrograms() []grammar.Program {
	run, inspect := grammar.Run, grammar.Inspect
	dir := "-C=dir "
	return []grammar.Program{
		program(cpp, "cmake cmake3", grammar.Spec{Class: run, Whole: cmake}),
		program(cpp, "ctest ctest3", grammar.Spec{Class: run, Style: grammar.Single, Args: "", Why: "it runs scripts or sends results to a " +
			"server; run the tests only",
			Opts: `-test-dir=code -preset=name -list-presets -C,-build-config=name -R,-tests-regex=data -E,-exclude-regex=data -L,-label-regex=data
				-LE,-label-exclude=data -FA,-fixture-exclude-any=data -FS=data -FC=data -V,-verbose -VV,-extra-verbose -Q,-quiet -O,-output-log=write
				-output-junit=write -output-on-failure -j,-parallel=number -j*=number -N,-show-only?=name -I,-tests-information=data -U,-union -F
				-rerun-failed -repeat=data -repeat-until-fail=number -max-width=number -schedule-random -stop-on-failure -stop-time=data
				-timeout=number -test-load=number -no-tests=name -progress -print-labels -no-label-summary -no-subproject-summary
				-test-output-size-passed=number -test-output-size-failed=number -test-output-truncation=name -resource-spec-file=read
				-interactive-debug-mode=number -tests-from-file=read -exclude-from-file=read -version -help -H !-S,-script !-SP,-script-new-process
				!-D,-dashboard !-T,-test-action !-M,-test-model !-A,-add-notes !-submit-index !-build-and-test !-overwrite`}),
		program(cpp, "ninja ninja-build samu", grammar.Spec{Class: run, Args: "name*", Opts: dir + `-j=number -l=data -k=number -n -v,--verbose
			-w=name -d=name -t=name --quiet --version -h ~-f`, Why: "it would build by another file", Judge: func(m *grammar.Match) {
			if w, ok := m.Flags["-t"]; ok && !grammar.Set(`clean cleandead targets query commands deps graph compdb list recompact restat rules
				missingdeps inputs`)[w.String()] {
				m.Ask(".tool", "this tool of ninja serves or is not known")
			}
		}}),
		program(cpp, "meson", grammar.Spec{Class: run, Opts: "-v,--version -h,--help", Subs: table(
			row{"setup configure", grammar.Spec{Class: run, Args: "write? code?", Judge: mesonDefine, Why: whyCompiler,
				Opts: `-D=data --buildtype=name --backend=name -Dwerror=name --wipe --reconfigure --clearcache --werror --warnlevel=number
					--prefix=data --libdir=name --default-library=name --unity=name --optimization=name --debug --strip --wrap-mode=name
					--auto-features=name --errorlogs --stdsplit --layout=name --pkgconfig.relocatable ~--native-file ~--cross-file
					--fatal-meson-warnings`}},
			row{"compile", grammar.Spec{Class: run, Args: "name*", Opts: dir + `-j,--jobs=number -l,--load-average=number -v,--verbose --clean
				~--ninja-args ~--vs-args ~--xcode-args`, Why: whyExec}},
			row{"test", grammar.Spec{Class: run, Args: "name*", Opts: dir + `--repeat=number --maxfail=number --no-rebuild --list
				-j,--num-processes=number -v,--verbose -q,--quiet -t,--timeout-multiplier=number --suite=name --no-suite=name --no-stdsplit
				--print-errorlogs --benchmark --logbase=name --setup=name --test-args=data --max-lines=number !--wrapper ~--gdb ~--gdb-path
				-i,--interactive`, Why: whyExec}},
			row{"introspect", grammar.Spec{Class: inspect, Args: "read?", Opts: `--targets --tests --buildoptions --buildsystem-files --dependencies
				--installed --projectinfo -a,--all -i,--indent -f,--force-object-output --benchmarks --ast --scan-dependencies`}},
			row{"format fmt", grammar.Spec{Class: inspect, Args: "read*", Judge: fixes("-i"), Opts: `-q,--check-only -d,--check-diff -i,--inplace
				-r,--recursive -c,--configuration=read -e,--editor-config -o,--output=write`}},
			row{"install dist init wrap subprojects env2mfile devenv rewrite", asked(whyGlobal)}),
			SubElse: ptr(grammar.Spec{Class: run, Args: "write code?", Opts: "-D=data --buildtype=name", Judge: mesonDefine})}),
		program(cpp, "buildifier", grammar.Spec{Class: inspect, Args: "read*", Style: grammar.GoFlag, Judge: bazelFormat,
			Opts: "-mode=check|diff|fix|print_if_changed -lint=off|warn|fix -r -d -v -warnings=data -type=name -format=name"}),
		program(cpp, "conan vcpkg xmake premake5 scons autoconf automake autoreconf libtool ./configure configure",
			grammar.Spec{Class: grammar.Ask, Why: "it fetches or generates programs of the build; use cmake, meson or make"}),
	}
}

func bazelFormat(m *grammar.Match) {
	if !m.Has("-mode") || m.Flags["-mode"].Is("fix") || m.Flags["-lint"].Is("fix") {
		fixes()(m)
	}
}

func mesonDefine(m *grammar.Match) {
	eachOption(m, func(v string) {
		name, value, _ := strings.Cut(v, "=")
		if grammar.LeadsOut(value) || strings.HasSuffix(name, "_args") || strings.HasSuffix(name, "_link_args") ||
			strings.Contains(name, "path") {
			m.Ask(".define", "the option "+name+" may name a program or a file; put it into meson.options")
		}
	}, "-D")
}

var cmakeTables = sync.OnceValue(func() map[string]*grammar.Table {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	specs := map[string]grammar.Spec{
		"configure": {Class: run, Args: "code?", Judge: cmakeDefine, Why: "what the build is made of belongs in CMakeLists.txt and presets of " +
			"the tree",
			Opts: `-S=code -B=write -G=data -D=data -U=data -A=name -T=name -L -LA -LAH -LH -N -Wno-dev -Wdev -Wdeprecated -Wno-deprecated
				-Werror=name -Wno-error=name --fresh --preset?=name --list-presets?=name --toolchain=code --log-level=name --log-context
				--debug-output --debug-find --trace --trace-expand --trace-format=name --trace-source=read --trace-redirect=write --graphviz=write
				--warn-uninitialized --warn-unused-vars --no-warn-unused-cli --check-system-vars --compile-no-warning-as-error
				--link-no-warning-as-error --install-prefix=data --system-information --version --help --help-* ~-C ~-P ~--debugger ~--find-package`},
		"--build": {Class: run, Args: "code? data*", Judge: cmakeBuild, Opts: `-j,--parallel?=number -t,--target=data --config=name --clean-first
			--resolve-package-references=name -v,--verbose --use-stderr --preset=name --list-presets`},
		"--install": {Class: change, Args: "code", Opts: `--config=name --component=name --default-directory-permissions=name --prefix=write
			--strip -v,--verbose`, Judge: func(m *grammar.Match) {
			if !m.Has("--prefix") {
				m.Ask(".prefix", "it installs outside the tree; add --prefix with a folder of the tree")
			}
		}},
		"-E": {Class: inspect, Subs: table(
			row{"cat compare_files md5sum sha1sum sha256sum sha512sum", grammar.Spec{Class: inspect, Args: "read+", Opts: "--ignore-eol"}},
			row{"echo echo_append true false sleep capabilities", grammar.Spec{Class: inspect, Args: "data*", Style: grammar.Bare}},
			row{"make_directory touch touch_nocreate", grammar.Spec{Class: change, Args: "write+"}},
			row{"copy copy_if_different copy_directory", grammar.Spec{Class: change, Args: "read* write"}},
			row{"rm remove remove_directory", grammar.Spec{Class: change, Args: "remove+", Opts: "-r -R -f"}})},
	}
	all := map[string]*grammar.Table{}
	for name, s := range specs {
		all[name] = mustCompile(program(cpp, "cmake"+name, s))
	}
	return all
})

// cmake has modes: the first word decides how the rest is read.
func cmake(m *grammar.Match) {
	mode, ws := "configure", m.Words
	if len(ws) > 0 {
		switch t, _ := ws[0].Text(); t {
		case "--build", "--install", "-E":
			mode, ws = t, ws[1:]
		case "--open", "--workflow", "--find-package":
			m.Ask(".mode", "cmake "+t+" opens or runs other programs; use cmake --build")
			return
		case "-P":
			m.Ask(".script", "a script of cmake may run anything; make it a target of the build")
			return
		}
	}
	rule := m.Rule
	adopt(m, cmakeTables()[mode].Parse(ws))
	m.Rule = rule + "." + strings.TrimLeft(mode, "-")
}

var (
	cmakeName = regexp.MustCompile(`^(CMAKE_(BUILD_TYPE|EXPORT_COMPILE_COMMANDS|(CXX|C)_STANDARD(_REQUIRED)?|(CXX|C)_EXTENSIONS` +
		`|VERBOSE_MAKEFILE|POSITION_INDEPENDENT_CODE|UNITY_BUILD|INSTALL_PREFIX|INTERPROCEDURAL_OPTIMIZATION|COLOR_DIAGNOSTICS` +
		`|COMPILE_WARNING_AS_ERROR|OSX_ARCHITECTURES|CONFIGURATION_TYPES|DISABLE_FIND_PACKAGE_\w+|FIND_DEBUG_MODE|SKIP_INSTALL_RULES` +
		`|BUILD_PARALLEL_LEVEL|(CXX|C)_VISIBILITY_PRESET|LINK_WHAT_YOU_USE|POLICY_VERSION_MINIMUM|CXX_SCAN_FOR_MODULES))$`)
	cmakeOwn   = regexp.MustCompile(`^[A-Za-z][\w-]*$`)
	cmakeFlags = regexp.MustCompile(`^(-(W[\w-]+(=\w+)?|O[\w]?|g\d?|f[a-z][\w-]*(=[\w,-]+)?|D\w+(=\w+)?|pthread|m[a-z][\w=-]*|std=[\w+]+` +
		`|pedantic|fuse-ld=\w+|coverage|-coverage))*$`)
	cmakeTool = regexp.MustCompile(`^(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(-\d+)?$`)
)

// cmakeDefine judges -D: variables of cmake itself are listed; those of the project must name no path that leads outside.
func cmakeDefine(m *grammar.Match) {
	eachOption(m, func(v string) {
		name, value, _ := strings.Cut(v, "=")
		name, _, _ = strings.Cut(name, ":")
		switch {
		case name == "CMAKE_C_COMPILER" || name == "CMAKE_CXX_COMPILER":
			if cmakeTool.MatchString(value) {
				return
			}
		case regexp.MustCompile(`^CMAKE_(CXX|C|EXE_LINKER|SHARED_LINKER)_FLAGS(_\w+)?$`).MatchString(name):
			good := true
			for f := range strings.FieldsSeq(value) {
				good = good && cmakeFlags.MatchString(f) && !strings.HasPrefix(f, "-fplugin") && !strings.HasPrefix(f, "-fpass")
			}
			if good {
				return
			}
		case name == "CMAKE_TOOLCHAIN_FILE":
			m.Use(grammar.Code, grammar.Lit(value), "-D")
			return
		case name == "CMAKE_INSTALL_PREFIX":
			return // only written down; what installs is judged by itself
		case cmakeName.MatchString(name) || cmakeOwn.MatchString(name) && !strings.HasPrefix(name, "CMAKE_"):
			if strings.ContainsAny(value, "/\\$") {
				for p := range strings.SplitSeq(value, ";") {
					m.Use(grammar.Code, grammar.Lit(p), "-D")
				}
			}
			if !strings.HasSuffix(name, "_LAUNCHER") && !strings.HasSuffix(name, "_EXECUTABLE") && !strings.HasSuffix(name, "_COMMAND") {
				return
			}
		}
		m.Ask(".define", "the variable "+name+" may put other programs or files into the build; set it in CMakeLists.txt or a preset of the tree")
	}, "-D")
}

// cmakeBuild judges what follows "--": options of make or ninja.
func cmakeBuild(m *grammar.Match) {
	ws := dropOperands(m, 0)
	for i, w := range ws {
		t, ok := w.Text()
		switch {
		case i == 0 && !strings.HasPrefix(t, "-"):
			m.Use(grammar.Code, w, "build")
		case ok && regexp.MustCompile(`^(-j\d*|-k\d*|-v|-n|--keep-going|VERBOSE=1|-s|-l\d+|\d+)$`).MatchString(t):
		default:
			m.Ask(".native", "of the options after -- only -j, -k, -v and -n may be used unattended")
		}
	}
	if w, ok := m.Flags["--target"]; ok && (strings.HasPrefix(w.Prefix(), "install")) {
		m.Ask(".target", "it installs outside the tree; use cmake --install with --prefix")
	}
}
