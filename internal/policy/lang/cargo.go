package lang

import (
	"regexp"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// channel matches tool chains with well-known names; others are fetched, or are linked folders.
var channel = regexp.MustCompile(`^(stable|beta|nightly|\d+\.\d+(\.\d+)?)(-\d{4}-\d\d-\d\d)?$`)

// plainToolchain asks about every other tool chain, because it has its own compilers. It is false when it has asked.
func plainToolchain(m *grammar.Match, w grammar.Word) bool {
	t, ok := w.Text()
	if ok = ok && channel.MatchString(strings.TrimPrefix(t, "+")); !ok {
		m.Ask(".toolchain", w.String()+" is no plain tool chain, and rustup might fetch it; use stable, nightly or a version")
	}
	return ok
}

func cargo(m *grammar.Match) { cargoBy(m, cargoTable) }

// cargoBy reads cargo by one of its tables. A tool chain's name precedes everything else: "cargo +nightly fmt".
func cargoBy(m *grammar.Match, table func() *grammar.Table) {
	words := m.Words
	if len(words) > 0 && strings.HasPrefix(words[0].Prefix(), "+") {
		if !plainToolchain(m, words[0]) {
			return
		}
		words = words[1:]
	}
	// Options before the sub-command count as options of it.
	part := table().Parse(words)
	part.Rule = strings.TrimPrefix(part.Rule, "cargo.")
	if part.Rule == "cargo" {
		part.Rule = "main"
	}
	adopt(m, part)
}

var cargoTable = sync.OnceValue(func() *grammar.Table {
	return mustCompile(program(rust, "cargo", grammar.Spec{Class: grammar.Run, Opts: cargoCommon + "-V,--version --list --explain=name",
		Why:  whyCargoConfig,
		Subs: cargoSubs(), SubElse: &grammar.Spec{Class: grammar.Inspect, Whole: cargoOther}}))
})

// cargoOther is cargo with options only, or with an unknown sub-command.
func cargoOther(m *grammar.Match) {
	if len(m.Words) > 0 {
		m.Ask(".subcommand",
			"cargo "+m.Words[0].String()+" is not among the sub-commands that may run unattended; do without it, or let a person run it")
	}
}

func cargoSubs() subs {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	build := cargoCommon + cargoBuild
	registry := []grammar.Need{grammar.NeedRegistry}
	return table(
		row{"build b", grammar.Spec{Class: run, Opts: build + cargoNamed + "--artifact-dir=write --out-dir=write"}},
		row{"check c", grammar.Spec{Class: run, Opts: build + cargoNamed}},
		row{"test t", grammar.Spec{Class: run, Opts: build + cargoNamed + "--doc --no-run --no-fail-fast", Args: "data*", Judge: harnessArgs}},
		row{"bench", grammar.Spec{Class: run, Opts: build + cargoNamed + "--no-run --no-fail-fast", Args: "data*", Judge: harnessArgs}},
		row{"run r", grammar.Spec{Class: run, Style: grammar.Posix, Opts: build + "--bin=name --example=name", Args: "data*",
			Judge: func(m *grammar.Match) {
				scriptArgs(m, dropOperands(m, 0), false)
			}}},
		row{"doc d", grammar.Spec{Class: run, Opts: build + `--lib --bin=name --bins --example=name --examples --no-deps --document-private-items
			~--open`}},
		row{"rustdoc", asked("it hands options to rustdoc; use cargo doc")},
		row{"rustc", asked("it hands options to the compiler; use cargo build")},
		row{"clippy", grammar.Spec{Class: run, Opts: build + cargoNamed + `--no-deps --fix --allow-dirty --allow-staged --allow-no-vcs
			--broken-code`, Args: "data*", Judge: lintArgs}},
		row{"fmt", grammar.Spec{Class: change, Opts: cargoCommon + "--check --all -p,--package=data --message-format=name", Args: "data*",
			Judge: cargoFmt}},
		row{"fix", grammar.Spec{Class: run, Opts: build + cargoNamed + `--broken-code --edition --edition-idioms --allow-no-vcs --allow-dirty
			--allow-staged`}},
		row{"clean", grammar.Spec{Class: change, Opts: cargoCommon + `-p,--package=data -r,--release --profile=name --doc --target=data
			--target-dir=remove -n,--dry-run`}},
		row{"tree", grammar.Spec{Class: inspect, Opts: cargoCommon + cargoWhich + `-e,--edges=data -i,--invert?=data --prune=data --depth=data
			--prefix=name --no-dedupe -d,--duplicates --charset=name -f,--format=data -F,--features=data --all-features --no-default-features
			--target=data`, Args: "data?"}},
		row{"metadata", grammar.Spec{Class: inspect, Opts: cargoCommon + `--no-deps --format-version=number --filter-platform=name
			-F,--features=data --all-features --no-default-features`}},
		row{"pkgid", grammar.Spec{Class: inspect, Opts: cargoCommon + "-p,--package=data", Args: "name?"}},
		row{"locate-project", grammar.Spec{Class: inspect, Opts: cargoCommon + "--workspace --message-format=name"}},
		row{"read-manifest verify-project", grammar.Spec{Class: inspect, Opts: cargoCommon}},
		row{"version help", grammar.Spec{Class: inspect, Opts: "-v,--verbose", Args: "name*"}},
		row{"report", grammar.Spec{Class: inspect, Args: "name*", Opts: "--id=number -p,--package=data"}},
		row{"fetch", grammar.Spec{Class: grammar.Install, Opts: cargoCommon + "--target=data", Needs: registry}},
		row{"generate-lockfile", grammar.Spec{Class: grammar.Install, Opts: cargoCommon + "--ignore-rust-version", Needs: registry}},
		row{"update", grammar.Spec{Class: grammar.Install, Opts: cargoCommon + `-p,--package=data -w,--workspace -n,--dry-run --precise=data
			--recursive --aggressive`, Args: "name*", Needs: registry}},
		row{"vendor", grammar.Spec{Class: grammar.Install, Opts: cargoCommon + `-s,--sync=read --no-delete --versioned-dirs
			--respect-source-config`, Args: "write?", Needs: registry}},
		row{"nextest", grammar.Spec{Class: run, Subs: nextest()}},
		row{"llvm-cov tarpaulin", grammar.Spec{Class: run, Opts: build + cargoNamed + `--html --text --json --lcov --cobertura --codecov
			--output-path=write --output-dir=write -o,--out=data --ignore-filename-regex=data --no-report --no-clean --summary-only
			--show-missing-lines --fail-under-lines=number --skip-clean --line --branch --engine=name --exclude-files=data --include-tests --doc
			~--open`, Args: "data*", Judge: harnessArgs}},
		row{"audit deny outdated udeps machete semver-checks hack msrv expand insta sort",
			grammar.Spec{Class: run, Whole: func(m *grammar.Match) { scriptArgs(m, m.Words, true) }}},
		row{"init new", grammar.Spec{Class: change, Opts: cargoCommon + "--lib --bin --name=name --edition=number --vcs=none|git --registry=name",
			Args: "write?"}},
		row{"add remove rm", asked(whyAdd)},
		row{"search info", grammar.Spec{Class: inspect, Opts: cargoCommon + "--limit=number", Args: "name+", Needs: registry}},
		row{"install uninstall binstall", asked(whyGlobal)},
		row{"publish login logout owner yank package", denied(whyPublish)},
		row{"watch", asked(whyWatch)},
		row{"make xtask", asked("it runs tasks that cargo does not know; run the task's commands by themselves")},
		row{"miri", grammar.Spec{Class: run, Subs: table(row{"test", grammar.Spec{Class: run, Opts: build + cargoNamed + "--doc --no-fail-fast",
			Args: "data*", Judge: harnessArgs}})}},
	)
}

// rustfmtValued are options of rustfmt that take the next word.
var rustfmtValued = grammar.Set("--edition --emit --color --config-path --style-edition")

func cargoFmt(m *grammar.Match) {
	ws := dropOperands(m, 0)
	check := m.Has("--check")
	for i, w := range ws {
		t, ok := w.Text()
		switch {
		case t == "--check" || t == "-l":
			check = true
		case ok && !strings.HasPrefix(t, "-") && i > 0 && rustfmtValued[ws[i-1].String()]:
			if ws[i-1].Is("--config-path") {
				m.Use(grammar.Code, w, "--config-path")
			}
		case ok && regexp.MustCompile(`^--(edition|emit|color|config-path|style-edition)$`).MatchString(t):
		case ok && regexp.MustCompile(`^--(edition|emit|color|style-edition)=\w+$`).MatchString(t):
		case ok && !strings.HasPrefix(t, "-"):
			m.Use(grammar.Write, w, "file")
		default:
			m.Ask(".rustfmt", "the option "+w.String()+" of rustfmt is not among those that may be used unattended")
		}
	}
	if check {
		m.Class = grammar.Inspect
	}
}

// harnessArgs judges a filter and, after "--", the flags of the test harness.
func harnessArgs(m *grammar.Match) {
	args := dropOperands(m, 0)
	for _, w := range args {
		if name, _, _ := strings.Cut(w.Prefix(), "="); strings.HasPrefix(name, "--test-") && name != "--test-threads" && name != "--test" {
			m.Ask(".argument", "the option "+name+" may start another program in the place of a test; leave it out")
		}
	}
	scriptArgs(m, args, true)
}

func nextest() subs {
	run, inspect := grammar.Run, grammar.Inspect
	opts := strings.Replace(cargoCommon+cargoBuild, "-F,--features=data", `-F,--features=data --cargo-profile=name --build-jobs=number
		--cargo-quiet`, 1)
	opts = strings.Replace(opts, "-j,--jobs=number", "-j,--jobs,--test-threads=number", 1) +
		cargoNamed + ` -P,--nextest-profile=name -E,--filterset,--filter-expr=data --no-run --retries=number --fail-fast --no-fail-fast
			--max-fail=data --no-capture,--nocapture --failure-output=name --success-output=name --status-level=name --final-status-level=name
			--hide-progress-bar --show-progress=name --partition=data --run-ignored=name --no-tests=name --archive-file=read --workspace-remap=code
			!--config-file !--tool-config-file --ignore-default-filter -T=name --list-type=name`
	return table(
		row{"run r", grammar.Spec{Class: run, Opts: opts, Args: "data*", Judge: harnessArgs}},
		row{"list", grammar.Spec{Class: run, Opts: opts, Args: "data*", Judge: harnessArgs}},
		row{"show-config", grammar.Spec{Class: inspect, Args: "name*"}},
		row{"archive", grammar.Spec{Class: run, Opts: strings.Replace(opts, "--archive-file=read", "--archive-file=write", 1)}},
	)
}
