package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const bunCommon = ` --cwd=dir -c,--config?=code --env-file=read --bun,-b --silent --smol --no-install --prefer-offline
	--tsconfig-override=code --conditions=name --main-fields=data --jsx-runtime=name --define,-d=data --drop=data -l,--loader=data
	-r,--preload,--require,--import=data --if-present --filter,-F=data --elide-lines=number -h,--help -v,--version --revision
	--no-clear-screen
	!--shell !--install !-i ~--hot ~--watch ~--inspect?=data ~--inspect-wait?=data ~--inspect-brk?=data ~-e,--eval ~-p,--print ~--port `

func bunPrograms() []grammar.Program {
	run, inspect := grammar.Run, grammar.Inspect
	registry := []grammar.Need{grammar.NeedRegistry}
	load := loads("-r", "--preload", "--require", "--import")
	script := grammar.Spec{Class: run, Style: grammar.Posix, Opts: bunCommon, Args: "data*", Judge: judges(load, bunScript), Why: whyInline}
	bunx := grammar.Spec{Class: run, Style: grammar.Posix, Opts: "--bun,-b --no-install --silent --verbose !--package !-p", Args: "command?",
		Judge: npxWords, Why: whyFetch}
	install := ` --frozen-lockfile --production,-p --no-save --dry-run --force -f --no-cache --silent --verbose --no-progress --no-summary
		--no-verify --ignore-scripts --omit=name --backend=name --concurrent-scripts=number --network-concurrency=number --cwd=dir
		--save-text-lockfile --lockfile-only --linker=name --filter=data !--registry !--ca !--cafile !--cache-dir !--config,-c ~--trust
		~-g,--global --yarn,-y -h,--help `
	return []grammar.Program{
		program(bun, "bun", grammar.Spec{Class: run, Style: grammar.Posix, Opts: bunCommon, Why: whyInline, Judge: load, SubElse: &script,
			Subs: table(
				row{"test", grammar.Spec{Class: run, Args: "code*", Judge: load, Why: whyWatch,
					Opts: strings.Replace(bunCommon, " !-i", "", 1) + `-t,--test-name-pattern=data -u,--update-snapshots --coverage
						--coverage-reporter=name --coverage-dir=write --bail?=number --timeout=number --rerun-each=number --only --todo --reporter=name
						--reporter-outfile=write --concurrent --max-concurrency=number --randomize --seed=number --only-failures --pass-with-no-tests
						--dots`}},
				row{"run", script},
				row{"install i ci", grammar.Spec{Class: grammar.Install, Opts: install, Args: "data*", Needs: registry, Judge: noNewPackages,
					Why: whyIndex}},
				row{"update", grammar.Spec{Class: grammar.Install, Opts: install + "--latest", Args: "package*", Needs: registry, Why: whyIndex}},
				row{"build", grammar.Spec{Class: run, Args: "code+", Judge: load, Why: whyWatch,
					Opts: `--outdir=write --outfile=write --target=name --format=name --minify --minify-syntax --minify-whitespace --minify-identifiers
					--sourcemap?=name --splitting --external=data -e=data --packages=name --root=code --entry-naming=name --chunk-naming=name
					--asset-naming=name --public-path=name --define=data --loader=data --compile --bytecode --production --env=name --no-bundle
					--banner=data --footer=data --conditions=name --drop=data --emit-dce-annotations --css-chunking --metafile=write
					--tsconfig-override=code -r,--preload,--require,--import=data ~--watch`}},
				row{"pm", grammar.Spec{Class: inspect, Subs: table(row{"ls list bin hash cache whoami untrusted scan", grammar.Spec{Class: inspect,
					Opts: "--all"}}, row{"view", grammar.Spec{Class: inspect, Args: "name+", Needs: registry}},
					row{"pack", grammar.Spec{Class: run, Opts: "--dry-run --destination=write"}}), SubElse: ptr(asked(whyAdd))}},
				row{"outdated audit why info", grammar.Spec{Class: inspect, Opts: "--json --filter=data --production --audit-level=name", Args: "name*",
					Needs: registry}},
				row{"x", bunx},
				row{"add a remove rm link unlink init create c patch upgrade", asked(whyAdd)},
				row{"publish", denied(whyPublish)},
				row{"repl exec", asked(whyInline)})}),
		program(bun, "bunx", bunx),
	}
}

// bunScript is "bun NAME" and "bun run NAME": a file of the tree, a script of the project or an installed tool.
func bunScript(m *grammar.Match) {
	ws := dropOperands(m, 0)
	if len(ws) == 0 {
		if !m.Has("--version", "--revision", "--help") {
			m.Class = grammar.Inspect // it lists what there is
		}
		return
	}
	t, ok := ws[0].Text()
	switch {
	case !ok:
		m.Use(grammar.Code, ws[0], "script")
		scriptArgs(m, ws[1:], false)
	case t == "-":
		m.StdinCode = true
	case pathLike(t):
		nodeScript(m, ws[0], ws[1:])
	default:
		runName(m, ws)
	}
}
