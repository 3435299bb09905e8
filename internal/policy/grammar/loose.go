package grammar

import (
	"path"
	"regexp"
	"strings"
)

// codeFlags take code in the next word with nearly every interpreter.
var codeFlags = regexp.MustCompile(`^(-[A-Za-z0-9]*[eE]|-c|-r|-p|-ex|-eval|--eval|--exec|--execute|--print|--command)$`)

// outputs are options that name an output.
var outputs = regexp.MustCompile(`(?i)^(-o|--?(out|output|outfile|outdir|out-dir|output-dir|dest|target-dir|log-file)[a-z-]*)$`)

// delivers are the words by which programs publish something or sign in somewhere.
var delivers = regexp.MustCompile(`(?i)^(deploy|publish|push|login|logout|upload|release|submit|auth|tunnel|share)$`)

// remotes are options that name another machine.
var remotes = regexp.MustCompile(`(?i)^--?[\w-]*(remote|host|server|endpoint|registry|proxy|upload|addr|address|url|executor|upstream` +
	`|destination)[\w-]*$`)

// Loose reads a command line without a table of its options, for use in a sandbox: the program can only run inside it. Paths
// must be readable for a task, addresses be on this machine, and all other text is searched for names of what lies outside.
func Loose(m *Match) {
	m.Class, m.Loose = Run, true
	flag, operands := "", 0
	changed := editsInPlace(m)
	for _, w := range m.Words {
		text, literal := w.Text()
		if !literal {
			if looseUnknown(m, w, flag); changed && !codeFlags.MatchString(flag) {
				m.Use(Write, w, flag)
			}
			flag = ""
			continue
		}
		value := text
		if strings.HasPrefix(text, "-") {
			flag, value = looseFlag(text)
			if value == "" {
				continue
			}
		} else if changed && !codeFlags.MatchString(flag) {
			m.Use(Write, w, "")
		} else if flag == "" {
			if operands++; operands <= 2 && delivers.MatchString(text) {
				m.Ask(".deliver", text+" is for what lies outside the sandbox; Longshift delivers the change by a pull request")
			}
		}
		looseValue(m, Lit(value), value, flag)
		flag = ""
	}
}

var inPlace = regexp.MustCompile(`^-[pnlaswW0-9]*i(\.\w+)?[pnlaswW0-9]*[eE]?$`)

// editsInPlace reports whether an interpreter overwrites its input files: perl -pi -e.
func editsInPlace(m *Match) bool {
	if m.Rule != "perl" && m.Rule != "ruby" {
		return false
	}
	for _, w := range m.Words {
		if inPlace.MatchString(w.Prefix()) {
			return true
		}
	}
	return false
}

// TakesCode reports whether one of the options before a script takes code.
func TakesCode(words []Word, code *regexp.Regexp) bool {
	for _, w := range words {
		switch text := w.Prefix(); {
		case code.MatchString(text):
			return true
		case !strings.HasPrefix(text, "-") && path.Ext(text) != "", text == "-", text == "--":
			return false
		}
	}
	return false
}

// looseFlag separates an option from a value in the same word.
func looseFlag(text string) (flag, value string) {
	if name, value, ok := strings.Cut(text, "="); ok {
		return name, value
	}
	if len(text) > 2 && text[1] != '-' && (LeadsOut(text[2:]) || strings.ContainsAny(text[2:], " \n;(")) {
		return text[:2], text[2:]
	}
	return text, ""
}

// looseUnknown judges a word that is not written out.
func looseUnknown(m *Match, w Word, flag string) {
	switch {
	case codeFlags.MatchString(flag) && w.String() == "..." && w.Source() == Any:
		m.Ask(".inline", "which code this runs is not known; write it out, or into a file")
	case w.Tilde || w.Glob || LeadsOut(w.Prefix()):
		m.Use(kindAfter(flag), w, flag)
	default:
		m.Use(Inline, w, flag)
	}
}

func looseValue(m *Match, w Word, text, flag string) {
	switch {
	case strings.HasPrefix(text, "git+"), strings.HasPrefix(text, "git@"), strings.HasPrefix(text, "ssh:"):
		m.Ask(".address", text+" is an address of another machine; a task reaches none")
	case remotes.MatchString(flag) && !IsLocal(text) && strings.ContainsAny(text, ".:@"):
		m.Ask(".address", text+" is an address of another machine; a task reaches none")
	case strings.Contains(text, "://") && !strings.ContainsAny(text, " \n;("):
		m.Use(Local, w, flag)
	case LeadsOut(text) && !strings.ContainsAny(text, "\n;("):
		for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return r == ':' || r == ',' }) {
			if LeadsOut(piece) {
				m.Use(kindAfter(flag), Lit(piece), flag)
			}
		}
		m.Use(Inline, w, flag)
	default:
		m.Use(Inline, w, flag)
		if text != "" && !strings.ContainsAny(text, " \n\t;()'\"$*") && (strings.Contains(text, "/") || path.Ext(text) != "") {
			m.Use(kindAfter(flag), w, flag)
		}
	}
}

// kindAfter returns the kind of a file that follows an option.
func kindAfter(flag string) Kind {
	if outputs.MatchString(flag) {
		return Write
	}
	return Read
}

// LeadsOut reports whether a text is a path that may lead out of the tree.
func LeadsOut(t string) bool {
	return strings.HasPrefix(t, "/") || strings.HasPrefix(t, "~") || strings.Contains("/"+t+"/", "/../")
}
