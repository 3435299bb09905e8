package lang

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const whyCompiler = "it puts another program into the compilation, or loads code into the compiler; compile with the plain compiler"

const ccOpts = ` -o=write -c -S -E -P -C -H -M -MM -MD -MMD -MP -MG -MF=write -MT=data -MQ=data -x=name -I=read -I*=read -L=read -L*=read
	-l=name -l*=name -D=data -D*=data -U=name -U*=name -isystem=read -isystem*=read -iquote=read -idirafter=read -include=read -imacros=read
	-W* -f* -m* -O* -g* -std=name -ansi -pedantic -pedantic-errors -pthread -pipe -shared -static -static-libgcc -static-libstdc++
	-static-pie -pie -no-pie -nopie -rdynamic -nostdlib -nostdinc -nostdinc++ -nodefaultlibs -nostartfiles -s -w -v -pg -p -coverage
	-save-temps -print-search-dirs -print-file-name=name -print-libgcc-file-name -print-multiarch -print-prog-name=name -print-target-triple
	-print-resource-dir -dumpversion -dumpfullversion -dumpmachine -dM -dD -version -help -u=name -z=name -e=name -arch=name -target=name
	-stdlib=name -stdlib++=name -framework=name -mmacosx-version-min=name -undefined=name -dynamiclib -bundle -install_name=data -Q
	-Qunused-arguments -ftime-report -time -trigraphs -traditional -nologo -param=data -dynamic -emit-llvm
	!-wrapper !-specs !-fplugin* !-fpass-plugin* !-B !-B* !-load !-plugin !-iplugindir !-gcc-toolchain !-gcc-install-dir !-ivfsoverlay
	!-working-directory !-config !-fuse-ld !-ld-path ~-Xlinker ~-Xclang ~-Xassembler ~-Xpreprocessor ~-Xarch* ~-mllvm ~-T ~-isysroot
	~-sysroot ~-fdump* ~-fopt-info* ~-fmodule-mapper* ~-fembed-offload* ~-aux-info ~-fdiagnostics-add-output* ~-fdiagnostics-set-output*
	~-grecord* ~-no-integrated-cpp `

var (
	ccValue = regexp.MustCompile(`^-f(sanitize|no-sanitize|sanitize-recover|no-sanitize-recover|sanitize-trap|sanitize-coverage` +
		`|visibility|diagnostics-color|diagnostics-format|diagnostics-show-template-tree|fp-contract|fp-model|lto|lto-partition|max-errors` +
		`|error-limit|template-depth|template-backtrace-limit|constexpr-depth|constexpr-steps|constexpr-ops-limit|constexpr-loop-limit` +
		`|cf-protection|profile-update|abi-version|tls-model|message-length|bracket-depth|exec-charset|input-charset|debug-prefix-map` +
		`|file-prefix-map|macro-prefix-map|coverage-prefix-map|stack-clash-protection|stack-limit-register|inline-limit` +
		`|ms-compatibility-version|openmp|openmp-targets|zero-call-used-regs|trivial-auto-var-init|strict-flex-arrays|pack-struct` +
		`|align-functions|align-loops|vect-cost-model|excess-precision|random-seed|patchable-function-entry|gnuc-version` +
		`|spell-checking-limit|experimental-library|c\+\+-abi)=[^/]*$|^-fuse-ld=(lld|gold|bfd|mold)$|^-f(debug|file|macro` +
		`|coverage)-prefix-map=[\w./-]*=[\w./-]*$`)
	ccLinker = regexp.MustCompile(`^(--?as-needed|--no-as-needed|--gc-sections|--no-gc-sections|--start-group|--end-group|--whole-archive` +
		`|--no-whole-archive|-s|-S|--strip-(all|debug)|-O\d|-Bstatic|-Bdynamic|-Bsymbolic(-functions)?|--export-dynamic|-export_dynamic|-E` +
		`|--build-id(=\w+)?|--fatal-warnings|--no-undefined|--allow-multiple-definition|--no-allow-shlib-undefined|--enable-new-dtags` +
		`|--disable-new-dtags|-dead_strip|-undefined|dynamic_lookup|-z|relro|now|noexecstack|defs|nodelete|origin|lazy|text|-rpath(=\S+)?` +
		`|-rpath-link(=\S+)?|-soname(=\S+)?|--exclude-libs(=\S+)?|ALL|--print-memory-usage|--warn-common|--sort-common|--hash-style=\w+|-x` +
		`|-X|--threads(=\d+)?|--icf=\w+|--stack(=\d+)?|--wrap=\w+|--defsym=\w+=\w+|-no_warn_duplicate_libraries|-ld_classic|\$ORIGIN\S*` +
		`|@loader_path\S*|@executable_path\S*|@rpath\S*|lib[\w.+-]+)$`)
)

// compiler judges words of which the table only knows prefixes.
func compiler(m *grammar.Match) {
	for _, w := range m.Words {
		t, ok := w.Text()
		if !ok {
			if p := w.Prefix(); strings.HasPrefix(p, "@") || strings.HasPrefix(p, "-f") || strings.HasPrefix(p, "-Wl") ||
				strings.HasPrefix(p, "-m") {
				m.Ask(".option", "an option of the compiler contains unknown text; write it out")
			}
			continue
		}
		switch {
		case strings.HasPrefix(t, "@"):
			m.Ask(".argfile", "options from a file can't be checked beforehand; write them out")
		case strings.HasPrefix(t, "--") &&
			!grammar.Set("--version --help --coverage --target-help --verbose -- --param --no-standard-includes")[t] &&
			!strings.HasPrefix(t, "--target=") && !strings.HasPrefix(t, "--std=") && !strings.HasPrefix(t, "--param=") &&
			!strings.HasPrefix(t, "--help="):
			m.Ask(".option", "write the option "+t+" in its short form")
		case strings.HasPrefix(t, "-f") && strings.Contains(t, "=") && !ccValue.MatchString(t):
			m.Ask(".option", "the option "+t+" may name a file or a program; leave it out")
		case strings.HasPrefix(t, "-Wa,") || strings.HasPrefix(t, "-Wp,"):
			m.Ask(".option", "options that are handed to the assembler and the preprocessor can't be told apart; leave "+t+" out")
		case strings.HasPrefix(t, "-Wl,"):
			linkerWords(m, strings.Split(strings.TrimPrefix(t, "-Wl,"), ","))
		case strings.HasPrefix(t, "-Wstack-usage"),
			len(t) > 1 && t[0] == '-' && strings.IndexByte("mgWO", t[1]) >= 0 && strings.Contains(t, "/"):
			m.Ask(".option", "the option "+t+" names a file; leave it out")
		}
	}
}

// linkerWords judges what -Wl passes to the linker.
func linkerWords(m *grammar.Match, parts []string) {
	for i, p := range parts {
		if file, ok := strings.CutPrefix(p, "-Map="); ok {
			m.Use(grammar.Write, grammar.Lit(file), "-Map")
			continue
		}
		if file, ok := strings.CutPrefix(p, "--version-script="); ok {
			m.Use(grammar.Code, grammar.Lit(file), "--version-script")
			continue
		}
		if i > 0 && (parts[i-1] == "-rpath" || parts[i-1] == "-rpath-link" || parts[i-1] == "-soname") && !strings.HasPrefix(p, "-") {
			continue // text that is written into the program
		}
		if !ccLinker.MatchString(p) {
			m.Ask(".linker", "the option "+p+" of the linker may load code or write elsewhere; leave it out")
		}
	}
}

func cppPrograms() []grammar.Program {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	cc := grammar.Spec{Class: run, Style: grammar.Single, Opts: ccOpts, Args: "read*", Judge: compiler, Why: whyCompiler}
	view := func(opts string) grammar.Spec {
		return grammar.Spec{Class: inspect, Args: "read*", Opts: opts + " --version --help !--plugin", Judge: noArgFiles, Why: whyCompiler}
	}
	return append([]grammar.Program{
		program(cpp, `gcc g++ cc c++ clang clang++ c89 c99 gcc-11 gcc-12 gcc-13 gcc-14 gcc-15 g++-11 g++-12 g++-13 g++-14 g++-15 clang-14 clang-15
			clang-16 clang-17 clang-18 clang-19 clang-20 clang++-14 clang++-15 clang++-16 clang++-17 clang++-18 clang++-19 clang++-20 gfortran`, cc),
		program(cpp, "cpp", cc),
		program(cpp, "ccache sccache distcc", grammar.Spec{Class: run, Style: grammar.Posix, Opts: "-s,--show-stats -z,--zero-stats -V,--version",
			Args: "command?"}),
		program(cpp, "ld ld.lld ld.gold ld.bfd lld mold", grammar.Spec{Class: run, Style: grammar.Single, Args: "read*", Judge: noArgFiles,
			Why: whyCompiler,
			Opts: `-o=write -L*=read -L=read -l*=name -l=name -r -s -S -shared -static -pie -e=name -m=name -z=name -as-needed -no-as-needed
				-gc-sections -start-group -end-group -build-id?=name -Map=write -t -v -V -verbose -version -help !-plugin !-plugin-opt ~-T ~-script
				~-dynamic-linker ~-rpath !-wrapper !-load-pass-plugin`}),
		program(cpp, "as", grammar.Spec{Class: run, Style: grammar.Single, Args: "read*", Judge: noArgFiles, Opts: `-o=write -I=read -I*=read -g
			-32 -64 -W -warn -v -version`}),
		program(cpp, "ar gcc-ar llvm-ar", grammar.Spec{Class: change, Args: "name write read*", Judge: judges(noArgFiles, arMode),
			Opts: "--version --help !--plugin", Why: whyCompiler}),
		program(cpp, "ranlib gcc-ranlib llvm-ranlib", grammar.Spec{Class: change, Args: "write+", Opts: "-D -U --version !--plugin",
			Why: whyCompiler}),
		program(cpp, "nm gcc-nm llvm-nm", view(`-A,-o,--print-file-name -a,--debug-syms -B -C,--demangle?=name --no-demangle -D,--dynamic
			-f,--format=name -g,--extern-only -l,--line-numbers -n,-v,--numeric-sort -p,--no-sort -P,--portability -r,--reverse-sort
			-S,--print-size -s,--print-armap --size-sort -t,--radix=name -u,--undefined-only --defined-only -W`)),
		program(cpp, "objdump llvm-objdump", view(`-a,--archive-headers -d,--disassemble?=name -D,--disassemble-all -S,--source
			-s,--full-contents -f,--file-headers -h,--section-headers,--headers -x,--all-headers -r,--reloc -R,--dynamic-reloc -t,--syms
			-T,--dynamic-syms -p,--private-headers -C,--demangle?=name -l,--line-numbers -M,--disassembler-options=data -m,--architecture=name
			-b,--target=name -j,--section=name --no-show-raw-insn -w,--wide -z --start-address=data --stop-address=data -W?=data`)),
		program(cpp, "readelf llvm-readelf", view(`-a,--all -h,--file-header -l,--program-headers,--segments -S,--section-headers,--sections
			-s,--syms,--symbols --dyn-syms -n,--notes -r,--relocs -d,--dynamic -V,--version-info -A,--arch-specific -x,--hex-dump=name
			-p,--string-dump=name -w?=data -W,--wide -C,--demangle?=name -e,--headers -u,--unwind -c,--archive-index`)),
		program(cpp, "size llvm-size addr2line c++filt llvm-cxxfilt llvm-dwarfdump", view(`-A -B -d -t,--totals --format=name -e,--exe=read
			-f,--functions -C,--demangle -i,--inlines -p,--pretty-print -a,--addresses -s,--basenames -n -_ --debug-info --debug-line`)),
		program(cpp, "strip llvm-strip objcopy llvm-objcopy", grammar.Spec{Class: change, Args: "write+", Judge: noArgFiles, Why: whyCompiler,
			Opts: `-s,--strip-all -g,-S,-d,--strip-debug --strip-unneeded -x,--discard-all -o=write -K,--keep-symbol=name -N,--strip-symbol=name
				-R,--remove-section=name -v,--verbose -p,--preserve-dates -O,--output-target=name -I,--input-target=name -j,--only-section=name
				--only-keep-debug --add-gnu-debuglink=read --version !--plugin`}),
		program(cpp, "pkg-config pkgconf", grammar.Spec{Class: inspect, Args: "name*", Opts: `--cflags --libs --exists --modversion
			--variable=name --print-errors --short-errors --silence-errors --static --libs-only-L --libs-only-l --cflags-only-I --list-all
			--atleast-version=data --version --errors-to-stdout`}),
		program(cpp, "valgrind", grammar.Spec{Class: run, Style: grammar.Posix, Args: "command", Why: whyDebug,
			Opts: `--leak-check=name -q,--quiet -v,--verbose --error-exitcode=number --track-origins=yes|no --show-leak-kinds=data
				--suppressions=read --log-file=write --tool=name --num-callers=number --trace-children=yes|no --show-reachable=yes|no
				--gen-suppressions=yes|no|all --errors-for-leak-kinds=data --undef-value-errors=yes|no --callgrind-out-file=write
				--massif-out-file=write --xml=yes|no --xml-file=write --version ~--vgdb ~--vgdb-error`}),
		program(cpp, "gcov llvm-cov llvm-profdata lcov gcovr genhtml", grammar.Spec{Class: change, Args: "data*", Judge: readable, Why: whyExec,
			Opts: `-b,--branch-probabilities -c,--capture -d,--directory=read -o,--output-file,--output-directory,--output=write -r,--root=read
				-e,--extract,--exclude=data --remove=read -f,--filter=data -p,--print-summary --html?=write --html-details?=write --xml?=write
				--json?=write --txt?=write -q,--quiet -t,--title=data --branches -s,--summary --list=read --no-external --ignore-errors=name --legend
				-j?=number --object-directory=read --gcov-executable=name -instr-profile=read -format=name --fail-under-line=number --version ~--rc
				~--config-file !--gcov-tool`}),
		program(cpp, "clang-format", grammar.Spec{Class: inspect, Args: "read*", Style: grammar.Single, Judge: judges(noArgFiles, formatStyle,
			fixes("-i")),
			Opts: `-i -n,-dry-run -Werror -style=data -fallback-style=name -assume-filename=name -sort-includes?=true|false -lines=data
				-offset=number -length=number -verbose -version -help -dump-config -ferror-limit=number -output-replacements-xml -files=read
				-fail-on-incomplete-format -Wno-error=name`}),
		program(cpp, "clang-tidy run-clang-tidy", grammar.Spec{Class: run, Args: "read*", Style: grammar.Single,
			Judge: judges(tidyWords, fixes("-fix", "-fix-errors")), Why: whyCompiler,
			Opts: `-p=code -p*=code -checks=data -header-filter=data -exclude-header-filter=data -fix -fix-errors -fix-notes -format-style=data
				-warnings-as-errors=data -config-file=code -quiet -use-color?=true|false -list-checks -explain-config -dump-config -system-headers
				-export-fixes=write -line-filter=data -j=number -j*=number -allow-no-checks -version -help -enable-check-profile !-load !-plugins
				!-vfsoverlay ~-config ~-extra-arg ~-extra-arg-before !-clang-tidy-binary !-clang-apply-replacements-binary`}),
		program(cpp, "cppcheck", grammar.Spec{Class: inspect, Args: "read*", Why: whyExec,
			Opts: `-I=read -D=data -U=name -i=data --enable=data --disable=data --std=name --language=name -x=name --suppress=data
				--suppressions-list=read --inline-suppr --xml --xml-version=number -j=number --error-exitcode=number --project=code --library=name
				--inconclusive -f,--force -q,--quiet -v,--verbose --cppcheck-build-dir=write --template=data --template-location=data --platform=name
				--check-level=name --max-configs=number --output-file=write --file-list=read --file-filter=data --version -h,--help --check-config
				--safety --report-progress --includes-file=read --checkers-report=write -rp?=data --exitcode-suppressions=read !--addon
				!--addon-python !--clang !--rule-file !--rule !--plist-output`}),
		program(cpp, "cpplint clang-check include-what-you-use iwyu_tool uncrustify astyle cmake-format cmake-lint gersemi",
			grammar.Spec{Class: run, Args: "read*", Judge: fixes("-i", "--replace", "--in-place"), Why: whyCompiler,
				Opts: `-i,--in-place --check -c,--config=code --filter=data --linelength=number --recursive --quiet --exclude=data --extensions=data
				--counting=name --replace --no-backup -l=name -q --style=name --dry-run -n --options=code -p=code --verbose=number --output=name
				--root=read`}),
	}, cmakePrograms()...)
}

// arMode judges the letters of ar's operation.
func arMode(m *grammar.Match) {
	at := m.Operands()
	if len(at) == 0 {
		return
	}
	t, ok := m.Uses[at[0]].Word.Text()
	if !ok || strings.Trim(t, "rcsuvqDUtpTSo") != "" {
		m.Ask(".mode", "of ar only the letters r, c, s, u, v, q, t and p may be used unattended")
		return
	}
	if strings.HasPrefix(t, "t") || strings.HasPrefix(t, "p") {
		m.Class = grammar.Inspect
		for _, i := range at[1:] {
			m.Uses[i].Kind = grammar.Read
		}
	}
}

// formatStyle judges "file:path" in the style.
func formatStyle(m *grammar.Match) {
	eachOption(m, func(v string) {
		if file, ok := strings.CutPrefix(v, "file:"); ok {
			m.Use(grammar.Read, grammar.Lit(file), "-style")
		}
	}, "-style", "--style")
}

// tidyWords judges the words after "--": options of the compiler.
func tidyWords(m *grammar.Match) {
	noArgFiles(m)
	for i, w := range m.Words {
		if w.Is("--") {
			part := ccTable().Parse(m.Words[i+1:])
			m.Uses = append(m.Uses, part.Uses...)
			m.Refused = append(m.Refused, part.Refused...)
			return
		}
	}
}
