package lang

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// Sub-commands that add or remove packages of the registry, and those that run generators.

var registries = []grammar.Need{grammar.NeedRegistry}

// adds is a sub-command that takes names of packages. They come from the registry that the operator chose, by its proxy.
func adds(opts, why string) grammar.Spec {
	return grammar.Spec{Class: grammar.Install, Opts: opts, Args: "data*", Needs: registries, Judge: registryNames(packageName), Why: why}
}

var (
	packageName  = regexp.MustCompile(`^(@[\w.-]+/)?\w[\w.-]*(\[[\w,.-]+\])?(([@=~^<>!]=?|===)[\w.*^~<>=!,|+-]*)*$`)
	composerName = regexp.MustCompile(`^[\w.-]+/[\w.-]+([:=][\w.^~*|<>=@ -]+)?$`)
	moduleName   = regexp.MustCompile(`^([a-z0-9-]+\.)+[a-z]+(/[\w.~-]+)*(@[\w.+-]+)?$`)
)

// registryNames makes a judge: operands are names of packages, or folders of the tree.
func registryNames(name *regexp.Regexp) func(m *grammar.Match) {
	return func(m *grammar.Match) {
		for _, w := range dropOperands(m, 0) {
			text, literal := w.Text()
			switch {
			case !literal:
				m.Ask(".package", "which package this adds is not written out; write its name")
			case name.MatchString(text) && !strings.Contains(text, ".."):
			case (strings.HasPrefix(text, ".") || strings.HasPrefix(text, "/")) && !strings.Contains(text, ":"):
				path, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(text, "..."), "/"), "@")
				m.Use(grammar.Code, grammar.Lit(withoutExtras(path)), "package")
			default:
				m.Ask(".package", text+" is no name of a package in the registry, and would be fetched from elsewhere; name a package")
			}
		}
	}
}

// pipNames is pipWords that allows new names.
func pipNames(m *grammar.Match) {
	var named []string
	for _, i := range m.Operands() {
		if text, ok := m.Uses[i].Word.Text(); ok {
			named = append(named, text)
		}
	}
	pipWords(m)
	m.Refused = slices.DeleteFunc(m.Refused, func(r grammar.Refusal) bool { return r.Rule == ".package" })
	for _, t := range named {
		if !packageName.MatchString(t) && !strings.HasPrefix(t, ".") && !strings.HasPrefix(t, "/") && !strings.Contains(t, "/") ||
			strings.Contains(t, ":") {
			m.Ask(".package", t+" is no name of a package in the registry, and would be fetched from elsewhere; name a package")
		}
	}
}

func goInside() subs {
	flags := grammar.GoFlag
	return table(
		row{"generate", grammar.Spec{Class: grammar.Run, Style: flags, Args: "data*", Opts: goBuild + "-run=data -skip=data",
			Judge: judges(goFlags, goPackages(grammar.Code)), Why: whyGoTool}},
		row{"get", grammar.Spec{Class: grammar.Install, Style: flags, Args: "data*", Needs: registries, Opts: goBuild + "-u?=data -t -d -tool",
			Judge: judges(goFlags, registryNames(moduleName)), Why: whyGoTool}},
		row{"install", grammar.Spec{Class: grammar.Install, Style: flags, Args: "data*", Opts: goBuild,
			Judge: judges(goFlags, registryNames(moduleName)), Why: whyGoTool}},
		row{"run", grammar.Spec{Class: grammar.Run, Style: flags, Args: "data*", Opts: goBuild, Judge: judges(goFlags, goRunInside),
			Why: whyGoTool}},
	)
}

// goRunInside is go run, also of a command in a module of the registry, which needs a version.
func goRunInside(m *grammar.Match) {
	at := m.Operands()
	if len(at) > 0 {
		if text, ok := m.Uses[at[0]].Word.Text(); ok && strings.Contains(text, "@") && moduleName.MatchString(text) {
			ws := dropOperands(m, 0)
			m.Needs = append(m.Needs, grammar.NeedRegistry)
			loosely(m, ws[1:])
			return
		}
	}
	goRun(m)
}

func cargoBoxed(m *grammar.Match) { cargoBy(m, cargoBoxedTable) }

var cargoBoxedTable = sync.OnceValue(func() *grammar.Table {
	all := cargoSubs()
	common := cargoCommon + `-p,--package=data -n,--dry-run -F,--features=data --all-features --no-default-features --target=data --dev
		--build --optional --no-optional --rename=name --default-features --ignore-rust-version --path=code --base=code !--git !--registry
		!--index !--branch !--tag !--rev `
	all["add"] = adds(common, whyIndex)
	all["remove"] = adds(common, whyIndex)
	all["rm"] = all["remove"]
	all["install"] = adds(cargoCommon+`--version=data --vers=data -f,--force -j,--jobs=number --bin=name --bins --example=name
		-F,--features=data --all-features --no-default-features --debug --profile=name --no-track --root=write --path=code --target-dir=write
		!--git !--registry !--index`, whyIndex)
	all["xtask"] = anything()
	return mustCompile(program(rust, "cargo", grammar.Spec{Class: grammar.Run, Opts: cargoCommon + "-V,--version --list --explain=name",
		Why:  whyCargoConfig,
		Subs: all, SubElse: &grammar.Spec{Class: grammar.Inspect, Whole: cargoOther}}))
})
