package lang

import (
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const whyCargoConfig = "it can replace programs and settings of the tool chain; keep settings in .cargo/config.toml of " +
	"the tree, where a reviewer sees them"

// Options of nearly every command of cargo, and those of its builds.
const (
	cargoCommon = ` -v,--verbose -q,--quiet --color=auto|always|never --locked --offline --frozen -h,--help --manifest-path=code
		--lockfile-path=code !--config !-Z* -C=dir `
	cargoWhich = ` -p,--package=data --workspace --all --exclude=data `
	cargoBuild = cargoWhich + ` -r,--release --profile=name -j,--jobs=number --keep-going -F,--features=data --all-features
		--no-default-features --target=data --target-dir=write --message-format=data --ignore-rust-version --timings?=data --build-plan
		--unit-graph --future-incompat-report `
)

// cargoNamed are the target options with an optional name in the next word.
const cargoNamed = ` --lib --bin=name --bins --example=name --examples --test=name --tests --bench=name --benches --all-targets `

func rustPrograms() []grammar.Program {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	return []grammar.Program{
		program(rust, "cargo", grammar.Spec{Class: run, Whole: cargo}),
		program(rust, "rustc", grammar.Spec{Class: run, Args: "code?", Judge: rustc, Why: whyExec,
			Opts: `--crate-type=name --crate-name=name --edition=number -o=write --out-dir=write --emit=data -O -g -v,--verbose -V,--version --test
				--target=name --cfg=data --check-cfg=data -L=data -l=data --extern=data -C,--codegen=data -A,--allow=name -W,--warn=name
				-D,--deny=name -F,--forbid=name --cap-lints=name --error-format=name --json=data --color=auto|always|never --explain=name --print=name
				-h,--help !-Z !--sysroot`}),
		program(rust, "rustfmt", grammar.Spec{Class: inspect, Args: "read*", Judge: rustfmtWrites,
			Opts: `--check --edition=number --style-edition=number --emit=files|stdout|json --backup --config=data --config-path=code
				--color=auto|always|never -l,--files-with-diff -v,--verbose -q,--quiet -V,--version --print-config=data -h,--help --unstable-features
				--file-lines=data --skip-children`}),
		program(rust, "rustup", grammar.Spec{Class: inspect, Opts: "-v,--verbose -q,--quiet -V,--version", Why: whyGlobal, Subs: table(
			row{"show", grammar.Spec{Class: inspect, Opts: "-v,--verbose", Args: "name?"}},
			row{"which", grammar.Spec{Class: inspect, Opts: "--toolchain=name", Args: "name"}},
			row{"toolchain target component override", grammar.Spec{Class: inspect, Subs: table(
				row{"list", grammar.Spec{Class: inspect, Opts: "-v,--verbose -q,--quiet --installed --toolchain=name"}}),
				SubElse: ptr(asked(whyGlobal))}},
			row{"check", grammar.Spec{Class: inspect, Needs: []grammar.Need{grammar.NeedRegistry}}},
			row{"help", grammar.Spec{Class: inspect, Args: "name*"}},
			row{"doc", asked("it opens a browser")},
			row{"update install uninstall default self set man completions", asked(whyGlobal)},
			row{"run", grammar.Spec{Class: run, Opts: "!--install", Args: "name command", Judge: func(m *grammar.Match) {
				if at := m.Operands(); len(at) > 0 {
					plainToolchain(m, m.Uses[at[0]].Word)
				}
			}}},
		), SubElse: &grammar.Spec{Class: inspect}}),
		program(rust, "wasm-pack", grammar.Spec{Class: run, Subs: table(
			row{"build", grammar.Spec{Class: run, Args: "code?", Style: grammar.GNU, Opts: `-t,--target=name -d,--out-dir=write --out-name=name
				-s,--scope=name --dev --release --profiling --no-typescript --no-pack --no-opt -m,--mode=no-install|normal|force --weak-refs
				--reference-types`}},
			row{"test", grammar.Spec{Class: run, Args: "code?", Opts: `--node --headless --chrome --firefox --safari -r,--release
				-m,--mode=no-install|normal|force`}},
			row{"publish login", denied(whyPublish)})}),
		program(rust, "cross", asked("it runs the build in containers")),
		program(rust, "trunk", grammar.Spec{Class: run, Subs: table(
			row{"build", grammar.Spec{Class: run, Args: "code?", Opts: "-r,--release -d,--dist=write --public-url=name --config=code"}},
			row{"serve watch", asked(whyServe)})}),
		program(rust, "cargo-clippy", grammar.Spec{Class: run, Opts: cargoCommon + cargoBuild + cargoNamed + "--no-deps --fix --allow-dirty",
			Args: "data*", Judge: lintArgs}),
		program(rust, "cargo-fmt", grammar.Spec{Class: change, Opts: `--check --all -p,--package=data --manifest-path=code -v,--verbose -q,--quiet
			-h,--help --message-format=name`, Judge: checkOnly("--check")}),
		program(rust, "mdbook", grammar.Spec{Class: run, Subs: table(
			row{"build test clean init", grammar.Spec{Class: run, Args: "code?",
				Opts: "-d,--dest-dir=write -c,--chapter=data -L,--library-path=read"}},
			row{"serve watch", asked(whyServe)})}),
	}
}

func ptr(s grammar.Spec) *grammar.Spec { return &s }

// checkOnly makes a judge for programs that write unless one of the flags makes them only check.
func checkOnly(flags ...string) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		if m.Has(flags...) {
			m.Class = grammar.Inspect
			return
		}
		m.Class = grammar.Change
		for _, i := range m.Operands() {
			if m.Uses[i].Kind == grammar.Read {
				m.Uses[i].Kind = grammar.Write
			}
		}
	}
}

func rustfmtWrites(m *grammar.Match) {
	if w := m.Flags["--emit"]; w.Is("stdout") || w.Is("json") {
		return
	}
	checkOnly("--check", "--print-config", "--version", "--help")(m)
	if w, ok := m.Flags["--config"]; ok && strings.Contains(w.String(), "path") {
		m.Ask(".config", "settings that name paths belong in rustfmt.toml of the tree")
	}
}

// rustCodegen are the code generation settings that name no program and no file.
var rustCodegen = regexp.MustCompile(`^(opt-level|debuginfo|debug-assertions|overflow-checks|lto|codegen-units|panic|target-cpu` +
	`|target-feature|strip|incremental|embed-bitcode|force-frame-pointers|instrument-coverage|relocation-model|split-debuginfo` +
	`|prefer-dynamic|metadata|extra-filename|inline-threshold)(=[\w+,.-]*)?$`)

func rustc(m *grammar.Match) {
	noArgFiles(m)
	switch at := m.Operands(); {
	case len(at) == 0:
		m.Class = grammar.Inspect
	case m.Uses[at[0]].Word.Is("-"):
		m.StdinCode = true
	}
	eachOption(m, func(v string) {
		if !rustCodegen.MatchString(v) {
			m.Deny(".codegen", "the setting "+v+" may name another program or file; build with the plain tool chain")
		}
	}, "-C", "--codegen")
	eachOption(m, func(v string) { m.Use(grammar.Code, grammar.Lit(v[strings.LastIndex(v, "=")+1:]), "library path") }, "-L")
	named := func(kind grammar.Kind) func(v string) { // "name=file", several with commas
		return func(v string) {
			for part := range strings.SplitSeq(v, ",") {
				if _, file, ok := strings.Cut(part, "="); ok {
					m.Use(kind, grammar.Lit(file), "named file")
				}
			}
		}
	}
	eachOption(m, named(grammar.Code), "--extern")
	eachOption(m, named(grammar.Write), "--emit")
}

// lintArgs judges what follows "--" after clippy: levels of lints.
func lintArgs(m *grammar.Match) {
	words := dropOperands(m, 0)
	for i := 0; i < len(words); i++ {
		t, ok := words[i].Text()
		switch {
		case ok && regexp.MustCompile(`^-[DWAF][\w:-]+$`).MatchString(t), ok && strings.HasPrefix(t, "--cap-lints="), t == "--no-deps", t == "-v":
		case (t == "-D" || t == "-W" || t == "-A" || t == "-F" || t == "--deny" || t == "--warn" || t == "--allow" || t == "--cap-lints") &&
			i+1 < len(words):
			i++
			m.Use(grammar.Name, words[i], t)
		default:
			m.Ask(".lint", "after -- only -D, -W, -A and -F with a lint's name are allowed: not "+words[i].String())
		}
	}
	if m.Has("--fix") {
		m.Use(grammar.Write, grammar.Lit("."), "--fix")
	}
}
