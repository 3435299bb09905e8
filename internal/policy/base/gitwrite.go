package base

import (
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// gitBranches lists and makes branches, tags, notes, working trees.
func gitBranches() map[string]grammar.Spec {
	ch := grammar.Change
	return map[string]grammar.Spec{
		"branch": {Class: ch, Why: "it may drop commits that are nowhere else, or open an editor; use git branch -d, -m or -c", Opts: `-a,--all
			-r,--remotes -l,--list -v,--verbose -vv -q,--quiet --show-current --color?=data --no-color --column?=data --no-column --sort=data
			--format=data --merged?=rev --no-merged?=rev --contains?=rev --no-contains?=rev --points-at=rev --abbrev?=number --no-abbrev
			-i,--ignore-case --omit-empty -t --track?=data --no-track -f,--force -d,--delete -m,--move -c,--copy -u,--set-upstream-to=rev
			--unset-upstream --create-reflog --recurse-submodules ~-D ~-M ~-C ~--edit-description`, Args: "rev*", Judge: gitBranch},
		"tag": {Class: ch, Opts: `-l,--list -n?=number --sort=data --format=data --contains?=rev --no-contains?=rev --merged?=rev --no-merged?=rev
			--points-at?=rev --column?=data --no-column --color?=data -i,--ignore-case --omit-empty -a,--annotate -m,--message=data
			-F,--file=read -f,--force -d,--delete --cleanup=data --create-reflog --no-sign ~-s,--sign ~-u,--local-user ~-v,--verify
			~-e,--edit`, Args: "rev*", Judge: gitTag},
		"switch": {Class: ch, Opts: `-c,--create=name -C,--force-create=name -d,--detach --orphan=name --guess --no-guess -t --track?=data
			--no-track -f,--force,--discard-changes -q,--quiet -m,--merge --conflict=data --progress --no-progress --recurse-submodules
			--no-recurse-submodules ~--ignore-other-worktrees`, Args: "rev*", Judge: gitPaths},
		"notes": {Class: ch, Opts: "--ref=name", Subs: map[string]grammar.Spec{
			"list": {Class: grammar.Inspect, Args: "rev?"}, "show": {Class: grammar.Inspect, Args: "rev?"},
			"add": {Opts: "-m,--message=data -F,--file=read -f,--force --allow-empty", Args: "rev?", Judge: needsFlag(gitEditor+"; give -m", "-m",
				"-F")},
			"append": {Opts: "-m,--message=data -F,--file=read", Args: "rev?", Judge: needsFlag(gitEditor+"; give -m", "-m", "-F")},
			"remove": {Opts: "--ignore-missing", Args: "rev*"}, "copy": {Opts: "-f,--force", Args: "rev rev?"},
		}, SubElse: &grammar.Spec{Class: grammar.Inspect}},
		"worktree": {Subs: map[string]grammar.Spec{"list": {Opts: "-v,--verbose --porcelain -z"}}, Class: grammar.Inspect,
			SubElse: &grammar.Spec{Class: grammar.Deny, Why: "Longshift makes and removes working trees; stay in this one"}},
		"submodule": {Class: grammar.Inspect, Subs: map[string]grammar.Spec{"status": {Opts: "--cached --recursive", Args: "rev*"},
			"summary": {Opts: "--cached --files -n,--summary-limit=number", Args: "rev*"}},
			SubElse: &grammar.Spec{Class: grammar.Inspect, Opts: "--quiet", Args: "data*", Judge: func(m *grammar.Match) {
				if len(m.Operands()) > 0 {
					m.Deny(".change", gitRemote)
				}
			}}},
		"bisect": {Class: ch, Subs: map[string]grammar.Spec{
			"start": {Opts: "--no-checkout --first-parent --term-new=name --term-bad=name --term-old=name --term-good=name", Args: "rev*"},
			"good":  {Args: "rev*"}, "bad": {Args: "rev*"}, "old": {Args: "rev*"}, "new": {Args: "rev*"}, "skip": {Args: "rev*"},
			"reset": {Args: "rev?"},
			"log":   {Class: grammar.Inspect}, "terms": {Class: grammar.Inspect, Opts: "--term-good --term-bad --term-old --term-new"},
			"visualize": asks("it starts another program"), "view": asks("it starts another program"),
			"next": {}, "replay": asks("it runs what the file says"),
			"run": denies("it runs a command that is not checked; run the test yourself and mark good or bad"),
		}},
	}
}

// needsFlag makes a judge that asks unless one of the flags is given.
func needsFlag(why string, flags ...string) func(*grammar.Match) {
	return func(m *grammar.Match) {
		if !m.Has(flags...) {
			m.Ask(".editor", why)
		}
	}
}

func gitBranch(m *grammar.Match) {
	if len(m.Operands()) == 0 && !m.Has("-d", "-m", "-c", "-u", "--unset-upstream") ||
		m.Has("-l", "--show-current", "--merged", "--no-merged", "--contains", "--no-contains", "--points-at") {
		m.Class = grammar.Inspect
	}
	if m.Has("--show-current") {
		m.Yields = grammar.YieldsPlain
	}
	if m.Has("-f") && m.Has("-d") {
		m.Ask(".delete", "this would drop commits that are nowhere else; use git branch -d")
	}
	gitPaths(m)
}

func gitTag(m *grammar.Match) {
	lists := m.Has("-l", "-n", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
	if lists || len(m.Operands()) == 0 {
		m.Class = grammar.Inspect
	} else if m.Has("-a") && !m.Has("-m", "-F") {
		m.Ask(".editor", gitEditor+"; give -m")
	}
	gitPaths(m)
}

// gitWork changes the files of the tree and the index.
func gitWork() map[string]grammar.Spec {
	ch := grammar.Change
	return map[string]grammar.Spec{
		"add": {Class: ch, Why: "it waits for a person at a terminal; name the files to add", Opts: `-n,--dry-run -v,--verbose -f,--force
			-u,--update -A,--all,--no-ignore-removal --no-all,--ignore-removal -N,--intent-to-add --refresh --ignore-errors --ignore-missing
			--renormalize --chmod=+x|-x --sparse --pathspec-from-file=read --pathspec-file-nul ~-i,--interactive ~-p,--patch ~-e,--edit`,
			Args: "read*", Judge: gitSpecs},
		"stage": {Class: ch, Opts: "-n,--dry-run -v,--verbose -f,--force -u,--update -A,--all -N,--intent-to-add", Args: "read*",
			Judge: gitSpecs},
		"rm": {Class: ch, Opts: `-f,--force -n,--dry-run -r --cached --ignore-unmatch -q,--quiet --sparse --pathspec-from-file=read
			--pathspec-file-nul`, Args: "write*", Judge: gitSpecs},
		"mv": {Class: ch, Opts: "-f,--force -k -n,--dry-run -v,--verbose --sparse", Args: "write+"},
		"restore": {Class: ch, Opts: `-s,--source=rev -S,--staged -W,--worktree -q,--quiet --progress --no-progress --ours --theirs -m,--merge
			--conflict=data --ignore-unmerged --overlay --no-overlay --recurse-submodules --no-recurse-submodules --pathspec-from-file=read
			--pathspec-file-nul ~-p,--patch`, Args: "list*", Judge: gitRestore},
		"checkout": {Class: ch, Opts: `-b=name -B=name -q,--quiet -f,--force -d,--detach --orphan=name --ours --theirs -m,--merge
			--conflict=data -t --track?=data --no-track -l --guess --no-guess --overlay --no-overlay --progress --no-progress --recurse-submodules
			--no-recurse-submodules --ignore-skip-worktree-bits --pathspec-from-file=read --pathspec-file-nul ~-p,--patch
			~--ignore-other-worktrees`, Args: "rev*", Judge: gitCheckout},
		"reset": {Class: ch, Opts: `-q,--quiet --no-quiet --soft --mixed -N,--intent-to-add --hard --keep --merge --refresh --no-refresh
			--pathspec-from-file=read --pathspec-file-nul --recurse-submodules --no-recurse-submodules ~-p,--patch`, Args: "rev*",
			Judge: both(gitPaths, drops("--hard", "--merge"))},
		"clean": {Class: ch, Opts: "-d -f,--force -n,--dry-run -q,--quiet -e,--exclude=data -X -x ~-i,--interactive", Args: "list*",
			Judge: gitClean},
		"apply": {Class: ch, Opts: `--stat --numstat --summary --check --index --intent-to-add -N --cached -3,--3way --ours --theirs --union
			--build-fake-ancestor=write -R,--reverse --reject -z -p=number -C=number --unidiff-zero --apply --no-add
			--allow-binary-replacement,--binary --exclude=data --include=data --ignore-space-change,--ignore-whitespace
			--whitespace=data --inaccurate-eof -v,--verbose -q,--quiet --recount --directory=write --allow-overlap --allow-empty
			!--unsafe-paths`, Args: "read*", Judge: gitApply},
		"update-index": {Class: ch, Why: "it hides changes from git, or writes entries that nobody sees; use git add and git rm", Opts: `--refresh
			--really-refresh -q --ignore-missing --unmerged --add --remove --chmod=+x|-x --verbose -g,--again ~--cacheinfo
			~--index-info ~--force-remove ~--replace ~--assume-unchanged ~--no-assume-unchanged ~--skip-worktree ~--no-skip-worktree
			~--stdin ~--index-version ~--fsmonitor ~--split-index`,
			Args: "write*"},
		"sparse-checkout": {Class: ch, Subs: map[string]grammar.Spec{"list": {Class: grammar.Inspect}}, SubElse: &grammar.Spec{Class: grammar.Ask,
			Why: "it takes files out of the tree"}},
		"checkout-index": asks("it writes files by the index; use git restore"),
		"read-tree":      asks("it replaces the index; use git restore"), "write-tree": {}, "commit-tree": asks("use git commit"),
		"mergetool": asks("it starts another program"), "merge-file": {Class: ch, Opts: `-p,--stdout -q,--quiet --diff3 --zdiff3 --ours --theirs
			--union -L=data --marker-size=number --object-id`, Args: "write read read"},
		"rerere": {Class: ch, Subs: map[string]grammar.Spec{"status": {Class: grammar.Inspect}, "diff": {Class: grammar.Inspect},
			"remaining": {Class: grammar.Inspect}, "clear": {}, "forget": {Args: "rev+"}}, SubElse: &grammar.Spec{}},
		"archive": {Class: ch, Opts: `--format=tar|zip|tgz|tar.gz -o,--output=write --prefix=data --add-file=read --add-virtual-file=data
			-l,--list -v,--verbose -# --worktree-attributes --mtime=data !--remote !--exec`,
			Args: "rev*", Judge: gitPaths},
		"bundle": {Class: ch, Subs: map[string]grammar.Spec{"create": {Opts: once("-q,--quiet --progress --all-progress --version=number",
			gitLogOpts), Args: "write rev*"}, "verify": {Class: grammar.Inspect, Opts: "-q,--quiet", Args: "read"},
			"list-heads": {Class: grammar.Inspect, Args: "read rev*"}}},
	}
}

// gitSpecs removes git's pathspec magic from the paths, because it can only narrow what the others name.
func gitSpecs(m *grammar.Match) {
	for _, i := range m.Operands() {
		w := m.Uses[i].Word
		text := w.Prefix()
		if whole, ok := w.Text(); ok && len(whole) > 1 { // git does not go through links
			m.Uses[i].Word = grammar.Lit(whole[:1] + strings.TrimRight(whole[1:], "/"))
			w = m.Uses[i].Word
		}
		for _, magic := range []string{":(exclude)", ":!", ":^", ":(top)", ":/", ":(glob)", ":(icase)", ":(literal)"} {
			if strings.HasPrefix(text, magic) {
				m.Uses[i].Word = w.Drop(len(magic))
				if len(text) == len(magic) {
					m.Uses[i].Word = grammar.Lit(".")
				}
				break
			}
		}
	}
}

// drops makes a judge for modes that discard uncommitted work.
func drops(flags ...string) func(*grammar.Match) {
	return func(m *grammar.Match) {
		if m.Has(flags...) {
			m.Needs = append(m.Needs, grammar.NeedDestructive)
		}
	}
}

// gitRestore judges files from another commit as written, because they can be old control files.
func gitRestore(m *grammar.Match) {
	gitSpecs(m)
	if m.Has("-s") && !m.Has("-S") || m.Has("-s") && m.Has("-W") {
		allAre(grammar.Write)(m)
	}
}

// gitCheckout distinguishes branches from files, as far as that is possible by the words.
func gitCheckout(m *grammar.Match) {
	gitPaths(m)
	at := m.Operands()
	dashes := beforeDashes(m)
	if dashes < 0 || len(at) == 0 {
		if len(at) > 1 && !m.Has("-b", "-B", "--track", "-t", "--orphan") { // a commit, and files of it
			for _, i := range at[1:] {
				m.Uses[i].Kind = grammar.Write
			}
		}
		return
	}
	fromCommit := false
	for _, i := range at {
		fromCommit = fromCommit || !afterDashes(m, m.Uses[i].Word)
	}
	for _, i := range at {
		if afterDashes(m, m.Uses[i].Word) {
			m.Uses[i].Kind = grammar.List
			if fromCommit {
				m.Uses[i].Kind = grammar.Write
			}
		}
	}
	gitSpecs(m)
}

func gitClean(m *grammar.Match) {
	if m.Has("-n") {
		m.Class = grammar.Inspect
		return
	}
	if m.Has("-x") {
		m.Ask(".ignored", "this also removes files that git ignores, such as settings and caches; leave -x out, or look first with -n")
	}
	m.Needs = append(m.Needs, grammar.NeedDestructive)
	allAre(grammar.Remove)(m)
}

func gitApply(m *grammar.Match) {
	if m.Has("--check", "--stat", "--numstat", "--summary") && !m.Has("--apply") {
		m.Class = grammar.Inspect
	}
}
