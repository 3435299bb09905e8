package base

import (
	"path"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/policy/grammar"
)

// links judges ln. The target of a link counts as written, because later commands can write through the link.
func links(m *grammar.Match) {
	at := m.Operands()
	folder, given := m.Flags["-t"]
	targets := at
	link := grammar.Lit(".")
	switch {
	case given:
		link = grammar.Word{Parts: append(append([]grammar.Part(nil), folder.Parts...), grammar.Part{Text: "/"})}
	case len(at) > 1:
		targets, link = at[:len(at)-1], m.Uses[at[len(at)-1]].Word
	}
	if !m.Has("-s") || m.Has("-r") {
		return // as seen from the working folder: what the table has noted is right
	}
	base, ok := linkBase(link)
	for _, i := range targets {
		w := m.Uses[i].Word
		text, literal := w.Text()
		switch {
		case literal && strings.HasPrefix(text, "/"):
		case literal && ok:
			m.Uses[i].Word = grammar.Lit(path.Join(base, text))
		case base == "." && ok, !leadsOut(w) && w.Source() == grammar.Tree:
		default:
			m.Ask(".target", "where this link would lead is not known; write both names out")
			return
		}
	}
}

// linkBase returns the folder to which a link's target is relative. A link whose name may be that of a folder is taken for a
// file: relative to a folder one level up, a target leads outside sooner, never later.
func linkBase(link grammar.Word) (string, bool) {
	text, ok := link.Text()
	if !ok {
		return "", false
	}
	if looksFolder(text) {
		return path.Clean(text), true
	}
	return path.Dir(text), true
}

var (
	symbolicMode = regexp.MustCompile(`^[ugoa]*[-+=][rwxX]+(,[ugoa]*[-+=][rwxX]+)*$`)
	octalMode    = regexp.MustCompile(`^0?[4-7][04-7][04-5]$`)
)

// safeMode accepts modes without setuid, setgid, sticky, and without write access for everybody.
func safeMode(w grammar.Word) bool {
	text, ok := w.Text()
	if !ok {
		return false
	}
	if octalMode.MatchString(text) {
		return true
	}
	return symbolicMode.MatchString(text) && !strings.Contains(text, "=") && !worldWrites(text)
}

// worldWrites reports whether a symbolic mode grants others write access.
func worldWrites(mode string) bool {
	for _, clause := range strings.Split(mode, ",") {
		who, what, _ := strings.Cut(clause, "+")
		if strings.Contains(what, "w") && strings.ContainsAny(who, "oa") {
			return true
		}
	}
	return false
}

// modes judges chmod.
func modes(m *grammar.Match) {
	at := m.Operands()
	if m.Has("-x", "-w", "-wx") { // a mode that takes rights away looks like an option
		for _, i := range at {
			m.Uses[i].Kind = grammar.Write
		}
		return
	}
	if len(at) < 2 {
		m.Ask(".operand", "chmod needs a mode and a file")
		return
	}
	if text, ok := m.Uses[at[0]].Word.Text(); ok && setsIdentity(text) {
		m.Deny(".mode", "a file of a task never gets setuid, setgid or sticky bits")
	} else if !safeMode(m.Uses[at[0]].Word) {
		m.Ask(".mode", "this mode needs a person; +x, u+x, a+x, 644 and 755 are fine")
	}
}

// setsIdentity reports whether a mode sets one of the special bits.
func setsIdentity(mode string) bool {
	if strings.Trim(mode, "01234567") == "" {
		return len(strings.TrimLeft(mode, "0")) > 3
	}
	return strings.ContainsAny(mode, "st")
}

// ddValues are the keys of dd whose value is harmless.
var ddValues = grammar.Set("bs ibs obs cbs count skip seek conv status iflag oflag iseek oseek")

// copies reads the words of dd.
func copies(m *grammar.Match) {
	counted := false
	for _, w := range m.Words {
		key, _, ok := strings.Cut(w.Prefix(), "=")
		value := w.Drop(len(key) + 1)
		switch {
		case !ok:
			m.Ask(".operand", "dd is only known with KEY=VALUE words")
		case key == "of":
			m.Use(grammar.Write, value, "of")
		case key == "if" && (value.Is("/dev/zero") || value.Is("/dev/urandom")):
		case key == "if":
			m.Use(grammar.Read, value, "if")
			counted = true
		case ddValues[key]:
			counted = counted || key == "count"
		default:
			m.Ask(".operand", "dd knows no such key here: "+key)
		}
	}
	if !counted {
		m.Deny(".endless", "without count= this may write without end; give count=")
	}
}
