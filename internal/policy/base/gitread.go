package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// gitDiffOpts are the options that all of git's programs with a diff share.
const gitDiffOpts = ` -p,-u,--patch -s,--no-patch -U,--unified=number --raw --patch-with-raw --indent-heuristic --no-indent-heuristic
	--minimal --patience --histogram --anchored=data --diff-algorithm=data --stat?=data --stat-width=number --stat-name-width=number
	--stat-count=number --compact-summary --numstat --shortstat -X?=data --dirstat?=data --cumulative --dirstat-by-file?=data --summary
	--patch-with-stat -z --name-only --name-status --submodule?=data --color?=data --no-color --color-moved?=data --no-color-moved
	--color-moved-ws=data --no-color-moved-ws --word-diff?=data --word-diff-regex=data --color-words?=data --no-renames --rename-empty
	--no-rename-empty --check --ws-error-highlight=data --full-index --binary --abbrev?=number --no-abbrev -B?=data --break-rewrites?=data
	-M?=data --find-renames?=data -C?=data --find-copies?=data --find-copies-harder -D,--irreversible-delete -l=number --diff-filter=data
	-S=data -G=data --find-object=data --pickaxe-all --pickaxe-regex -O=read --skip-to=data --rotate-to=data --relative?=name --no-relative
	-a,--text --ignore-cr-at-eol --ignore-space-at-eol -b,--ignore-space-change -w,--ignore-all-space --ignore-blank-lines
	-I,--ignore-matching-lines=data --inter-hunk-context=number -W,--function-context --no-function-context --exit-code --quiet --no-ext-diff
	--no-textconv --ignore-submodules?=data --src-prefix=data --dst-prefix=data --no-prefix --default-prefix --line-prefix=data
	--ita-invisible-in-index --ita-visible-in-index -R --output-indicator-new=data --output-indicator-old=data
	--output-indicator-context=data !--output !--ext-diff !--textconv -h,--help `

// gitLogOpts are the options that choose and show commits.
const gitLogOpts = ` -# --follow --no-decorate --decorate?=data --decorate-refs=data --decorate-refs-exclude=data --clear-decorations
	--source --use-mailmap --mailmap --no-mailmap --no-use-mailmap --full-diff --log-size -L=data -n,--max-count=number --skip=number
	--since,--after=data --since-as-filter=data --until,--before=data --author,--committer=data --grep-reflog=data --grep=data --all-match
	--invert-grep -i,--regexp-ignore-case --basic-regexp -E,--extended-regexp -F,--fixed-strings -P,--perl-regexp --remove-empty --merges
	--no-merges --min-parents=number --max-parents=number --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only --not
	--all --branches?=data --tags?=data --remotes?=data --glob=data --exclude=data --exclude-hidden=data --reflog --ignore-missing --bisect
	--cherry-mark --cherry-pick --left-only --right-only --cherry -g,--walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls
	--full-history --dense --sparse --simplify-merges --ancestry-path?=data --date-order --author-date-order --topo-order --reverse
	--no-walk?=data --do-walk --pretty?=data --format=data --abbrev-commit --no-abbrev-commit --oneline --encoding=data --expand-tabs?=number
	--no-expand-tabs --notes?=data --no-notes --show-notes?=data --relative-date --date=data --parents --children --left-right --graph
	--no-graph --show-linear-break?=data --count -c --cc -m --diff-merges=data --no-diff-merges --dd --remerge-diff --combined-all-paths -t
	-r ~--show-signature ~--stdin `

// gitHistory shows commits and differences.
func gitHistory() map[string]grammar.Spec {
	log := once(gitLogOpts, gitDiffOpts, "-q --quiet")
	show := grammar.Spec{Opts: log, Args: "rev*", Judge: gitPaths}
	return map[string]grammar.Spec{
		"log": {Opts: log, Args: "rev*", Judge: both(gitPaths, gitHashes)}, "show": show, "whatchanged": show, "reflog": {
			Opts: log,
			Subs: map[string]grammar.Spec{"show": show, "exists": {Args: "rev"}, "list": {},
				"expire": asks("it drops the reflog, which is needed to find lost commits"),
				"delete": asks("it drops the reflog, which is needed to find lost commits")},
			SubElse: &show,
		},
		"diff": {Opts: once("--cached,--staged --merge-base --no-index -1,--base -2,--ours -3,--theirs -0 --cc -c -q -t -r", gitDiffOpts),
			Args: "rev*", Judge: gitDiff},
		"diff-tree": {Opts: once(`-r -t --root -m -c --cc --combined-all-paths --no-commit-id --pretty?=data --format=data --always -v -s
			--merge-base --oneline ~--stdin`, gitDiffOpts),
			Args: "rev*", Judge: both(gitPaths, gitNames)},
		"diff-index": {Opts: once("--cached -m --merge-base", gitDiffOpts), Args: "rev*", Judge: both(gitPaths, gitNames)},
		"diff-files": {Opts: once("-q -0 -1 -2 -3 -c --cc", gitDiffOpts), Args: "rev*", Judge: both(gitPaths, gitNames)},
		"range-diff": {Opts: once("--creation-factor=number --no-dual-color --left-only --right-only --notes?=data --no-notes", gitDiffOpts),
			Args: "rev+", Judge: gitPaths},
		"shortlog": {Opts: once("-n,--numbered -s,--summary -e,--email --format=data -c,--committer -w?=data --group=data", gitLogOpts),
			Args: "rev*", Judge: gitPaths},
		"status": {Opts: `-s,--short -b,--branch --show-stash --porcelain?=data --long -v,--verbose -u?=data --untracked-files?=data
			--ignore-submodules?=data --ignored?=data -z --column?=data --no-column --ahead-behind --no-ahead-behind --renames
			--no-renames --find-renames?=data --no-optional-locks -h,--help`, Args: "rev*", Judge: gitPaths},
		"blame":    {Opts: gitBlameOpts, Args: "rev*", Judge: gitPaths},
		"annotate": {Opts: gitBlameOpts, Args: "rev*", Judge: gitPaths},
		"describe": {Opts: `--dirty?=data --broken?=data --all --tags --contains --abbrev=number --candidates=number --exact-match --debug --long
			--match=data --exclude=data --always --first-parent`, Args: "rev*", Yields: grammar.YieldsPlain},
		"cherry":   {Opts: "-v,--verbose --abbrev?=number", Args: "rev*"},
		"name-rev": {Opts: "--tags --refs=data --exclude=data --all --name-only --no-undefined --always --annotate-stdin", Args: "rev*"},
		"show-branch": {Opts: `-a,--all -r,--remotes --current --topo-order --date-order --sparse --more=number --list --merge-base
			--independent --no-name --sha1-name --topics -g?=data --reflog?=data --color?=data --no-color`, Args: "rev*"},
		"grep": {Opts: gitGrepOpts, Args: "data*", Judge: gitGrep},
		"ls-files": {Opts: `-z -t -v -f -c,--cached -d,--deleted -m,--modified -o,--others -i,--ignored -s,--stage --directory
			--no-empty-directory -u,--unmerged -k,--killed --resolve-undo --eol --deduplicate --sparse --full-name --recurse-submodules
			--error-unmatch --with-tree=rev --abbrev?=number --exclude-standard -x,--exclude=data -X,--exclude-from=read
			--exclude-per-directory=name --format=data`, Args: "rev*", Judge: both(gitPaths, gitFileNames)},
		"ls-tree": {Opts: `-d -r -t -l,--long -z --name-only --name-status --object-only --full-name --full-tree --abbrev?=number
			--format=data`, Args: "rev*", Judge: both(gitPaths, gitFileNames)},
		"check-ignore": {Opts: "-q,--quiet -v,--verbose -n,--non-matching --no-index -z --stdin", Args: "list*"},
		"check-attr":   {Opts: "-a,--all --cached --source=rev -z --stdin", Args: "rev*", Judge: gitPaths},
		"version":      {Opts: "--build-options", Args: ""},
		"help":         {Opts: "-a,--all -g,--guides -c,--config --verbose --no-verbose -m,--man ~-i,--info !-w,--web", Args: "name?"},
	}
}

const gitBlameOpts = `-L=data -l -t -s -e,--show-email -w -C?=data -M?=data -f,--show-name -n,--show-number -p,--porcelain
	--line-porcelain --incremental -b --root --show-stats --reverse --first-parent --date=data --since=data --color-lines --color-by-age
	--progress --no-progress --ignore-rev=rev --ignore-revs-file=read --contents=read --encoding=data -S=read --abbrev=number --score-debug
	-c --minimal -h`

const gitGrepOpts = `-# -n,--line-number --no-line-number -i,--ignore-case -v,--invert-match -w,--word-regexp
	-l,--files-with-matches,--name-only -L,--files-without-match -c,--count -h -H -o,--only-matching -q,--quiet -E,--extended-regexp
	-G,--basic-regexp -P,--perl-regexp -F,--fixed-strings -e=data --and --or --not --cached --untracked --no-index --exclude-standard
	--no-exclude-standard --recurse-submodules -a,--text -I -r,--recursive --no-recursive --max-depth=number --full-name --column
	--color?=data --no-color --break --heading -p,--show-function -W,--function-context -A,--after-context=number -B,--before-context=number
	-C,--context=number -f=read -z,--null --all-match --threads=number -m,--max-count=number --no-textconv !-O,--open-files-in-pager
	!--textconv !--ext-grep`

// asks makes a sub-command that a person decides on.
func asks(why string) grammar.Spec { return grammar.Spec{Class: grammar.Ask, Why: why} }

// denies makes a sub-command that never runs.
func denies(why string) grammar.Spec { return grammar.Spec{Class: grammar.Deny, Why: why} }

// gitDiff judges git diff: outside of a repository's files it is an ordinary diff.
func gitDiff(m *grammar.Match) {
	gitPaths(m)
	if m.Has("--no-index") {
		allAre(grammar.Read)(m)
		return
	}
	gitNames(m)
}

// gitNames marks the output of a diff that prints names of files only.
func gitNames(m *grammar.Match) {
	if m.Has("--name-only") && !m.Has("--stat", "-p", "--raw", "--numstat", "--line-prefix", "--oneline", "--pretty", "--format", "-v") {
		if m.Rule != "git.diff-tree" || m.Has("--no-commit-id") || len(m.Operands()) > 1 {
			m.Yields = grammar.YieldsTree
		}
	}
}

// gitFileNames marks the output of a list that contains names of files only.
func gitFileNames(m *grammar.Match) {
	switch {
	case m.Has("-s", "-t", "-v", "-f", "-u", "--eol", "--format", "-l", "--object-only", "--resolve-undo"):
	case m.Rule == "git.ls-files" && m.Has("-o", "-i") && (!m.Has("--exclude-standard") || m.Has("-i")): // what git ignores: .env among it
	case m.Rule == "git.ls-files", m.Has("--name-only", "--name-status"):
		m.Yields = grammar.YieldsTree
	}
}

// gitHashes marks the output of a log that prints commit ids, one per line.
func gitHashes(m *grammar.Match) {
	for _, n := range []string{"--format", "--pretty"} {
		f, ok := m.Flags[n]
		text, literal := f.Text()
		text = strings.TrimPrefix(strings.TrimPrefix(text, "format:"), "tformat:")
		if ok && literal && !m.Has("-p", "--stat", "--name-only", "--name-status", "--graph", "--raw", "--numstat", "--shortstat") {
			switch text {
			case "%H", "%h", "%T", "%t", "%ct", "%at", "%cs", "%as":
				m.Yields = grammar.YieldsPlain
			}
		}
	}
}

// gitGrep assigns kinds to the operands of git grep.
func gitGrep(m *grammar.Match) {
	kind := grammar.Rev
	if m.Has("--no-index") {
		kind = grammar.Read
	}
	for n, i := range m.Operands() {
		switch {
		case n > 0 || m.Has("-e", "-f"):
			m.Uses[i].Kind = kind
		case m.Uses[i].Word.Many && m.Uses[i].Word.Source() != grammar.Digits:
			m.Uses[i].Kind = kind
		}
	}
	gitPaths(m)
	listsFiles("-l", "-L")(m)
}

// gitPlumbing are low-level commands that read a repository.
func gitPlumbing() map[string]grammar.Spec {
	return map[string]grammar.Spec{
		"rev-parse": {Opts: `--verify -q,--quiet --short?=number --abbrev-ref?=data --symbolic --symbolic-full-name --all --branches?=data
			--tags?=data --remotes?=data --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir
			--is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-object-format?=data
			--show-superproject-working-tree --show-ref-format --git-path=name --shared-index-path --path-format=data --revs-only --no-revs --flags
			--no-flags --not --since=data --until=data --disambiguate=data --local-env-vars --default=rev --prefix=name`, Args: "rev*",
			Judge: both(gitPaths, revParse)},
		"rev-list": {Opts: once(`--objects --disk-usage?=data --no-object-names --header --timestamp --quiet --use-bitmap-index --no-commit-header
			--unpacked`, gitLogOpts), Args: "rev*", Judge: both(gitPaths, plain(func(m *grammar.Match) bool {
			return !m.Has("--objects", "--parents", "--children", "--pretty", "--format", "--graph", "--timestamp", "--header", "--left-right")
		}))},
		"cat-file": {Opts: `-p -t -s -e --allow-unknown-type --batch?=data --batch-check?=data --batch-command?=data --batch-all-objects --buffer
			--unordered --follow-symlinks --use-mailmap --no-mailmap !--textconv !--filters ~--path`, Args: "rev*", Judge: gitPaths},
		"for-each-ref": {Opts: `--count=number --sort=data --format=data --color?=data --points-at=rev --merged?=rev --no-merged?=rev
			--contains?=rev --no-contains?=rev --ignore-case --omit-empty --exclude=data`, Args: "rev*"},
		"show-ref": {Opts: `-q,--quiet --verify --heads --branches --tags -d,--dereference -s --hash?=number --abbrev?=number --head
			--exists`, Args: "rev*"},
		"symbolic-ref": {Opts: "--short -q,--quiet ~-d,--delete ~-m", Args: "rev?", Yields: grammar.YieldsPlain},
		"merge-base": {Opts: "-a,--all --octopus --independent --is-ancestor --fork-point", Args: "rev+",
			Judge: plain(func(m *grammar.Match) bool { return !m.Has("-a", "--independent") })},
		"merge-tree": {Opts: `--write-tree --trivial-merge --name-only --messages --no-messages -z --allow-unrelated-histories
			--merge-base=rev`, Args: "rev+"},
		"count-objects": {Opts: "-v,--verbose -H,--human-readable", Args: ""},
		"fsck": {Opts: `--unreachable --dangling --no-dangling --root --tags --cache --full --no-full --connectivity-only --strict --verbose
			--name-objects --progress --no-progress --no-reflogs`, Args: "rev*"},
		"var":           denies("it shows settings of the host"),
		"verify-commit": asks("it starts another program"), "verify-tag": asks("it starts another program"),
		"hash-object": {Opts: "-t=data --stdin --no-filters --literally ~-w ~--path ~--stdin-paths", Args: "read*",
			Judge: plain(func(*grammar.Match) bool { return true })},
		"stripspace": {Opts: "-s,--strip-comments -c,--comment-lines", Args: ""},
		"interpret-trailers": {Opts: `--trailer=data --parse --only-trailers --only-input --unfold --no-divider --trim-empty --where=data
			--if-exists=data --if-missing=data ~--in-place`, Args: "read*"},
		"patch-id":         {Opts: "--stable --unstable --verbatim", Args: ""},
		"check-ref-format": {Opts: "--branch --normalize --allow-onelevel --no-allow-onelevel --refspec-pattern", Args: "data"},
		"column": {Opts: "--mode=data --width=number --padding=number --indent=data --nl=data --raw-mode=number --command=data",
			Args: ""},
		"get-tar-commit-id": {}, "show-index": {},
		"verify-pack": {Opts: "-v,--verbose -s,--stat-only", Args: "read+"},
	}
}

// revParse marks the output of rev-parse: names of folders, or plain tokens.
func revParse(m *grammar.Match) {
	switch {
	case m.Has("--git-dir", "--absolute-git-dir", "--git-common-dir", "--show-cdup", "--git-path", "--prefix", "--local-env-vars",
		"--flags", "--no-revs", "--shared-index-path", "--show-superproject-working-tree", "--all"):
	case m.Has("--show-toplevel", "--show-prefix"):
		m.Yields = grammar.YieldsTree
	default:
		m.Yields = grammar.YieldsPlain
		for _, i := range m.Operands() { // it prints unknown words unchanged
			if _, ok := m.Uses[i].Word.Text(); !ok && m.Uses[i].Word.Source() != grammar.Plain || leadsOut(m.Uses[i].Word) {
				m.Yields = ""
			}
		}
	}
}
