package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// Sub-commands of package managers that differ in the sandbox.

func npmInside() subs {
	return table(
		row{"install i in ins inst insta instal isnt isnta isntal add install-test it uninstall unlink remove rm r un",
			adds(npmInstall, whyNpmShell)},
		row{"init create innit", grammar.Spec{Class: grammar.Run, Whole: fetchedInit}},
		row{"exec x", fetching(npmSubs()["exec"])},
	)
}

func pnpmInside() subs {
	opts := strings.Replace(pnpmCommon, "-w,--workspace-root", "-w,--workspace-root --workspace?=true|false",
		1) + `-D,--save-dev -P,--save-prod -O,--save-optional -E,--save-exact --save-peer --save-catalog --lockfile-only --dev --prod
			--prefer-frozen-lockfile --no-lockfile --frozen-lockfile --force `
	return table(row{"add remove rm uninstall un", adds(opts, whyNpmShell)}, row{"init", grammar.Spec{Class: grammar.Change, Opts: pnpmCommon,
		Why: whyFetch}},
		row{"dlx", dlx()}, row{"create", grammar.Spec{Class: grammar.Run, Whole: fetchedInit}})
}

func yarnInside() subs {
	opts := yarnCommon + `-D,--dev -P,--peer -O,--optional -E,--exact -T,--tilde -C,--caret -i,--interactive -W,--ignore-workspace-root-check
		--mode=name -R,--recursive -A,--all -F,--fixed `
	return table(row{"add remove up upgrade", adds(deduped(opts), whyNpmShell)},
		row{"init", grammar.Spec{Class: grammar.Change, Opts: yarnCommon, Why: whyFetch}},
		row{"dlx", dlx()}, row{"create", grammar.Spec{Class: grammar.Run, Whole: fetchedInit}})
}

// deduped omits entries whose names an earlier entry has.
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
	opts := `-d,--dev,-D --development --optional --peer -E,--exact --no-save --dry-run --force -f --silent --verbose --no-progress
		--no-summary --ignore-scripts --cwd=dir --filter=data --only-missing -h,--help !--registry !--ca !--cafile !--cache-dir !--config,-c
		~--trust ~-g,--global`
	return table(row{"add a remove rm install i", adds(opts+" --frozen-lockfile --production,-p", whyIndex)},
		row{"init", grammar.Spec{Class: grammar.Change, Opts: "-y,--yes -m,--minimal", Why: whyFetch}},
		row{"x", dlx()}, row{"create c", grammar.Spec{Class: grammar.Run, Whole: fetchedInit}})
}

func pipInside() subs {
	return table(
		row{"install", grammar.Spec{Class: grammar.Install, Opts: pipInstall, Args: "data*", Needs: registries, Judge: pipNames, Why: whyIndex}},
		row{"uninstall", grammar.Spec{Class: grammar.Change, Opts: pipCommon + "-y,--yes -r,--requirement=read --break-system-packages",
			Args: "package*"}},
	)
}

func uvInside() subs {
	opts := uvSync + `--optional=name --raw --editable --bounds=name --no-workspace --workspace --rev=name -r,--requirements=read !--git
		!--branch !--tag`
	return table(
		row{"add remove", adds(deduped(opts), whyIndex)},
		row{"init", grammar.Spec{Class: grammar.Change, Args: "write?", Opts: uvCommon + `--name=name --lib --app --package --no-package --bare
			--no-readme --no-workspace --vcs=none|git -p,--python=data --build-backend=name`}},
	)
}

func poetryInside() subs {
	opts := poetryCommon + `-G,--group=name -D,--dev -E,--extras=data --optional --python=data --platform=name --allow-prereleases --dry-run
		--lock ~-e,--editable ~--source`
	return table(row{"add remove", adds(opts, whyIndex)},
		row{"init", grammar.Spec{Class: grammar.Change, Opts: poetryCommon + `--name=name --description=data --author=data --python=data
			--dependency=data --dev-dependency=data --license=name`}})
}

func pdmInside() subs {
	return table(row{"add remove", adds(`-v,--verbose -q,--quiet -d,--dev -G,--group=data --no-sync --no-self --dry-run --save-exact
		--save-compatible --save-minimum --update-reuse -p,--project=code ~-e,--editable`, whyIndex)})
}

func bundleInside() subs {
	return table(row{"add remove", adds(`-g,--group=data -v,--version=data -r,--require=data --skip-install --strict --optimistic --quiet
		--install !--source,-s !--git !--github !--path !--branch !--ref`, whyIndex)},
		row{"init", grammar.Spec{Class: grammar.Change}})
}

func gemInside() subs {
	return table(row{"install", adds(`-v,--version=data --no-document -N --user-install --conservative --pre --prerelease --local -q,--quiet
		-V,--verbose -x -a -I --force -i,--install-dir=write !-s,--source !--clear-sources !-P,--trust-policy !-g,--file`, whyIndex)})
}

func composerInside() subs {
	s := adds(composerCommon+`--dev --no-update --no-install --no-progress -w,--update-with-dependencies --with-dependencies
		-W,--update-with-all-dependencies --with-all-dependencies --prefer-stable --prefer-lowest --prefer-dist --prefer-source --sort-packages
		--fixed --ignore-platform-reqs --ignore-platform-req=data --dry-run -o,--optimize-autoloader -a,--classmap-authoritative --update-no-dev
		--unused`, whyIndex)
	s.Judge = registryNames(composerName)
	return table(row{"require r req remove rm uninstall", s})
}

func dotnetInside() subs {
	return table(row{"new", anything()}, row{"add remove", grammar.Spec{Class: grammar.Install, Args: "data+", Needs: registries,
		Opts:  "-f,--framework=name -v,--version=data --prerelease -n,--no-restore --interactive !-s,--source !--package-directory",
		Judge: dotnetPackages, Why: whyIndex}})
}

// dotnetPackages is dotnetAdd that allows new packages.
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
