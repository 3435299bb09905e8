package base

import "github.com/longshift/longshift/internal/policy/grammar"

const gitMergeOpts = ` -s,--strategy=ours|recursive|ort|resolve|octopus|subtree -X,--strategy-option=data --abort --continue --quit
	--no-edit -q,--quiet -v,--verbose --signoff --no-signoff --rerere-autoupdate --no-rerere-autoupdate --no-verify --verify --allow-empty
	--allow-empty-message --keep-redundant-commits --cleanup=data --no-gpg-sign --skip --ff --reference -h,--help ~-e,--edit
	~-S,--gpg-sign `

// gitCommits record and move changes.
func gitCommits() map[string]grammar.Spec {
	ch := grammar.Change
	return map[string]grammar.Spec{
		"commit": {Class: ch, Opts: `-a,--all -m,--message=data -F,--file=read -C,--reuse-message=rev --fixup=data --squash=rev --reset-author
			--short --branch --porcelain --long -z,--null --author=data --date=data -s,--signoff --no-signoff --trailer=data -n,--no-verify
			--verify --allow-empty --allow-empty-message --cleanup=data --no-edit --amend -i,--include -o,--only --pathspec-from-file=read
			--pathspec-file-nul -u?=data --untracked-files?=data -v,--verbose -q,--quiet --dry-run --status --no-status --no-post-rewrite
			--no-gpg-sign -h,--help ~-c,--reedit-message ~-t,--template ~-e,--edit ~-S,--gpg-sign ~-p,--patch
			~--interactive`,
			Args: "read*", Judge: gitCommit},
		"merge": {Class: ch, Opts: once(gitMergeOpts, `--no-ff --ff-only --squash --no-squash --commit --no-commit -m,--message=data
			-F,--file=read --stat -n,--no-stat --compact-summary --log?=number --no-log --progress --no-progress --allow-unrelated-histories
			--into-name=data --autostash --no-autostash --overwrite-ignore --no-overwrite-ignore ~--verify-signatures`), Args: "rev*",
			Judge: gitPaths},
		"rebase": {Class: ch, Why: "it opens an editor or runs commands; use git commit --fixup with git rebase --autosquash, or git reset " +
			"--soft and a new commit", Opts: once(gitMergeOpts, `--onto=rev --keep-base --root --autosquash --no-autosquash --autostash
				--no-autostash -m,--merge -f,--force-rebase --no-ff --fork-point --no-fork-point --reapply-cherry-picks --no-reapply-cherry-picks
				--empty=data -C=number --whitespace=data --ignore-whitespace --committer-date-is-author-date --ignore-date --reset-author-date -r
				--rebase-merges?=data --no-rebase-merges --update-refs --no-update-refs --stat -n,--no-stat --show-current-patch --apply --keep-empty
				--no-keep-empty !-x,--exec ~-i,--interactive ~--edit-todo`), Args: "rev*", Judge: gitPaths},
		"cherry-pick": {Class: ch, Opts: once(gitMergeOpts, "-x -n,--no-commit -m,--mainline=number -r --empty=data"), Args: "rev*",
			Judge: gitPaths},
		"revert": {Class: ch, Opts: once(gitMergeOpts, "-n,--no-commit -m,--mainline=number"), Args: "rev*", Judge: gitPaths},
		"format-patch": {Class: ch, Opts: once(`-o,--output-directory=write --stdout -n,--numbered -N,--no-numbered --start-number=number
			--numbered-files --signoff -k,--keep-subject -v,--reroll-count=number --rfc --subject-prefix=data --suffix=name --cover-letter
			--no-cover-letter --description-file=read --cover-from-description=data --to=data --cc=data --no-to --no-cc --from?=data --no-from
			--add-header=data --in-reply-to=data --attach?=data --inline?=data --thread?=data --no-thread --signature=data --no-signature
			--signature-file=read --base=data --interdiff=rev --range-diff=rev --zero-commit --root --progress --force-in-body-from
			--ignore-if-in-upstream --always --filename-max-length=number -q,--quiet`, gitDiffOpts, gitLogOpts), Args: "rev*", Judge: gitPaths},
		"am": {Class: ch, Opts: `--abort --skip --continue,--resolved --quit --show-current-patch?=data -q,--quiet -3,--3way -s,--signoff
			-k,--keep`, Args: "read*", Judge: needsFlag("patches in letters change what is not looked at; use git apply", "--abort", "--skip",
			"--continue", "--quit", "--show-current-patch")},
		"gc": asks("it packs and drops objects that others may use"), "prune": asks("it drops objects"),
		"repack":    asks("it packs objects that others may use"),
		"pack-refs": asks("it rewrites refs"), "pack-objects": asks("it packs objects"), "update-ref": asks("use git branch or git reset"),
		"mktag": asks("use git tag"), "mktree": asks("use git add"),
	}
}

// gitCommit requires that a commit has its message on the command line.
func gitCommit(m *grammar.Match) {
	gitSpecs(m)
	if m.Has("--dry-run", "--short", "--porcelain", "--long") {
		m.Class = grammar.Inspect
		return
	}
	fixup, fixes := m.Flags["--fixup"]
	if text, ok := fixup.Text(); fixes && (!ok || len(text) > 6 && (text[:6] == "amend:" || text[:6] == "reword")) && !m.Has("-m") {
		m.Ask(".editor", gitEditor+"; give a plain --fixup, or -m")
		return
	}
	if !fixes && !m.Has("-m", "-F", "-C", "--no-edit") {
		m.Ask(".editor", gitEditor+"; give -m, or --no-edit with --amend")
	}
}

// gitStash stores changes aside.
func gitStash() map[string]grammar.Spec {
	ch := grammar.Change
	push := grammar.Spec{Class: ch, Opts: `-m,--message=data -u,--include-untracked -a,--all -k,--keep-index --no-keep-index -S,--staged
		-q,--quiet --pathspec-from-file=read --pathspec-file-nul ~-p,--patch`, Args: "rev*", Judge: gitPaths}
	save := push
	save.Args, save.Judge = "data*", nil
	bare := push
	bare.Args = ""
	back := grammar.Spec{Class: ch, Opts: "--index -q,--quiet", Args: "rev?"}
	return map[string]grammar.Spec{"stash": {Class: ch, SubElse: &bare, Subs: map[string]grammar.Spec{
		"push": push, "save": save, "pop": back, "apply": back, "drop": back, "branch": {Args: "name rev?"}, "create": {Args: "data*"},
		"list": {Class: grammar.Inspect, Opts: once(gitLogOpts, gitDiffOpts)}, "show": {Class: grammar.Inspect,
			Opts: once("-u,--include-untracked --only-untracked --no-include-untracked", gitDiffOpts), Args: "rev?"},
		"clear": asks("it drops all stashes"), "store": asks("use git stash push"),
	}}}
}

// gitConfigs read single settings and the addresses of remotes, and never write any.
func gitConfigs() map[string]grammar.Spec {
	deny := "settings of git are Longshift's; do without, or ask for the change"
	return map[string]grammar.Spec{
		"config": {Class: grammar.Inspect, Why: deny, Opts: `--get --get-all --local --global --worktree --system --bool --int --bool-or-int
			--path --type=data --default=data --show-origin --show-scope --name-only -z,--null --includes --no-includes !-l,--list !--get-regexp
			!--get-urlmatch
			!--get-color !--get-colorbool !--add !--unset !--unset-all !--replace-all !--rename-section !--remove-section !-e,--edit
			!-f,--file !--blob !--fixed-value`,
			Args: "data*", Judge: gitConfig},
		"remote": {Class: grammar.Inspect, Opts: "-v,--verbose", Subs: map[string]grammar.Spec{"get-url": {Opts: "--push --all", Args: "name"},
			"show": {Opts: "-n", Args: "name*", Judge: needsNoNetwork}},
			SubElse: &grammar.Spec{Opts: "-v,--verbose", Judge: func(m *grammar.Match) {
				if len(m.Words) > 0 && !m.Words[0].Is("-v") && !m.Words[0].Is("--verbose") {
					m.Deny(".change", gitRemote)
				}
			}, Args: "data*"}},
	}
}

func needsNoNetwork(m *grammar.Match) {
	if len(m.Operands()) > 0 && !m.Has("-n") {
		m.Deny(".network", gitRemote+"; git remote show -n NAME works without the network")
	}
}

// gitConfig allows reading single settings without secrets.
func gitConfig(m *grammar.Match) {
	at := m.Operands()
	words := make([]string, 0, len(at))
	for _, i := range at {
		text, ok := m.Uses[i].Word.Text()
		if !ok {
			m.Ask(".config", "which setting this reads is not known; write its name out")
			return
		}
		words = append(words, text)
	}
	if len(words) == 2 && words[0] == "get" {
		words = words[1:]
	}
	if len(words) != 1 {
		m.Deny(".config", "git config only reads a single setting here: git config --get NAME; settings of git are Longshift's")
		return
	}
	if !settingReadable(words[0]) {
		m.Deny(".config", "this setting may hold a secret or a program; do without it")
	}
}

// gitRefused are the sub-commands that reach the network, other programs, or everybody's history.
func gitRefused() map[string]grammar.Spec {
	all := map[string]grammar.Spec{}
	for why, names := range map[string][]string{
		gitRemote: {"push", "fetch", "pull", "clone", "ls-remote", "fetch-pack", "send-pack", "upload-pack", "receive-pack", "upload-archive",
			"remote-http", "remote-https", "remote-ext", "remote-fd", "http-fetch", "http-push", "http-backend", "daemon", "request-pull",
			"send-email", "imap-send", "svn", "p4", "cvsimport", "cvsserver", "cvsexportcommit", "archimport", "subtree", "lfs", "annex", "scalar",
			"credential", "credential-store", "credential-cache", "shell", "instaweb", "gui", "gitk", "citool", "web--browse", "quiltimport",
			"backfill", "codecommit", "flow"},
		"it rewrites history, or runs a command that is not judged": {"filter-branch", "filter-repo", "replace", "fast-import", "fast-export",
			"difftool", "hook", "for-each-repo", "maintenance", "multi-pack-index", "commit-graph", "update-server-info", "fsmonitor--daemon",
			"mailsplit", "mailinfo", "unpack-objects", "index-pack", "unpack-file", "prune-packed", "bugreport", "diagnose", "refs"},
	} {
		for _, n := range names {
			all[n] = denies(why)
		}
	}
	all["init"] = asks("a repository inside the tree escapes the rules of this one; let a test that needs one create it")
	return all
}
