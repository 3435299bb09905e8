package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const yarnCommon = ` -s,--silent --cwd=dir --frozen-lockfile --pure-lockfile --offline --non-interactive --prefer-offline --ignore-scripts
	--ignore-engines --ignore-optional --ignore-platform --production?=true|false --prod --json --verbose --immutable --no-immutable
	--immutable-cache --inline-builds --check-files --check-cache --network-timeout=number --network-concurrency=number --mode=name --force
	--flat --no-progress --no-emoji --no-lockfile --no-bin-links --skip-integrity-check --refresh-lockfile -v,--version -h,--help
	-T,--top-level -B,--binaries-only --emoji?=true|false --update-checksums --no-default-rc --har --link-duplicates --focus
	!--use-yarnrc !--script-shell !--registry !--modules-folder !--cache-folder !--global-folder !--preferred-cache-folder !--proxy
	!--https-proxy !--mutex !--link-folder ~--inspect ~--inspect-brk ~--scripts-prepend-node-path `

func yarnSubs() subs {
	run, inspect := grammar.Run, grammar.Inspect
	registry := []grammar.Need{grammar.NeedRegistry}
	install := grammar.Spec{Class: grammar.Install, Needs: registry, Opts: yarnCommon}
	return table(
		row{"install", install},
		row{"dedupe rebuild import", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: yarnCommon + "-c,--check --strategy=name",
			Args: "package*"}},
		row{"run", grammar.Spec{Class: run, Style: grammar.Posix, Opts: yarnCommon, Args: "name? data*", Judge: yarnRun}},
		row{"test start stop", grammar.Spec{Class: run, Whole: func(m *grammar.Match) { scriptArgs(m, m.Words, true) }}},
		row{"exec", grammar.Spec{Class: run, Style: grammar.Posix, Opts: yarnCommon, Args: "command"}},
		row{"node", grammar.Spec{Class: run, Whole: func(m *grammar.Match) { command(m, "node", m.Words, "yarn") }}},
		row{"workspace", grammar.Spec{Class: run, Whole: func(m *grammar.Match) {
			if len(m.Words) < 2 {
				m.Ask(".operand", "yarn workspace misses the workspace or the command")
				return
			}
			m.Use(grammar.Name, m.Words[0], "workspace")
			command(m, "yarn", m.Words[1:], "workspace")
		}}},
		row{"workspaces", grammar.Spec{Class: run, Subs: table(
			row{"run", grammar.Spec{Class: run, Args: "name data*", Style: grammar.Posix, Judge: projectScript}},
			row{"foreach", grammar.Spec{Class: run, Whole: yarnForeach}},
			row{"list info", grammar.Spec{Class: inspect, Opts: yarnCommon + "--since?=rev -R,--recursive --no-private"}},
			row{"focus", install})}},
		row{"why list info explain", grammar.Spec{Class: inspect, Opts: yarnCommon + `--depth=number --pattern=data -R,--recursive -A,--all
			--peers -X,--extra=data --virtuals --name-only --dependents --manifest`, Args: "name*"}},
		row{"outdated audit", grammar.Spec{Class: inspect, Needs: registry, Opts: yarnCommon + "--level=name --groups=data", Args: "name*"}},
		row{"npm", grammar.Spec{Class: inspect, Subs: table(
			row{"audit info", grammar.Spec{Class: inspect, Needs: registry, Opts: yarnCommon + `-A,--all -R,--recursive --environment=name
				--severity=name --fields=data`, Args: "name*"}}), SubElse: ptr(denied(whyPublish))}},
		row{"constraints", grammar.Spec{Class: run, Opts: yarnCommon + "--fix"}},
		row{"check bin help versions licenses", grammar.Spec{Class: inspect, Opts: yarnCommon + "--integrity --verify-tree", Args: "name*"}},
		row{"config", grammar.Spec{Class: inspect, Opts: yarnCommon, Subs: table(
			row{"get", grammar.Spec{Class: inspect, Args: "name*", Opts: yarnCommon, Judge: plainSettings}},
			row{"list", grammar.Spec{Class: inspect, Args: "name*", Opts: yarnCommon + "--why --no-defaults", Judge: allSettings}}),
			SubElse: ptr(denied(whySettings))}},
		row{"cache", grammar.Spec{Class: inspect, Subs: table(row{"list dir", grammar.Spec{Class: inspect, Opts: yarnCommon}}),
			SubElse: ptr(asked(whyGlobal))}},
		row{"pack", grammar.Spec{Class: run, Opts: yarnCommon + "-n,--dry-run -o,--out=write -f,--filename=write"}},
		row{"plugin", grammar.Spec{Class: inspect, Subs: table(row{"runtime list", grammar.Spec{Class: inspect}}),
			SubElse: ptr(asked(whySettings))}},
		row{"dlx create", asked(whyFetch)},
		row{`add remove up upgrade upgrade-interactive link unlink global init patch patch-commit unplug version autoclean stage
			generate-lock-entry search`, asked(whyAdd)},
		row{"publish login logout owner tag token team access whoami", denied(whyPublish)},
		row{"set policies self-update", denied(whySettings)},
	)
}

// yarnRun is "yarn run NAME": unlike npm it also runs installed tools.
func yarnRun(m *grammar.Match) {
	if len(m.Operands()) == 0 {
		m.Class = grammar.Inspect
		return
	}
	runName(m, dropOperands(m, 0))
}

// yarnScript is "yarn NAME", or yarn alone, which installs.
func yarnScript(m *grammar.Match) {
	if len(m.Words) == 0 {
		if m.Has("--version", "--help") {
			m.Class = grammar.Inspect
			return
		}
		m.Class = grammar.Install
		m.Needs = append(m.Needs, grammar.NeedRegistry)
		return
	}
	runName(m, m.Words)
}

// yarnForeach is "yarn workspaces foreach -Apt run test".
func yarnForeach(m *grammar.Match) {
	for i, w := range m.Words {
		t, ok := w.Text()
		switch {
		case !ok:
			m.Ask(".option", "an option of yarn workspaces foreach is not written out")
			return
		case i > 0 && grammar.Set("--include --exclude --from -j --jobs --since")[m.Words[i-1].String()] && !strings.HasPrefix(t, "-"):
		case strings.HasPrefix(t, "--include=") || strings.HasPrefix(t, "--exclude=") || strings.HasPrefix(t, "--from=") ||
			strings.HasPrefix(t, "--since="):
		case grammar.Set(`--all --recursive --worktree --parallel --interlaced --topological --topological-dev --no-private --verbose --since
			--include --exclude --from --jobs -j --dry-run -n`)[t]:
		case strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.Trim(t[1:], "ARWpitvn") == "":
		case strings.HasPrefix(t, "-"):
			m.Ask(".option", "the option "+t+" of yarn workspaces foreach is not among those that may be used unattended")
			return
		default:
			command(m, "yarn", m.Words[i:], "foreach")
			return
		}
	}
	m.Ask(".operand", "yarn workspaces foreach misses the command")
}
