package base

import (
	"maps"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

const (
	gitRemote = "Longshift fetches and pushes; commit locally"
	gitEditor = "this would open an editor"
)

// gitPrograms is git, and what works on its repositories.
func gitPrograms() []grammar.Program {
	subs := map[string]grammar.Spec{}
	for _, part := range []map[string]grammar.Spec{gitHistory(), gitPlumbing(), gitBranches(), gitWork(), gitCommits(), gitStash(),
		gitConfigs(), gitRefused()} {
		maps.Copy(subs, part)
	}
	return []grammar.Program{
		{Names: []string{"git"}, Spec: grammar.Spec{
			Class: grammar.Inspect, Why: "git takes its files, its settings and its helpers from the host",
			Opts: `--no-pager,-P ~-p,--paginate --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs
				--icase-pathspecs --no-replace-objects --no-lazy-fetch --no-advice -C=dir -c=data !--git-dir !--work-tree !--exec-path
				!--config-env !--namespace !--bare !--super-prefix !--attr-source !--list-cmds`,
			Subs: subs,
			SubElse: &grammar.Spec{Class: grammar.Inspect, Opts: "--version,-v --help,-h --html-path --man-path --info-path", Args: "",
				Judge: gitAlone},
			Judge: gitSettings,
		}},
		refused(gitRemote, `gh hub glab tea git-lfs git-remote-http git-remote-https git-upload-pack git-receive-pack git-shell
			git-credential-store repo gerrit`),
		asked("it is a program for people at a terminal; use git log", "tig lazygit gitk git-gui gitui"),
		refused("another program for versions is not part of a task; use git", "hg svn bzr cvs p4 fossil darcs jj"),
	}
}

// gitAlone judges git without a known sub-command.
func gitAlone(m *grammar.Match) {
	if len(m.Flags) == 0 && len(m.Words) > 0 {
		m.Ask(".subcommand", "this sub-command of git is not among those that may run unattended")
	}
}

// settingsExact are settings of git that only change its output, or choose between harmless ways.
var settingsExact = grammar.Set(`core.quotepath core.abbrev core.commentchar core.whitespace core.autocrlf core.safecrlf
	core.filemode core.ignorecase core.precomposeunicode user.name user.email diff.renames diff.renamelimit diff.algorithm diff.noprefix
	diff.mnemonicprefix diff.context diff.colormoved diff.colormovedws diff.interhunkcontext diff.wserrorhighlight diff.statgraphwidth
	diff.relative diff.indentheuristic diff.suppressblankempty diff.submodule diff.ignoresubmodules merge.conflictstyle merge.renames
	merge.renamelimit merge.ff merge.stat merge.log tag.sort branch.sort init.defaultbranch rerere.enabled rebase.autosquash
	rebase.autostash rebase.updaterefs stash.showpatch gc.auto i18n.logoutputencoding i18n.commitencoding apply.whitespace
	apply.ignorewhitespace blame.date blame.showemail commit.cleanup commit.verbose commit.status pull.rebase rebase.missingcommitscheck`)

// settingsUnder are sections of which every setting is harmless.
var settingsUnder = []string{"color.", "advice.", "log.", "column.", "status.", "grep."}

// settingsValue are settings that are harmless with these values.
var settingsValue = map[string]string{
	"core.pager": "|cat|", "core.editor": "|true|:|cat|", "sequence.editor": "|true|:|cat|", "core.fsmonitor": "false",
	"core.hookspath": "/dev/null",
	"commit.gpgsign": "false", "tag.gpgsign": "false", "diff.external": "|", "core.untrackedcache": "false|true", "maintenance.auto": "false",
}

// gitSettings judges the -c options: a setting can name a program.
func gitSettings(m *grammar.Match) {
	for _, u := range m.Uses {
		if u.Via != "-c" || u.Kind != grammar.Data {
			continue
		}
		text, ok := u.Word.Text()
		if !ok {
			m.Ask(".setting", "a setting of git contains unknown text; write it out")
			return
		}
		if key, value, _ := strings.Cut(text, "="); !settingSafe(strings.ToLower(key), value) {
			m.Deny(".setting", "the setting "+key+" of git may not be changed: it can name a program or a file; leave -c out")
		}
	}
}

func settingSafe(key, value string) bool {
	if settingsExact[key] {
		return true
	}
	if key == "log.showsignature" { // it starts the program for signatures
		return value == "false" || value == "0"
	}
	for _, section := range settingsUnder {
		if strings.HasPrefix(key, section) && !strings.Contains(key, "command") {
			return true
		}
	}
	if strings.HasPrefix(key, "pager.") {
		return value == "false" || value == "0" || value == "cat"
	}
	allowed, known := settingsValue[key]
	if !known {
		return false
	}
	for _, v := range strings.Split(allowed, "|") {
		if v == value {
			return true
		}
	}
	return false
}

// gitPaths adds paths outside of the repository that a git operand names: git uses paths from the root or with ".." unchanged.
// The path after the colon of REVISION:path is content that is shown.
func gitPaths(m *grammar.Match) {
	gitFormats(m)
	for _, i := range m.Operands() {
		switch {
		case m.Uses[i].Kind != grammar.Rev:
		case m.Uses[i].Word.Is("-"): // the branch before this one
			m.Uses[i].Kind = grammar.Data
		default:
			gitPath(m, m.Uses[i].Word)
		}
	}
}

// gitFormats asks about formats that call a program for signatures.
func gitFormats(m *grammar.Match) {
	for _, u := range m.Uses {
		if u.Via != "--format" && u.Via != "--pretty" {
			continue
		}
		if text := u.Word.String(); strings.Contains(text, "%G") || strings.Contains(text, "%(signature") {
			m.Ask(".format", "%G in a format starts the program for signatures; leave it out")
		}
	}
}

func gitPath(m *grammar.Match, w grammar.Word) {
	text := w.Prefix()
	magic := strings.HasPrefix(text, ":(") || strings.HasPrefix(text, ":!") || strings.HasPrefix(text, ":^") || strings.HasPrefix(text, ":/")
	if leadsOut(w) {
		m.Use(grammar.Read, w, "")
		return
	}
	if colon := strings.IndexByte(text, ':'); colon >= 0 && !magic && colon+1 < len(text) {
		m.Use(grammar.Read, w.Drop(colon+1), "")
		return
	}
	if _, literal := w.Text(); !literal { // an unknown part before a known one that leads out
		for _, p := range w.Parts {
			if strings.Contains(p.Text, "..") && !strings.Contains(p.Text, "...") && strings.Contains(p.Text, "/..") {
				m.Use(grammar.Read, w, "")
				return
			}
		}
	}
}

// beforeDashes counts the words before "--", -1 when there is none.
func beforeDashes(m *grammar.Match) int {
	for i, w := range m.Words {
		if w.Is("--") {
			return i
		}
	}
	return -1
}

// afterDashes reports whether an operand follows "--".
func afterDashes(m *grammar.Match, word grammar.Word) bool {
	at := beforeDashes(m)
	if at < 0 {
		return false
	}
	for _, w := range m.Words[at+1:] {
		if w.String() == word.String() {
			return true
		}
	}
	return false
}

// settingReadable reports whether a setting may be shown.
func settingReadable(key string) bool {
	key = strings.ToLower(key)
	for _, section := range []string{"credential.", "http.", "https.", "url.", "sendemail.", "include", "filter.", "alias.", "gpg.", "imap.",
		"svn", "proxy"} {
		if strings.HasPrefix(key, section) {
			return false
		}
	}
	return strings.Contains(key, ".") && !strings.Contains(key, "extraheader") && !strings.Contains(key, "token") &&
		!strings.Contains(key, "password")
}
