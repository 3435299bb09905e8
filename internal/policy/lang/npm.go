package lang

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const (
	npmCommon = ` -s,--silent -q,--quiet -d -dd -ddd --verbose --loglevel=name --if-present -w,--workspace=name -ws,--workspaces?=true|false
		--include-workspace-root -iwr --no-workspaces --prefix,-C=dir --color?=data --no-color --offline --prefer-offline --prefer-online
		--no-audit --audit?=true|false --no-fund --fund?=true|false --no-progress --progress?=true|false --json --parseable -l,--long -h,--help
		-v,--version --no-update-notifier --update-notifier?=true|false --foreground-scripts --ignore-scripts --no-ignore-scripts --timing
		--unicode?=true|false -y,--yes -f,--force --dry-run
		~-g,--global ~--location !--userconfig !--globalconfig !--registry !--script-shell !--node-options !--shell !--git !--cache !--cafile
		!--proxy !--https-proxy !--tag-version-prefix !--init-module !--prefix-global !--otp !--auth-type !--editor !--viewer !--call
		!--onload-script !--browser !--logs-dir !--ca !--strict-ssl !--no-strict-ssl `
	npmInstall = npmCommon + ` --legacy-peer-deps --strict-peer-deps --omit=dev|optional|peer --include=dev|optional|peer|prod --production
		--only=prod|production|dev --no-save --save -S -D,--save-dev -P,--save-prod -O,--save-optional -E,--save-exact -B,--save-bundle
		--no-optional --package-lock-only --no-package-lock --package-lock?=true|false --engine-strict --no-bin-links --prefer-dedupe
		--install-links --install-strategy=name --no-shrinkwrap --cpu=name --os=name --libc=name --before=data --no-engine-strict
		--allow-git=name `
	whyNpmShell = "it changes the shell of scripts, or where packages come from; leave it out"
)

func npmPrograms() []grammar.Program {
	run, inspect := grammar.Run, grammar.Inspect
	return []grammar.Program{
		program(node, "npm", grammar.Spec{Class: run, Opts: npmCommon, Why: whyNpmShell, Subs: npmSubs(),
			SubElse: &grammar.Spec{Class: inspect}}),
		program(node, "npx", grammar.Spec{Class: run, Style: grammar.Posix, Args: "command?", Judge: npxWords, Why: whyFetch,
			Opts: `--no-install --no --offline --prefer-offline -q,--quiet -s,--silent --loglevel=name -w,--workspace=data --workspaces
				--include-workspace-root -v,--version -h,--help ~-y,--yes ~-p,--package !-c,--call !-n,--node-arg !--node-options !--shell
				!--script-shell ~--ignore-existing !--registry !--userconfig !--cache !--prefix`}),
		program(node, "pnpm", grammar.Spec{Class: run, Opts: pnpmCommon, Why: whyNpmShell, Subs: pnpmSubs(), SubElse: &grammar.Spec{Class: run,
			Whole: pnpmScript}}),
		program(node, "pnpx", asked(whyFetch)),
		program(node, "yarn yarnpkg", grammar.Spec{Class: run, Opts: yarnCommon, Why: whyNpmShell, Subs: yarnSubs(),
			SubElse: &grammar.Spec{Class: run, Whole: yarnScript}}),
	}
}

func npmSubs() subs {
	run, inspect, change := grammar.Run, grammar.Inspect, grammar.Change
	registry := []grammar.Need{grammar.NeedRegistry}
	whole := grammar.Spec{Class: grammar.Install, Opts: npmInstall, Args: "data*", Needs: registry, Judge: noNewPackages, Why: whyNpmShell}
	declared := grammar.Spec{Class: grammar.Install, Opts: npmInstall, Args: "package*", Needs: registry, Why: whyNpmShell}
	return table(
		row{"run run-script rum urn", grammar.Spec{Class: run, Opts: npmCommon, Args: "name? data*", Judge: projectScript}},
		row{"test t tst start stop restart", grammar.Spec{Class: run, Opts: npmCommon, Args: "data*", Judge: posargs}},
		row{"install i in ins inst insta instal isnt isnta isntal add install-test it", whole},
		row{"ci clean-install ic install-clean install-ci-test cit", grammar.Spec{Class: grammar.Install, Opts: npmInstall, Needs: registry}},
		row{"update up upgrade udpate rebuild rb dedupe ddp prune", declared},
		row{"ls list la ll", grammar.Spec{Class: inspect, Opts: npmCommon + `-a,--all --depth=data --prod --dev --production --only=name
			--omit=name --include=name --link --package-lock-only`, Args: "name*"}},
		row{"explain why query fund sbom", grammar.Spec{Class: inspect, Opts: npmCommon + `--which=number --package-lock-only --sbom-format=name
			--sbom-type=name --omit=name`, Args: "data*"}},
		row{"outdated", grammar.Spec{Class: inspect, Opts: npmCommon + "-a,--all", Args: "name*", Needs: registry}},
		row{"view info show v search s se find", grammar.Spec{Class: inspect, Opts: npmCommon + "--searchlimit=number", Args: "name+",
			Needs: registry}},
		row{"ping doctor", grammar.Spec{Class: inspect, Opts: npmCommon, Needs: registry}},
		row{"audit", grammar.Spec{Class: inspect, Opts: npmCommon + `--audit-level=name --omit=name --include=name --only=name --production
			--package-lock-only --legacy-peer-deps`, Args: "name?", Needs: registry, Judge: func(m *grammar.Match) {
			if at := m.Operands(); len(at) > 0 && !m.Uses[at[0]].Word.Is("signatures") {
				m.Class = grammar.Install // npm audit fix
			}
		}}},
		row{"pkg", grammar.Spec{Class: inspect, Why: whySettings,
			Subs: table(row{"get", grammar.Spec{Class: inspect, Opts: npmCommon, Args: "name*"}}), SubElse: ptr(asked(whySettings))}},
		row{"config c", grammar.Spec{Class: inspect, Why: whySettings, Subs: table(
			row{"get", grammar.Spec{Class: inspect, Opts: npmCommon, Args: "name*", Judge: plainSettings}},
			row{"list ls", grammar.Spec{Class: inspect, Opts: npmCommon, Args: "name*", Judge: allSettings}}), SubElse: ptr(denied(whySettings))}},
		row{"get prefix root bin", grammar.Spec{Class: inspect, Opts: npmCommon, Args: "name*", Judge: plainSettings}},
		row{"set set-script edit explore", denied(whySettings)},
		row{"version verison", grammar.Spec{Class: inspect, Opts: npmCommon}},
		row{"help help-search", grammar.Spec{Class: inspect, Args: "name*", Opts: npmCommon}},
		row{"pack", grammar.Spec{Class: run, Opts: npmCommon + "--pack-destination=write"}},
		row{"shrinkwrap", grammar.Spec{Class: change, Opts: npmCommon}},
		row{"cache", grammar.Spec{Class: inspect, Subs: table(row{"verify ls", grammar.Spec{Class: inspect, Opts: npmCommon}}),
			SubElse: ptr(asked(whyGlobal))}},
		row{"exec x", grammar.Spec{Class: run, Style: grammar.Posix, Args: "command?", Judge: npxWords, Why: whyFetch,
			Opts: `--no --offline --prefer-offline -q,--quiet -s,--silent --loglevel=name -w,--workspace=data --workspaces -ws
				--include-workspace-root ~-y,--yes ~-p,--package !-c,--call !--script-shell !--node-options !--registry !--userconfig !--cache
				!--prefix`}},
		row{"diff", grammar.Spec{Class: inspect, Needs: registry, Opts: npmCommon + "--diff=name --diff-name-only --diff-unified=number",
			Args: "name*"}},
		row{"init create innit link ln", asked(whyAdd)},
		row{"uninstall unlink remove rm r un", asked("it takes a package out of the manifest; say why, or ask")},
		row{"docs home bugs issues repo", asked("it opens a browser")},
		row{`publish unpublish deprecate undeprecate adduser add-user login logout token owner author access dist-tag dist-tags profile team org
			hook star stars unstar whoami trust stage`, denied(whyPublish)},
	)
}

// projectScript judges "run NAME ARGS": a script that the project declares.
func projectScript(m *grammar.Match) {
	if len(m.Operands()) == 0 {
		m.Class = grammar.Inspect // it lists the scripts
		return
	}
	script(m, dropOperands(m, 0))
}

// script is a script of the project with its arguments. If a tool has the name of the script, the arguments are read as the
// tool's.
func script(m *grammar.Match, ws []grammar.Word) {
	if len(ws) == 0 {
		m.Class = grammar.Inspect // options only: it prints what there is
		return
	}
	if ws[0].Is("env") {
		m.Ask(".environment", "it prints the whole environment; ask for the one value that is needed")
		return
	}
	m.Use(grammar.Name, ws[0], "script")
	args := ws[1:]
	for len(args) > 0 && args[0].Is("--") {
		args = args[1:]
	}
	scriptArgs(m, args, true)
}

// noNewPackages allows an install without names.
func noNewPackages(m *grammar.Match) {
	for _, w := range dropOperands(m, 0) {
		m.Ask(".package", w.String()+" may be new to the project; "+whyAdd)
	}
}

// withoutDashes removes the first "--": managers drop it, so the words after it are read as options.
func withoutDashes(ws []grammar.Word) []grammar.Word {
	for i, w := range ws {
		if w.Is("--") {
			return append(append([]grammar.Word(nil), ws[:i]...), ws[i+1:]...)
		}
	}
	return ws
}

// allSettings asks about printing every setting, whatever names follow.
func allSettings(m *grammar.Match) {
	m.Ask(".secret", "all settings together may hold a secret; get the one that is needed by its name (npm config get registry)")
}

// plainSettings asks about settings with secrets.
func plainSettings(m *grammar.Match) {
	if named := len(m.Operands()) > 0; !named && m.Rule != "npm.prefix" && m.Rule != "npm.root" && m.Rule != "npm.bin" {
		allSettings(m)
		return
	}
	for _, u := range m.Uses {
		t := strings.ToLower(u.Word.String())
		for _, part := range []string{"auth", "token", "pass", "secret", "key", "cert", "npmscopes", "npmregistries"} {
			if strings.Contains(t, part) {
				m.Ask(".secret", "the setting "+u.Word.String()+" may hold a secret")
				return
			}
		}
	}
}

func npxWords(m *grammar.Match) {
	uses := m.Uses
	m.Uses = nil
	for _, u := range uses {
		if u.Kind == grammar.Command {
			npxTool(m, u.Word, withoutDashes(u.Rest))
			continue
		}
		m.Uses = append(m.Uses, u)
	}
	if len(m.Uses) == 0 && len(m.Refused) == 0 {
		if !m.Has("--version", "--help") {
			m.Ask(".operand", "the tool to run is missing")
		}
		m.Class = grammar.Inspect
	}
}

const pnpmCommon = ` -r,--recursive -F,--filter=data --filter-prod=data -C,--dir=dir -w,--workspace-root --silent,-s --reporter=name
	--stream --aggregate-output --parallel --no-bail --bail --if-present --workspace-concurrency=number --color --no-color --offline
	--prefer-offline --loglevel=name --ignore-scripts --resume-from=name --sequential --reverse --no-sort --sort
	--changed-files-ignore-pattern=data --test-pattern=data --fail-if-no-match --no-verify-store-integrity --report-summary
	--reporter-hide-prefix --use-stderr --include-workspace-root --shell-emulator --yes -h,--help -v,--version --json
	!--script-shell !--registry !--config.* !--store-dir !--virtual-store-dir !--global-dir !--userconfig !--node-options !--pnpmfile
	!--global-pnpmfile ~-g,--global ~--use-node-version `

func pnpmSubs() subs {
	run, inspect := grammar.Run, grammar.Inspect
	registry := []grammar.Need{grammar.NeedRegistry}
	install := grammar.Spec{Class: grammar.Install, Needs: registry, Opts: pnpmCommon + `--frozen-lockfile --no-frozen-lockfile
		--lockfile-only --fix-lockfile --prod,-P --production --dev,-D --no-optional --force --shamefully-hoist --strict-peer-dependencies
		--no-strict-peer-dependencies --ignore-pnpmfile --ignore-workspace --side-effects-cache --prefer-frozen-lockfile --no-lockfile
		--node-linker=name --child-concurrency=number --merge-git-branch-lockfiles --trust-lockfile`}
	return table(
		row{"install i install-test it fetch rebuild rb dedupe prune import", install},
		row{"ci clean-install", install},
		row{"run run-script", grammar.Spec{Class: run, Style: grammar.Posix, Opts: pnpmCommon, Args: "name? data*", Judge: judges(projectScript,
			pnpmOptions)}},
		row{"test t tst start", grammar.Spec{Class: run, Whole: func(m *grammar.Match) { pnpmArgs(m, m.Words) }}},
		row{"exec", grammar.Spec{Class: run, Style: grammar.Posix, Opts: pnpmCommon + "!-c,--shell-mode", Args: "command", Why: whyInline}},
		row{"update up upgrade", grammar.Spec{Class: grammar.Install, Needs: registry, Opts: install.Opts + "-i,--interactive",
			Args: "package*"}},
		row{"ls list la ll why", grammar.Spec{Class: inspect, Opts: pnpmCommon + `--depth=data --prod,-P --dev,-D --long --parseable
			--only-projects --no-optional`, Args: "name*"}},
		row{"outdated audit licenses", grammar.Spec{Class: inspect, Needs: registry, Opts: pnpmCommon + `--audit-level=name --prod,-P --dev,-D
			--long --format=name --fix --compatible`, Args: "name*"}},
		row{"root bin help doctor", grammar.Spec{Class: inspect, Opts: pnpmCommon, Args: "name*"}},
		row{"store", grammar.Spec{Class: inspect, Subs: table(row{"path status", grammar.Spec{Class: inspect}}), SubElse: ptr(asked(whyGlobal))}},
		row{"pkg npm", asked(whySettings)},
		row{"config c get", grammar.Spec{Class: inspect, Subs: table(
			row{"get", grammar.Spec{Class: inspect, Args: "name*", Judge: plainSettings}},
			row{"list", grammar.Spec{Class: inspect, Args: "name*", Judge: allSettings}}), SubElse: ptr(denied(whySettings))}},
		row{"pack", grammar.Spec{Class: run, Opts: pnpmCommon + "--pack-destination=write --out=write"}},
		row{"view info show search", grammar.Spec{Class: inspect, Needs: registry, Args: "name+", Opts: pnpmCommon}},
		row{"dlx create", asked(whyFetch)},
		row{"add init link ln unlink remove rm uninstall un patch patch-commit patch-remove approve-builds deploy", asked(whyAdd)},
		row{"publish login adduser logout owner token access dist-tag unpublish deprecate whoami", denied(whyPublish)},
		row{"set env setup self-update server cat-file cat-index cache", asked(whySettings)},
	)
}

// pnpmArgs are arguments of a script, possibly with options of pnpm itself among them.
func pnpmArgs(m *grammar.Match, ws []grammar.Word) {
	pnpmOptions(m)
	scriptArgs(m, ws, true)
}

func pnpmOptions(m *grammar.Match) {
	for _, w := range m.Words {
		if p := w.Prefix(); strings.HasPrefix(p, "--config.") || strings.HasPrefix(p, "--script-shell") {
			m.Deny(".option", whyNpmShell)
		}
	}
}

// pnpmScript is "pnpm NAME": a script of the project, or a tool that it has installed.
func pnpmScript(m *grammar.Match) {
	if len(m.Words) == 0 {
		m.Class = grammar.Inspect
		return
	}
	runName(m, m.Words)
}

// systemNames are programs that pnpm starts where package.json has no script of that name.
var systemNames = grammar.Set(`sh bash dash ash zsh ksh fish csh tcsh pwsh busybox toybox env printenv sudo su doas exec eval curl wget nc
	ncat netcat socat telnet ssh scp sftp ftp rsync rclone ping dig nslookup host whois git gh glab hub docker podman kubectl helm terraform
	aws gcloud az cat tac head tail less more cp mv rm ln chmod chown mkdir rmdir touch tee dd tar zip unzip gzip find fd xargs parallel sed
	awk gawk mawk perl python python2 python3 ruby php lua node nodejs npm npx yarn pnpm corepack bun bunx deno ts-node-dev make cmake gcc
	g++ cc clang ld go cargo rustc java javac gradle mvn kill killall pkill nohup setsid timeout nice stdbuf time strace gdb base64 openssl
	gpg xxd od strings echo printf id whoami hostname ps top sqlite3 psql mysql redis-cli osascript open xdg-open crontab at systemctl
	service mount cowsay ls pwd date sleep true false vim vi nano emacs man screen tmux script watch jq yq sort uniq diff patch npm-cli
	npx-cli`)

// runName is a word that names a script of the project or an installed tool. A tool's table judges either.
func runName(m *grammar.Match, ws []grammar.Word) {
	pnpmOptions(m)
	t, ok := ws[0].Text()
	switch {
	case ok && nodeKnown()[t]:
		command(m, t, withoutDashes(ws[1:]), "script")
	case ok && strings.HasPrefix(t, "-"):
		m.Ask(".option", "the option "+t+" is not among those that may be used unattended; leave it out")
	case ok && strings.ContainsAny(t, " /\\$@"):
		m.Ask(".script", t+" is no name of a script; write the name from package.json")
	case ok && systemNames[t]:
		m.Ask(".script", t+" is a program of the system, which is run where no script has that name; run it by itself")
	default:
		script(m, ws)
	}
}
