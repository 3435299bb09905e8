package lang

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// What follows are the sub-commands that add packages of the registry, or take them out, and those that run generators.

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

// pipNames is pipWords, for where names may be new.
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
		if !packageName.MatchString(t) && !strings.HasPrefix(t, ".") && !strings.HasPrefix(t, "/") && !strings.Contains(t, "/") || strings.Contains(t, ":") {
			m.Ask(".package", t+" is no name of a package in the registry, and would be fetched from elsewhere; name a package")
		}
	}
}

func goInside() subs {
	flags := grammar.GoFlag
	return table(
		row{"generate", grammar.Spec{Class: grammar.Run, Style: flags, Args: "data*", Opts: goBuild + "-run=data -skip=data", Judge: judges(goFlags, goPackages(grammar.Code)), Why: whyGoTool}},
		row{"get", grammar.Spec{Class: grammar.Install, Style: flags, Args: "data*", Needs: registries, Opts: goBuild + "-u?=data -t -d -tool", Judge: judges(goFlags, registryNames(moduleName)), Why: whyGoTool}},
		row{"install", grammar.Spec{Class: grammar.Install, Style: flags, Args: "data*", Opts: goBuild, Judge: judges(goFlags, registryNames(moduleName)), Why: whyGoTool}},
		row{"run", grammar.Spec{Class: grammar.Run, Style: flags, Args: "data*", Opts: goBuild, Judge: judges(goFlags, goRunInside), Why: whyGoTool}},
	)
}

// goRunInside is go run, also of a command that a module of the registry has: it says which version it means.
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

// channel are tool chains that people mean by their names; any other would be fetched, or is somebody's own.
var channel = regexp.MustCompile(`^\+(stable|beta|nightly|\d+\.\d+(\.\d+)?)(-\d{4}-\d\d-\d\d)?$`)

func cargoBoxed(m *grammar.Match) {
	ws := m.Words
	if len(ws) > 0 && strings.HasPrefix(ws[0].Prefix(), "+") {
		if t, ok := ws[0].Text(); !ok || !channel.MatchString(t) {
			m.Ask(".toolchain", ws[0].String()+" is no plain tool chain, and rustup might fetch it; use +stable, +nightly or a version")
			return
		}
		ws = ws[1:]
	}
	part := cargoBoxedTable().Parse(ws)
	part.Rule = strings.TrimPrefix(part.Rule, "cargo.")
	if part.Rule == "cargo" {
		part.Rule = "main"
	}
	adopt(m, part)
}

var cargoBoxedTable = sync.OnceValue(func() *grammar.Table {
	all := cargoSubs()
	common := cargoCommon + "-p,--package=data -n,--dry-run -F,--features=data --all-features --no-default-features --target=data --dev --build --optional --no-optional --rename=name --default-features --ignore-rust-version --path=code --base=code !--git !--registry !--index !--branch !--tag !--rev "
	all["add"] = adds(common, whyIndex)
	all["remove"] = adds(common, whyIndex)
	all["rm"] = all["remove"]
	all["install"] = adds(cargoCommon+"--version=data --vers=data -f,--force -j,--jobs=number --bin=name --bins --example=name -F,--features=data --all-features --no-default-features --debug --profile=name --no-track --root=write --path=code --target-dir=write !--git !--registry !--index", whyIndex)
	all["xtask"] = anything()
	return mustCompile(program(rust, "cargo", grammar.Spec{Class: grammar.Run, Opts: cargoCommon + "-V,--version --list --explain=name", Why: whyCargoConfig,
		Subs: all, SubElse: &grammar.Spec{Class: grammar.Inspect, Whole: cargoOther}}))
})

func npmInside() subs {
	return table(
		row{"install i in ins inst insta instal isnt isnta isntal add install-test it uninstall unlink remove rm r un", adds(npmInstall, whyNpmShell)},
		row{"init create innit", grammar.Spec{Class: grammar.Run, Whole: fetchedInit}},
		row{"exec x", fetching(npmSubs()["exec"])},
	)
}

func pnpmInside() subs {
	opts := strings.Replace(pnpmCommon, "-w,--workspace-root", "-w,--workspace-root --workspace?=true|false", 1) + "-D,--save-dev -P,--save-prod -O,--save-optional -E,--save-exact --save-peer --save-catalog --lockfile-only --dev --prod --prefer-frozen-lockfile --no-lockfile --frozen-lockfile --force "
	return table(row{"add remove rm uninstall un", adds(opts, whyNpmShell)}, row{"init", grammar.Spec{Class: grammar.Change, Opts: pnpmCommon, Why: whyFetch}},
		row{"dlx", dlx()}, row{"create", grammar.Spec{Class: grammar.Run, Whole: fetchedInit}})
}

func yarnInside() subs {
	opts := yarnCommon + "-D,--dev -P,--peer -O,--optional -E,--exact -T,--tilde -C,--caret -i,--interactive -W,--ignore-workspace-root-check --mode=name -R,--recursive -A,--all -F,--fixed "
	return table(row{"add remove up upgrade", adds(deduped(opts), whyNpmShell)}, row{"init", grammar.Spec{Class: grammar.Change, Opts: yarnCommon, Why: whyFetch}},
		row{"dlx", dlx()}, row{"create", grammar.Spec{Class: grammar.Run, Whole: fetchedInit}})
}

// deduped leaves out entries whose names an earlier entry has.
func deduped(opts string) string {
	seen := map[string]bool{}
	var kept []string
	for _, entry := range strings.Fields(opts) {
		names, _, _ := strings.Cut(strings.TrimLeft(entry, "!~"), "=")
		twice := false
		for n := range strings.SplitSeq(strings.TrimSuffix(names, "?"), ",") {
			twice = twice || seen[n]
			seen[n] = true
		}
		if !twice {
			kept = append(kept, entry)
		}
	}
	return strings.Join(kept, " ")
}

func bunInside() subs {
	opts := "-d,--dev,-D --development --optional --peer -E,--exact --no-save --dry-run --force -f --silent --verbose --no-progress --no-summary --ignore-scripts --cwd=dir --filter=data --only-missing -h,--help !--registry !--ca !--cafile !--cache-dir !--config,-c ~--trust ~-g,--global"
	return table(row{"add a remove rm install i", adds(opts+" --frozen-lockfile --production,-p", whyIndex)}, row{"init", grammar.Spec{Class: grammar.Change, Opts: "-y,--yes -m,--minimal", Why: whyFetch}},
		row{"x", dlx()}, row{"create c", grammar.Spec{Class: grammar.Run, Whole: fetchedInit}})
}

func pipInside() subs {
	return table(
		row{"install", grammar.Spec{Class: grammar.Install, Opts: pipInstall, Args: "data*", Needs: registries, Judge: pipNames, Why: whyIndex}},
		row{"uninstall", grammar.Spec{Class: grammar.Change, Opts: pipCommon + "-y,--yes -r,--requirement=read --break-system-packages", Args: "package*"}},
	)
}

func uvInside() subs {
	opts := uvSync + "--optional=name --raw --editable --bounds=name --no-workspace --workspace --rev=name -r,--requirements=read !--git !--branch !--tag"
	return table(
		row{"add remove", adds(deduped(opts), whyIndex)},
		row{"init", grammar.Spec{Class: grammar.Change, Args: "write?", Opts: uvCommon + "--name=name --lib --app --package --no-package --bare --no-readme --no-workspace --vcs=none|git -p,--python=data --build-backend=name"}},
	)
}

func poetryInside() subs {
	opts := poetryCommon + "-G,--group=name -D,--dev -E,--extras=data --optional --python=data --platform=name --allow-prereleases --dry-run --lock ~-e,--editable ~--source"
	return table(row{"add remove", adds(opts, whyIndex)}, row{"init", grammar.Spec{Class: grammar.Change, Opts: poetryCommon + "--name=name --description=data --author=data --python=data --dependency=data --dev-dependency=data --license=name"}})
}

func pdmInside() subs {
	return table(row{"add remove", adds("-v,--verbose -q,--quiet -d,--dev -G,--group=data --no-sync --no-self --dry-run --save-exact --save-compatible --save-minimum --update-reuse -p,--project=code ~-e,--editable", whyIndex)})
}

func bundleInside() subs {
	return table(row{"add remove", adds("-g,--group=data -v,--version=data -r,--require=data --skip-install --strict --optimistic --quiet --install !--source,-s !--git !--github !--path !--branch !--ref", whyIndex)},
		row{"init", grammar.Spec{Class: grammar.Change}})
}

func gemInside() subs {
	return table(row{"install", adds("-v,--version=data --no-document -N --user-install --conservative --pre --prerelease --local -q,--quiet -V,--verbose -x -a -I --force -i,--install-dir=write !-s,--source !--clear-sources !-P,--trust-policy !-g,--file", whyIndex)})
}

func composerInside() subs {
	s := adds(composerCommon+"--dev --no-update --no-install --no-progress -w,--update-with-dependencies --with-dependencies -W,--update-with-all-dependencies --with-all-dependencies --prefer-stable --prefer-lowest --prefer-dist --prefer-source --sort-packages --fixed --ignore-platform-reqs --ignore-platform-req=data --dry-run -o,--optimize-autoloader -a,--classmap-authoritative --update-no-dev --unused", whyIndex)
	s.Judge = registryNames(composerName)
	return table(row{"require r req remove rm uninstall", s})
}

func dotnetInside() subs {
	return table(row{"new", anything()}, row{"add remove", grammar.Spec{Class: grammar.Install, Args: "data+", Needs: registries, Opts: "-f,--framework=name -v,--version=data --prerelease -n,--no-restore --interactive !-s,--source !--package-directory", Judge: dotnetPackages, Why: whyIndex}})
}

// dotnetPackages is dotnetAdd, for where packages may be new.
func dotnetPackages(m *grammar.Match) {
	ws := dropOperands(m, 0)
	for i, w := range ws {
		switch {
		case w.Is("reference"):
		case w.Is("package"):
			for _, name := range ws[i+1:] {
				if text, ok := name.Text(); !ok || !packageName.MatchString(text) {
					m.Ask(".package", name.String()+" is no name of a package in the registry; name a package")
				}
			}
			return
		default:
			m.Use(grammar.Code, w, "project")
		}
	}
}
